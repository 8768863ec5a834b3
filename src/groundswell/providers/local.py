"""Models that run in this process: classical editors of honestly different quality, and the baselines of a board.

The editors follow literal instructions (`instructions`) with OpenCV or Pillow; each is named for what it is. They are
endpoints like any other, so that the whole path runs without a key; nobody should take them for image models. The
baselines ignore the instruction: a judge that ranks one above a real model has failed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np

from groundswell import pictures
from groundswell.errors import UserError
from groundswell.pictures import Pixels
from groundswell.ports import LocalModel
from groundswell.providers import instructions
from groundswell.providers.instructions import Box, Operation
from groundswell.records import Answer, Broken, Declined, Sample

Edit = Callable[[Pixels, Operation], Pixels]
Editing = Mapping[str, Edit]
"""How an editor does each operation that it knows."""

BLANK_SIZE: Final = (512, 512)
"""Width and height of a baseline's picture where neither the sample nor an input says one."""


def names() -> tuple[str, ...]:
    """Every model of this module, editors first."""
    return (*_EDITORS, *BASELINES)


def make(name: str, others: Sequence[bytes] = ()) -> LocalModel:
    """The model of that name. `others` are inputs of the edition's samples, for `other-sample` alone.

    Raises UserError for a name that is not in `names()`, and where OpenCV is missing.
    """
    if name in _EDITORS:
        editor = _EDITORS[name]
        if editor.opencv:
            _cv2()  # a missing package is told before the run, not in its middle
        return editor
    if name not in BASELINES:
        raise UserError(f"no local model is called {name!r}; there are {', '.join(names())}")
    return BASELINES[name](others)


def outputs(
    samples: Iterable[Sample],
    models: Sequence[LocalModel],
    load: Callable[[str], bytes],
    *,
    language: str = "en",
    seed: int = 42,
) -> Iterator[tuple[Sample, LocalModel, Answer | Declined | Broken]]:
    """What every model makes of every sample that is its task; `load` gives an input's bytes by digest."""
    for sample in samples:
        inputs = [load(picture.digest) for picture in sample.inputs]
        for model in models:
            if sample.task in model.tasks:
                yield sample, model, model.make(sample, sample.prompts[language], inputs, seed)


# --- editors ------------------------------------------------------------------------------------------------------


@dataclass(kw_only=True)
class Editor:
    """A LocalModel that reads an instruction, does what it can of it, and encodes the result."""

    name: str
    edits: Editing
    encode: Callable[[Pixels], bytes]
    finish: Callable[[Pixels], Pixels] | None = None
    """What it does to every picture, asked or not."""
    steps: int | None = None
    """How many operations of one instruction it carries out; None = all."""
    reads_boxes: bool = True
    opencv: bool = True
    """Needs OpenCV for some of its edits."""
    declines: bool = True
    """Says so when it cannot do what is asked; else it gives the picture back as if it had."""
    tasks: tuple[str, ...] = ("edit",)

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        if not inputs:
            return Declined(reason=f"{self.name} edits pictures and got none", at="input")
        asked = instructions.read(prompt)
        if self.declines:
            reason = self._why_not(asked)
            if reason is not None:
                return Declined(reason=reason, at="input")
        try:
            picture = pictures.pixels(inputs[0])
            for operation in asked[: self.steps]:
                edit = self.edits.get(operation.name)
                if edit is not None:
                    picture = np.ascontiguousarray(edit(picture, operation))  # OpenCV takes no mirrored views
        except pictures.UnreadablePicture as error:
            return Broken(what="decode", reason=str(error), transient=False)
        except Impossible as error:
            return Declined(reason=str(error), at="input")
        if self.finish is not None:
            picture = self.finish(picture)
        return Answer(pictures=(self.encode(picture),), served_model=self.name)

    def _why_not(self, asked: Sequence[Operation]) -> str | None:
        if not asked:
            return f"{self.name} does not understand this instruction"
        for operation in asked[: self.steps]:
            if operation.name not in self.edits:
                return f"{self.name} cannot do this: {operation.name}"
            if operation.box is not None and not self.reads_boxes:
                return f"{self.name} cannot edit a part of a picture"
        return None


class Impossible(ValueError):
    """An operation that cannot be done on this picture."""


def _cut(picture: Pixels, box: Box) -> tuple[slice, slice]:
    """Rows and columns of a box, clamped to the picture. Raises Impossible when nothing is left."""
    height, width = picture.shape[:2]
    x1, y1, x2, y2 = box
    rows, columns = slice(min(y1, height), min(y2, height)), slice(min(x1, width), min(x2, width))
    if rows.stop <= rows.start or columns.stop <= columns.start:
        raise Impossible(f"the box {box} is not inside the picture of {width} x {height}")
    return rows, columns


def _within_box(edit: Edit) -> Edit:
    """The edit, confined to the operation's box where it has one."""

    def confined(picture: Pixels, operation: Operation) -> Pixels:
        if operation.box is None:
            return edit(picture, operation)
        where = _cut(picture, operation.box)
        edited = picture.copy()
        edited[where] = edit(np.ascontiguousarray(picture[where]), operation)
        return edited

    return confined


def _bytes(values: np.ndarray[Any, Any]) -> Pixels:
    """Real values rounded and clipped to 0..255."""
    rounded: Pixels = np.clip(np.rint(values), 0, 255).astype(np.uint8)
    return rounded


def _by_table(picture: Pixels, curve: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]) -> Pixels:
    """A tone curve on each channel, computed once for the 256 values."""
    table: Pixels = _bytes(curve(np.arange(256, dtype=np.float64)))
    mapped: Pixels = table[picture]
    return mapped


def _luma(picture: Pixels) -> np.ndarray[Any, Any]:
    """Rec. 601 luma, float32."""
    luma: np.ndarray[Any, Any] = picture @ np.array([0.299, 0.587, 0.114], np.float32)
    return luma


def _mirrored(picture: Pixels, operation: Operation) -> Pixels:
    return picture[::-1] if operation.axis == "vertical" else picture[:, ::-1]


def _rotated(picture: Pixels, operation: Operation) -> Pixels:
    if operation.degrees is None or operation.degrees % 90:
        raise Impossible(f"only quarter turns are possible, not {operation.degrees} degrees")
    return np.rot90(picture, -operation.degrees // 90)


def _cropped(picture: Pixels, operation: Operation) -> Pixels:
    """The box, or the centre at the size asked for."""
    if operation.box is not None:
        return picture[_cut(picture, operation.box)]
    height, width = picture.shape[:2]
    if operation.size is None or operation.size[0] > width or operation.size[1] > height:
        raise Impossible(f"a picture of {width} x {height} cannot be cropped to {operation.size}")
    wide, high = operation.size
    left, top = (width - wide) // 2, (height - high) // 2
    return picture[top : top + high, left : left + wide]


def _resized(picture: Pixels, operation: Operation) -> Pixels:
    if operation.size is None:
        raise Impossible("no size is given to resize to")
    return pictures.scaled(picture, *operation.size)


def _gray(picture: Pixels, operation: Operation) -> Pixels:
    return np.repeat(_bytes(_luma(picture))[..., None], 3, axis=2)


def _inverted(picture: Pixels, operation: Operation) -> Pixels:
    return 255 - picture


def _filled(picture: Pixels, operation: Operation) -> Pixels:
    if operation.colour is None:
        raise Impossible("no colour is given to fill with")
    return np.full_like(picture, operation.colour)


def _brighter(picture: Pixels, operation: Operation, *, sign: int) -> Pixels:
    """Gamma, which keeps black and white where they are: 0.6 brightens a mid gray by 40 levels."""
    gamma = 0.6 ** (operation.amount * sign)
    return _by_table(picture, lambda value: 255 * (value / 255) ** gamma)


def _contrast(picture: Pixels, operation: Operation, *, sign: int) -> Pixels:
    """Stretched about the mean, so that brightness stays."""
    factor, mean = 1.4 ** (operation.amount * sign), float(_luma(picture).mean())
    return _by_table(picture, lambda value: mean + factor * (value - mean))


def _saturation(picture: Pixels, operation: Operation, *, sign: int) -> Pixels:
    """Colour differences scaled about the luma, so that brightness stays."""
    gray = _luma(picture)[..., None]
    return _bytes(gray + np.float32(1.6 ** (operation.amount * sign)) * (picture - gray))


def _warmth(picture: Pixels, operation: Operation, *, sign: int) -> Pixels:
    """Red up and blue down by the same share (cooler: the reverse), as a colour temperature filter does."""
    gain = 1 + 0.12 * operation.amount * sign
    factors = np.array([gain, 1.0, 2 - gain], np.float32)
    return _bytes(picture * factors)


@lru_cache(maxsize=1)
def _cv2() -> Any:
    """OpenCV on one thread: on small pictures more threads only wait for each other."""
    try:
        import cv2
    except ImportError as error:
        raise UserError("the local editors need OpenCV; install it with: pip install 'groundswell[demo]'") from error
    cv2.setNumThreads(1)
    return cv2


def _blurred(picture: Pixels, operation: Operation) -> Pixels:
    blurred: Pixels = _cv2().GaussianBlur(picture, (0, 0), 3.0 * operation.amount)
    return blurred


def _sharpened(picture: Pixels, operation: Operation) -> Pixels:
    """Unsharp mask."""
    cv2 = _cv2()
    soft = cv2.GaussianBlur(picture, (0, 0), 1.5)
    crisp: Pixels = cv2.addWeighted(picture, 1 + operation.amount, soft, -operation.amount, 0)
    return crisp


def _removed(picture: Pixels, operation: Operation) -> Pixels:
    """The box painted over from its surroundings (Telea's method)."""
    if operation.box is None:
        raise Impossible("nobody said where the thing to remove is")
    cv2, where = _cv2(), _cut(picture, operation.box)
    mask = np.zeros(picture.shape[:2], np.uint8)
    mask[where] = 255
    painted: Pixels = cv2.inpaint(picture, mask, 5, cv2.INPAINT_TELEA)
    return painted


def _posterized(picture: Pixels, operation: Operation) -> Pixels:
    """The asked number of colours, chosen by median cut, without dithering."""
    from PIL import Image

    reduced = Image.fromarray(picture).quantize(operation.colours or 8, dither=Image.Dither.NONE)
    return np.array(reduced.convert("RGB"))


_IN_A_BOX: Final[Editing] = {
    "gray": _gray,
    "invert": _inverted,
    "fill": _filled,
    "blur": _blurred,
    "sharpen": _sharpened,
    "posterize": _posterized,
    "brighter": partial(_brighter, sign=1),
    "darker": partial(_brighter, sign=-1),
    "more contrast": partial(_contrast, sign=1),
    "less contrast": partial(_contrast, sign=-1),
    "more saturated": partial(_saturation, sign=1),
    "less saturated": partial(_saturation, sign=-1),
    "warmer": partial(_warmth, sign=1),
    "cooler": partial(_warmth, sign=-1),
}
"""Edits that a box can confine, because they keep the size."""

_CAREFUL: Final[Editing] = {
    "mirror": _mirrored,
    "rotate": _rotated,
    "crop": _cropped,
    "resize": _resized,
    "remove": _removed,
    **{name: _within_box(edit) for name, edit in _IN_A_BOX.items()},
}


def _enhanced(picture: Pixels, operation: Operation, *, kind: str, factor: float) -> Pixels:
    """One of Pillow's stock enhancers, always at the same strength."""
    from PIL import Image, ImageEnhance

    return np.array(getattr(ImageEnhance, kind)(Image.fromarray(picture)).enhance(factor))


def _stock_filter(picture: Pixels, operation: Operation, *, kind: str) -> Pixels:
    from PIL import Image, ImageFilter

    return np.array(Image.fromarray(picture).filter(getattr(ImageFilter, kind)))


_PLAIN: Final[Editing] = {
    "mirror": _mirrored,
    "rotate": _rotated,
    "crop": _cropped,
    "resize": _resized,
    "gray": _gray,
    "invert": _inverted,
    "posterize": _posterized,
    "blur": partial(_stock_filter, kind="BLUR"),
    "sharpen": partial(_stock_filter, kind="SHARPEN"),
    "brighter": partial(_enhanced, kind="Brightness", factor=1.3),
    "darker": partial(_enhanced, kind="Brightness", factor=0.7),
    "more contrast": partial(_enhanced, kind="Contrast", factor=1.3),
    "less contrast": partial(_enhanced, kind="Contrast", factor=0.7),
    "more saturated": partial(_enhanced, kind="Color", factor=1.3),
    "less saturated": partial(_enhanced, kind="Color", factor=0.7),
}
"""Whole pictures and fixed strengths: no boxes, no removal, no colour temperature."""


def _hasty_gray(picture: Pixels, operation: Operation) -> Pixels:
    """The green channel, taken for brightness."""
    return np.repeat(picture[..., 1:2], 3, axis=2)


def _hasty_turn(picture: Pixels, operation: Operation) -> Pixels:
    """Always clockwise."""
    return np.rot90(picture, -1 if operation.degrees in (90, 270) else 2)


def _hasty_size(edit: Edit) -> Edit:
    """Sizes rounded down to a multiple of 16, as some encoders want them."""

    def rounded(picture: Pixels, operation: Operation) -> Pixels:
        size = operation.size
        if size is not None:
            size = (max(16, size[0] // 16 * 16), max(16, size[1] // 16 * 16))
        return edit(picture, Operation(name=operation.name, size=size, box=operation.box))

    return rounded


def _hasty_brightness(picture: Pixels, operation: Operation, *, step: int) -> Pixels:
    """An offset that clips highlights and shadows."""
    return _by_table(picture, lambda value: value + step)


def _coarse_box(edit: Edit) -> Edit:
    """The box widened to a grid of 32 pixels."""

    def widened(picture: Pixels, operation: Operation) -> Pixels:
        if operation.box is None:
            return edit(picture, operation)
        x1, y1, x2, y2 = operation.box
        box = (x1 // 32 * 32, y1 // 32 * 32, -(-x2 // 32) * 32, -(-y2 // 32) * 32)
        return edit(picture, Operation(name=operation.name, amount=operation.amount, box=box, colour=operation.colour))

    return widened


def _smeared(picture: Pixels, operation: Operation) -> Pixels:
    """A thing "removed" by the mean colour of its box."""
    if operation.box is None:
        raise Impossible("nobody said where the thing to remove is")
    where = _cut(picture, operation.box)
    painted = picture.copy()
    painted[where] = _bytes(picture[where].reshape(-1, 3).mean(axis=0))
    return painted


_HASTY: Final[Editing] = {
    **_CAREFUL,
    "gray": _within_box(_hasty_gray),
    "rotate": _hasty_turn,
    "crop": _hasty_size(_cropped),
    "resize": _hasty_size(_resized),
    "brighter": _within_box(partial(_hasty_brightness, step=60)),
    "darker": _within_box(partial(_hasty_brightness, step=-60)),
    **{name: _coarse_box(_CAREFUL[name]) for name in ("fill", "blur")},
    "remove": _coarse_box(_smeared),
}


def _filtered(picture: Pixels) -> Pixels:
    """The look of a photo filter: more colour, more contrast, dark corners."""
    vivid = _contrast(
        _saturation(picture, Operation(name="", amount=0.7), sign=1), Operation(name="", amount=0.5), sign=1
    )
    height, width = vivid.shape[:2]
    y, x = np.linspace(-1, 1, height, dtype=np.float32)[:, None], np.linspace(-1, 1, width, dtype=np.float32)
    return _bytes(vivid * (1 - 0.3 * (x * x + y * y) / 2)[..., None])


_EDITORS: Final[Mapping[str, Editor]] = {
    editor.name: editor
    for editor in (
        Editor(name="opencv-careful", edits=_CAREFUL, encode=pictures.encode_png),
        Editor(
            name="pillow-plain",
            edits=_PLAIN,
            encode=partial(pictures.encode_jpeg, quality=92),
            reads_boxes=False,
            opencv=False,
        ),
        Editor(name="hasty", edits=_HASTY, encode=partial(pictures.encode_jpeg, quality=70), steps=1),
        Editor(name="filter-happy", edits=_CAREFUL, encode=pictures.encode_png, finish=_filtered),
        Editor(name="jpeg-10", edits=_CAREFUL, encode=partial(pictures.encode_jpeg, quality=10)),
        Editor(name="grayscale-only", edits={"gray": _gray}, encode=pictures.encode_png, declines=False, opencv=False),
    )
}


# --- baselines ----------------------------------------------------------------------------------------------------


def _size(sample: Sample) -> tuple[int, int]:
    """Width and height of a baseline's picture."""
    if sample.size is not None:
        return sample.size
    return (sample.inputs[0].width, sample.inputs[0].height) if sample.inputs else BLANK_SIZE


def _lot(sample: Sample, seed: int) -> np.random.Generator:
    """Random numbers of this sample and seed alone, the same on every machine."""
    return np.random.default_rng([seed, int(sample.key, 16)])


class CopyInput:
    """The first input's own bytes, untouched."""

    name: str = "copy-input"
    tasks: tuple[str, ...] = ("edit",)

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        if not inputs:
            return Declined(reason="there is no input to copy", at="input")
        return Answer(pictures=(inputs[0],), served_model=self.name)


class Blank:
    """A white picture of the size wanted."""

    name: str = "blank"
    tasks: tuple[str, ...] = ("t2i", "edit")

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        width, height = _size(sample)
        white = np.full((height, width, 3), 255, np.uint8)
        return Answer(pictures=(pictures.encode_png(white),), served_model=self.name)


class Noise:
    """Uniform noise of the size wanted."""

    name: str = "noise"
    tasks: tuple[str, ...] = ("t2i", "edit")

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        width, height = _size(sample)
        noise = _lot(sample, seed).integers(0, 256, (height, width, 3), np.uint8)
        return Answer(pictures=(pictures.encode_png(noise, level=0),), served_model=self.name)


class OtherSample:
    """An input of another sample: a real picture that has nothing to do with the instruction."""

    name: str = "other-sample"
    tasks: tuple[str, ...] = ("t2i", "edit")

    def __init__(self, others: Sequence[bytes]) -> None:
        self.others = others

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        for index in _lot(sample, seed).permutation(len(self.others)):
            data = self.others[int(index)]  # one at a time: the sequence may read them from the blobs
            if data not in inputs:
                return Answer(pictures=(data,), served_model=self.name)
        return Declined(reason="no other sample has an input", at="input")


BASELINES: Final[Mapping[str, Callable[[Sequence[bytes]], LocalModel]]] = {
    "copy-input": lambda others: CopyInput(),
    "blank": lambda others: Blank(),
    "noise": lambda others: Noise(),
    "other-sample": lambda others: OtherSample(others),
}
"""What stands on every board on request to show where the floor is."""
