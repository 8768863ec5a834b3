"""Endpoints of a workspace, timed: once now, what is due now, or as long as the process lives."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.config import IN_PROCESS, EndpointSettings
from groundswell.errors import UserError
from groundswell.flow.crew import Crew
from groundswell.flow.workspace import Workspace, author_salt
from groundswell.probe import schedule
from groundswell.probe.shot import Target
from groundswell.probe.stage import SIZE, Probe, Slot
from groundswell.providers.published import published
from groundswell.records import Endpoint, Json, Timing
from groundswell.stats.prices import per_image, per_thousand
from groundswell.stats.speed import board
from groundswell.stats.timings import window
from groundswell.wire.budget import Budget
from groundswell.wire.clock import Clock, SystemClock
from groundswell.wire.door import Wire
from groundswell.work.engine import Engine, Tally

LONGEST_SLEEP = 600.0
"""Seconds; the daemon looks at the clock at least so often, because machines are suspended and clocks are set."""


class ProbeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may say about measuring."""

    names: tuple[str, ...] = ()
    """Endpoints; none named = all that can be timed."""
    due: bool = False
    """Only moments of the schedule that have come; for cron."""
    budget: float | None = None
    allow_unknown_price: bool = False


def probe(space: Workspace, options: ProbeOptions, observe: Callable[[Tally], None] | None = None) -> dict[str, Any]:
    """Time each endpoint once, or at the moments that are due, and give times, windows and the board."""

    async def once() -> Tally:
        async with _Measuring(space, options, SystemClock(), observe) as measuring:
            now = measuring.wire.clock.now()
            return await measuring.measure(measuring.due(now) if options.due else measuring.now(now))

    before = {timing.key for timing in space.store.records(Timing)}
    tally = asyncio.run(once())
    return {**standing(space, since=before), "stopped": tally.stopped}


async def watch(
    space: Workspace,
    options: ProbeOptions,
    *,
    clock: Clock | None = None,
    until: datetime | None = None,
    observe: Callable[[Tally], None] | None = None,
) -> str | None:
    """`--daemon`: measure at every moment of the schedule. Gives why it ended: the budget, or None at `until`."""
    async with _Measuring(space, options, clock or SystemClock(), observe) as measuring:
        clock = measuring.wire.clock
        while until is None or clock.now() < until:
            if slots := measuring.due(clock.now()):
                tally = await measuring.measure(slots)
                if tally.stopped:
                    return tally.stopped
            await clock.sleep(measuring.pause(clock.now()))
    return None


def standing(space: Workspace, *, since: set[str] | None = None) -> dict[str, Any]:
    """The newest times (those whose keys are not in `since`), the window of every endpoint, and the speed board."""
    config = space.config.file
    endpoints = [settings.record() for settings in config.endpoint if _can_be_timed(settings)]
    names = {endpoint.key: endpoint.name for endpoint in endpoints}
    now = SystemClock().now()
    by_endpoint: dict[str, list[Timing]] = defaultdict(list)
    fresh = []
    for timing in space.store.records(Timing):
        by_endpoint[timing.endpoint].append(timing)
        if since is not None and timing.key not in since:
            fresh.append(timing)
    windows = {
        endpoint.key: window(endpoint.name, by_endpoint[endpoint.key], now, config.probe.window_days)
        for endpoint in endpoints
    }
    prices = {endpoint.key: per_thousand(endpoint) for endpoint in endpoints}
    others = [settings.record() for settings in config.endpoint if not _can_be_timed(settings)]
    return {
        "timings": [_timing_row(timing, names) for timing in fresh],
        "windows": [msgspec.to_builtins(found) for found in windows.values()],
        "board": board([*endpoints, *others], windows, prices, now.date()),
    }


def _timing_row(timing: Timing, names: dict[str, str]) -> dict[str, Any]:
    fields = ("seconds", "submit", "wait", "fetch", "failure", "region", "cold", "cost")
    return {
        "endpoint": names.get(timing.endpoint, timing.endpoint),
        "start": timing.start.isoformat(),
        "ok": timing.seconds is not None,
        **{name: getattr(timing, name) for name in fields},
    }


def _can_be_timed(settings: EndpointSettings) -> bool:
    """Whether a request for a picture goes over the network and needs nothing but words."""
    return settings.host not in {*IN_PROCESS, "chain"} and "t2i" in settings.tasks


class _Measuring:
    """The open parts that measuring needs."""

    def __init__(
        self, space: Workspace, options: ProbeOptions, clock: Clock, observe: Callable[[Tally], None] | None
    ) -> None:
        self._space = space
        self._settings = space.config.file.probe
        self._secret = author_salt(space).hex()
        self.wire = Wire(space.blobs.get, clock=clock)
        limit = space.config.file.budget.usd if options.budget is None else options.budget
        budget = Budget(limit, options.allow_unknown_price)
        self._engine = Engine(space.store, plugins.load("pool", "local")(), purse=budget, observe=observe)
        self._targets = self._targets_of(options.names)

    async def __aenter__(self) -> _Measuring:
        await self.wire.__aenter__()
        await self._engine.__aenter__()
        self._space.store.put([target.endpoint for target in self._targets], renew=True)
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._engine.__aexit__(*error)
        await self.wire.__aexit__(*error)

    async def measure(self, slots: Sequence[Slot]) -> Tally:
        """One after another: two at once would share this machine's processor and line."""
        stage = Probe(self.wire, slots, region=self._settings.region)
        return await self._engine.run(stage, width=1)

    def now(self, now: datetime) -> list[Slot]:
        """One measurement of each endpoint, whatever the schedule says."""
        return [self._slot(target, now) for target in self._targets]

    def due(self, now: datetime) -> list[Slot]:
        """Measurements whose moment has come."""
        return [
            self._slot(target, moment)
            for target in self._targets
            for moment in schedule.due(target.endpoint, now, self._settings, self._secret)
        ]

    def pause(self, now: datetime) -> float:
        """Seconds to sleep until the next moment of any endpoint."""
        moments = [schedule.coming(target.endpoint, now, self._settings, self._secret) for target in self._targets]
        known = [moment for moment in moments if moment is not None]
        wait = min(known, default=now + timedelta(seconds=LONGEST_SLEEP)) - now
        return min(wait.total_seconds(), LONGEST_SLEEP)

    def _slot(self, target: Target, moment: datetime) -> Slot:
        return Slot(target, moment, _price(target.endpoint))

    def _targets_of(self, names: Sequence[str]) -> list[Target]:
        crew = Crew(self._space, self.wire)
        known = {settings.name: settings for settings in self._space.config.file.endpoint if _can_be_timed(settings)}
        if missing := [name for name in names if name not in known]:
            said = ", ".join(known) or "none"
            raise UserError(f"{missing[0]} is no endpoint that can be timed; these are: {said}", where=self._path)
        if not known:
            raise UserError(
                'there is nothing to time: add an [[endpoint]] at a host, with "t2i" in its tasks', where=self._path
            )
        chosen = [settings for name, settings in known.items() if not names or name in names]
        return [Target(settings.record(), *crew.reached(settings), _unchecked(settings)) for settings in chosen]

    @property
    def _path(self) -> str:
        return str(self._space.config.path)


def _unchecked(settings: EndpointSettings) -> Mapping[str, Json]:
    """What takes watermark and safety checks off, where the host has a published word for it."""
    row = published(settings.host, settings.model)
    return {} if row is None else row.timed


def _price(endpoint: Endpoint) -> float | None:
    """USD of one measurement: a picture of the size that is asked for, else what a picture costs in any case."""
    stated = per_image(endpoint, SIZE)
    if stated is not None:
        return stated
    thousand = per_thousand(endpoint)
    return None if thousand is None else thousand / 1000
