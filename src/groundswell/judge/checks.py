"""A judge that measures declared checks instead of opining.

Each check compares an output's pixels with the sample's input and gives a score between 0 and 1 with the numbers it
was made of. Where an empty picture could pass, content counts as well: a white page is gray, but it is not the
photograph in gray. The judge knows only what a sample declares; taste, and whether a named thing is in the picture, are
beyond it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from groundswell import pictures
from groundswell.judge.likeness import COMPARED_SIDE, at_size, chroma, detail, likeness, luma, recolouring, structure
from groundswell.pictures import Pixels
from groundswell.ports import CheckRule
from groundswell.records import (
    Check,
    Dimension,
    Json,
    Judgment,
    Output,
    Record,
    Rubric,
    Sample,
    Unread,
    Verdict,
    Winner,
)

VERSION: Final = 1
"""Changes with every change of arithmetic, so that old and new grades never share a rubric."""

LOW_GRADE, HIGH_GRADE, STEP = 1.0, 10.0, 0.1

TIE_MARGIN: Final = 0.2
"""Grades of one sample that differ by at most this are a tie: two steps are within what re-encoding alone can do."""

KEPT: Final = 0.9
"""Structure from which the content counts as wholly kept; heavy but legitimate edits stay above it."""

SAME_LEVELS: Final = 2
"""Levels of 255 by which a pixel may differ and still be unchanged: rounding of colour conversions."""

GRAY_LEVELS: Final = 12.0
"""Mean spread of the channels, in levels, that is no gray at all."""

RING: Final = 12
"""Width in pixels of the surroundings that a removed thing should look like."""

RING_LEVELS: Final = 40.0
"""Levels by which the mean colour of a filled hole may miss its surroundings before it scores 0."""

Evidence = dict[str, Json]
Cell = TypeVar("Cell", bound=np.generic)


def rubric() -> Rubric:
    """What this judge's grades mean; its key is the rubric of every verdict."""
    text = (
        "Each check that the sample declares is measured on the output's pixels and gives a score from 0 to 1. "
        "The grade is 1 + 9 x the mean of the scores, rounded to 0.1. "
        "When any of the checks cannot be measured there is no grade."
    )
    rules = {"version": VERSION, "checks": sorted((*RULES, COUNT)), "tie_margin": TIE_MARGIN}
    return Rubric(
        name="checks",
        text=text,
        dimensions=(Dimension(name="grade", low=LOW_GRADE, high=HIGH_GRADE, step=STEP),),
        rules=rules,
    )


class ChecksJudge:
    """Judges one output at a time by its sample's checks. `load` gives a picture's bytes by digest."""

    name: str = "checks"

    def __init__(self, load: Callable[[str], bytes], rules: Mapping[str, CheckRule] | None = None) -> None:
        self.load = load
        self.rules = RULES if rules is None else rules
        self.rubric = rubric()

    async def judge(self, sample: Sample, outputs: Sequence[Record]) -> Verdict:
        """The verdict on one output; raises ValueError for several, which are compared by `winner`."""
        if len(outputs) != 1 or not isinstance(outputs[0], Output):
            raise ValueError("the checks judge takes one output at a time; compare two verdicts with `winner`")
        return self.grade(sample, outputs[0])

    def grade(self, sample: Sample, output: Output) -> Verdict:
        """Judgment with `grade`; Unread("not measurable") where a check cannot be measured or none is declared."""
        inputs = [self.load(picture.digest) for picture in sample.inputs]
        produced = [self.load(picture.digest) for picture in output.pictures]
        results = [measure(check, inputs, produced, self.rules) for check in sample.checks]
        identity: dict[str, Any] = {
            "outputs": (output.key,),
            "judge": self.name,
            "rubric": self.rubric.key,
            "sample": sample.key,
        }
        reply = json.dumps(results, ensure_ascii=False)
        scores = [result["score"] for result in results if "score" in result]
        if not results or len(scores) < len(results):
            partial = {result["check"]: result["score"] for result in results if "score" in result}
            return Unread(**identity, reply=reply, why="not measurable", partial=partial)
        grade = LOW_GRADE + (HIGH_GRADE - LOW_GRADE) * math.fsum(scores) / len(scores)
        return Judgment(**identity, reply=reply, scores={"grade": round(grade, 1)})


def winner(left: Verdict, right: Verdict) -> Winner | None:
    """Whose grade is higher, a tie within `TIE_MARGIN`; None where either has no grade."""
    if not isinstance(left, Judgment) or not isinstance(right, Judgment):
        return None
    lead = round(left.scores["grade"] - right.scores["grade"], 1)
    if abs(lead) <= TIE_MARGIN:
        return Winner.TIE
    return Winner.LEFT if lead > 0 else Winner.RIGHT


def measure(
    check: Check, inputs: Sequence[bytes], produced: Sequence[bytes], rules: Mapping[str, CheckRule] | None = None
) -> Evidence:
    """`{"check", "score", ...evidence}` on the first of the pictures produced, or `{"check", "why"}`."""
    rules = RULES if rules is None else rules
    try:
        if check.name == COUNT:
            return {"check": check.name, **_count(check, produced)}
        if check.name not in rules:
            raise ValueError(f"no rule measures {check.name!r}")
        if not produced:
            raise ValueError("the output has no picture")
        return {"check": check.name, **rules[check.name].measure(check, inputs, produced[0])}
    except ValueError as error:
        return {"check": check.name, "why": str(error)}


# --- what the rules look at ---------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def _decoded(data: bytes) -> Pixels:
    """Pixels that nobody may change; an input is looked at again for every check and every model."""
    decoded = pictures.pixels(data)
    decoded.setflags(write=False)
    return decoded


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule sees: the output, the input it is compared with, and the check's own arguments."""

    args: Mapping[str, Json]
    output: Pixels
    source: Pixels | None
    """None for a sample without inputs."""
    mask: Pixels | None = None
    """Input number `args["mask"]`, where the check names one."""

    @property
    def reference(self) -> Pixels:
        if self.source is None:
            raise ValueError("the sample has no input to compare with")
        return self.source


@dataclass(kw_only=True)
class Rule:
    """A CheckRule made of a function over pixels.

    Arguments of every check: `input`, the number of the input to compare with (0), and `after`, the edits of `EXPECTED`
    that the instruction asks for beside this one, so that they are not held against the output.
    """

    name: str
    look: Callable[[Seen], Evidence]

    def measure(self, check: Check, inputs: Sequence[bytes], output: bytes) -> Mapping[str, Json]:
        try:
            evidence = self.look(_seen(check, inputs, output))
        except IndexError as error:
            raise ValueError("the check names an input that the sample does not have") from error
        except TypeError as error:  # arguments come from files
            raise ValueError(f"the arguments of the check are malformed: {error}") from error
        return {name: round(value, 4) if isinstance(value, float) else value for name, value in evidence.items()}


def _seen(check: Check, inputs: Sequence[bytes], output: bytes) -> Seen:
    mask = check.args.get("mask")
    source = _decoded(inputs[int(check.args.get("input", 0))]) if inputs else None
    return Seen(
        args=check.args,
        output=_decoded(output),
        source=None if source is None else _expected(source, check.args.get("after", ())),
        mask=None if mask is None else _decoded(inputs[int(mask)]),
    )


def _grayed(picture: Pixels) -> Pixels:
    return np.repeat(np.rint(luma(picture)).astype(np.uint8)[..., None], 3, axis=2)


EXPECTED: Final[Mapping[str, Callable[[Pixels], Pixels]]] = {
    "gray": _grayed,
    "mirrored horizontal": lambda picture: picture[:, ::-1],
    "mirrored vertical": lambda picture: picture[::-1],
}
"""Edits that `after` may name."""


def _expected(source: Pixels, after: Sequence[str]) -> Pixels:
    for edit in after:
        if edit not in EXPECTED:
            raise ValueError(f"`after` knows {', '.join(EXPECTED)}, not {edit!r}")
        source = EXPECTED[edit](source)
    return source


def _argument(seen: Seen, name: str) -> Any:
    if name not in seen.args:
        raise ValueError(f"the check does not say {name!r}")
    return seen.args[name]


def _positive(seen: Seen, name: str) -> int:
    number = int(_argument(seen, name))
    if number < 1:
        raise ValueError(f"{name} is a positive number, not {number}")
    return number


def _boxed(picture: NDArray[Cell], box: Sequence[int]) -> NDArray[Cell]:
    """A view of a picture or a region. Raises ValueError for a box that is not inside it."""
    x1, y1, x2, y2 = box
    if not (0 <= x1 < x2 <= picture.shape[1] and 0 <= y1 < y2 <= picture.shape[0]):
        raise ValueError(f"the box {list(box)} is not inside the picture of {picture.shape[1]} x {picture.shape[0]}")
    return picture[y1:y2, x1:x2]


def _pair(seen: Seen) -> tuple[Pixels, Pixels]:
    """Output and input, at the input's size, cut to the check's box where it has one."""
    source = seen.reference
    output = at_size(seen.output, source.shape[1], source.shape[0])
    box = seen.args.get("box")
    return (output, source) if box is None else (_boxed(output, box), _boxed(source, box))


def in_range(value: float, low: float, high: float) -> float:
    """1 from low to high (both on one side of 0); falls to 0 at no change, at the wrong side, and at twice too much."""
    if not (0 < low <= high or low <= high < 0):
        raise ValueError(f"a range of change lies on one side of 0, not {low}..{high}")
    size, near, far = (value, low, high) if low > 0 else (-value, -high, -low)
    if size < near:
        return max(0.0, size / near)
    return 1.0 if size <= far else max(0.0, 1 - (size - far) / far)


# --- rules --------------------------------------------------------------------------------------------------------


def _gray(seen: Seen) -> Evidence:
    """Without colour, and the same photograph."""
    if seen.source is None:
        colour = chroma(seen.output)
        return {"score": max(0.0, 1 - colour / GRAY_LEVELS), "chroma": colour}
    output, source = _pair(seen)
    if chroma(source) < 1:
        raise ValueError("the input is gray already")
    colour, like = chroma(output), likeness(output, _grayed(source))
    return {"score": max(0.0, 1 - colour / GRAY_LEVELS) * like, "chroma": colour, "likeness": like}


def _turned(turn: Callable[[Pixels], Pixels], seen: Seen) -> Evidence:
    """Nearer to the turned input than to the input as it was, and how near."""
    source = seen.reference
    wanted = turn(source)
    if source.shape == wanted.shape and structure(source, wanted) > KEPT:
        raise ValueError("the input looks the same when it is turned")
    like, unturned = likeness(seen.output, wanted), likeness(seen.output, source)
    shape = _size_score(seen.output, wanted.shape[1], wanted.shape[0])
    return {"score": like * shape if like > unturned else 0.0, "likeness": like, "unturned": unturned, "size": shape}


def _mirrored(seen: Seen) -> Evidence:
    axis = _argument(seen, "axis")
    if axis not in ("horizontal", "vertical"):
        raise ValueError(f"an axis is horizontal or vertical, not {axis!r}")
    return _turned(lambda picture: picture[:, ::-1] if axis == "horizontal" else picture[::-1], seen)


def _rotated(seen: Seen) -> Evidence:
    degrees = int(_argument(seen, "degrees"))
    if degrees % 360 not in (90, 180, 270):
        raise ValueError(f"only quarter turns can be measured, not {degrees} degrees")
    return _turned(lambda picture: np.rot90(picture, -degrees // 90), seen)


def _inverted(seen: Seen) -> Evidence:
    output, source = _pair(seen)
    like = likeness(output, 255 - source)
    return {"score": like, "likeness": like}


def _size_score(picture: Pixels, width: int, height: int) -> float:
    """1 for the exact size; a tenth off on either side is 0."""
    off = max(abs(picture.shape[1] - width) / width, abs(picture.shape[0] - height) / height)
    return max(0.0, 1 - 10 * float(off))


def _wanted_size(seen: Seen) -> tuple[int, int]:
    return _positive(seen, "width"), _positive(seen, "height")


def _size(seen: Seen) -> Evidence:
    """The size asked for (`width`, `height`), else the input's."""
    if "width" in seen.args:
        width, height = _wanted_size(seen)
    else:
        height, width = seen.reference.shape[:2]
    found = [seen.output.shape[1], seen.output.shape[0]]
    return {"score": _size_score(seen.output, width, height), "size": found, "wanted": [width, height]}


def _cropped(seen: Seen) -> Evidence:
    """The box of the input, at its size."""
    wanted = _boxed(seen.reference, _argument(seen, "box"))
    size, like = _size_score(seen.output, wanted.shape[1], wanted.shape[0]), likeness(seen.output, wanted)
    return {"score": size * like, "likeness": like, "size": [seen.output.shape[1], seen.output.shape[0]]}


def _resized(seen: Seen) -> Evidence:
    """The whole input, at the size asked for."""
    width, height = _wanted_size(seen)
    size = _size_score(seen.output, width, height)
    like = likeness(seen.output, seen.reference, side=min(COMPARED_SIDE, max(width, height)))
    return {"score": size * like, "likeness": like, "size": [seen.output.shape[1], seen.output.shape[0]]}


def _palette(seen: Seen) -> Evidence:
    """Share of pixels in the `colours` commonest colours (counted on 32 levels a channel), of the same picture."""
    wanted = _positive(seen, "colours")
    coarse = (seen.output >> 3).astype(np.uint32)
    counts = np.bincount((coarse[..., 0] << 10 | coarse[..., 1] << 5 | coarse[..., 2]).ravel(), minlength=1 << 15)
    share = float(np.sort(counts)[-wanted:].sum() / counts.sum())
    kept = 1.0 if seen.source is None else min(1.0, structure(seen.output, seen.source) / KEPT)
    return {"score": share * kept, "share": share, "kept": kept, "distinct": int(np.count_nonzero(counts))}


def _detail_changed(seen: Seen) -> Evidence:
    """Energy of fine detail, output over input, as a factor from `low` to `high`: below 1 blurred, above sharpened.

    The coarse picture, at a sixteenth of the size, must stay.
    """
    output, source = _pair(seen)
    before = detail(source)
    if before < 1:
        raise ValueError("the input has no fine detail to lose or gain")
    factor = max(detail(output), 1e-3) / before
    like = likeness(output, source, side=max(8, max(source.shape[:2]) // 16))
    return {"score": _factor_score(seen, factor) * like, "factor": factor, "likeness": like}


def _factor_score(seen: Seen, factor: float) -> float:
    """A factor against the check's `low`..`high`, on a log scale, where 1 is no change."""
    low, high = float(_argument(seen, "low")), float(_argument(seen, "high"))
    return in_range(math.log(factor), math.log(low), math.log(high)) if factor > 0 else 0.0


def _level_changed(of: Callable[[Pixels], float], seen: Seen) -> Evidence:
    """A change in levels of 255, from `low` to `high`, of the same picture."""
    output, source = _pair(seen)
    change, kept = of(output) - of(source), recolouring(output, source)
    attained = in_range(change, float(_argument(seen, "low")), float(_argument(seen, "high")))
    return {"score": attained * kept, "change": change, "kept": kept}


def _factor_changed(of: Callable[[Pixels], float], seen: Seen) -> Evidence:
    """A factor from `low` to `high`, of the same picture."""
    output, source = _pair(seen)
    before = of(source)
    if before < 2:
        raise ValueError("the input has nothing of it to change")
    factor, kept = of(output) / before, recolouring(output, source)
    return {"score": _factor_score(seen, factor) * kept, "factor": factor, "kept": kept}


def _brightness(picture: Pixels) -> float:
    return float(luma(picture).mean())


def _warmth(picture: Pixels) -> float:
    return float(picture[..., 0].mean() - picture[..., 2].mean())


def _contrast(picture: Pixels) -> float:
    return float(luma(picture).std())


def _filled(seen: Seen) -> Evidence:
    """The box in one colour; half as far from it as the input was scores one half."""
    output, source = _pair(seen)
    colour = np.array(_argument(seen, "colour"), np.float32)
    before, after = (float(np.abs(part - colour).mean()) for part in (source, output))
    if before < SAME_LEVELS:
        raise ValueError("the box has that colour already")
    return {"score": max(0.0, 1 - after / before), "distance": after}


def _removed(seen: Seen) -> Evidence:
    """What was in the box is gone, and the box looks like the ring of `RING` pixels around it."""
    output, source = _pair(seen)
    x1, y1, x2, y2 = box = _argument(seen, "box")
    around = seen.reference[max(0, y1 - RING) : y2 + RING, max(0, x1 - RING) : x2 + RING]
    ring = np.ones(around.shape[:2], bool)
    ring[min(RING, y1) :, min(RING, x1) :][: y2 - y1, : x2 - x1] = False
    if not ring.any():
        raise ValueError("the box leaves no surroundings to look like")
    gone = 1 - structure(output, source)
    off = float(np.abs(output.mean(axis=(0, 1)) - around[ring].mean(axis=0)).mean())
    rough = detail(output) / max(detail(around, ring), 1.0)
    blends = max(0.0, 1 - off / RING_LEVELS) * min(1.0, 2 / max(rough, 1e-6))
    return {"score": gone * blends, "gone": gone, "blends": blends, "box": list(box)}


def _unchanged_outside(seen: Seen) -> Evidence:
    """Share of the pixels outside `box`, `boxes` or `mask` (an input's number; white may change) that stayed."""
    source = seen.reference
    if seen.output.shape != source.shape:
        return {"score": 0.0, "size": [seen.output.shape[1], seen.output.shape[0]]}
    outside = ~_may_change(seen, source)
    if not outside.any():
        raise ValueError("nothing lies outside the region")
    off = np.abs(seen.output.astype(np.int16) - source).max(axis=2)[outside]
    return {"score": float(np.mean(off <= SAME_LEVELS)), "largest": int(off.max()), "mean": float(off.mean())}


def _may_change(seen: Seen, source: Pixels) -> NDArray[np.bool_]:
    """True where the edit may change pixels."""
    region = np.zeros(source.shape[:2], bool)
    if seen.mask is not None:
        if seen.mask.shape != source.shape:
            raise ValueError("the mask has another size than the input")
        return luma(seen.mask) >= 128
    boxes = seen.args.get("boxes") or [_argument(seen, "box")]
    for box in boxes:
        _boxed(region, box)[:] = True
    return region


COUNT: Final = "count"
"""The one check about the number of pictures; it needs no pixels."""


def _count(check: Check, produced: Sequence[bytes]) -> Evidence:
    wanted = int(check.args.get("wanted", 1))
    return {"score": float(len(produced) == wanted), "pictures": len(produced), "wanted": wanted}


RULES: Final[Mapping[str, CheckRule]] = {
    name: Rule(name=name, look=look)
    for name, look in {
        "gray": _gray,
        "mirrored": _mirrored,
        "rotated": _rotated,
        "inverted": _inverted,
        "size": _size,
        "cropped": _cropped,
        "resized": _resized,
        "palette": _palette,
        "detail": _detail_changed,
        "brightness": lambda seen: _level_changed(_brightness, seen),
        "warmth": lambda seen: _level_changed(_warmth, seen),
        "contrast": lambda seen: _factor_changed(_contrast, seen),
        "saturation": lambda seen: _factor_changed(chroma, seen),
        "filled": _filled,
        "removed": _removed,
        "unchanged_outside": _unchanged_outside,
    }.items()
}
"""Check name -> how it is measured."""
