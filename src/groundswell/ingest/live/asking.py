"""Requests to one platform: logging in, resting as its headers say, and what its replies mean.

It carries calls through `wire.conversation`, which retries and knows the keys. Nothing is stored here.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import msgspec

from groundswell.ingest.live.platform import Platform
from groundswell.ingest.live.rests import rest
from groundswell.ingest.rows import decode
from groundswell.ingest.shapes import dig, text
from groundswell.records import Answer, Broken, Call, Declined, Pull, Reply
from groundswell.wire.conversation import Talk, follow
from groundswell.wire.door import Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Line

PATIENCE: Final = 960.0
"""Seconds that a rate limit is waited for: X counts in windows of 15 minutes. What lasts longer is left to the next
run."""

TOO_MANY: Final = 429
UNAUTHORISED: Final = 401

_LONGEST_REASON = 300


class Session:
    """The way to one platform during a run. `requests` counts what was sent, with retries and log-ins."""

    def __init__(self, wire: Wire, platform: Platform, line: Line, *, user_agent: str | None = None) -> None:
        """`line` leads to the platform's API with the keys that the person gave."""
        self.platform = platform
        self._wire = wire
        self._line = line
        self._headers = {} if user_agent is None else {"User-Agent": user_agent}
        self._tokens = 0
        self._logged_in: Line | None = None if platform.login else line
        self._door = asyncio.Lock()
        self._rested_at = float("-inf")
        """Monotonic seconds from which the platform answers again."""
        self.requests = 0

    @property
    def source(self) -> str:
        """The name that the person gave this source."""
        return self._line.name

    @property
    def instance(self) -> str:
        """The host that is asked."""
        return urlsplit(self._line.base_url).netloc.lower()

    async def ask(self, pull: Pull) -> Talk:
        """Ask for a page and see it through; its end is an Answer (then `reply` holds the page), Declined or Broken."""
        talk, line = await self._ask(pull)
        refused = isinstance(talk.end, Broken) and talk.end.key_dead
        if refused and self.platform.login is not None and line is not None:
            if self._logged_in is line:  # nobody else has noticed yet that the token's day is over
                self._logged_in = None
            talk, _ = await self._ask(pull)
        return talk

    async def _ask(self, pull: Pull) -> tuple[Talk, Line | None]:
        """How asking ended, and the line that it was asked on, if it was."""
        async with self._door:
            resting = self._rested_at - self._wire.clock.monotonic()
            if resting > PATIENCE:
                return _unasked(resting, self._wire.clock.now()), None
            if resting > 0:
                await self._wire.clock.sleep(resting)
            line = self._logged_in or await self._log_in()
        if isinstance(line, Talk):
            return line, None
        call = self._dressed(self.platform.begin(pull, line.base_url))
        return await self._follow(call, line, partial(self._understand, pull)), line

    async def _follow(self, call: Call, line: Line, understand: partial[Answer | Declined | Broken]) -> Talk:
        talk = await follow(self._wire, call, understand, line)
        self.requests += talk.sent
        if talk.reply is not None and len(line.keys) <= 1:  # of several keys the others may go on
            self._note(talk.reply)
        return talk

    def _note(self, reply: Reply) -> None:
        clock = self._wire.clock
        seconds = rest(reply.headers, clock.now(), refused=reply.status == TOO_MANY)
        if seconds:
            self._rested_at = max(self._rested_at, clock.monotonic() + seconds)

    async def _log_in(self) -> Line | Talk:
        """A line with a fresh token; how the log-in ended, where it gave none."""
        login = self.platform.login
        assert login is not None
        elsewhere = self._line.base_url != self.platform.base_url
        home = self._line.base_url if elsewhere else login.base_url
        line = Line(f"{self._line.name} log-in", home, self._line.keys, self._line.limits)
        talk = await self._follow(self._dressed(login.begin(home)), line, partial(self._understand, None))
        token = login.token(decode(talk.reply.body)) if isinstance(talk.end, Answer) and talk.reply else None
        if token is None:
            end = talk.end
            if isinstance(end, Answer | Declined):
                end = Broken(what="provider", reason="logging in gave no token; check the key", transient=False)
            return Talk(end, talk.seconds, talk.sent, None)
        self._tokens += 1
        key = Key(f"{line.keys[0].variable} (token {self._tokens})", token)
        self._logged_in = Line(self._line.name, self._line.base_url, (key,), self._line.limits)
        return self._logged_in

    def _dressed(self, call: Call) -> Call:
        return msgspec.structs.replace(call, headers={**call.headers, **self._headers}) if self._headers else call

    def _understand(self, pull: Pull | None, reply: Reply) -> Answer | Declined | Broken:
        """What a reply means; `pull` None = it is about logging in."""
        if pull is not None and (said := self.platform.unusual(pull, reply)) is not None:
            return said
        status = reply.status
        if status < 300:
            return _whole(reply)
        if status == UNAUTHORISED:
            return Broken(what="provider", reason="not authorised", transient=False, status=status, key_dead=True)
        pause = rest(reply.headers, self._wire.clock.now(), refused=True) if status == TOO_MANY else None
        transient = status in (408, 425, TOO_MANY) or status >= 500
        return Broken(what="provider", reason=_reason(reply), transient=transient, status=status, retry_after=pause)


def _whole(reply: Reply) -> Answer | Broken:
    try:
        decode(reply.body)
    except ValueError as error:
        return Broken(what="decode", reason=f"the reply is not JSON: {error}"[:_LONGEST_REASON], transient=True)
    return Answer()


def _reason(reply: Reply) -> str:
    """The platform's own words, where it has any."""
    try:
        value = decode(reply.body)
    except ValueError:
        return f"status {reply.status}"
    problem = dig(value, "errors")
    first = problem[0] if isinstance(problem, list) and problem else value
    words = [text(first, key) or text(value, key) for key in ("message", "detail", "error_description", "error")]
    said = next((each for each in words if each), "no reason given")
    return f"status {reply.status}: {said}"[:_LONGEST_REASON]


def _unasked(seconds: float, now: datetime) -> Talk:
    until = datetime.fromtimestamp(now.timestamp() + seconds, UTC)
    reason = f"the rate limit is used up until {until:%Y-%m-%d %H:%M} UTC; run it again then"
    return Talk(Broken(what="provider", reason=reason, transient=True, status=TOO_MANY), 0.0, 0, None)
