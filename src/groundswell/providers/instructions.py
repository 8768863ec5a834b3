"""Read a plain editing instruction as operations, by keywords in English and Chinese.

This is what the classical editors of `local` understand: single, literal operations, in the order in which they are
asked for. It knows nothing of what a picture shows; an instruction about a thing in it ("give the cat a hat") gives no
operation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

Box = tuple[int, int, int, int]
"""x1, y1, x2, y2 in pixels; x2 and y2 are just outside."""


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do to a picture."""

    name: str
    """A key of `OPERATIONS`."""
    amount: float = 1.0
    """1 = as asked without an adverb; below for "slightly", above for "strongly"."""
    box: Box | None = None
    """Where; None = everywhere."""
    size: tuple[int, int] | None = None
    """Width and height, for crop and resize."""
    degrees: int | None = None
    """Clockwise, for rotate: 90, 180 or 270."""
    axis: str | None = None
    """For mirror: horizontal (left and right change places) or vertical."""
    colours: int | None = None
    """For posterize."""
    colour: tuple[int, int, int] | None = None
    """For fill."""


OPERATIONS: Final[Mapping[str, str]] = {
    "fill": r"\b(?:cover|fill|paint over|redact)\b|涂成|盖住|遮住|填充",
    "remove": r"\b(?:remove|erase|get rid of)\b|去掉|移除|抹掉",
    "gray": r"black[- ]and[- ]white|gr[ae]y(?:scale)?\b|monochrome|黑白|灰度|灰色",
    "mirror": r"\b(?:mirror|flip)|镜像|翻转",
    "rotate": r"\brotate|\bturn (?:it|this|the \w+) (?:by|upside|on its|\d)|旋转|转\s*\d",
    "crop": r"\bcrop|\btrim\b|裁剪|裁切|裁成",
    "resize": r"\b(?:resize|scale|shrink)|缩放|缩小到",
    "blur": r"\bblur|\bout of focus|\bsoften\b|模糊|柔化",
    "sharpen": r"\bsharpen|\bcrisper\b|锐化|更清晰",
    "posterize": r"\bposteri[sz]e|\bcolou?rs only\b|\bonly \d+ (?:colou?rs|shades)|色调分离|只用\s*\d+\s*种",
    "invert": r"\binvert|\bnegative\b|反相|负片",
    "more contrast": r"\b(?:more|higher|raise the|increase the|add) contrast|\bpunchier\b|提高对比|增加对比|增强对比",
    "less contrast": r"\b(?:less|lower|reduce the|softer) contrast|\bflatter\b|降低对比|减弱对比",
    "more saturated": r"\b(?:more|richer) (?:saturat\w+|vivid|colou?rs)|\bmore vivid\b|更鲜艳|提高饱和|增加饱和",
    "less saturated": r"\b(?:less saturat\w+|desaturat\w+|mute the colou?rs|muted colou?rs)|更淡雅|降低饱和",
    "warmer": r"\bwarmer\b|暖色|更暖|暖一",
    "cooler": r"\b(?:cooler|colder)\b|冷色|更冷|冷一",
    "brighter": r"\b(?:brighter|brighten|lighten)\b|更亮|调亮|提亮",
    "darker": r"\b(?:darker|darken)\b|更暗|调暗|变暗",
}
"""Operation -> the words that ask for it; of several in a clause the earliest counts."""

COLOURS: Final[Mapping[str, tuple[int, int, int]]] = {
    r"\bblack\b|黑色": (0, 0, 0),
    r"\bwhite\b|白色": (255, 255, 255),
    r"\bred\b|红色": (255, 0, 0),
    r"\bgreen\b|绿色": (0, 128, 0),
    r"\bblue\b|蓝色": (0, 0, 255),
    r"\byellow\b|黄色": (255, 255, 0),
}

_CLAUSES: Final = re.compile(r"[.;。；]|，?(?:然后|再|并)|,? (?:and )?then |, and ", re.IGNORECASE)
_BOX: Final = re.compile(r"\((\d+),\s*(\d+)\)\s*(?:-|to|到|至)\s*\((\d+),\s*(\d+)\)")
_SIZE: Final = re.compile(r"(\d+)\s*(?:x|×|by)\s*(\d+)")
_DEGREES: Final = re.compile(r"(\d+)\s*(?:°|degrees?|度)")
_COUNT: Final = re.compile(r"(\d+)\s*(?:colou?rs|shades|levels|种|个)")
_COUNTER: Final = re.compile(r"counter[- ]?clockwise|anti[- ]?clockwise|to the left|逆时针|向左")
_VERTICAL: Final = re.compile(r"vertical|top (?:to|and|with) bottom|upside|上下|垂直")
_WEAK: Final = re.compile(r"slight|a little|a touch|gently|稍微|略微|一点")
_STRONG: Final = re.compile(r"strong|heavil|much|a lot|明显|强烈|大幅")


def read(instruction: str) -> tuple[Operation, ...]:
    """The operations that an instruction asks for, in its order; none where nothing was understood."""
    found = (_operation(clause.lower()) for clause in _CLAUSES.split(instruction))
    return tuple(operation for operation in found if operation is not None)


def _operation(clause: str) -> Operation | None:
    hits = ((match.start(), name) for name, words in OPERATIONS.items() if (match := re.search(words, clause)))
    name = min(hits, default=(0, None), key=lambda hit: hit[0])[1]
    if name is None:
        return None
    box, size, count = _BOX.search(clause), _SIZE.search(clause), _COUNT.search(clause)
    return Operation(
        name=name,
        amount=0.5 if _WEAK.search(clause) else 1.6 if _STRONG.search(clause) else 1.0,
        box=None if box is None else (int(box[1]), int(box[2]), int(box[3]), int(box[4])),
        size=None if size is None else (int(size[1]), int(size[2])),
        degrees=_degrees(clause) if name == "rotate" else None,
        axis=None if name != "mirror" else "vertical" if _VERTICAL.search(clause) else "horizontal",
        colours=None if name != "posterize" or count is None else int(count[1]),
        colour=_colour(clause) if name == "fill" else None,
    )


def _colour(clause: str) -> tuple[int, int, int] | None:
    return next((value for words, value in COLOURS.items() if re.search(words, clause)), None)


def _degrees(clause: str) -> int:
    """Clockwise; a quarter turn where no number is given."""
    number = _DEGREES.search(clause)
    degrees = int(number[1]) if number else 180 if "upside" in clause else 90
    return (-degrees if _COUNTER.search(clause) else degrees) % 360
