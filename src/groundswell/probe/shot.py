"""One timed request for one picture: never retried, on a connection that is already open (METHODS, section 5).

Time runs from sending the request to the last byte of the picture. `submit` is the first request, `wait` everything up
to the host's word that the picture is there, `fetch` the download of a link. What went wrong is recorded as a failure,
with no time. Whether an endpoint belongs on a board is not known here.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

import msgspec

from groundswell.pictures import UnreadablePicture, facts
from groundswell.ports import Provider
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Json, Reply, Request, Timing
from groundswell.wire.door import Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Line

POLL_SECONDS = 0.1
"""Between two questions whether the picture is there: as often as hosts are asked by this method, for all the same."""


@dataclass(frozen=True, slots=True)
class Target:
    """An endpoint that is timed: its dialect and the way there."""

    endpoint: Endpoint
    provider: Provider
    line: Line
    settings: Mapping[str, Json] = field(default_factory=dict)
    """Sent over the endpoint's own: watermark and safety checks off, where the API allows."""


@dataclass(slots=True)
class _Watch:
    """Seconds by phase, each from the end of the one before."""

    phases: dict[str, float] = field(default_factory=dict)
    began: float = 0.0
    ended: float = 0.0

    def note(self, reply: Reply, now: float) -> None:
        if not self.phases:
            self.began = now - reply.seconds
            self.phases["submit"] = reply.seconds
        else:
            self.phases[reply.call.phase] = self.phases.get(reply.call.phase, 0.0) + now - self.ended
        self.ended = now


async def shoot(wire: Wire, target: Target, request: Request, *, region: str | None = None) -> Timing:
    """Time one request. Raises UserError for what the dialect cannot ask."""
    key = _key(wire, target.line)
    if isinstance(key, Broken):
        return _failed(wire, target, region, f"{key.what}: {key.reason}")
    await _open(wire, target.line)
    watch = _Watch()
    with _undisturbed():
        start = wire.clock.now()
        end = await _walk(wire, target, target.provider.begin(target.endpoint, request), key, watch)
    why = _why_not(end)
    said = end.observed if isinstance(end, Answer) else {}
    cold = said.get("cold_seconds")
    timed = why is None
    return Timing(
        endpoint=target.endpoint.key,
        start=start,
        seconds=watch.ended - watch.began if timed else None,
        submit=watch.phases.get("submit") if timed else None,
        wait=watch.phases.get("wait") if timed else None,
        fetch=watch.phases.get("fetch") if timed else None,
        failure=why,
        region=region,
        cold=float(cold) if isinstance(cold, int | float) else None,
        cost=end.cost,
    )


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Without garbage collection, which stops everything for tens of milliseconds where much is loaded."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


async def _walk(wire: Wire, target: Target, call: Call, key: Key | None, watch: _Watch) -> Answer | Declined | Broken:
    """Each call of the dialect once, with the key that the job was submitted with."""
    deadline = wire.clock.monotonic() + target.line.limits.deadline
    while True:
        got = await wire.once(call, target.line, key if call.auth is not None else None)
        now = perf_counter()
        if isinstance(got, Broken):
            return got
        watch.note(got, now)
        understood = target.provider.advance(got)
        if not isinstance(understood, Call):
            return understood
        if wire.clock.monotonic() > deadline:
            reason = f"not done after {target.line.limits.deadline:g} s"
            return Broken(what="timeout", reason=reason, transient=True)
        call = msgspec.structs.replace(understood, delay=min(understood.delay, POLL_SECONDS))


async def _open(wire: Wire, line: Line) -> None:
    """Open the connection with a request that costs nothing; whatever comes back, the connection is there."""
    await wire.once(Call(method="GET", url=line.base_url, auth=None), line)


def _key(wire: Wire, line: Line) -> Key | Broken | None:
    picked = wire.keys.pick(line)
    if isinstance(picked, float):
        return Broken(what="provider", reason="all keys are cooling", transient=True)
    return picked


def _why_not(end: Answer | Declined | Broken) -> str | None:
    """Why there is no time: refused, broken, or something that is no picture."""
    match end:
        case Declined():
            return f"refused: {end.reason}"
        case Broken():
            return f"{end.what}: {end.reason}"
    if not end.pictures:
        return "decode: the answer has no picture"
    try:
        facts(end.pictures[0])
    except UnreadablePicture as error:
        return f"decode: {error}"
    return None


def _failed(wire: Wire, target: Target, region: str | None, why: str) -> Timing:
    return Timing(endpoint=target.endpoint.key, start=wire.clock.now(), failure=why, region=region)
