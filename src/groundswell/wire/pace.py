"""How many requests may be under way towards one endpoint: additive up, halved when the host says it is too much.

It counts and waits; it does not know what is sent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from types import TracebackType

from groundswell.wire.clock import Clock
from groundswell.wire.lines import Limits

TOO_MUCH = frozenset({429, 503, 529})
"""Statuses by which hosts say that they are asked too much (529 is Anthropic's)."""

MINUTE = 60.0


class Gate:
    """Slots of one endpoint, first come first served; an async context manager that holds one slot.

    The window starts at the configured limit, which is what the person allowed, grows by one per window of good
    replies, and is halved by `too much`, once for all the replies that were under way together.
    """

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self._limits = limits
        self._clock = clock
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._sent: deque[float] = deque()
        self._halved = -1.0
        self.window = float(limits.concurrency)
        self.in_flight = 0

    async def __aenter__(self) -> None:
        if self.in_flight < int(self.window) and not self._waiting:
            self.in_flight += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._leave()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave()

    async def meter(self) -> None:
        """Wait until one more submission keeps to `per_minute`. Turns are given out in order, so nobody crowds."""
        allowed = self._limits.per_minute
        if allowed is None:
            return
        now = self._clock.monotonic()
        turn = now
        if len(self._sent) >= allowed:
            turn = max(now, self._sent.popleft() + MINUTE)
        self._sent.append(turn)
        if turn > now:
            await self._clock.sleep(turn - now)

    def saw(self, status: int, sent: float) -> None:
        """Learn from a reply to a request that was sent at `sent` (monotonic seconds)."""
        if status in TOO_MUCH:
            if sent > self._halved:
                self.window = max(1.0, self.window / 2)
                self._halved = self._clock.monotonic()
        elif status < 400:
            self.window = min(float(self._limits.concurrency), self.window + 1.0 / self.window)
            self._wake()

    def _leave(self) -> None:
        self.in_flight -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self.in_flight < int(self.window):
            turn = self._waiting.popleft()
            if not turn.done():
                self.in_flight += 1
                turn.set_result(None)
