"""A clock that stands still until somebody sleeps: cool-downs and deadlines pass at once in tests."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta


class StillClock:
    """`Clock` whose time moves only by sleeping. `slept` lists the pauses in order, in seconds.

    Sleepers share the time: each wakes when the clock has reached its own moment, the earliest first.
    """

    def __init__(self, start: datetime = datetime(2026, 11, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._passed = 0.0
        self._moments: list[float] = []
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._passed)

    def monotonic(self) -> float:
        return self._passed

    def advance(self, seconds: float) -> None:
        self._passed += seconds

    async def sleep(self, seconds: float) -> None:
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        self.slept.append(seconds)
        moment = self._passed + seconds
        self._moments.append(moment)
        await asyncio.sleep(0)
        while self._passed < moment:
            if moment == min(self._moments):
                self._passed = moment
            else:
                await asyncio.sleep(0)
        self._moments.remove(moment)
