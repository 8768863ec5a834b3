"""Weights that give every use case and every capability an equal say (METHODS, section 4).

Iterative proportional fitting to equal margins on two axes (Deming and Stephan 1940). Weights are cut at a multiple of
the smallest; what that leaves of the margins' error is part of the result. What the categories mean is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from groundswell.stats.votes import Floats, Ints

CAP = 20.0
"""No weight exceeds so many times the smallest."""

TOLERANCE = 1e-10
MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Raked:
    """Weights (votes,) of mean 1, how many votes they are worth, and the largest relative error of a margin.

    `cut` counts the votes whose weight was cut; `rounds` the sweeps of the fitting.
    """

    weight: Floats
    effective: float
    residual: float
    cut: int
    rounds: int


WIDEST = 50.0
"""Logarithm of the ratio of two factors from which raking runs away: the votes leave cells empty that it would need."""


def rake(row: Ints, column: Ints) -> Raked:
    """Weights that equal the margins over the categories that are present in `row` and `column` (votes,)."""
    rows, row = np.unique(row, return_inverse=True)
    columns, column = np.unique(column, return_inverse=True)
    shape = (len(rows), len(columns))
    count = np.bincount(row * shape[1] + column, minlength=shape[0] * shape[1]).reshape(shape).astype(float)
    down, across = np.ones(shape[0]), np.ones(shape[1])
    rounds, error = 0, np.inf
    while error > TOLERANCE and rounds < MOST_ROUNDS:
        down = 1 / shape[0] / (count @ across)
        across = 1 / shape[1] / (down @ count)
        error = _error(count * np.outer(down, across))
        rounds += 1
        if max(np.ptp(np.log(down)), np.ptp(np.log(across))) > WIDEST:
            break  # the margins cannot be met, and the cap decides
    cell = np.outer(down, across)
    most = CAP * cell[count > 0].min()
    cut = int(count[cell > most].sum())
    cell = np.minimum(cell, most)
    weight = cell[row, column]
    return Raked(
        weight=weight / weight.mean(),
        effective=float(weight.sum() ** 2 / (weight**2).sum()),
        residual=_error(count * cell),
        cut=cut,
        rounds=rounds,
    )


def _error(table: Floats) -> float:
    """Largest deviation of a margin from an equal one, as a share of it."""
    whole = table.sum()
    errors = [np.abs(table.sum(axis=axis) / whole * table.shape[1 - axis] - 1).max() for axis in (0, 1)]
    return float(max(errors))
