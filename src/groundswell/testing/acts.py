"""How a scripted host answers: its acts, the script that chooses among them, and the requests as it saw them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Literal

import msgspec


class Act(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one request is answered. `text` may hold {score} (1..10, by the question) and {question} (its digest)."""

    status: int = 200
    text: str = "Score: {score}"
    shape: Literal["text", "parts", "none"] = "text"
    """Of the message's content; `none` = null."""
    finish: str = "stop"
    usage: Literal["counted", "missing", "null"] = "counted"
    choices: bool = True
    refusal: str | None = None
    error: dict[str, Any] | None = None
    """The error object of a reply; with status 400 and above a plain one is made up."""
    body: str | None = None
    """Sent instead of all that, as it is."""
    content_type: str = "application/json"
    headers: dict[str, str] = {}
    latency: float = 0.0
    """Seconds before the reply."""
    tear: float | None = None
    """Share of the body after which the connection is cut."""
    drip: float | None = None
    """Seconds between the reply's bytes, which are sent in ten pieces."""
    reset: bool = False
    """Cut the connection instead of replying; nothing is bought."""
    echo: bool = False
    """Put the request's headers, key and all, into the reply."""
    polls: int = 1
    """How often a job is asked for before it is done."""


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which act answers which request: the first ones in order, then by how often a question was put, else default."""

    first: tuple[Act, ...] = ()
    each: tuple[Act, ...] = ()
    """The n-th sending of any question is answered by the n-th of these; then by `default`."""
    default: Act = Act()

    def __call__(self, seen: Seen) -> Act:
        if seen.number < len(self.first):
            return self.first[seen.number]
        return self.each[seen.sending] if seen.sending < len(self.each) else self.default


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """A request as the host saw it."""

    number: int
    """Counted from 0."""
    method: str
    path: str
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    question: str
    """Digest of method, path and body: the same question has the same one."""
    sending: int
    """How often this question came before."""
    at: float
    """Monotonic seconds."""

    def json(self) -> Any:
        return msgspec.json.decode(self.body)


def picture(question: str, side: int = 64) -> bytes:
    """A PNG of one colour that belongs to the question."""
    colour = sha256(question.encode()).digest()[:3]
    rows = (b"\0" + colour * side) * side
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
