"""How often one session or one address may ask: buckets that fill at a steady rate. Addresses are kept in memory only,
for as long as their bucket is not full again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

SWEEP = 10_000
"""Buckets kept before full ones are thrown away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """`burst` requests at once, `per_second` in the long run."""

    burst: float
    per_second: float


VOTES = Rate(burst=240, per_second=4.0)
"""Of one session: with the usual minimum look nobody comes near it."""

PAGES = Rate(burst=600, per_second=20.0)
"""Of one address, behind which a whole class may sit: pages, pictures and votes together."""

SESSIONS = Rate(burst=60, per_second=1 / 60)
"""New sessions of one address."""

SIGN_INS = Rate(burst=5, per_second=1 / 30)
"""Attempts to sign in at the operator's page from one address."""


class Limiter:
    """Buckets by name."""

    def __init__(self, rate: Rate, clock: Callable[[], float]) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}

    def allows(self, name: str) -> bool:
        """Take one request out of the bucket; False when it is empty."""
        now = self._clock()
        level, since = self._buckets.get(name, (self._rate.burst, now))
        level = min(self._rate.burst, level + (now - since) * self._rate.per_second)
        if level < 1:
            self._buckets[name] = (level, now)
            return False
        self._buckets[name] = (level - 1, now)
        if len(self._buckets) > SWEEP:
            self._sweep(now)
        return True

    def _sweep(self, now: float) -> None:
        full = [
            name
            for name, (level, since) in self._buckets.items()
            if level + (now - since) * self._rate.per_second >= self._rate.burst
        ]
        for name in full:
            del self._buckets[name]
