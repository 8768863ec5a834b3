"""What the measurements of the trailing days say of an endpoint (METHODS, section 5).

Median and percentiles are of successful measurements, by linear interpolation, with nothing removed; failures are a
rate of their own beside them. A window without a success has no percentile.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import msgspec
import numpy as np

from groundswell.records import Timing

DAYS = 14

QUANTILES = {"p05": 0.05, "p25": 0.25, "median": 0.5, "p75": 0.75, "p95": 0.95}


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of one endpoint over the trailing days; None = there is no successful measurement."""

    endpoint: str
    median: float | None = None
    p05: float | None = None
    p25: float | None = None
    p75: float | None = None
    p95: float | None = None
    n: int = 0
    """Successful measurements."""
    failures: int = 0
    failure_rate: float | None = None
    """Failures among all measurements; None = there are none."""
    failed_because: dict[str, int] = {}
    """By kind: refused, provider, download, decode, timeout."""
    median_without_cold: float | None = None
    """Without the queue and cold-start seconds that the host reported; None = it reports none."""
    days: int = DAYS
    regions: tuple[str, ...] = ()


def window(name: str, timings: Iterable[Timing], now: datetime, days: int = DAYS) -> Window:
    """The window that ends now, of one endpoint's timings in any order. `name` is how it is called."""
    inside = within(timings, now, days)
    good = [timing for timing in inside if timing.seconds is not None]
    failures = len(inside) - len(good)
    seconds = [timing.seconds for timing in good if timing.seconds is not None]
    warm = [timing.seconds - timing.cold for timing in good if timing.seconds is not None and timing.cold is not None]
    return Window(
        endpoint=name,
        **quantiles(seconds),
        n=len(good),
        failures=failures,
        failure_rate=failures / len(inside) if inside else None,
        failed_because=dict(Counter(_kind(timing) for timing in inside if timing.seconds is None)),
        median_without_cold=quantiles(warm).get("median"),
        days=days,
        regions=tuple(sorted({timing.region for timing in inside if timing.region})),
    )


def within(timings: Iterable[Timing], now: datetime, days: int = DAYS) -> list[Timing]:
    """The measurements of the days before now, the oldest first."""
    inside = [timing for timing in timings if now - timedelta(days=days) < timing.start <= now]
    return sorted(inside, key=lambda timing: (timing.start, timing.key))


def quantiles(seconds: Sequence[float]) -> dict[str, float]:
    """Median and percentiles by linear interpolation between order statistics; none of them for no values."""
    if not seconds:
        return {}
    values = np.quantile(np.asarray(seconds, dtype=float), list(QUANTILES.values()), method="linear")
    return dict(zip(QUANTILES, map(float, values), strict=True))


def _kind(timing: Timing) -> str:
    return (timing.failure or "provider").partition(":")[0]
