"""What a live platform must know: how a page is asked for, and what its reply holds. Pure: no socket, clock or secret.

A `Pull` names a page. What is common to all platforms (statuses, rate limits, broken JSON) is not here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Protocol
from urllib.parse import quote, urlencode

from groundswell.records import Broken, Call, Declined, Json, Pull, Reply


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """What a platform read in a reply."""

    value: Json
    """The JSON that the reader of the platform's format is given."""
    found: tuple[tuple[str, str], ...] = ()
    """Posts that matched, each with its conversation, by the ids that the reader gives them. Of a thread: further
    conversations to fetch."""
    next: str | None = None
    """Cursor of the next page."""
    gone: bool = False
    """There is no such conversation (any more)."""


class Login(Protocol):
    """How a key becomes a token that is good for a while."""

    base_url: str

    def begin(self, base_url: str) -> Call:
        """The request that logs in."""
        ...

    def token(self, value: Json) -> str | None:
        """The token in the reply, or None."""
        ...


class Platform(Protocol):
    """The dialect of one platform."""

    name: str
    format: str
    """Which of `ingest.FORMATS` reads its JSON."""
    base_url: str
    key: str | None
    """What the key must be, in words; None = it is answered without one."""
    login: Login | None
    windowed: bool
    """Whether the platform keeps to a search's window by itself. Where it does not, matches come newest first, those
    outside are left out, and a page that lies wholly before the window ends the search."""
    reach: timedelta | None
    """How far back a search may begin; None = as far as it likes."""
    free: bool
    """Whether its posts cost no money."""
    page: int
    """Posts that one reply may carry, as far as they are billed."""

    def begin(self, pull: Pull, base_url: str) -> Call:
        """The request for a page."""
        ...

    def unusual(self, pull: Pull, reply: Reply) -> Declined | Broken | None:
        """What a reply means where the platform departs from HTTP's usual statuses; None = as usual.

        Declined = what was asked for is not there: the conversation, or the place that a cursor led to.
        """
        ...

    def read(self, pull: Pull, value: Json, headers: Mapping[str, str]) -> Page:
        """What a good reply holds."""
        ...


Params = Mapping[str, str | int | None]


def url(base: str, path: str, **params: str | int | None) -> str:
    """An address with the parameters that are given."""
    given = {name: value for name, value in params.items() if value is not None}
    query = urlencode(given, quote_via=quote)
    return f"{base.rstrip('/')}{path}" + (f"?{query}" if query else "")


def stamp(time: datetime | None) -> str | None:
    """A time as ISO 8601 in UTC with whole seconds and a Z, which every platform reads."""
    return None if time is None else time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
