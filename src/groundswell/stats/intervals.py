"""How far ratings can be trusted: sandwich covariance, bootstrap over votes or clusters, ranks with their ranges.

The sandwich is H^-1 B H^-1 with B the sum over clusters of outer products of summed scores (Huber 1967; Liang and
Zeger 1986). The bootstrap draws clusters with replacement; without clusters it draws tallied votes, which is the same
thing and a thousand times cheaper. All is about the mean of the models given. Whether the clusters are the right ones
is not known here.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.special import expit, ndtri

from groundswell.stats.bradley_terry import (
    Fit,
    Ties,
    chances,
    components,
    curvature,
    difference,
    fit,
    grounded,
    laplacian,
)
from groundswell.stats.votes import Bools, Cells, Floats, Ints, Tally, Votes, cells, grouped, tally

CONFIDENCE = 0.95
NORMAL = float(ndtri(0.5 + CONFIDENCE / 2))

ONE_STEP_ABOVE = 200
"""Above so many models a draw takes one Newton step from the fit: standard errors agree within 3 %."""

MOST_WITHOUT = 0.01
"""Share of draws without a maximum above which no bootstrap interval is given: it would be of another thing."""

MAXIMUM_DRAWS, FEWER_MAXIMUM_DRAWS = 1000, 400
"""Draws of the largest difference; fewer above ONE_STEP_ABOVE models, where each costs half a million quotients."""

CHORD_STEPS = 25
DRAW_TOLERANCE = 1e-8
BLOCK = 4_000_000
"""Numbers that one block of draws may hold, 32 MB."""


def bread(tallied: Tally, fitted: Fit) -> Floats:
    """Inverse of the negative Hessian over the parameters, in the gauge of mean 0."""
    hessian = curvature(tallied, fitted.strength, fitted.nu)[1]
    stiff = grounded(hessian, tallied.models)
    return np.asarray(cho_solve(cho_factor(stiff), np.eye(len(stiff))))


def scores(tallied: Tally, fitted: Fit) -> tuple[Floats, Floats]:
    """Score of one vote of weight 1 in each cell (pairs, 3): toward first - second, and toward log(nu)."""
    gap = fitted.strength[tallied.first] - fitted.strength[tallied.second]
    win, tie, _ = chances(gap, fitted.nu)
    return np.array([1.0, 0.5, 0.0]) - (win + tie / 2)[:, None], np.array([0.0, 1.0, 0.0]) - tie[:, None]


def covariance(votes: Votes, placed: Cells, tallied: Tally, fitted: Fit) -> Floats:
    """Sandwich covariance of the strengths about their mean, shape (models, models)."""
    inverse = bread(tallied, fitted)
    filling = _by_vote(tallied, fitted) if votes.cluster is None else _by_cluster(votes, placed, tallied, fitted)
    return np.asarray((inverse @ filling @ inverse)[: votes.models, : votes.models])


def _by_vote(tallied: Tally, fitted: Fit) -> Floats:
    toward, ties = scores(tallied, fitted)
    filling = laplacian(tallied, (tallied.square * toward**2).sum(axis=1))
    if fitted.nu == 0:
        return filling
    cross = difference(tallied, (tallied.square * toward * ties).sum(axis=1))
    own = float((tallied.square * ties**2).sum())
    return np.block([[filling, cross[:, None]], [cross[None, :], np.array([[own]])]])


def _by_cluster(votes: Votes, placed: Cells, tallied: Tally, fitted: Fit) -> Floats:
    """Sum over clusters of outer products, in blocks of clusters that fit into memory."""
    assert votes.cluster is not None
    toward, ties = (score.ravel() for score in scores(tallied, fitted))
    first, second = np.repeat(tallied.first, 3), np.repeat(tallied.second, 3)
    columns = votes.models + (fitted.nu > 0)
    order, begins = grouped(votes.cluster)
    # a slice holds few of the clusters that are numbered
    begins = np.append(begins[:-1][np.diff(begins) > 0], begins[-1])
    width = max(1, BLOCK // columns)
    filling = np.zeros((columns, columns))
    for begin in range(0, len(begins) - 1, width):
        edges = begins[begin : begin + width + 1]
        chosen, clusters = order[edges[0] : edges[-1]], len(edges) - 1
        cell = placed.cell[chosen]
        row = np.repeat(np.arange(clusters) * columns, np.diff(edges))
        weight = 1.0 if votes.weight is None else votes.weight[chosen]
        summed = np.bincount(row + first[cell], toward[cell] * weight, clusters * columns)
        summed -= np.bincount(row + second[cell], toward[cell] * weight, clusters * columns)
        if fitted.nu > 0:
            summed += np.bincount(row + votes.models, ties[cell] * weight, clusters * columns)
        block = summed.reshape(-1, columns)
        filling += block.T @ block
    return filling


def influence(votes: Votes, clusters: int) -> tuple[Fit, Floats]:
    """The fit with ties as halves, and by how much each cluster moved the strengths, shape (clusters, models).

    Cluster numbers stay as they are, so that influences of two fits on the same clusters can be subtracted.
    """
    assert votes.cluster is not None
    placed = cells(votes)
    tallied = tally(votes, placed)
    fitted = fit(tallied)
    toward = scores(tallied, fitted)[0].ravel()[placed.cell]
    if votes.weight is not None:
        toward = toward * votes.weight
    pair, size = placed.cell // 3, clusters * votes.models
    row = votes.cluster * votes.models
    summed = np.bincount(row + tallied.first[pair], toward, size)
    summed -= np.bincount(row + tallied.second[pair], toward, size)
    return fitted, summed.reshape(clusters, votes.models) @ bread(tallied, fitted)


# --- bootstrap ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Refitted strengths (draws that have a maximum, models), how many have none, and how a draw was refitted."""

    strength: Floats
    without: int
    wanted: int
    one_step: bool

    @property
    def usable(self) -> bool:
        """Whether so few draws lack a maximum that an interval means what it says."""
        return self.without <= MOST_WITHOUT * self.wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class _Atoms:
    """What is drawn: `share` of each atom among `size` drawn at once, and what an atom adds to the cells."""

    share: Floats
    size: int
    adds: csr_array | None
    """(atoms, cells); None = atom k is one vote in cell `cell[k]`."""
    cell: Ints


def bootstrap(votes: Votes, placed: Cells, tallied: Tally, fitted: Fit, *, draws: int, seed: int) -> Draws:
    """Refit `draws` resamples. Blocks of draws have seeds of their own, so that threads change no number."""
    atoms = _atoms(votes, placed, tallied)
    one_step = votes.models > ONE_STEP_ABOVE
    inverse = bread(tallied, fitted)
    block = max(1, min(100, BLOCK // max(tallied.weight.size, len(atoms.share))))
    sizes = [min(block, draws - begin) for begin in range(0, draws, block)]
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))

    def work(size: int, seed: np.random.SeedSequence) -> tuple[Floats, int]:
        weight = _resample(atoms, tallied, np.random.default_rng(seed), size, poisson=one_step)
        good = _has_maximum(tallied, weight)
        if fitted.nu > 0:
            tied, total = weight[:, :, 1].sum(axis=1), weight.sum(axis=(1, 2))
            good &= (tied > 0) & (tied < total)
        weight = weight[good]
        return _refit(tallied, weight, fitted, inverse, one_step=one_step), size - len(weight)

    with ThreadPoolExecutor(max_workers=2) as pool:
        parts = list(pool.map(work, sizes, seeds))
    strength = np.concatenate([part for part, _ in parts])
    return Draws(strength=strength, without=sum(n for _, n in parts), wanted=draws, one_step=one_step)


def _atoms(votes: Votes, placed: Cells, tallied: Tally) -> _Atoms:
    size = tallied.weight.size
    if votes.cluster is not None:
        weight = np.ones(len(placed.cell)) if votes.weight is None else votes.weight
        clusters = int(votes.cluster.max()) + 1
        adds = csr_array((weight, (votes.cluster, placed.cell)), shape=(clusters, size))
        return _Atoms(share=np.full(clusters, 1 / clusters), size=clusters, adds=adds, cell=np.arange(0))
    if votes.weight is None:
        count = tallied.count.ravel()
        cell = np.flatnonzero(count)
        return _Atoms(share=count[cell] / count.sum(), size=int(count.sum()), adds=None, cell=cell)
    times = None if votes.times is None else votes.times.astype(np.float64)
    values, kind = np.unique(votes.weight, return_inverse=True)
    atom, member = np.unique(placed.cell * len(values) + kind, return_inverse=True)
    number = np.bincount(member, times)
    where = (np.arange(len(atom)), atom // len(values))
    adds = csr_array((values[atom % len(values)], where), shape=(len(atom), size))
    return _Atoms(share=number / number.sum(), size=int(number.sum()), adds=adds, cell=np.arange(0))


def _resample(atoms: _Atoms, tallied: Tally, rng: np.random.Generator, size: int, *, poisson: bool) -> Floats:
    """Cell weights of `size` resamples, shape (size, pairs, 3)."""
    if poisson:
        drawn = rng.poisson(atoms.share * atoms.size, (size, len(atoms.share)))
    else:
        drawn = rng.multinomial(atoms.size, atoms.share, size)
    if atoms.adds is None:
        weight = np.zeros((size, tallied.weight.size))
        weight[:, atoms.cell] = drawn
    else:
        weight = np.ascontiguousarray((atoms.adds.T @ drawn.T.astype(np.float64)).T)
    return weight.reshape(size, -1, 3)


def _has_maximum(tallied: Tally, weight: Floats) -> Bools:
    """Which resamples leave the models strongly connected. Those that lose no edge need no search."""
    down, up = weight[:, :, :2].any(axis=2), weight[:, :, 1:].any(axis=2)
    all_down, all_up = tallied.weight[:, :2].any(axis=1), tallied.weight[:, 1:].any(axis=1)
    good = np.asarray((down == all_down).all(axis=1) & (up == all_up).all(axis=1))
    for draw in np.flatnonzero(~good):
        good[draw] = components(_reweighted(tallied, weight[draw]))[0] == 1
    return good


def _reweighted(tallied: Tally, weight: Floats) -> Tally:
    return Tally(
        models=tallied.models,
        first=tallied.first,
        second=tallied.second,
        weight=weight,
        square=weight,
        count=weight,
    )


def _refit(tallied: Tally, weight: Floats, fitted: Fit, inverse: Floats, *, one_step: bool) -> Floats:
    """Strengths of resamples: chord steps with the fit's own Hessian for all at once, Newton for those that lag."""
    points, total = weight[:, :, 0] + weight[:, :, 1] / 2, weight.sum(axis=2)
    strength = np.repeat(fitted.strength[None, :], len(weight), axis=0)
    nu = np.full(len(weight), fitted.nu)
    sign = np.concatenate([np.ones(len(tallied.first)), -np.ones(len(tallied.first))])
    pair = np.tile(np.arange(len(tallied.first)), 2)
    spread = csr_array(
        (sign, (pair, np.concatenate([tallied.first, tallied.second]))), (len(tallied.first), tallied.models)
    )
    active = np.arange(len(weight))
    for _ in range(1 if one_step else CHORD_STEPS):
        gap = strength[active][:, tallied.first] - strength[active][:, tallied.second]
        if fitted.nu == 0:
            gradient = (points[active] - total[active] * expit(gap)) @ spread
        else:
            win, tie, _loss = chances(gap, nu[active, None])
            toward = (points[active] - total[active] * (win + tie / 2)) @ spread
            ties = (weight[active, :, 1] - total[active] * tie).sum(axis=1)
            gradient = np.column_stack([toward, ties])
        move = gradient @ inverse
        strength[active] += move[:, : tallied.models]
        if fitted.nu > 0:
            nu[active] *= np.exp(np.clip(move[:, -1], -2, 2))
        active = active[np.abs(move).max(axis=1, initial=0.0) > DRAW_TOLERANCE]
        if len(active) == 0:
            break
    if not one_step:
        ties_rule: Ties = "half" if fitted.nu == 0 else "davidson"
        for draw in active:
            strength[draw] = fit(_reweighted(tallied, weight[draw]), ties_rule).strength
    return np.asarray(strength - strength.mean(axis=1, keepdims=True))


# --- ranks --------------------------------------------------------------------------------------------------------


def percentile_interval(draws: Draws) -> tuple[Floats, Floats]:
    """Low and high of each model (models,) from the draws' percentiles."""
    low, high = np.quantile(draws.strength, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return low, high


def difference_errors(covariances: Floats) -> Floats:
    """Standard error of every difference of two models, shape (models, models)."""
    own = np.diag(covariances)
    return np.asarray(np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * covariances, 0)))


ROUNDING = 1e-9
"""Strength by which equal models may differ in the last digits of a fit: no rank may hang on these."""


def surpassed(strength: Floats, covariances: Floats, critical: float = NORMAL) -> Bools:
    """[i, j] = model j is better than i by more than `critical` standard errors of their difference."""
    gap = strength[None, :] - strength[:, None]
    errors = difference_errors(covariances)
    return np.asarray((gap > critical * errors) & (gap > ROUNDING))


def surpassed_by_draws(draws: Draws) -> Bools:
    """[i, j] = model j is better than i: the bootstrap interval of their difference lies above 0."""
    models = draws.strength.shape[1]
    better = np.zeros((models, models), dtype=np.bool_)
    worst = int(np.floor((1 - CONFIDENCE) / 2 * len(draws.strength)))
    for model in range(models):
        gap = draws.strength - draws.strength[:, [model]]
        better[model] = np.partition(gap, worst, axis=0)[worst] > 0
    return better


def simultaneous(covariances: Floats, *, seed: int) -> float:
    """Critical value for all differences at once: 95 % quantile of max |t|, by a Gaussian multiplier bootstrap.

    (Chernozhukov, Chetverikov and Kato 2013.) It is at least the pointwise one.
    """
    errors = difference_errors(covariances)
    precision = np.divide(1, errors, out=np.zeros_like(errors), where=errors > 0).astype(np.float32)
    value, vector = np.linalg.eigh(covariances)
    root = vector * np.sqrt(np.maximum(value, 0))
    models = len(errors)
    draws = MAXIMUM_DRAWS if models <= ONE_STEP_ABOVE else FEWER_MAXIMUM_DRAWS
    # one row a model, so that every difference is one sweep of memory
    drawn = np.ascontiguousarray((np.random.default_rng(seed).standard_normal((draws, models)) @ root.T).T, np.float32)
    largest = np.zeros(draws, dtype=np.float32)
    for model in range(models - 1):
        gap = drawn[model + 1 :] - drawn[model]
        gap *= precision[model + 1 :, [model]]
        np.maximum(largest, gap.max(axis=0), out=largest)
        np.maximum(largest, -gap.min(axis=0), out=largest)
    return max(NORMAL, float(np.quantile(largest, CONFIDENCE)))


def rank_ranges(better: Bools) -> tuple[Ints, Ints]:
    """Lowest and highest rank (models,): 1 + those surely better, and all minus those surely worse."""
    return 1 + better.sum(axis=1), len(better) - better.sum(axis=0)
