"""Which prompts no longer tell models apart (METHODS, section 4). Pure: votes in, verdicts with their evidence out.

Rule `slope`: logit p(left wins) = b (theta_left - theta_right), a tie being half a win, with theta refitted without the
prompt's own votes. b is 1 for a prompt that tells like the others. Rule `chance`: the favourite's win rate cannot be
told from 1/2 although a prompt with b = 1 on the very pairs drawn would have been. Which votes count, and whether a
proposal is applied, is decided elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
import numpy as np
from scipy.special import expit
from scipy.stats import binom, norm

from groundswell.records import Vote, Winner
from groundswell.stats.pairing import believe
from groundswell.stats.votes import Floats, Ints, Tally

LEAST_VOTES = 100
"""A prompt with fewer votes is never retired."""

TELLS = 0.5
"""Slope under which a prompt tells too little."""

FALSE_DISCOVERIES = 0.05
ONE_SIDED = float(norm.ppf(0.95))
POWER = 0.8
LEVEL = 0.05
STEPS, ENOUGH = 50, 1e-9
STEEPEST = 20.0
"""Slopes are not followed beyond this: votes that all go one way have no finite maximum."""

Rule = Literal["slope", "chance"]
Verdict = Literal["keep", "retire", "reversed", "undecided"]
POINTS = {Winner.LEFT: 1.0, Winner.RIGHT: 0.0, Winner.TIE: 0.5, Winner.BOTH_BAD: 0.5}


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """What a rule says of one prompt. `low` and `high` are the one-sided 95 % bounds of the slope `b`."""

    sample: str
    verdict: Verdict
    b: float | None
    low: float | None
    high: float | None
    n: int
    why: str


class Slope(msgspec.Struct, frozen=True, kw_only=True):
    """The slope of one prompt with its standard error; both None where its votes have no finite maximum."""

    b: float | None = None
    error: float | None = None


def proposals(votes: Iterable[Vote], rule: Rule = "slope") -> list[Proposal]:
    """A verdict on every prompt that has votes, in the order of their keys."""
    table = _Table(list(votes))
    if rule == "chance":
        return [_by_chance(table, sample) for sample in table.samples]
    slopes = [table.slope(sample) for sample in table.samples]
    counts = [len(table.places[sample]) for sample in table.samples]
    flat = _discovered([_p(slope, TELLS, n) for slope, n in zip(slopes, counts, strict=True)])
    below = _discovered([_p(slope, 0.0, n) for slope, n in zip(slopes, counts, strict=True)])
    return [
        _by_slope(sample, slope, n, flat=is_flat, reversed_=is_below)
        for sample, slope, n, is_flat, is_below in zip(table.samples, slopes, counts, flat, below, strict=True)
    ]


class _Table:
    """Votes as columns, with the points of every pair of models over all prompts."""

    def __init__(self, votes: Sequence[Vote]) -> None:
        names = sorted({name for vote in votes for name in (vote.left, vote.right)})
        number = {name: place for place, name in enumerate(names)}
        self.left = np.array([number[vote.left] for vote in votes], dtype=np.int64)
        self.right = np.array([number[vote.right] for vote in votes], dtype=np.int64)
        self.points = np.array([POINTS[vote.winner] for vote in votes])
        places: dict[str, list[int]] = defaultdict(list)
        for place, vote in enumerate(votes):
            places[vote.sample].append(place)
        self.samples = sorted(places)
        self.places = {sample: np.array(found) for sample, found in places.items()}
        self._models = len(names)
        self._all = self._matrix(np.arange(len(votes)))

    def _matrix(self, places: Ints) -> Floats:
        """Points of the row against the column, (models, models)."""
        matrix = np.zeros((self._models, self._models))
        np.add.at(matrix, (self.left[places], self.right[places]), self.points[places])
        np.add.at(matrix, (self.right[places], self.left[places]), 1 - self.points[places])
        return matrix

    def gaps(self, sample: str) -> Floats:
        """theta_left - theta_right of the prompt's votes, theta refitted without them."""
        own = self.places[sample]
        points = self._all - self._matrix(own)
        first, second = np.nonzero(np.triu(points + points.T) > 1e-9)
        weight = np.column_stack([points[first, second], np.zeros(len(first)), points[second, first]])
        tallied = Tally(models=self._models, first=first, second=second, weight=weight, square=weight, count=weight)
        strength = believe(tallied).strength
        return np.asarray(strength[self.left[own]] - strength[self.right[own]])

    def slope(self, sample: str) -> Slope:
        return slope(self.gaps(sample), self.points[self.places[sample]])


def slope(gap: Floats, points: Floats) -> Slope:
    """Maximum likelihood of b in logit p = b gap, by Newton's method; `points` are 1, 1/2 or 0 for the left one."""
    if not np.any(np.abs(gap) > 1e-6):
        return Slope()
    b = 0.0
    for _ in range(STEPS):
        p = expit(b * gap)
        information = float((gap**2 * p * (1 - p)).sum())
        if information < ENOUGH:
            break
        step = float((gap * (points - p)).sum()) / information
        b = float(np.clip(b + np.clip(step, -2, 2), -STEEPEST, STEEPEST))
        if abs(step) < ENOUGH or abs(b) >= STEEPEST:
            break
    p = expit(b * gap)
    information = float((gap**2 * p * (1 - p)).sum())
    if abs(b) >= STEEPEST or information < ENOUGH:
        return Slope()
    return Slope(b=b, error=information**-0.5)


def _p(found: Slope, bound: float, n: int) -> float | None:
    """One-sided p-value that the slope is at least `bound`; None where it may not be tested."""
    if found.b is None or found.error is None or n < LEAST_VOTES:
        return None
    return float(norm.cdf((found.b - bound) / found.error))


def _discovered(p: Sequence[float | None]) -> list[bool]:
    """Benjamini and Hochberg (1995) over the prompts that may be tested."""
    tested = sorted(value for value in p if value is not None)
    limits = [FALSE_DISCOVERIES * (place + 1) / len(tested) for place in range(len(tested))]
    below = [value for value, limit in zip(tested, limits, strict=True) if value <= limit]
    return [value is not None and bool(below) and value <= below[-1] for value in p]


def _by_slope(sample: str, found: Slope, n: int, *, flat: bool, reversed_: bool) -> Proposal:
    low = high = None
    if found.b is not None and found.error is not None:
        low, high = found.b - ONE_SIDED * found.error, found.b + ONE_SIDED * found.error
    verdict: Verdict = "undecided"
    if n < LEAST_VOTES:
        why = f"{n} votes are fewer than {LEAST_VOTES}; it is kept"
    elif reversed_:
        verdict, why = "reversed", "the weaker models win on it: a person must look at it"
    elif flat:
        verdict, why = "retire", f"it no longer tells models apart: its slope is under {TELLS}"
    elif low is not None and high is not None and low > 0 and high >= TELLS:
        verdict, why = "keep", "it tells models apart"
    else:
        why = "its votes do not say whether it tells models apart; it is kept"
    return Proposal(sample=sample, verdict=verdict, b=found.b, low=low, high=high, n=n, why=why)


def _by_chance(table: _Table, sample: str) -> Proposal:
    """Ties say nothing here: the test is binomial, of decisive votes."""
    found, gap, points = table.slope(sample), table.gaps(sample), table.points[table.places[sample]]
    decisive = (points != 0.5) & (np.abs(gap) > 1e-9)
    n, wins = int(decisive.sum()), int(((points == 1.0) == (gap > 0))[decisive].sum())
    told, power = told_from_chance(wins, n), power_of(expit(np.abs(gap[decisive])))
    error = found.error
    bounds = (
        (None, None) if found.b is None or error is None else (found.b - ONE_SIDED * error, found.b + ONE_SIDED * error)
    )
    verdict: Verdict = "undecided"
    if told and 2 * wins < n:
        verdict, why = "reversed", f"the weaker model won {n - wins} of {n}: a person must look at it"
    elif told:
        verdict, why = "keep", f"the favourite won {wins} of {n}"
    elif power >= POWER:
        verdict, why = "retire", f"the favourite won {wins} of {n}, which chance does, too (power {power:.2f})"
    else:
        why = f"the favourite won {wins} of {n}, and the pairs drawn were too close to tell (power {power:.2f})"
    return Proposal(sample=sample, verdict=verdict, b=found.b, low=bounds[0], high=bounds[1], n=len(points), why=why)


def told_from_chance(wins: int, n: int) -> bool:
    """Whether `wins` of `n` differ from one half by the exact two-sided binomial test at LEVEL."""
    return bool(2 * binom.cdf(min(wins, n - wins), n, 0.5) <= LEVEL)


def power_of(chance: Floats) -> float:
    """Probability that votes whose favourites win with these probabilities would be told from chance."""
    n = len(chance)
    wins = np.zeros(n + 1)
    wins[0] = 1.0
    for p in chance:
        wins[1:] = wins[1:] * (1 - p) + wins[:-1] * p
        wins[0] *= 1 - p
    return float(sum(wins[k] for k in range(n + 1) if told_from_chance(k, n)))
