"""How far a judge agrees with people, and people among themselves (METHODS, section 6).

A comparison is one pair of outputs, turned the same way round for everybody: 1 = the first is better, 0 = a tie, -1 =
the second is better. Intervals are bootstraps over clusters (samples), since verdicts on one sample go together.
Statistics that the numbers do not define are None, never 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from groundswell.stats.votes import Floats, Ints

DECIMALS = 10
"""Values are rounded before ranking, so that means which differ by rounding alone are ties."""

DRAWS = 1000
BLOCK = 2_000_000
DEFINED = 0.99
"""Share of draws that must define a statistic before an interval is given."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic with its 95 % bootstrap interval; None where it is not defined."""

    value: float | None
    low: float | None = None
    high: float | None = None


Statistic = Callable[[Floats], Floats]
"""From cluster weights (draws, clusters) to the statistic (draws,), NaN where it is not defined."""


def estimates(statistics: Mapping[str, Statistic], clusters: int, seed: int) -> dict[str, Estimate]:
    """Statistics of all clusters with percentile intervals over the same DRAWS resamples of the clusters."""
    everyone = np.ones((1, clusters))
    value = {name: float(statistic(everyone)[0]) for name, statistic in statistics.items()}
    drawn: dict[str, list[Floats]] = {name: [] for name in statistics}
    for weight in _resamples(clusters, seed) if clusters > 1 else ():
        for name, statistic in statistics.items():
            drawn[name].append(statistic(weight))
    return {name: _estimate(value[name], drawn[name]) for name in statistics}


def _resamples(clusters: int, seed: int) -> Iterator[Floats]:
    """How often each cluster is drawn, in blocks (draws, clusters) of bounded size."""
    rng = np.random.default_rng(seed)
    block = max(1, BLOCK // clusters)
    for begin in range(0, DRAWS, block):
        size = min(block, DRAWS - begin)
        drawn = rng.integers(clusters, size=(size, clusters)) + clusters * np.arange(size)[:, None]
        yield np.bincount(drawn.ravel(), minlength=size * clusters).reshape(size, clusters).astype(float)


def _estimate(value: float, blocks: list[Floats]) -> Estimate:
    drawn = np.concatenate([np.empty(0), *blocks])
    defined = drawn[~np.isnan(drawn)]
    if np.isnan(value):
        return Estimate(None)
    if len(defined) < DEFINED * DRAWS:
        return Estimate(value)
    low, high = np.quantile(defined, [0.025, 0.975])
    return Estimate(value, float(low), float(high))


def _summed(cluster: Ints, clusters: int, *columns: Floats) -> Floats:
    """Sums of columns by cluster, shape (clusters, columns)."""
    return np.column_stack([np.bincount(cluster, column, clusters) for column in columns])


def tau_b(judge: Ints, person: Ints, cluster: Ints) -> Statistic:
    """Kendall's tau-b over pooled pairs: (concordant - discordant) / sqrt(untied by judge * untied by person)."""
    product, own, other = (judge * person).astype(float), (judge != 0).astype(float), (person != 0).astype(float)
    sums = _summed(cluster, int(cluster.max()) + 1, product, own, other)

    def statistic(weight: Floats) -> Floats:
        both, untied, people = (weight @ sums).T
        return _quotient(both, np.sqrt(untied * people))

    return statistic


def share(hit: Floats, cluster: Ints) -> Statistic:
    """Mean of `hit` (0 or 1), NaN values left out."""
    known = ~np.isnan(hit)
    clusters = int(cluster.max()) + 1
    sums = _summed(cluster, clusters, np.where(known, hit, 0.0), known.astype(float))

    def statistic(weight: Floats) -> Floats:
        hits, wanted = (weight @ sums).T
        return _quotient(hits, wanted)

    return statistic


def alpha(unit: Ints, value: Ints, cluster_of_unit: Ints, values: int) -> Statistic:
    """Krippendorff's alpha, nominal: `value` (0 .. values - 1) is what somebody said of `unit`.

    Units with one value say nothing (Krippendorff 2004, chapter 11).
    """
    counts = np.zeros((len(cluster_of_unit), values))
    np.add.at(counts, (unit, value), 1)
    given = counts.sum(axis=1)
    paired = given > 1
    counts, given, place = counts[paired], given[paired], cluster_of_unit[paired]
    clusters = int(cluster_of_unit.max(initial=-1)) + 1
    agreeing = (counts * (counts - 1)).sum(axis=1) / (given - 1)
    sums = _summed(place, clusters, agreeing, *counts.T)

    def statistic(weight: Floats) -> Floats:
        totals = weight @ sums
        same, each = totals[:, 0], totals[:, 1:]
        whole = each.sum(axis=1)
        by_chance = whole**2 - (each**2).sum(axis=1)
        return np.asarray(1 - (whole - 1) * _quotient(whole - same, by_chance))

    return statistic


def spearman(one: Floats, two: Floats, cluster: Ints | None = None) -> Statistic:
    """Spearman's rank correlation; each draw is ranked anew, with midranks for ties."""
    place = np.arange(len(one)) if cluster is None else cluster
    first, second = _Ranker(one), _Ranker(two)

    def statistic(weight: Floats) -> Floats:
        each = weight[:, place]
        a, b = first.ranks(each), second.ranks(each)
        whole = each.sum(axis=1, keepdims=True)
        a, b = a - (each * a).sum(axis=1, keepdims=True) / whole, b - (each * b).sum(axis=1, keepdims=True) / whole
        both, own, other = ((each * x).sum(axis=1) for x in (a * b, a * a, b * b))
        return _quotient(both, np.sqrt(own * other))

    return statistic


class _Ranker:
    """Midranks of fixed values under changing weights."""

    def __init__(self, values: Floats) -> None:
        rounded = np.round(values, DECIMALS)
        distinct, self._group = np.unique(rounded, return_inverse=True)
        self._groups = len(distinct)
        self._order = np.argsort(self._group, kind="stable")
        self._begins = np.searchsorted(self._group[self._order], np.arange(self._groups))

    def ranks(self, weight: Floats) -> Floats:
        mass = np.add.reduceat(weight[:, self._order], self._begins, axis=1)
        return np.asarray((np.cumsum(mass, axis=1) - mass / 2)[:, self._group])


def fisher_mean(correlations: Sequence[float]) -> float:
    """Mean of correlations on Fisher's scale: tanh(mean(atanh))."""
    return float(np.tanh(np.mean(np.arctanh(np.asarray(correlations)))))


def kendall_w(ranks: Floats) -> float | None:
    """Kendall's W of `ranks` (raters, items), midranks for ties, corrected for them; None where it is not defined."""
    raters, items = ranks.shape
    ranked = np.vstack([_Ranker(row).ranks(np.ones((1, items))) + 0.5 for row in ranks])
    ties = 0.0
    for row in ranked:
        repeats = np.unique(row, return_counts=True)[1].astype(float)
        ties += float((repeats**3 - repeats).sum())
    whole = raters**2 * items * (items**2 - 1) - raters * ties
    if raters < 2 or items < 2 or whole <= 0:
        return None
    squares = float((ranked.sum(axis=0) ** 2).sum())
    return float((12 * squares - 3 * raters**2 * items * (items + 1) ** 2) / whole)


def _quotient(above: Floats, below: Floats) -> Floats:
    return np.asarray(np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0))
