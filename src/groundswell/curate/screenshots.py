"""A picture of a program's window: the instruction typed into it, and the pictures shown in it with their roles.

Text comes from OCR, pictures are textured rectangles on a plain ground. A window that shows no instruction, and a
picture that is no window, give none. Handwriting, right-to-left scripts and dense web pages are read badly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from groundswell.curate import cues
from groundswell.curate.panels import panels
from groundswell.curate.prompts import edits, likeness
from groundswell.curate.questions import Box, Screenshot
from groundswell.errors import UserError
from groundswell.files import read_bytes
from groundswell.perception import ocr
from groundswell.perception.loading import one_thread_opencv
from groundswell.perception.spacing import spaced
from groundswell.pictures import UnreadablePicture, pixels

PLAIN_GROUND = 0.2
"""Share of pixels of one colour that a window's ground has at least; photographs have less."""

LEAST_PICTURE = 0.015
"""Share of a window that a picture in it covers at least; icons cover less."""

SOLID = 0.7
"""Share of its rectangle that a picture fills."""

TEXTURED = 24
"""Different colours, at 4 bits a channel, that a picture has at least. Letters on a bubble have the 16 between two."""

SHADES = 8
"""That a picture without colours has at least, none on more than MOST_OF_ONE of it: a bubble is mostly ground."""

MOST_OF_ONE = 0.5
"""Share of a picture without colours that one shade covers at most."""

ENLARGED = 2.0
"""How many times a small window is enlarged before its text is read."""

MOST_LINES = 3
"""Of the words that stand in a picture; more are a page."""

SURE = 0.95
"""Score from which every line was read without doubt."""

INSIDE = 10
"""Pixels by which a crop is smaller than its box on each side (METHODS, section 3)."""

_FURNITURE = re.compile(
    r"\s*(?:ask anything|message chatgpt|send a message|chatgpt(?: \S{1,8})?|gpt-?4o?|dall.?e|"
    r"gemini(?: \S{1,12})?|new chat|share|edit(?: image)?|"
    r"edit selection|select|selection|clear selection|undo|redo|save|cancel|done|download|copy|reply|"
    r"regenerate|try again|"
    r"describe (?:your )?edits?|describe your image|get plus|upgrade|log ?in|sign up|search|thinking|"
    r"creating image|"
    r"image created|generated image|tools?|create image|add photos?.*|attach|\+|today|yesterday|"
    r"chatgpt can make mistakes.*|"
    r"\d{1,2}[:.]\d{2}(?: ?[ap]m)?|\d{1,3} ?%|\d+ / \d+|[<>‹›×x•·|]+|回复|编辑|发送|取消|完成|保存|分享|"
    r"重新生成|下载|"
    r"メッセージを送信|編集|保存|共有|キャンセル|完了)\s*",
    re.IGNORECASE,
)
_EDIT_SCREEN = re.compile(
    r"describe (?:your )?edits?|clear selection|edit selection|select an area|编辑所选|編集内容", re.I
)
_INPUT = re.compile(r"before|original|input|source|reference|原图|输入|元画像|入力", re.IGNORECASE)
_OUTPUT = re.compile(r"after|result|output|generated|结果|输出|出力|結果", re.IGNORECASE)

Role = Literal["input", "output"]
Rectangle = tuple[int, int, int, int]


@dataclass(frozen=True)
class Block:
    """Lines of text that stand together; `box` is x1, y1, x2, y2."""

    lines: tuple[str, ...]
    box: Rectangle

    @property
    def text(self) -> str:
        """The lines as one paragraph; a Chinese line is joined without a space."""
        joined = ""
        for line in self.lines:
            tight = not joined or cues.size(joined[-1]) > 1 or cues.size(line[:1]) > 1
            joined += line if tight else f" {line}"
        return joined.strip()


def read_file(path: Path) -> dict[str, Any]:
    """What the picture in a file shows: the JSON object of `groundswell curate screenshot`. Raises UserError."""
    try:
        found = read_screenshot(read_bytes(path))
    except UnreadablePicture as error:
        raise UserError(f"this picture cannot be read: {error}", where=path) from None
    boxes = [{"role": box.role, "box": list(box.box)} for box in found.boxes]
    return {"prompt": found.prompt, "boxes": boxes, "why": re.sub(r"\s+", " ", found.why)}


def read_screenshot(data: bytes) -> Screenshot:
    """Instruction and pictures of a window. Raises UnreadablePicture."""
    shot = pixels(data)
    ground, share = _ground(shot)
    shown = _pictures_in(shot, ground) if share >= PLAIN_GROUND else []
    parts = panels(shot)
    if share < PLAIN_GROUND and len(parts) < 2:
        return Screenshot(why="a single picture, not a window")
    lines = _text_of(shot)
    blocks = _blocks([line for line in lines if not _within(line.corners, shown)])
    asked = _asked(blocks)
    if asked is None:
        boxes = sides(parts, _labelled(parts, lines))
        return Screenshot(boxes=boxes, why=f"no text in it reads like an instruction; {len(parts)} panels")
    editing = any(_EDIT_SCREEN.search(line.text) for line in lines)
    boxes_of = [Box(role=_role(box, asked, editing=editing), box=box) for box in shown]
    return Screenshot(prompt=asked.text, boxes=tuple(boxes_of), why="the longest text that reads like an instruction")


def crop(box: Rectangle, width: int, height: int) -> Rectangle:
    """The part of a box that is kept: INSIDE pixels within each side, clamped to the picture."""
    x1, y1, x2, y2 = box
    left, top = min(max(0, x1 + INSIDE), width), min(max(0, y1 + INSIDE), height)
    return (left, top, max(left, min(width, x2 - INSIDE)), max(top, min(height, y2 - INSIDE)))


def words_in(data: bytes) -> str | None:
    """The few words that a picture shows, as a poster or a sign does; None where there are none, or it is not sure of
    one of them. Raises UnreadablePicture."""
    lines = _text_of(pixels(data))
    if not lines or len(lines) > MOST_LINES or min(line.score for line in lines) < SURE:
        return None
    return " ".join(line.text.strip() for line in lines)


def _text_of(shot: NDArray[np.uint8]) -> list[ocr.Line]:
    """Lines of text, corners in the picture's pixels. Small letters are enlarged first; lost spaces are put back from
    the gaps."""
    scale = max(1.0, min(ENLARGED, ocr.LONGEST_SIDE / max(shot.shape[:2])))
    size = (round(shot.shape[1] * scale), round(shot.shape[0] * scale))
    large = shot if scale == 1 else np.asarray(Image.fromarray(shot).resize(size, Image.Resampling.LANCZOS))
    return [
        replace(
            line,
            text=spaced(line.text, _cut_out(large, line)),
            corners=tuple((x / scale, y / scale) for x, y in line.corners),
        )
        for line in ocr.read(large)
    ]


def _cut_out(picture: NDArray[np.uint8], line: ocr.Line) -> NDArray[np.uint8]:
    """The upright rectangle around a line."""
    xs, ys = zip(*line.corners, strict=True)
    return picture[max(0, int(min(ys))) : int(max(ys)) + 1, max(0, int(min(xs))) : int(max(xs)) + 1]


def _ground(shot: NDArray[np.uint8]) -> tuple[NDArray[np.float32], float]:
    """The most frequent colour, at 5 bits a channel, and its share."""
    coarse = (shot >> 3).astype(np.uint32)
    codes = (coarse[..., 0] << 10 | coarse[..., 1] << 5 | coarse[..., 2]).ravel()
    counts = np.bincount(codes, minlength=1 << 15)
    most = int(counts.argmax())
    colour = shot.reshape(-1, 3)[codes == most].mean(axis=0)
    return colour.astype(np.float32), float(counts[most] / codes.size)


def _pictures_in(shot: NDArray[np.uint8], ground: NDArray[np.float32]) -> list[Rectangle]:
    """Textured rectangles on the ground, top to bottom."""
    cv2 = one_thread_opencv()
    height, width = shot.shape[:2]
    differs = (np.abs(shot.astype(np.float32) - ground).max(axis=2) > 12).astype(np.uint8)
    reach = max(3, min(height, width) // 120)
    closed = cv2.morphologyEx(differs, cv2.MORPH_CLOSE, np.ones((reach, reach), np.uint8))
    opened = cv2.morphologyEx(closed, cv2.MORPH_OPEN, np.ones((3 * reach, 3 * reach), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(opened, connectivity=4)
    found: list[Rectangle] = []
    for x, y, w, h, area in stats[1:].tolist():
        if w * h < LEAST_PICTURE * width * height or area < SOLID * w * h or w * h > 0.9 * width * height:
            continue
        if _is_textured(shot[y : y + h, x : x + w]):
            found.append((x, y, x + w, y + h))
    return sorted(found, key=lambda box: (box[1], box[0]))


def _is_textured(part: NDArray[np.uint8]) -> bool:
    """Whether a part of a window is a picture by its colours, and no bubble or button with letters on it."""
    coarse = (part >> 4).astype(np.uint32)
    counts = np.bincount((coarse[..., 0] << 8 | coarse[..., 1] << 4 | coarse[..., 2]).ravel(), minlength=4096)
    pixels_in = part.shape[0] * part.shape[1]
    colours = int((counts > pixels_in / 5000).sum())
    return colours >= TEXTURED or (colours >= SHADES and counts.max() <= MOST_OF_ONE * pixels_in)


def _within(corners: Sequence[tuple[float, float]], boxes: Sequence[Rectangle]) -> bool:
    x, y = (sum(corner[axis] for corner in corners) / len(corners) for axis in (0, 1))
    return any(x1 <= x <= x2 and y1 <= y <= y2 for x1, y1, x2, y2 in boxes)


def _blocks(lines: Sequence[Any]) -> list[Block]:
    """Lines joined where one stands right under another, furniture left out."""
    rows = []
    for line in lines:
        if _FURNITURE.fullmatch(line.text):
            continue
        xs, ys = zip(*line.corners, strict=True)
        rows.append((line.text.strip(), (int(min(xs)), int(min(ys)), int(max(xs)), int(max(ys)))))
    rows.sort(key=lambda row: (row[1][1], row[1][0]))
    blocks: list[Block] = []
    for text, box in rows:
        joined = next((at for at, block in enumerate(blocks) if _follows(block.box, box)), None)
        if joined is None:
            blocks.append(Block((text,), box))
        else:
            above = blocks[joined]
            merged = tuple(f(a, b) for f, a, b in zip((min, min, max, max), above.box, box, strict=True))
            blocks[joined] = Block((*above.lines, text), merged)  # type: ignore[arg-type]
    return blocks


def _follows(above: Rectangle, line: Rectangle) -> bool:
    """Whether a line is the next one of the paragraph above: close below, and beginning or overlapping with it."""
    height = line[3] - line[1]
    overlap = min(above[2], line[2]) - max(above[0], line[0])
    near = -0.6 * height <= line[1] - above[3] <= 1.1 * height
    return near and overlap > 0.5 * min(above[2] - above[0], line[2] - line[0])


def _asked(blocks: Sequence[Block]) -> Block | None:
    """The block that reads most like an instruction; of equals the longest."""
    rated = [(likeness(block.text), cues.size(block.text), block) for block in blocks]
    good = [each for each in rated if each[0] >= 2 and each[1] >= 15]
    return max(good, key=lambda each: (min(each[0], 4), each[1]))[2] if good else None


def _role(box: Rectangle, asked: Block, *, editing: bool) -> Role:
    """What stands before the instruction is given, what stands behind it is made of it."""
    if editing:
        return "input"
    above = (box[1] + box[3]) / 2 < asked.box[3]
    return "input" if above and edits(asked.text) else "output"


def sides(boxes: Sequence[Rectangle], named: Sequence[Role | None] = ()) -> tuple[Box, ...]:
    """Panels of a collage with their roles: as they are named; of two the first is what was given; of more, much
    smaller ones are, and equals in a grid are all made. None for a single picture."""
    if len(boxes) < 2:
        return ()
    areas = [(x2 - x1) * (y2 - y1) for x1, y1, x2, y2 in boxes]
    told = []
    for index, (box, role) in enumerate(zip_longest(boxes, named)):
        given = index == 0 if len(boxes) == 2 else areas[index] < 0.6 * max(areas)
        told.append(Box(role=role or ("input" if given else "output"), box=box))
    return tuple(told)


def _labelled(boxes: Sequence[Rectangle], lines: Sequence[Any]) -> list[Role | None]:
    """Roles that words within panels give them."""
    roles: list[Role | None] = []
    for box in boxes:
        words = " ".join(line.text for line in lines if _within(line.corners, [box]))
        roles.append("input" if _INPUT.search(words) else "output" if _OUTPUT.search(words) else None)
    return roles
