"""Which gradings to buy next so that a board's tiers part soonest, and when they have parted.

A round takes samples by chance and has some of the models graded on them. Which models is decided by what is known
before the round and never by these samples, so means over the samples on which a model, or two, were graded stay
unbiased. Win rates are means over opponents (METHODS, section 3). The bounds hold at every look at once, however many
there are and whenever one stops. What a grade is, and who gives it, is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, pairwise

import numpy as np
from scipy import optimize, stats

from groundswell.stats.votes import Bools, Floats, Ints

ALPHA = 0.05
"""Chance that any bound on any difference is ever wrong."""

FIRST = 32
"""Samples graded on every model before anything is said: below, means are not yet normal."""

GROWTH = 1.1
"""Of the calls from one look to the next."""

WHOLE = 0.25
"""Share of samples graded on every model: they correct what single grades foretell. Measured: bench/judging.py."""

MOST_MODELS_SEARCHED = 9
"""Up to so many models every subset is weighed; above, those that are neighbours in rank."""


@dataclass(frozen=True, slots=True)
class Pairings:
    """Every two of `models` models, first < second, and the map from points of pairs to win rates (models, pairs)."""

    models: int
    first: Ints
    second: Ints
    to_rates: Floats

    def each(self) -> Iterator[tuple[int, int]]:
        """The pairs, one after another."""
        return zip(self.first.tolist(), self.second.tolist(), strict=True)


@cache
def pairings(models: int) -> Pairings:
    """The pairs of so many models."""
    first, second = np.triu_indices(models, 1)
    to_rates = np.zeros((models, len(first)))
    place = np.arange(len(first))
    to_rates[first, place], to_rates[second, place] = 1 / (models - 1), -1 / (models - 1)
    return Pairings(models, first, second, to_rates)


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Points of every pair's first model (samples, pairs), each split in what its first model's grade alone foretells,
    what its second model's foretells, and the rest; about their means, 0 where not known.

    A grade foretells its mean points against all grades of the other model, so a sample on which one of the two was
    graded says something of the pair, too (the projections of Hoeffding 1948; the rest, known on fewer samples,
    corrects their mean as in prediction-powered inference, Angelopoulos et al. 2023).
    """

    mean: Floats
    """Of the points, (pairs,)."""
    first: Floats
    second: Floats
    rest: Floats
    graded: Floats
    """Samples on which each model was graded, (models,)."""
    met: Floats
    """Samples on which both models of a pair were graded, (pairs,)."""


def split(grades: Floats, points: Floats) -> Split | None:
    """Split points (samples, pairs) by grades (samples, models); NaN = not graded. None below FIRST common samples."""
    pairs = pairings(grades.shape[1])
    known = ~np.isnan(points)
    met = known.sum(axis=0)
    if met.min(initial=len(points)) < FIRST:
        return None
    there = ~np.isnan(grades)
    ranked = [np.sort(column[seen]) for column, seen in zip(grades.T, there.T, strict=True)]
    first = np.column_stack([_foretold(grades[:, one], ranked[two]) for one, two in pairs.each()])
    second = 1 - np.column_stack([_foretold(grades[:, two], ranked[one]) for one, two in pairs.each()])
    parts = []
    mean = np.zeros(len(met))
    for part, seen in (
        (first, there[:, pairs.first]),
        (second, there[:, pairs.second]),
        (points - first - second, known),
    ):
        known_part = np.where(seen, part, 0.0)
        own = known_part.sum(axis=0) / seen.sum(axis=0)
        mean += own
        parts.append(np.where(seen, known_part - own, 0.0))
    graded = there.sum(axis=0).astype(float)
    return Split(mean=mean, first=parts[0], second=parts[1], rest=parts[2], graded=graded, met=met.astype(float))


def _foretold(grades: Floats, ranked: Floats) -> Floats:
    """Mean points of each grade against the sorted grades of another model."""
    below, up_to = np.searchsorted(ranked, grades, "left"), np.searchsorted(ranked, grades, "right")
    return np.asarray((below + up_to) / (2 * len(ranked)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What one look says. `lead` and `error` are (models, models): win rate of the row's model above the column's."""

    rates: Floats
    lead: Floats
    error: Floats
    critical: float

    def surely_above(self) -> Bools:
        """Which models are surely above which, (models, models)."""
        return np.asarray(self.lead > self.critical * self.error)

    def tiers(self) -> list[list[int]]:
        """Models from best to worst, parted where every model above is surely above every model below."""
        order = np.argsort(-self.rates, kind="stable")
        sure = self.surely_above()[np.ix_(order, order)]
        parted = [place for place in range(1, len(order)) if sure[:place, place:].all()]
        edges = [0, *parted, len(order)]
        return [order[begin:end].tolist() for begin, end in pairwise(edges)]


def look(found: Split, most_samples: int, *, alpha: float = ALPHA) -> Look:
    """What can be said now. `most_samples`: how many there could be at most."""
    models = len(found.graded)
    pairs = pairings(models)
    of_first, of_second = found.graded[pairs.first], found.graded[pairs.second]
    moved = found.first / of_first + found.second / of_second + found.rest / found.met
    by_sample = moved @ pairs.to_rates.T
    # Half a win and half a loss are added to each pair: one that was always won is not without doubt.
    doubt = (found.mean**2 + (1 - found.mean) ** 2) / 2 / found.met**2
    covariance = by_sample.T @ by_sample + (pairs.to_rates * doubt) @ pairs.to_rates.T
    own = np.diag(covariance)
    error = np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariance, 0.0))
    np.fill_diagonal(error, np.inf)
    rates = pairs.to_rates @ found.mean + np.bincount(pairs.second, minlength=models) / (models - 1)
    normal = critical(alpha / len(pairs.first), max(most_samples / FIRST, 1.0))
    return Look(
        rates=rates,
        lead=rates[:, None] - rates[None, :],
        error=error,
        critical=float(stats.t.isf(stats.norm.sf(normal), found.met.min() - 1)),
    )


@cache
def critical(alpha: float, ratio: float) -> float:
    """Errors that a mean strays, at any time while its information grows `ratio` fold, with chance `alpha` at most.

    P(max |B(t)| / sqrt(t) > c over t in [1, ratio]) = (c - 1/c) f(c) log(ratio) + 4 f(c) / c, with f the normal density
    (Miller and Siegmund 1982), valid for every set of looks in between.
    """

    def excess(c: float) -> float:
        density = float(stats.norm.pdf(c))
        return (c - 1 / c) * density * float(np.log(ratio)) + 4 * density / c - alpha

    return float(optimize.brentq(excess, 1.5, 12.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How the next samples are graded: on `models` with probability 1 - WHOLE, else on all of them."""

    models: tuple[int, ...]
    of: int

    def probability(self) -> Floats:
        """With which each model is graded on a sample, (models,)."""
        chosen = np.isin(np.arange(self.of), self.models)
        return np.where(chosen, 1.0, WHOLE)

    def draw(self, samples: int, rng: np.random.Generator) -> Bools:
        """Which models are graded on so many samples, (samples, models)."""
        chosen = np.isin(np.arange(self.of), self.models)
        whole = rng.random(samples) < WHOLE
        return np.asarray(chosen[None, :] | whole[:, None])


def everything(models: int) -> Design:
    """Every model on every sample."""
    return Design(models=tuple(range(models)), of=models)


def design(found: Split, seen: Look, tiers: int) -> Design:
    """The models whose gradings promise most, for each call, to what still keeps `tiers` tiers from parting.

    Worth is how much of the summed (error / lead)^4 goes, over the pairs of models that are not yet told apart across
    the edges most likely to part; the power looks at the slowest of them. First-order in the calls.
    """
    models = len(found.graded)
    needed = _needed(seen, tiers)
    if not needed:
        return everything(models)
    pairs = pairings(models)
    subsets = _subsets(models, np.argsort(-seen.rates, kind="stable").tolist())
    within = subsets[:, pairs.first] & subsets[:, pairs.second]
    rest = (found.rest**2).sum(axis=0) / found.met**3
    worth = np.zeros(len(subsets))
    for above, below in needed:
        share = pairs.to_rates[above] - pairs.to_rates[below]
        own = np.empty(models)
        for model in range(models):
            foretold = found.first @ (share * (pairs.first == model)) + found.second @ (share * (pairs.second == model))
            own[model] = (foretold**2).sum() / found.graded[model] ** 3
        error, lead = seen.error[above, below], seen.lead[above, below]
        worth += error**2 / max(lead, error) ** 4 * (subsets @ own + within @ (share**2 * rest))
    best = int(np.argmax(worth / subsets.sum(axis=1)))
    return Design(models=tuple(np.flatnonzero(subsets[best]).tolist()), of=models)


def _needed(seen: Look, tiers: int) -> list[tuple[int, int]]:
    """Pairs not yet told apart across the `tiers` - 1 widest gaps of the order.

    The widest and not the surest: an edge becomes sure by being looked at, and one that is narrow stays dear.
    """
    order = np.argsort(-seen.rates, kind="stable")
    ratio = (seen.lead / seen.error)[np.ix_(order, order)]
    edges = np.argsort(np.diff(seen.rates[order]), kind="stable")[: tiers - 1] + 1
    apart = {
        (int(order[above]), int(order[below]))
        for edge in edges
        for above in range(edge)
        for below in range(edge, len(order))
        if ratio[above, below] <= seen.critical
    }
    return sorted(apart)


def _subsets(models: int, order: Sequence[int]) -> Bools:
    """Subsets of models that are weighed, (subsets, models)."""
    if models <= MOST_MODELS_SEARCHED:
        number = np.arange(1, 2**models)
        every = (number[:, None] >> np.arange(models)) & 1
        return np.asarray(every[every.sum(axis=1) > 1].astype(bool))
    windows = [order[begin:end] for begin, end in combinations(range(models + 1), 2) if end - begin > 1]
    found = np.zeros((len(windows), models), dtype=bool)
    for row, window in enumerate(windows):
        found[row, window] = True
    return found


def points_of(grades: Floats) -> Floats:
    """Points of each pair's first model from grades (samples, models), NaN where a grade is missing; equal = 1/2."""
    pairs = pairings(grades.shape[1])
    gap = grades[:, pairs.first] - grades[:, pairs.second]
    return np.asarray(np.where(np.isnan(gap), np.nan, (np.sign(gap) + 1) / 2))
