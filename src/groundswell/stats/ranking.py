"""Votes to a ladder: who can be ranked, strengths, intervals, ranks, and what can be said of the others.

This is the one path that every board and the command `rank` take. It knows models by number only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from groundswell.stats import intervals
from groundswell.stats.bradley_terry import Fit, Ties, fit, ranked_set
from groundswell.stats.intervals import Draws
from groundswell.stats.prior import believe
from groundswell.stats.unranked import Side, bound, sides
from groundswell.stats.votes import Bools, Cells, Floats, Ints, Tally, Votes, cells, tally

NO_VARIANCE = 1e-18
"""A variance below this, in squared units of strength, says that there was none to estimate, not that all is known."""

FEW_CLUSTERS = 40
"""Below so many clusters the sandwich tends to be too narrow (Cameron, Gelbach and Miller 2008)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How to rank: ties, bootstrap draws (0 = sandwich), seed, and whether ranks hold for all differences at once.

    `prior` is the standard deviation, in units of strength, of a normal prior (None = maximum likelihood). It takes
    votes of weight 1 without clusters, ties as halves and no draws: its interval is the posterior's.
    """

    ties: Ties = "half"
    draws: int = 0
    seed: int = 0
    simultaneous: bool = False
    prior: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """A ladder about the mean of the ranked models, in units of strength.

    `order` holds the numbers of the ranked models, best first; all other arrays follow it. `low` and `high` are None
    where no interval can be given, and `why_none` says why; where no difference can be told, all ranks are 1 to all.
    """

    order: Ints
    strength: Floats
    low: Floats | None
    high: Floats | None
    rank_low: Ints
    rank_high: Ints
    covariance: Floats | None
    side: Mapping[int, Side]
    bound: Mapping[int, float]
    fit: Fit | None
    tally: Tally
    draws: Draws | None = None
    critical: float = intervals.NORMAL
    clusters: int | None = None
    why_none: str | None = None
    warnings: tuple[str, ...] = field(default=())


def rank(votes: Votes, plan: Plan) -> Ranking:
    """Rank the models of some votes. Raises ValueError where Davidson's ties are asked of votes without ties."""
    placed = cells(votes)
    whole = tally(votes, placed)
    ranked = ranked_set(whole, "strong" if plan.prior is None else "weak")
    placed_sides = sides(whole, ranked)
    if not ranked.any():
        none = np.arange(0)
        return Ranking(
            order=none,
            strength=none.astype(float),
            low=None,
            high=None,
            rank_low=none,
            rank_high=none,
            covariance=None,
            side=placed_sides,
            bound={},
            fit=None,
            tally=whole,
            why_none="nobody is ranked",
        )
    among, tallied = votes.among(ranked), whole
    if not ranked.all():
        placed = cells(among)
        tallied = tally(among, placed)
    fitted, posterior = _fit(tallied, plan)
    bounds = {
        model: bound(whole, ranked, fitted, model, side)
        for model, side in placed_sides.items()
        if side is not Side.APART
    }
    return _with_intervals(
        _Fitted(among, placed, tallied, fitted, np.flatnonzero(ranked), placed_sides, bounds, whole, posterior), plan
    )


def _fit(tallied: Tally, plan: Plan) -> tuple[Fit, Floats | None]:
    """The fit, and with a prior the posterior's covariance about the mean."""
    if plan.prior is None:
        return fit(tallied, plan.ties), None
    belief = believe(tallied, plan.prior)
    found = Fit(strength=belief.strength, nu=0.0, iterations=belief.steps, step=belief.last, converged=belief.converged)
    # the mean of all strengths is the prior's alone, and ratings are about it
    return found, np.asarray(belief.covariance - belief.covariance.mean())


@dataclass(frozen=True, slots=True)
class _Fitted:
    votes: Votes
    placed: Cells
    tallied: Tally
    fit: Fit
    numbers: Ints
    sides: Mapping[int, Side]
    bounds: Mapping[int, float]
    whole: Tally
    posterior: Floats | None


def _with_intervals(found: _Fitted, plan: Plan) -> Ranking:
    votes, fitted = found.votes, found.fit
    clusters = None if votes.cluster is None else int(np.count_nonzero(np.bincount(votes.cluster)))
    warnings = [] if fitted.converged else ["the fit did not converge: ratings are approximate"]
    order = np.argsort(-fitted.strength, kind="stable")
    covariances = low = high = drawn = None
    better: Bools = np.zeros((votes.models, votes.models), dtype=np.bool_)
    critical = intervals.NORMAL
    why = _too_few(clusters, votes.models) if fitted.converged else "the fit did not converge"
    if why is None:
        covariances = found.posterior
        if covariances is None:
            covariances = intervals.covariance(votes, found.placed, found.tallied, fitted)
        if np.diag(covariances).min() < NO_VARIANCE:
            covariances = None
            why = "the estimated variance is 0: the votes differ too little to tell how certain they are"
    if covariances is not None:
        if plan.simultaneous:
            critical = intervals.simultaneous(covariances, seed=plan.seed)
        better = intervals.surpassed(fitted.strength, covariances, critical)
        if clusters is not None and clusters < FEW_CLUSTERS:
            warnings.append(f"only {clusters} clusters: intervals may be too narrow")
        spread = intervals.NORMAL * np.sqrt(np.diag(covariances))
        low, high = fitted.strength - spread, fitted.strength + spread
        if plan.draws:
            drawn = intervals.bootstrap(votes, found.placed, found.tallied, fitted, draws=plan.draws, seed=plan.seed)
            if drawn.usable:
                low, high = intervals.percentile_interval(drawn)
                better = better if plan.simultaneous else intervals.surpassed_by_draws(drawn)
            else:
                low = high = None
                why = f"{drawn.without} of {drawn.wanted} bootstrap draws have no maximum"
    rank_low, rank_high = intervals.rank_ranges(better)
    return Ranking(
        order=found.numbers[order],
        strength=fitted.strength[order],
        low=None if low is None else low[order],
        high=None if high is None else high[order],
        rank_low=rank_low[order],
        rank_high=rank_high[order],
        covariance=None if covariances is None else covariances[np.ix_(order, order)],
        side=found.sides,
        bound=found.bounds,
        fit=fitted,
        tally=found.whole,
        draws=drawn,
        critical=critical,
        clusters=clusters,
        why_none=why,
        warnings=tuple(warnings),
    )


def _too_few(clusters: int | None, models: int) -> str | None:
    """With fewer clusters than models some difference would get a standard error of 0."""
    if clusters is not None and clusters < models:
        return f"{clusters} clusters are fewer than the {models} ranked models, so that no interval can be given"
    return None
