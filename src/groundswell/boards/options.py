"""What a person may choose about a ranking."""

from __future__ import annotations

from math import isfinite
from typing import Literal

import msgspec

from groundswell.errors import UserError

CENTRE = 1000.0
"""Rating of the anchor, or the mean of the ranked models where there is no anchor."""


class Anchor(msgspec.Struct, frozen=True):
    """The model that all ratings are counted from, and its rating."""

    model: str
    rating: float = CENTRE


class RankOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Anchor, ties, columns of a file (`cluster`, `weights`), bootstrap draws (0 = sandwich intervals) and seed.

    `only` keeps the rows in which every named column has its value; what a file holds beside them is not counted as
    left out.

    `prior` is the standard deviation of a normal prior in rating points; None = maximum likelihood.
    """

    anchor: Anchor | None = None
    ties: Literal["half", "davidson"] = "half"
    cluster: str | None = None
    weights: str | None = None
    bootstrap: int = 0
    seed: int = 0
    prior: float | None = None
    only: tuple[tuple[str, str], ...] = ()


DEFAULTS = RankOptions()


def parse_anchor(text: str) -> Anchor:
    """`NAME=1000` or `NAME` as an anchor. A name may hold `=`; the last one counts."""
    name, equals, number = text.rpartition("=")
    if not equals:
        return Anchor(text)
    try:
        rating = float(number)
    except ValueError:
        rating = float("nan")
    if not name or not isfinite(rating):
        raise UserError(f"anchor {text!r} is not NAME=NUMBER, for example flux-schnell=1000")
    return Anchor(name, rating)
