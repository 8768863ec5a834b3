"""One HTTP exchange, and the connections it needs. Nothing is retried here; a reply is not understood here.

`Wire` sends a Call over a Line and gives the Reply, or Broken where there was none. Certificates are always verified,
redirects are followed by hand so that a key never leaves its host, and every echo of a key is cut out of what comes
back before anybody sees it.
"""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Literal

import aiohttp
from aiohttp.connector import Connection
from yarl import URL

from groundswell import __version__
from groundswell.records import Broken, Call, Credential, Reply, Splice
from groundswell.wire.addresses import PrivateAddress, PublicResolver, is_literal, is_public, may_carry_key
from groundswell.wire.bodies import MEBIBYTE, Encodings, Fetch, SplicedBody
from groundswell.wire.clock import Clock, SystemClock
from groundswell.wire.keyring import KeyRing
from groundswell.wire.keys import Key
from groundswell.wire.lines import Line, origin_of
from groundswell.wire.pace import Gate

REDIRECTS = frozenset({301, 302, 303, 307, 308})


@dataclass(frozen=True, slots=True)
class Safety:
    """What is never exceeded, whatever a host says."""

    reply_bytes: int = 96 * MEBIBYTE
    """Largest reply, after decompression: a 4k PNG as base64 is about 40 MB."""
    redirects: int = 3
    encoded_bytes: int = 256 * MEBIBYTE
    """Room for encoded pictures."""
    ca_file: Path | None = None
    """Certificates that are trusted besides the system's own."""


class Wire:
    """The open door: an async context manager that holds the connections, keys' states and gates of one run."""

    def __init__(
        self,
        fetch: Fetch,
        *,
        clock: Clock | None = None,
        safety: Safety | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`fetch` gives a picture's bytes by digest, at once or awaited; `chance` gives 0..1 for jitter."""
        self.clock = clock or SystemClock()
        self.chance = chance
        self.keys = KeyRing(self.clock)
        self._hurry = asyncio.Event()
        self._safety = safety or Safety()
        self._encodings = Encodings(fetch, self._safety.encoded_bytes)
        self._gates: dict[str, Gate] = {}
        self._trusted: aiohttp.ClientSession | None = None
        self._public: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Wire:
        trust = _trust(self._safety.ca_file)
        self._trusted = _session(aiohttp.TCPConnector(limit=0, ssl=trust, ttl_dns_cache=300))
        self._public = _session(aiohttp.TCPConnector(limit=0, ssl=trust, resolver=PublicResolver()))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for session in (self._trusted, self._public):
            if session is not None:
                await session.close()
        self._trusted = self._public = None

    def hurry(self) -> None:
        """Rest no longer: whoever waits before asking again ends with what it has. Requests under way are finished."""
        self._hurry.set()

    async def rest(self, seconds: float) -> bool:
        """Wait before asking again; False = somebody is in a hurry, and nothing is to be asked again."""
        if seconds > 0 and not self._hurry.is_set():
            waits = [asyncio.ensure_future(self.clock.sleep(seconds)), asyncio.ensure_future(self._hurry.wait())]
            try:
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
        return not self._hurry.is_set()

    def gate(self, line: Line) -> Gate:
        """The slots of an endpoint, by its name."""
        gate = self._gates.get(line.name)
        if gate is None:
            gate = self._gates[line.name] = Gate(line.limits, self.clock)
        return gate

    async def once(self, call: Call, line: Line, key: Key | None = None) -> Reply | Broken:
        """Send a call exactly once, after its delay and when a slot is free. `key` None = the next usable one.

        `Reply.seconds` runs from sending the request to its last byte; waiting for delay, slot and connection are
        not in it.
        """
        if key is None and call.auth is not None:
            picked = self.keys.pick(line)
            if isinstance(picked, Broken):
                return picked
            if isinstance(picked, float):
                return Broken(what="provider", reason="all keys are cooling", transient=True, retry_after=picked)
            key = picked
        async with self.gate(line):
            return await self.exchange(call, line, key)

    async def exchange(self, call: Call, line: Line, key: Key | None) -> Reply | Broken:
        """Send a call exactly once, for a caller that holds a slot of `gate(line)`."""
        if call.delay > 0:
            await self.clock.sleep(call.delay)
        gate = self.gate(line)
        if call.phase == "submit":
            await gate.meter()
        pieces = tuple([await self._piece(part, key) for part in call.body])
        sent = self.clock.monotonic()
        try:
            async with asyncio.timeout(line.limits.timeout):
                got = await self._follow(call, line, key, pieces)
        except TimeoutError:
            got = Broken(what="timeout", reason=f"no whole reply in {line.limits.timeout:g} s", transient=True)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            got = _broken(call, error, key)
        if isinstance(got, Reply):
            gate.saw(got.status, sent)
        return got

    async def _piece(self, part: bytes | Splice | Credential, key: Key | None) -> bytes:
        """The bytes for a part of a body. A credential goes only where the line's own key goes."""
        match part:
            case Splice():
                return await self._encodings.get(part)
            case Credential():
                return b"" if key is None else key.half(part.half)
            case _:
                return part

    async def _follow(self, call: Call, line: Line, key: Key | None, pieces: tuple[bytes, ...]) -> Reply | Broken:
        """Send, and follow the redirects of a GET; a key goes along only as far as its own host."""
        url = call.url
        if call.auth is None:
            key = None
        for hop in range(self._safety.redirects + 1):
            if hop > 0 and origin_of(url) != line.origin:
                key = None
            session = self._session_for(url, line, checked=call.from_reply or hop > 0, key=key)
            reply, location = await self._send(session, call, _url(url), key, pieces)
            if location is None:
                return reply
            if call.method != "GET":
                raise Untrusted(f"redirects a {call.method} request; put the address it names into base_url")
            url = str(_url(url).join(_url(location)))
        raise Untrusted(f"redirects more than {self._safety.redirects} times")

    def _session_for(self, url: str, line: Line, *, checked: bool, key: Key | None) -> aiohttp.ClientSession:
        """The connections that may be used for a URL; `checked` = it came from a reply. Raises Untrusted."""
        if self._trusted is None or self._public is None:
            raise RuntimeError("the wire is not open; use it as an async context manager")
        scheme, host, _ = origin = origin_of(url)
        if not checked or origin == line.origin:
            return self._trusted
        if line.origin[0] == "https" and scheme != "https":
            raise Untrusted("a reply leads from https to http")
        if _url(url).user is not None:
            raise Untrusted("a reply leads to a URL with a user name in it")
        if is_literal(host) and not is_public(host):
            raise Untrusted("a reply leads to a private address")
        if key is not None and not may_carry_key(host, line.origin[1]):
            raise Untrusted(f"a reply would send the key to {host}")
        return self._public

    async def _send(
        self, session: aiohttp.ClientSession, call: Call, url: URL, key: Key | None, pieces: tuple[bytes, ...]
    ) -> tuple[Reply, str | None]:
        """One request; gives the reply and, for a redirect, where it leads."""
        headers = dict(call.headers)
        if key is not None and call.auth is not None:
            name, value = key.header(call.auth)
            headers[name] = value
        body = SplicedBody(pieces, call.content_type or "application/octet-stream") if pieces else None
        async with session.request(call.method, url, headers=headers, data=body, allow_redirects=False) as response:
            data, ended = await self._read(response)
        if key is not None:
            data = key.redact(data)
        reply = Reply(
            call=call,
            status=response.status,
            headers=_headers(response, key),
            body=data,
            seconds=ended - (response.sent if isinstance(response, _Response) else ended),
        )
        return reply, response.headers.get("Location") if response.status in REDIRECTS else None

    async def _read(self, response: aiohttp.ClientResponse) -> tuple[bytes, float]:
        """The body, and the moment of its last byte: what is done with it here is not the host's time."""
        limit = self._safety.reply_bytes
        chunks = []
        size = response.content_length or 0
        if size > limit:
            raise TooLarge(f"the reply has {size} bytes, more than {limit}")
        size = 0
        async for chunk in response.content.iter_any():
            size += len(chunk)
            if size > limit:
                raise TooLarge(f"the reply has more than {limit} bytes")
            chunks.append(chunk)
        ended = time.perf_counter()
        return b"".join(chunks), ended


class Untrusted(ValueError):
    """A host sends us where we do not go."""


class TooLarge(ValueError):
    """A reply is larger than any honest one."""


class _Response(aiohttp.ClientResponse):
    """A response that knows when its request was sent, and whose request is never sent again.

    aiohttp resends a GET by itself when a kept connection breaks under it; who retries is not decided here.
    """

    sent: float

    async def start(self, connection: Connection) -> aiohttp.ClientResponse:
        try:
            return await super().start(connection)
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
            raise aiohttp.ClientError(f"the connection broke: {error}") from error


class _Request(aiohttp.ClientRequest):
    """A request that notes the moment at which its connection is there and its sending begins."""

    async def send(self, conn: Connection) -> aiohttp.ClientResponse:
        sent = time.perf_counter()
        response = await super().send(conn)
        if isinstance(response, _Response):
            response.sent = sent
        return response


def _trust(ca_file: Path | None) -> ssl.SSLContext | Literal[True]:
    """How certificates are verified; True = aiohttp's own context, which is loaded already."""
    if ca_file is None:
        return True
    context = ssl.create_default_context()
    context.load_verify_locations(ca_file)
    return context


def _session(connector: aiohttp.TCPConnector) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=30),
        request_class=_Request,
        response_class=_Response,
        headers={"User-Agent": f"groundswell/{__version__}"},
    )


def _headers(response: aiohttp.ClientResponse, key: Key | None) -> dict[str, str]:
    """Headers by lower-case name, first of a name, without cookies and without echoes of the key."""
    kept: dict[str, str] = {}
    for name, value in response.headers.items():
        lower = name.lower()
        if lower != "set-cookie" and lower not in kept:
            kept[lower] = value
    if key is not None and key.shows_in("\n".join(kept.values())):
        return {name: _redacted(value, key) for name, value in kept.items()}
    return kept


def _url(text: str) -> URL:
    """A URL as it was written where possible: signed links do not survive a second percent-encoding."""
    return URL(text, encoded=text.isascii() and text.isprintable() and " " not in text)


def _broken(call: Call, error: Exception, key: Key | None) -> Broken:
    """What an exception of the transport means."""
    cause = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    final = isinstance(error, aiohttp.ClientSSLError | ValueError) or isinstance(cause, PrivateAddress)
    said = str(cause) or type(cause).__name__
    if key is not None:
        said = _redacted(said, key)
    if isinstance(error, aiohttp.ClientSSLError):
        said = f"the certificate could not be verified: {said}"
    elif isinstance(error, aiohttp.ClientConnectorDNSError):
        said = f"the name {error.host} could not be looked up: {said}"
    what: Literal["provider", "download"] = "download" if call.phase == "fetch" else "provider"
    return Broken(what=what, reason=said[:300], transient=not final)


def _redacted(text: str, key: Key) -> str:
    return key.redact(text.encode("utf-8", "surrogateescape")).decode("utf-8", "surrogateescape")
