"""A codec driven to its end: calls sent, polled and fetched, what is transient asked again, keys learned about.

What was bought is not bought again: a poll or a download that fails is repeated by itself, and only a submission
that failed, or a job that its host gave up, starts anew. A refusal ends the conversation on the key it came from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from groundswell.ports import Provider
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Reply, Request, Understood
from groundswell.wire.door import Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Line
from groundswell.wire.pauses import jittered, retry_after

TOO_MANY = 429
"""The status that is about the key; 503 is about the host."""


@dataclass(frozen=True, slots=True)
class Talk:
    """How a conversation ended, and what it took."""

    end: Answer | Declined | Broken
    seconds: float
    """Latency of the attempt that ended it: its calls and polling delays, without our queueing and retries."""
    sent: int
    """Requests sent, with retries and polls."""
    reply: Reply | None
    """The last reply, as it came; None where none came."""


async def converse(wire: Wire, provider: Provider, endpoint: Endpoint, request: Request, line: Line) -> Talk:
    """Ask an endpoint and see it through.

    A transient Broken is asked again up to `line.limits.attempts` sendings and `line.limits.deadline` seconds, after
    the host's Retry-After or full jitter; then it is returned as it is. Raises only what the wire's `fetch` raises.
    """
    return await follow(wire, provider.begin(endpoint, request), provider.advance, line)


async def follow(wire: Wire, first: Call, advance: Callable[[Reply], Understood], line: Line) -> Talk:
    """`converse` for calls that no endpoint stands behind: `advance` says what each reply means."""
    return await _Conversation(wire, advance, line).run(first)


class _Conversation:
    """The state of one conversation: the key it is on, its deadline, how much was sent."""

    def __init__(self, wire: Wire, advance: Callable[[Reply], Understood], line: Line) -> None:
        self._wire = wire
        self._advance = advance
        self._line = line
        self._key: Key | None = None
        self._deadline = float("inf")
        self._sent = 0
        self._seconds = 0.0
        self._reply: Reply | None = None

    async def run(self, first: Call) -> Talk:
        call, attempt = first, 1
        while True:
            end, call = await self._attempt(call)
            if not isinstance(end, Broken):
                return self._talk(end)
            broken = self._complete(end)
            pause = self._learn(broken, attempt)
            if not self._worth_asking_again(broken, attempt, pause):
                return self._talk(broken)
            if call.phase == "wait" and self._reply is not None and self._reply.status < 400:
                call = first
            if not (broken.key_dead or broken.exhausted):
                attempt += 1
            if not await self._wire.rest(pause):
                return self._talk(broken)

    def _talk(self, end: Answer | Declined | Broken) -> Talk:
        return Talk(end, self._seconds, self._sent, self._reply)

    async def _attempt(self, call: Call) -> tuple[Answer | Declined | Broken, Call]:
        """Walk along the calls once; gives the end and the last call."""
        self._reply, self._seconds = None, 0.0
        while True:
            lost = await self._take_key(call)
            if lost is not None:
                return lost, call
            async with self._wire.gate(self._line):
                if self._key is None or self._wire.keys.state(self._line, self._key) == "ok":
                    return await self._walk(call)

    async def _walk(self, call: Call) -> tuple[Answer | Declined | Broken, Call]:
        clock = self._wire.clock
        self._deadline = min(self._deadline, clock.monotonic() + self._line.limits.deadline)
        while True:
            got = await self._wire.exchange(call, self._line, self._key)
            self._sent += 1
            if isinstance(got, Broken):
                self._reply = None
                return got, call
            self._reply = got
            self._seconds += got.seconds + call.delay
            understood = self._advance(got)
            if not isinstance(understood, Call):
                return understood, call
            if clock.monotonic() + understood.delay > self._deadline:
                spent = f"not done after {self._line.limits.deadline:g} s"
                return Broken(what="timeout", reason=spent, transient=True), call
            call = understood

    async def _take_key(self, call: Call) -> Broken | None:
        """Choose a key, waiting for one to cool down; a job that was submitted stays on its key."""
        clock = self._wire.clock
        held = self._key if call.phase != "submit" else None
        while True:
            picked = self._wire.keys.pick(self._line, held)
            if isinstance(picked, Broken):
                return picked
            if not isinstance(picked, float):
                self._key = picked
                return None
            if clock.monotonic() + picked > self._deadline or picked > self._line.limits.deadline:
                return Broken(what="provider", reason="all keys are cooling", transient=True, retry_after=picked)
            if not await self._wire.rest(picked):
                return Broken(what="provider", reason="interrupted", transient=True, retry_after=picked)

    def _complete(self, broken: Broken) -> Broken:
        """Add what a codec cannot know: when to come back, and the name of the key, with none of its characters."""
        if self._reply is not None and broken.retry_after is None:
            said = retry_after(self._reply.headers, self._wire.clock.now())
            broken = msgspec.structs.replace(broken, retry_after=said)
        if broken.key_dead and self._reply is not None:
            name = "a call without a key" if self._key is None else f"the key in {self._key.variable}"
            reason = f"the host refused {name} ({self._reply.status})"
            broken = msgspec.structs.replace(broken, reason=reason)
        return broken

    def _learn(self, broken: Broken, attempt: int) -> float:
        """Tell the key ring; gives the seconds to wait before asking again, apart from a key's own rest."""
        jitter = jittered(attempt, self._wire.chance())
        pause = jitter if broken.retry_after is None else broken.retry_after + min(jitter, 1.0)
        if self._key is None or self._reply is None:
            return pause
        if broken.key_dead:
            self._wire.keys.kill(self._line, self._key)
        elif broken.exhausted:
            self._wire.keys.exhaust(self._line, self._key)
        elif self._reply.status == TOO_MANY:
            self._wire.keys.cool(self._line, self._key, pause)
        else:
            return pause
        return 0.0

    def _worth_asking_again(self, broken: Broken, attempt: int, pause: float) -> bool:
        if self._reply is not None and (broken.key_dead or broken.exhausted):
            return self._key is not None and not isinstance(self._wire.keys.pick(self._line), Broken)
        if not broken.transient or attempt >= self._line.limits.attempts:
            return False
        return not (broken.key_dead or broken.exhausted) and self._wire.clock.monotonic() + pause <= self._deadline
