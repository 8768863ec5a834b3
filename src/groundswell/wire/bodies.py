"""Request bodies from bytes and pictures: each picture is fetched and encoded once per run and spliced in.

It does not know what a body says. Encoded pictures are kept up to a size and the least used are dropped first.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence

import pybase64
from aiohttp import Payload
from aiohttp.abc import AbstractStreamWriter

from groundswell.records import Splice

MEBIBYTE = 1024 * 1024

SLICE = 512 * 1024
"""Bytes handed to the transport at once: little enough that what the socket does not take is cheap to copy aside."""


Fetch = Callable[[str], bytes | Awaitable[bytes]]
"""Gives a picture's bytes by digest: at once where that is quick (a local folder), or awaited (a bucket)."""


class Encodings:
    """Pictures as they stand in bodies, by digest."""

    def __init__(self, fetch: Fetch, limit: int = 256 * MEBIBYTE) -> None:
        self._fetch = fetch
        self._limit = limit
        self._size = 0
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._coming: dict[tuple[str, str], asyncio.Future[bytes]] = {}

    async def get(self, splice: Splice) -> bytes:
        """The bytes for a place in a body. Raises what `fetch` raises."""
        place = (splice.picture.digest, splice.encoding)
        kept = self._kept.get(place)
        if kept is not None:
            self._kept.move_to_end(place)
            return kept
        coming = self._coming.get(place)
        if coming is None:
            data = self._fetch(splice.picture.digest)
            if isinstance(data, bytes):
                return self._keep(place, data)
            coming = self._coming[place] = asyncio.ensure_future(self._await(place, data))
        return await asyncio.shield(coming)

    async def _await(self, place: tuple[str, str], data: Awaitable[bytes]) -> bytes:
        try:
            return self._keep(place, await data)
        finally:
            del self._coming[place]

    def _keep(self, place: tuple[str, str], data: bytes) -> bytes:
        if place[1] == "base64":
            data = pybase64.b64encode(data)
        self._kept[place] = data
        self._size += len(data)
        while self._size > self._limit and len(self._kept) > 1:
            self._size -= len(self._kept.popitem(last=False)[1])
        return data


class SplicedBody(Payload):
    """A request body in pieces, of known length, that can be sent again."""

    def __init__(self, pieces: Sequence[bytes], content_type: str) -> None:
        super().__init__(pieces, content_type=content_type)
        self._pieces = pieces
        self._size = sum(map(len, pieces))

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return b"".join(self._pieces).decode(encoding, errors)

    async def as_bytes(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return b"".join(self._pieces)

    async def write(self, writer: AbstractStreamWriter) -> None:
        await self.write_with_length(writer, None)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """Write all pieces; `content_length` is our own `_size`, so nothing is ever clipped."""
        for piece in self._pieces:
            if len(piece) <= SLICE:
                await writer.write(piece)
                continue
            view = memoryview(piece)
            for start in range(0, len(piece), SLICE):
                await writer.write(view[start : start + SLICE])
