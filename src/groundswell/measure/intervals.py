"""Bootstrap intervals of what is computed over samples.

Samples are drawn with replacement as counts (weights), so a statistic is a function of a weight matrix and nothing is
computed again per draw. It does not know what is averaged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
"""Nominal coverage of every interval."""


class Interval(msgspec.Struct, frozen=True, kw_only=True):
    """A percentile interval, or None on both ends with the reason."""

    low: float | None
    high: float | None
    draws: int
    why: str | None = None


def bootstrap(
    n: int, statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]], *, draws: int = 1000, seed: int = 0
) -> Interval:
    """95 % percentile interval over `n` samples.

    `statistic` takes weights (draws, n), how often each sample was drawn, and gives one value a draw; a draw without
    a value is NaN. No interval is given for fewer than two samples, or when over 1 % of the draws have no value.
    """
    if n < 2:
        return Interval(low=None, high=None, draws=0, why="fewer than two samples")
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws).astype(float)
    values = statistic(weights)
    known = values[np.isfinite(values)]
    if len(known) < 0.99 * draws:
        return Interval(low=None, high=None, draws=draws, why=f"{draws - len(known)} of {draws} draws have no value")
    low, high = np.quantile(known, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(low=float(low), high=float(high), draws=draws)


def mean_interval(values: Sequence[float], *, draws: int = 1000, seed: int = 0) -> Interval:
    """Bootstrap interval of the mean of one value a sample."""
    array = np.asarray(values, dtype=float)
    return bootstrap(len(array), lambda weights: weights @ array / len(array), draws=draws, seed=seed)
