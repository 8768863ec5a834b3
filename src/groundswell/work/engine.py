"""The engine: for every stage, compute the keys that are missing.

It pulls units lazily, claims them for this process, bounds how many are under way, enforces the budget by
reserve-then-settle, retries what may pass, and lets one writer put results into the store in short transactions. What
it reports as done is on disk. It does not know what a stage does.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from itertools import islice
from time import monotonic
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

from groundswell.errors import BlobLost, BudgetExceeded, GroundswellError, HostError
from groundswell.ports import Pool, Stage, Store
from groundswell.records import Done, Unit, UnitState

log = logging.getLogger(__name__)

CLAIM = 256
"""Units claimed at once: one transaction for many, and few enough that another machine finds work, too."""

TRIES_IN_A_RUN = 2
"""How often a transient failure is tried in one run; the wire below has retried each request already."""

GATHER_SECONDS = 0.01
"""How long the writer lets results gather before a transaction: a commit costs a millisecond, however few it holds."""

RUNS_THAT_TRY = 6
"""After so many runs that tried it, a transient failure stays one."""

PAUSE_SECONDS = 2.0
"""Longest wait, drawn at random, before a transient failure is tried again, where the host names no time."""

BEAT_SECONDS = 10.0


class LeasingStore(Store, Protocol):
    """A store whose units can be held by several processes."""

    def enlist(self) -> str: ...

    def beat(self, worker: str) -> None: ...

    def dismiss(self, worker: str) -> None: ...


class Purse(Protocol):
    """What may be spent: `reserve` raises BudgetExceeded, `settle` replaces the reserved price by the true cost."""

    def reserve(self, price: float | None) -> Any: ...

    def settle(self, token: Any, cost: float | None) -> None: ...


class Tally(msgspec.Struct):
    """Counts of one stage in one run; only what is on disk is counted."""

    stage: str
    done: int = 0
    refused: int = 0
    failed: int = 0
    spent: float = 0.0
    unpriced: int = 0
    """Attempts whose cost nobody knows; they are not in `spent`."""
    wanted: int | None = None
    """Units that were missing when the stage began; None = not counted."""
    seconds: float = 0.0
    held: int = 0
    """Units that another run holds: they are its to finish."""
    stopped: str | None = None
    """Why the stage ended before its units did: budget, interrupt."""

    @property
    def ended(self) -> int:
        return self.done + self.refused + self.failed


class _Outbox:
    """Results between their making and the disk, and the slots that bound them.

    A unit takes its slot before it is begun and frees it when its result is on disk, so what a kill can cost is never
    more than `width` units.
    """

    def __init__(self, width: int) -> None:
        self._free = asyncio.Semaphore(width)
        self._reservations: dict[str, Any] = {}
        self._results: list[tuple[Unit, Done]] = []
        self._news = asyncio.Event()
        self._closed = False

    async def take_slot(self) -> None:
        await self._free.acquire()

    def hold(self, unit: Unit, reservation: Any) -> None:
        self._reservations[unit.key] = reservation

    def give_back(self, unit: Unit) -> Any:
        """Free the unit's slot; gives its reservation."""
        self._free.release()
        return self._reservations.pop(unit.key, None)

    def put(self, result: tuple[Unit, Done]) -> None:
        self._results.append(result)
        self._news.set()

    def close(self) -> None:
        """No further result comes."""
        self._closed = True
        self._news.set()

    async def batch(self) -> list[tuple[Unit, Done]]:
        """Results that gathered, at least one; empty when there will be none."""
        await self._news.wait()
        if not self._closed:
            await asyncio.sleep(GATHER_SECONDS)
        batch, self._results = self._results, []
        if not self._closed:
            self._news.clear()
        return batch


class Engine:
    """Runs stages on a store. Use as an async context manager: it holds units only while it is open."""

    def __init__(
        self,
        store: LeasingStore,
        pool: Pool,
        *,
        purse: Purse | None = None,
        observe: Callable[[Tally], None] | None = None,
    ) -> None:
        self._store = store
        self._pool = pool
        self._purse = purse
        self._observe = observe
        self._stopping: str | None = None
        self._stopped = asyncio.Event()
        self._worker = ""
        self._pulse: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._worker = await asyncio.to_thread(self._store.enlist)
        self._pulse = asyncio.create_task(self._beat())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pulse:
            self._pulse.cancel()
            with suppress(asyncio.CancelledError):
                await self._pulse
        self._store.dismiss(self._worker)

    @property
    def stopping(self) -> str | None:
        """Why no further unit is begun; None = units are."""
        return self._stopping

    def stop(self, why: str = "interrupt") -> None:
        """Begin no further unit; those under way are finished and written."""
        self._stopping = self._stopping or why
        self._stopped.set()

    async def run(self, stage: Stage, *, width: int, runs: int | None = RUNS_THAT_TRY) -> Tally:
        """Do what is missing of a stage, and say what came of it. From the moment a unit is begun until its result is
        on disk it is one of at most `width`. `runs`: how many runs try a transient failure; None = every failure is
        tried again."""
        began, stage = monotonic(), self._pool.place(stage)
        tally = Tally(stage=stage.name)
        if self._observe:
            tally.wanted = await asyncio.to_thread(missing, self._store, stage)
            self._observe(tally)
        if tally.wanted != 0:
            outbox = _Outbox(width)
            writer = asyncio.create_task(self._write(stage, outbox, tally))
            try:
                feed = self._feed(stage, outbox, tally, runs)
                async for result in self._pool.run(lambda unit: self._attempt(stage, unit), feed, width):
                    outbox.put(result)
            finally:
                outbox.close()
                await writer
        tally.seconds = monotonic() - began
        tally.stopped = tally.stopped or self._stopping
        return tally

    async def _feed(self, stage: Stage, outbox: _Outbox, tally: Tally, runs: int | None) -> AsyncIterator[Unit]:
        units = self._store.unfinished(stage.name, stage.units(self._store), runs)
        while batch := await asyncio.to_thread(_take, units, CLAIM):
            keys = [unit.key for unit in batch]
            granted = await asyncio.to_thread(self._store.claim, stage.name, keys, self._worker)
            tally.held += len(set(keys)) - len(granted)
            for unit in batch:
                if unit.key not in granted:
                    continue
                granted.discard(unit.key)  # a unit that is named twice is done once
                await outbox.take_slot()
                if self._stopping:
                    return
                if self._purse:
                    try:
                        outbox.hold(unit, self._purse.reserve(unit.price))
                    except BudgetExceeded as error:
                        tally.stopped = f"budget: {error}"
                        return
                yield unit

    async def _attempt(self, stage: Stage, unit: Unit) -> Done:
        spent: float | None = 0.0
        for attempt in range(1, TRIES_IN_A_RUN + 1):
            try:
                done = await stage.do(unit)
            except HostError as error:
                done = Done(state=UnitState.FAILED, why=str(error), transient=error.transient)
            except BlobLost as error:
                # Nobody was asked. When the picture is mended the unit is done, however many runs came before.
                done = Done(state=UnitState.FAILED, why=str(error), transient=True, tried=False, cost=0.0)
            except GroundswellError:
                raise
            except Exception as error:
                # A defect of one unit must not cost the others; it may be mended before the next run.
                log.exception("stage %s failed on unit %s", stage.name, unit.key)
                done = Done(state=UnitState.FAILED, why=f"defect: {error!r}", transient=True, cost=0.0)
            spent = None if spent is None or done.cost is None else spent + done.cost
            again = done.state is UnitState.FAILED and done.transient and done.tried
            if not again or attempt == TRIES_IN_A_RUN or self._stopping:
                break
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), done.retry_after or random.uniform(0, PAUSE_SECONDS))
        return msgspec.structs.replace(done, cost=spent)

    async def _write(self, stage: Stage, outbox: _Outbox, tally: Tally) -> None:
        trouble: Exception | None = None
        while batch := await outbox.batch():
            try:
                # After a failure of the store results are only drained, so that nobody waits for a slot.
                if trouble is None:
                    await asyncio.to_thread(self._store.settle, stage.name, batch)
            except Exception as error:
                trouble = error
                self.stop("the store failed")
            for unit, done in batch:
                reservation = outbox.give_back(unit)
                if self._purse and reservation is not None:
                    self._purse.settle(reservation, done.cost)
                if trouble is None:
                    self._count(tally, done)
            if self._observe and trouble is None:
                self._observe(tally)
        if trouble is not None:
            raise trouble

    @staticmethod
    def _count(tally: Tally, done: Done) -> None:
        tally.done += done.state is UnitState.DONE
        tally.refused += done.state is UnitState.REFUSED
        tally.failed += done.state is UnitState.FAILED
        tally.spent += done.cost or 0.0
        tally.unpriced += done.cost is None

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await asyncio.to_thread(self._store.beat, self._worker)


def missing(store: Store, stage: Stage) -> int:
    """How many units of a stage are still to be done."""
    return sum(1 for _ in store.unfinished(stage.name, stage.units(store), RUNS_THAT_TRY))


def _take(units: Iterator[Unit], count: int) -> list[Unit]:
    return list(islice(units, count))
