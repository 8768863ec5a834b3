"""What a person may choose about a ranking."""

from __future__ import annotations

from math import isfinite
from typing import Literal

import msgspec

from groundswell.errors import UserError

CENTRE = 1000.0
"""Rating of the anchor, or the mean of the ranked models where there is no anchor."""

TIES = ("half", "davidson")

TIGHTEST, WIDEST = 0.001, 1e6
"""Points of a prior's standard deviation: beyond them the fit is the prior alone, or has none."""


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

    def __post_init__(self) -> None:
        """Raise UserError for a choice that has no meaning: it would be counted as another, or not at all."""
        if self.ties not in TIES:
            raise UserError(f"ties are counted as {' or '.join(TIES)}, not {self.ties!r}")
        for name, number in (("bootstrap", self.bootstrap), ("seed", self.seed)):
            if not isinstance(number, int) or number < 0:
                raise UserError(f"{name} is a whole number of at least 0, not {number!r}")
        if self.prior is not None and not TIGHTEST <= self.prior <= WIDEST:
            raise UserError(f"a prior is a number of points from {TIGHTEST:g} to {WIDEST:g}, not {self.prior!r}")


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
