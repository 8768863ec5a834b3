"""Bradley-Terry by maximum likelihood: Newton's method on tallied pairs.

A model i beats j with probability 1 / (1 + exp(theta_j - theta_i)). Ties are half a win each (`half`), or have
Davidson's own probability, proportional to nu * sqrt(pi_i * pi_j) with pi = exp(theta) (`davidson`; Davidson 1970).
The maximum exists only inside one strongly connected component of the graph "has beaten or tied" (Ford 1957);
`ranked_set` finds it, and `fit` must be given votes of such a set. Strengths are natural logarithms about mean 0;
`ELO` turns them into rating points.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import exp, log
from typing import Literal

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from groundswell.stats.votes import Bools, Floats, Ints, Tally

ELO = 400 / log(10)
"""Rating points in one unit of strength, so that 400 points are odds of 10 to 1."""

TOLERANCE = 1e-10
"""Largest last step, in units of strength: 2e-8 rating points. What it was stands in the fit."""

SURE_STEP = 1e-6
MOST_STEPS = 200
MOST_HALVINGS = 60

Ties = Literal["half", "davidson"]
Connection = Literal["strong", "weak"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """Strengths (models,) about mean 0 and how they were found.

    `nu` is Davidson's tie parameter; 0 where ties are half a win each. `step` is the last and largest change.
    """

    strength: Floats
    nu: float
    iterations: int
    step: float
    converged: bool


def chances(gap: Floats, nu: float | Floats) -> tuple[Floats, Floats, Floats]:
    """Probabilities that the first wins, that both tie, that the second wins, where first - second = `gap`."""
    tail = np.exp(-np.abs(gap))
    middle = nu * np.sqrt(tail)
    whole = 1 + tail + middle
    ahead, behind = 1 / whole, tail / whole
    return np.where(gap >= 0, ahead, behind), middle / whole, np.where(gap >= 0, behind, ahead)


def components(tallied: Tally, connection: Connection = "strong") -> tuple[int, Ints]:
    """Connected components of "has beaten or tied": their number, and the one of each model."""
    count, label = connected_components(beaten(tallied), connection=connection)
    return int(count), np.asarray(label, dtype=np.int64)


def beaten(tallied: Tally) -> coo_array:
    """Sparse (models, models) matrix: 1 where the row model has beaten or tied the column model."""
    second_lost = tallied.weight[:, :2].any(axis=1)
    first_lost = tallied.weight[:, 1:].any(axis=1)
    winner = np.concatenate([tallied.first[second_lost], tallied.second[first_lost]])
    loser = np.concatenate([tallied.second[second_lost], tallied.first[first_lost]])
    return coo_array((np.ones(len(winner), dtype=np.int8), (winner, loser)), shape=(tallied.models, tallied.models))


def ranked_set(tallied: Tally, connection: Connection = "strong") -> Bools:
    """Models that share one ladder, shape (models,): the largest component by models, then by votes inside it.

    `weak` (a chain of votes, whoever won them) is enough only where a prior makes every rating finite. Nobody is ranked
    when the largest has one model, or when two are equal in both.
    """
    if tallied.models == 0:
        return np.zeros(0, dtype=np.bool_)
    count, label = components(tallied, connection)
    size = np.bincount(label, minlength=count)
    inside = label[tallied.first] == label[tallied.second]
    votes = np.bincount(label[tallied.first[inside]], tallied.count[inside].sum(axis=1), count)
    order = np.lexsort((votes, size))
    best = order[-1]
    if size[best] < 2:
        return np.zeros(tallied.models, dtype=np.bool_)
    if count > 1 and (size[order[-2]], votes[order[-2]]) == (size[best], votes[best]):
        return np.zeros(tallied.models, dtype=np.bool_)
    return np.asarray(label == best)


def laplacian(tallied: Tally, value: Floats) -> Floats:
    """Dense sum over pairs of value * (e_first - e_second)(e_first - e_second)', shape (models, models)."""
    matrix = np.zeros((tallied.models, tallied.models))
    matrix[tallied.first, tallied.second] = -value
    matrix[tallied.second, tallied.first] = -value
    matrix[np.diag_indices(tallied.models)] = -matrix.sum(axis=1)
    return matrix


def difference(tallied: Tally, value: Floats) -> Floats:
    """Sum over pairs of value * (e_first - e_second), shape (models,)."""
    up = np.bincount(tallied.first, value, tallied.models)
    return np.asarray(up - np.bincount(tallied.second, value, tallied.models))


def log_likelihood(tallied: Tally, strength: Floats, nu: float) -> float:
    """Logarithm of the likelihood of the tallied votes."""
    gap = strength[tallied.first] - strength[tallied.second]
    far = np.abs(gap)
    # points * gap - log(1 + e^gap + nu e^(gap/2)), written so that nothing overflows
    lost = np.where(gap >= 0, tallied.total - tallied.points, tallied.points)
    terms = -lost * far - tallied.total * np.log1p(np.exp(-far) + nu * np.exp(-far / 2))
    ties = float(tallied.weight[:, 1].sum())
    return float(terms.sum()) + (ties * log(nu) if nu > 0 and ties > 0 else 0.0)


def curvature(tallied: Tally, strength: Floats, nu: float) -> tuple[Floats, Floats]:
    """Gradient (parameters,) and negative Hessian of the log likelihood.

    Parameters are the strengths and, where `nu` > 0, log(nu) as the last.
    """
    gap = strength[tallied.first] - strength[tallied.second]
    win, tie, loss = chances(gap, nu)
    total = tallied.total
    gradient = difference(tallied, tallied.points - total * (win + tie / 2))
    hessian = laplacian(tallied, total * (win * loss + tie * (win + loss) / 4))
    if nu == 0:
        return gradient, hessian
    cross = difference(tallied, total * tie * (loss - win) / 2)
    own = float(np.sum(total * tie * (1 - tie)))
    gradient = np.append(gradient, np.sum(tallied.weight[:, 1] - total * tie))
    return gradient, np.block([[hessian, cross[:, None]], [cross[None, :], np.array([[own]])]])


def grounded(hessian: Floats, models: int) -> Floats:
    """The negative Hessian with the direction in which all strengths move together made stiff, so that it inverts."""
    stiff = hessian.copy()
    stiff[:models, :models] += np.trace(hessian[:models, :models]) / models**2
    return stiff


def fit(tallied: Tally, ties: Ties = "half") -> Fit:
    """Maximum of the likelihood over strongly connected models, by Newton's method with step halving.

    Raises ValueError when the models are not strongly connected, or when Davidson's model sees no tie or only ties.
    """
    if components(tallied)[0] != 1:
        raise ValueError("the maximum exists only inside one strongly connected set of models")
    nu = 0.0
    if ties == "davidson":
        tied, total = float(tallied.weight[:, 1].sum()), float(tallied.weight.sum())
        if not 0 < tied < total:
            raise ValueError("Davidson's model needs ties and decisive votes")
        nu = 2 * tied / (total - tied)

    def solve(gradient: Floats, hessian: Floats) -> Floats:
        stiff = grounded(hessian, tallied.models)
        return np.asarray(cho_solve(cho_factor(stiff, overwrite_a=True, check_finite=False), gradient))

    found = climb(tallied, np.zeros(tallied.models), nu, solve)
    return replace(found, strength=found.strength - found.strength.mean())


def climb(tallied: Tally, start: Floats, nu: float, solve: Callable[[Floats, Floats], Floats]) -> Fit:
    """Newton's method from `start`; `solve` gives the move for a gradient and a negative Hessian.

    A move that would lower the likelihood is halved until it does not.
    """
    models, strength = tallied.models, start
    value, step = log_likelihood(tallied, strength, nu), float("inf")
    for iteration in range(1, MOST_STEPS + 1):
        try:
            move = solve(*curvature(tallied, strength, nu))
        except LinAlgError:
            return Fit(strength=strength, nu=nu, iterations=iteration, step=step, converged=False)
        last, step = step, float(np.abs(move).max(initial=0.0))
        # near the maximum the gain drowns in rounding, so a small step is taken as it is
        for halving in range(1 if step < SURE_STEP else MOST_HALVINGS):
            part = move * 0.5**halving
            moved = strength + part[:models]
            moved_nu = nu * exp(min(part[models], 2.0)) if nu > 0 else 0.0
            reached = log_likelihood(tallied, moved, moved_nu)
            if reached >= value:
                break
        strength, nu, value = moved, moved_nu, reached
        # a small step that no longer shrinks is the rounding of the votes' sums: wide weights end there
        if step < TOLERANCE or (step < SURE_STEP and step > last / 2):
            return Fit(strength=strength, nu=nu, iterations=iteration, step=step, converged=True)
    return Fit(strength=strength, nu=nu, iterations=MOST_STEPS, step=step, converged=False)
