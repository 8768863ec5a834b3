"""A `ports.Reader` heard out: its answer with what it cost and the words behind it, where the reader tells them.

A reader that only reads is free. One that is paid for is a `PaidReader`. Which questions there are is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from groundswell.ports import Reader
from groundswell.records import Json


@dataclass(frozen=True, slots=True)
class Heard:
    """An answer as it came, what it cost in USD (None = not known), and the raw words behind it."""

    answer: Json
    cost: float | None = 0.0
    raw: str | None = None
    unread: str | None = None
    """Why a reply that came, and was paid for, is no answer."""


@runtime_checkable
class PaidReader(Reader, Protocol):
    """A reader that costs something."""

    def price(self, question: str, material: Json) -> float | None:
        """USD that an answer is expected to cost at most; None = not known."""
        ...

    async def hear(self, question: str, material: Json) -> Heard:
        """The answer with its cost. Raises HostError where the host does not answer."""
        ...


def version_of(reader: Reader) -> int:
    """The version of a reader's rules; 1 where it has none."""
    return int(getattr(reader, "version", 1))


def price_of(reader: Reader, question: str, material: Json) -> float | None:
    """USD that an answer is expected to cost at most; None = not known."""
    return reader.price(question, material) if isinstance(reader, PaidReader) else 0.0


async def hear(reader: Reader, question: str, material: Json) -> Heard:
    """The answer of a reader, with what it tells of it. Raises HostError where its host does not answer."""
    if isinstance(reader, PaidReader):
        return await reader.hear(question, material)
    return Heard(await reader.read(question, material))
