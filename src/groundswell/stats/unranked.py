"""Models that no finite rating can be given to: on which side of the ranked ones they stand, and how far at least.

A model that never lost to the ranked ones has an infinite estimate, so that all the votes can say is a bound: the
strength below (above) which the profile likelihood falls more than chance allows. What the models are is not known.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from scipy.sparse.csgraph import breadth_first_order

from groundswell.stats.bradley_terry import Fit, beaten, climb, components, fit, log_likelihood
from groundswell.stats.votes import Bools, Floats, Tally

ONE_SIDED = 2.705543
"""Twice the fall of the log likelihood at a one-sided 95 % bound: 1.6449 squared."""

MOST_FREE = 200
"""Above so many ranked models their strengths are held at the fit while a bound is sought; it saves minutes."""


class Side(StrEnum):
    """Where a model stands to the ranked ones."""

    ABOVE = "above"
    BELOW = "below"
    APART = "apart"


def sides(tallied: Tally, ranked: Bools) -> dict[int, Side]:
    """Side of every model that is not ranked: above when wins or ties lead from it down to the ranked ones."""
    outside = [int(model) for model in np.flatnonzero(~ranked)]
    if not ranked.any():
        return dict.fromkeys(outside, Side.APART)
    member = int(np.flatnonzero(ranked)[0])
    below, above = _reached(tallied, member), _reached(tallied, member, upward=True)
    return {m: Side.ABOVE if above[m] else Side.BELOW if below[m] else Side.APART for m in outside}


def _reached(tallied: Tally, start: int, *, upward: bool = False) -> Bools:
    """Models to which a path of "has beaten or tied" leads from `start` (`upward`: from which one leads to it)."""
    graph = beaten(tallied).tocsr()
    order = breadth_first_order(graph.T if upward else graph, start, return_predecessors=False)
    reached = np.zeros(tallied.models, dtype=np.bool_)
    reached[order] = True
    return reached


def bound(tallied: Tally, ranked: Bools, fitted: Fit, model: int, side: Side) -> float:
    """One-sided 95 % profile-likelihood bound of a model above (below) the ranked ones, about their mean.

    `fitted` has the strengths of the ranked models, in their order. The models between are refitted for every
    candidate bound, and so are the ranked ones where they are at most MOST_FREE.
    """
    member = int(np.flatnonzero(ranked)[0])
    above = side is Side.ABOVE
    between = _reached(tallied, model, upward=not above) & _reached(tallied, member, upward=above)
    chosen = ranked | between
    part = _among(tallied, chosen)
    place, is_ranked = int(np.cumsum(chosen)[model] - 1), ranked[chosen]
    free = np.ones(part.models, dtype=np.bool_)
    free[place] = False
    if int(is_ranked.sum()) > MOST_FREE:
        free &= ~is_ranked
    start = np.zeros(part.models)
    start[is_ranked] = fitted.strength
    unit = float(part.square.sum() / part.weight.sum())
    allowed = ONE_SIDED / 2 * unit
    best = _supremum(part, fitted.nu)

    def surplus(at: float) -> float:
        start[~is_ranked] = at
        return best - _profile(part, start, free, is_ranked, fitted.nu) - allowed

    from scipy.optimize import brentq  # 0.2 s to import, and most rankings leave nobody out

    away = 1.0 if above else -1.0
    near, far = 0.0, 0.0
    while surplus(near) < 0:
        near -= 2 * away
    while surplus(far) > 0:
        far += 2 * away
    return float(brentq(surplus, near, far, xtol=1e-7))


def _among(tallied: Tally, members: Bools) -> Tally:
    """The pairs between marked models, renumbered."""
    number = np.cumsum(members) - 1
    kept = members[tallied.first] & members[tallied.second]
    return Tally(
        models=int(members.sum()),
        first=number[tallied.first[kept]],
        second=number[tallied.second[kept]],
        weight=tallied.weight[kept],
        square=tallied.square[kept],
        count=tallied.count[kept],
    )


def _supremum(tallied: Tally, nu: float) -> float:
    """Least upper bound of the log likelihood: each component at its own maximum, infinitely far from the others."""
    count, label = components(tallied)
    total = 0.0
    for component in range(count):
        part = _among(tallied, label == component)
        if len(part.first):
            strength = _climb_all(part, nu)
            total += log_likelihood(part, strength, nu)
    return total


def _climb_all(tallied: Tally, nu: float) -> Floats:
    """Strengths at the maximum for a given tie parameter."""
    if nu == 0:
        return fit(tallied).strength
    everyone = np.ones(tallied.models, dtype=np.bool_)
    start = np.zeros(tallied.models)
    return _climb_some(tallied, start, everyone, everyone, nu)


def _profile(tallied: Tally, start: Floats, free: Bools, ranked: Bools, nu: float) -> float:
    """Log likelihood, maximal over the free models while the ranked ones keep their mean."""
    if not free.any():
        return log_likelihood(tallied, start, nu)
    return log_likelihood(tallied, _climb_some(tallied, start, free, ranked, nu), nu)


def _climb_some(tallied: Tally, start: Floats, free: Bools, balanced: Bools, nu: float) -> Floats:
    """Newton over the free models, the `balanced` ones among them moving by zero in sum."""
    models, chosen = tallied.models, np.flatnonzero(free)
    border = (balanced & free)[chosen].astype(float)
    constrained = bool(border.any())

    def solve(gradient: Floats, hessian: Floats) -> Floats:
        matrix, target = hessian[np.ix_(chosen, chosen)], gradient[chosen]
        if constrained:
            matrix = np.block([[matrix, border[:, None]], [border[None, :], np.zeros((1, 1))]])
            target = np.append(target, 0.0)
        move = np.zeros(len(gradient))
        move[chosen] = np.linalg.solve(matrix, target)[: len(chosen)]
        return move

    return climb(tallied, start[:models], nu, solve).strength
