"""What a reply claims about one dimension, how firmly, and which claim counts.

It knows no format: readers of formats make claims, this module weighs them. A claim that is not a number on the
scale keeps the reason why; two firm claims that differ are a conflict and give no number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import IntEnum, StrEnum

import msgspec
from msgspec.structs import replace

from groundswell.records import Dimension


class Why(StrEnum):
    """Why a reply gives no score."""

    EMPTY = "empty"
    """The judge said nothing."""
    NO_IMAGES = "no_images"
    """The judge says that it did not get the pictures."""
    DECLINED = "declined"
    """The judge refuses to judge."""
    NO_SCORE = "no_score"
    """Words, but no score."""
    MISSING = "missing"
    """Some dimensions have a score, others none."""
    RANGE = "range"
    """A number outside of the scale."""
    SCALE = "scale"
    """A number on another scale: another denominator, per cent, between the steps."""
    CONFLICT = "conflict"
    """Several different scores for one dimension."""
    AMBIGUOUS = "ambiguous"
    """A score that leaves a choice: `8 or 9`, `about 7-8`, `over 6`."""
    PLANTED = "planted"
    """The only score stands in words that the judge quotes."""
    CUT = "cut"
    """The reply ends before the answer does."""
    UNPARSEABLE = "unparseable"
    """Numbers that cannot be told apart or belong to nothing that was asked."""


GRAVITY = (
    Why.CUT, Why.NO_IMAGES, Why.CONFLICT, Why.RANGE, Why.SCALE, Why.AMBIGUOUS, Why.PLANTED, Why.MISSING,
    Why.UNPARSEABLE, Why.DECLINED, Why.NO_SCORE, Why.EMPTY,
)  # fmt: skip
"""Which reason is named where dimensions fail for several."""


class Firmness(IntEnum):
    """How a claim stands in the reply. A firmer one overrules a weaker one; equals must agree."""

    GUESSED = 0
    """A number alone, or a general word such as `rating`, where only one dimension is asked."""
    MENTIONED = 1
    """A label with its number in running text."""
    STATED = 2
    """A line, a table row, a list or an object that is there to give the score."""
    FINAL = 3
    """The mark that rubrics ask for: [[7]]."""


class Claim(msgspec.Struct, frozen=True):
    """One reading of one dimension (by its index). Exactly one of `value` and `trouble` is set."""

    dimension: int
    value: float | None
    trouble: Why | None
    firmness: Firmness
    at: int
    """Position in the reply."""
    scaled: bool = False
    """Its number names its own scale: `7/10`."""
    corrects: bool = False
    """It takes back what was said before: every other claim counts beside it, however firm."""


class Number(msgspec.Struct, frozen=True):
    """A number as it stands in a reply, not yet measured against a scale."""

    value: float
    top: float | None = None
    """Denominator: the 10 of `7/10`."""
    per_cent: bool = False
    choice: bool = False
    """It leaves a choice: a range, a comparison."""


def on_scale(number: Number, dimension: Dimension) -> tuple[float | None, Why | None]:
    """The value of a number on a dimension's scale, or why it has none there."""
    if number.choice:
        return None, Why.AMBIGUOUS
    if number.top is not None and number.top != dimension.high:
        return None, Why.SCALE
    if number.per_cent and (dimension.low, dimension.high) != (0, 100):
        return None, Why.SCALE
    if not math.isfinite(number.value) or not dimension.low <= number.value <= dimension.high:
        return None, Why.RANGE
    if dimension.step:
        steps = (number.value - dimension.low) / dimension.step
        if abs(steps - round(steps)) > 1e-6:
            return None, Why.SCALE
    return number.value, None


def claim(dimensions: Sequence[Dimension], index: int, number: Number, firmness: Firmness, at: int) -> Claim:
    """A claim of a number for a dimension, checked against its scale."""
    value, trouble = on_scale(number, dimensions[index])
    return Claim(index, value, trouble, firmness, at, number.top is not None or number.per_cent)


def rescaled(one: Claim, top: float | None, dimensions: Sequence[Dimension]) -> Claim:
    """The claim where the reply says elsewhere that its scale ends at `top` (None = it does not say)."""
    if top is None or one.scaled or one.value is None or top == dimensions[one.dimension].high:
        return one
    return replace(one, value=None, trouble=Why.SCALE)


def settle(claims: Iterable[Claim]) -> tuple[float | None, Why | None]:
    """The value that claims about one dimension agree on, or why there is none (None, None = no claims)."""
    heard = list(claims)
    if not heard:
        return None, None
    firmest = max(one.firmness for one in heard)
    if not any(one.corrects for one in heard):
        heard = [one for one in heard if one.firmness == firmest]
    if len({(one.value, one.trouble) for one in heard}) > 1:
        return None, Why.CONFLICT
    return heard[0].value, heard[0].trouble
