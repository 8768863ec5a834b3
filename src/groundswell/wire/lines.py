"""How the calls of one endpoint travel: where to, with which keys, how many at once. No state lives here."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from yarl import URL

from groundswell.wire.keys import Key

Origin = tuple[str, str, int | None]
"""Scheme, host and port of a URL."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What the person allows towards one endpoint."""

    concurrency: int = 16
    per_minute: int | None = None
    """Submissions in any 60 seconds; polls and downloads are free."""
    timeout: float = 180.0
    """Seconds for one request, from connecting to its last byte."""
    attempts: int = 6
    """How often one call is sent at most."""
    deadline: float = 900.0
    """Seconds for a whole conversation, from its first request, with all pauses; nothing is sent after it."""


@dataclass(frozen=True, slots=True)
class Line:
    """The way to one endpoint. `name` tells endpoints of one host apart, because hosts meter by model."""

    name: str
    base_url: str
    keys: tuple[Key, ...] = ()
    """Empty = the host asks for none."""
    limits: Limits = field(default_factory=Limits)

    @property
    def origin(self) -> Origin:
        return origin_of(self.base_url)


@lru_cache(maxsize=4096)
def origin_of(url: str) -> Origin:
    """Origin of a URL. Raises ValueError when it is not an absolute http(s) URL with a host."""
    parsed = URL(url)
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise ValueError("not an http or https URL")
    return (parsed.scheme, parsed.host.lower(), parsed.port)
