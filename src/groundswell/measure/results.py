"""What the measurements say of each model: mean, interval, coverage, and the cases that a reader should look at.

Every column is one metric from one backend. Samples weigh equally: a model's several outputs of one sample are
averaged first. What does not apply is counted by reason and never averaged.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from groundswell.measure.color import pair_of, pooled, set_interval
from groundswell.measure.intervals import Interval, mean_interval
from groundswell.measure.metric import About
from groundswell.records import Measured, Measurement, NotApplicable

CASES = 3
"""Worst and best outputs that are shown of each model."""


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """One model in one column."""

    model: str
    metric: str
    backend: str
    version: int
    mean: float | None
    """None = nothing could be measured."""
    interval: Interval
    scored: int
    """Samples with a value."""
    wanted: int
    """Samples for which the metric was tried."""
    silent: Mapping[str, int]
    """Outputs without a value, by reason."""
    better: str
    worst: tuple[str, ...] = ()
    """Keys of outputs, the worst first; empty where neither direction is better."""
    best: tuple[str, ...] = ()
    set_level: Mapping[str, Any] | None = None
    """For colour: magnitude of the summed histograms, with its interval."""


def results(
    measured: Iterable[Measured], model_of: Mapping[str, str], abouts: Mapping[str, About], *, seed: int = 0
) -> list[Result]:
    """One result a column and model, sorted by both. `model_of` gives the model of an output's key; others are left."""
    columns: dict[tuple[str, str, int, str], list[Measured]] = defaultdict(list)
    for each in measured:
        if each.output in model_of:
            columns[each.metric, each.backend, each.version, model_of[each.output]].append(each)
    return [_result(column, columns[column], abouts.get(column[0]), seed) for column in sorted(columns)]


def _result(column: tuple[str, str, int, str], measured: Sequence[Measured], about: About | None, seed: int) -> Result:
    metric, backend, version, model = column
    numbers = [each for each in measured if isinstance(each, Measurement)]
    by_sample: dict[str, list[float]] = defaultdict(list)
    for each in numbers:
        by_sample[each.sample].append(each.value)
    means = [float(np.mean(values)) for values in by_sample.values()]
    better = "neither" if about is None else about.better
    worst, best = _cases(numbers, better)
    return Result(
        model=model,
        metric=metric,
        backend=backend,
        version=version,
        mean=float(np.mean(means)) if means else None,
        interval=mean_interval(means, seed=seed),
        scored=len(means),
        wanted=len({each.sample for each in measured}),
        silent=dict(Counter(each.why for each in measured if isinstance(each, NotApplicable))),
        better=better,
        worst=worst,
        best=best,
        set_level=_set_level(numbers, seed) if metric == "color" and numbers else None,
    )


def _cases(numbers: Sequence[Measurement], better: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Keys of the worst and the best outputs; no output is both, and none is either where all are equal."""
    if better == "neither" or len({each.value for each in numbers}) < 2:
        return (), ()
    worst_first = sorted(numbers, key=lambda each: (each.value, each.output), reverse=better == "lower")
    keys = tuple(each.output for each in worst_first)
    shown = min(CASES, len(keys) // 2)
    return keys[:shown], keys[::-1][:shown]


def _set_level(numbers: Sequence[Measurement], seed: int) -> dict[str, Any]:
    pairs = [pair_of(each.detail) for each in numbers]
    whole = pooled(pairs)
    before, after = whole.means
    return {
        "magnitude": whole.magnitude,
        "input_mean": before.tolist(),
        "output_mean": after.tolist(),
        "interval": set_interval(pairs, seed=seed),
        "histograms": {"input": whole.input.to_lists(), "output": whole.output.to_lists()},
    }
