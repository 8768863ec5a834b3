"""Time, passed in so that cool-downs and deadlines can be tested without waiting. It knows no time zone but UTC."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Protocol


class Clock(Protocol):
    """What the wire asks of time."""

    def now(self) -> datetime:
        """The wall clock, in UTC; for dates that hosts send."""
        ...

    def monotonic(self) -> float:
        """Seconds that never go back; for pauses and deadlines."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
