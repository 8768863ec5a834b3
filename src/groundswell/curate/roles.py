"""What the pictures of a thread are, by local rules: the words beside them, their number, what the instruction needs.

Where bytes are at hand, collages are told by their pixels. It does not compare what pictures show.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from groundswell.curate import cues
from groundswell.curate.conversation import Conversation, SeenPost
from groundswell.curate.questions import Box, PictureRole, Prompt, Roles

Role = Literal["input", "output", "combined", "neither"]
Parts = Callable[[str, bool], Sequence[Box]]
"""The pictures within the picture with this digest, which may be a program's window; none where it is single."""

SHORT_ALT = 60
"""Letters of a picture's description that names it; a longer one tells what is in it."""

_ORDINAL = (
    r"(?:1st|first|left|top|pic(?:ture)? 1|image 1|图1|图一|第一张|左|上|1枚目|p1)",
    r"(?:2nd|second|last|right|bottom|pic(?:ture)? 2|image 2|图2|图二|第二张|右|下|2枚目|p2)",
)
_NUMBERED = re.compile(r"(?:image|photo|picture|图片?|画像|reference)\s*#?([1-9])|第([一二三四])张", re.IGNORECASE)


def find_roles(talk: Conversation, prompt: Prompt | None, parts: Parts | None = None) -> Roles:
    """A role for every picture of a thread; `parts` looks into a picture, where somebody can."""
    seen: set[str] = set()
    found: list[PictureRole] = []
    for place, post in enumerate(talk.posts):
        for index, role, why in _of_post(talk, place, prompt, parts):
            digest = post.pictures[index].digest
            if digest is not None and digest in seen:
                role, why = "neither", "the same picture stands earlier in the thread"
            elif digest is not None:
                seen.add(digest)
            boxes: tuple[Box, ...] = ()
            if role == "combined" and parts is not None and digest is not None:
                boxes = tuple(parts(digest, prompt is not None and prompt.picture == digest))
            found.append(PictureRole(post=post.key, index=index, role=role, why=why, boxes=boxes))
    return Roles(pictures=tuple(found), why="words beside the pictures, their number, and what the instruction needs")


def _of_post(
    talk: Conversation, place: int, prompt: Prompt | None, parts: Parts | None
) -> Iterator[tuple[int, Role, str]]:
    post = talk.posts[place]
    still = [index for index, picture in enumerate(post.pictures) if not picture.moving]
    yield from ((index, "neither", "it moves") for index, picture in enumerate(post.pictures) if picture.moving)
    if not still:
        return
    around = post.text.replace(prompt.text, " ") if prompt else post.text
    if post.by == "other" and place < talk.main:
        above: tuple[Role, str] = ("input", "the post that was answered shows what to work on")
        yield from (
            (index, *(above if prompt and prompt.task == "edit" else _of_other(post, around))) for index in still
        )
        return
    if post.by == "other":
        yield from ((index, *_of_other(post, around)) for index in still)
        return
    typed = prompt.picture if prompt else None
    edit = prompt is not None and prompt.task == "edit"
    if typed is not None and len(still) == 1 and post.pictures[still[0]].digest == typed:
        yield still[0], "combined", "the window in which the instruction is typed"
        return
    if len(still) == 1:
        yield (still[0], *_single(post, around, edit=edit, opening=place == talk.main, parts=parts))
        return
    said = [
        _first_mentioned(alt) if (alt := post.pictures[index].alt) and len(alt) <= SHORT_ALT else None
        for index in still
    ]
    guessed = zip(*_several(around, prompt, len(still)), strict=True)
    for index, side, (role, why) in zip(still, said, guessed, strict=True):
        yield (index, side, "its description says so") if side else (index, role, why)


def _of_other(post: SeenPost, around: str) -> tuple[Role, str]:
    if cues.has(around, "not_picture"):
        return "neither", "a joke or a reaction"
    if cues.has(around, "is_output") or cues.models(around) or cues.has(around, "making"):
        return "output", "somebody shows an own result"
    return "neither", "a reply that does not say what its picture is"


def _single(post: SeenPost, around: str, *, edit: bool, opening: bool, parts: Parts | None) -> tuple[Role, str]:
    given, made = (cues.has(around, group) for group in ("is_input", "is_output"))
    if edit and (cues.has(around, "combined") or (given and made)):
        return "combined", "the post speaks of two sides"
    digest = post.pictures[0].digest
    if edit and parts is not None and digest is not None and len(parts(digest, False)) > 1:
        return "combined", "the picture is made of several"
    first = _first_mentioned(around)
    if first == "input" and (edit or not opening):
        return "input", "the post calls it the original"
    if first is None and not opening and not around.strip() and edit:
        return "output", "the author adds a picture without words"
    return "output", "what the author shows of an instruction is its result"


def _first_mentioned(around: str) -> Literal["input", "output"] | None:
    """Which side the words beside a picture speak of; the first, where they speak of both."""
    given = cues.pattern("is_input").search(around)
    made = cues.pattern("is_output").search(around)
    if given and (made is None or given.start() < made.start()):
        return "input"
    return "output" if made else None


def _several(around: str, prompt: Prompt | None, count: int) -> tuple[list[Role], list[str]]:
    """Roles of several pictures of one post, in order, with reasons."""
    if prompt is None or (prompt.task == "t2i" and not cues.has(around, "is_input")):
        made_all: list[Role] = ["output"] * count
        return made_all, ["the instruction needs no picture"] * count
    first, last = (_side_of(around, ordinal) for ordinal in _ORDINAL)
    if first is not None or last is not None:
        opening: Role = first or ("output" if last == "input" else "input")
        rest: Role = "input" if opening == "output" and last == "input" else "output"
        return [opening, *[rest] * (count - 1)], ["the post says which is which"] * count
    given = cues.pattern("is_input").search(around)
    made = cues.pattern("is_output").search(around)
    if given and made:
        sides: tuple[Role, Role] = ("input", "output") if given.start() < made.start() else ("output", "input")
        return [sides[0], *[sides[1]] * (count - 1)], ["in the order in which the post names them"] * count
    wanted = max(_numbers(prompt.text), default=1)
    inputs = min(wanted, count - 1)
    ordered: list[Role] = ["input" if number < inputs else "output" for number in range(count)]
    return ordered, ["what is given stands before what is made of it"] * count


def _side_of(around: str, ordinal: str) -> Literal["input", "output"] | None:
    """Which side a text gives to a picture named by its place, within a few words."""
    for match in re.finditer(ordinal, around, re.IGNORECASE):
        nearby = re.split(r"[,，;；/|\n。]|(?<=\w)\.\s|→|➡", around[match.end() : match.end() + 40])[0]
        if (side := _first_mentioned(nearby)) is not None:
            return side
    return None


def _numbers(text: str) -> Iterator[int]:
    for match in _NUMBERED.finditer(text):
        yield int(match.group(1)) if match.group(1) else "一二三四".index(match.group(2)) + 1
