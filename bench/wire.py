"""Client CPU per judged request that carries a picture: ours, the `openai` package, and a bare socket as the floor.

    python -m bench.wire [--rounds 5] [--requests 480] [--loop asyncio|uvloop] [--path MODULE:FUNCTION]

Every contender sends the same pictures, 16 in flight, each picture three times as a panel of three judges does, to a
server in another process that reads and answers at once. Rounds are interleaved; the table holds medians of process
CPU time (user and system) a request. `--path` adds a contender: a function of the type `Contender`, for the whole way
from a unit to a stored judgment.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import gc
import importlib
import os
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from statistics import median

import pybase64
import trustme

from groundswell.ask.asking import Desk, Question, Shown, put
from groundswell.providers.openai import OpenAI
from groundswell.records import Call, Dimension, Endpoint, Judgment, Picture, Rubric
from groundswell.wire.door import Safety, Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Limits, Line

IN_FLIGHT = 16
JUDGES = 3
REPLY = (
    b'{"id":"x","object":"chat.completion","created":1,"model":"bench-1","choices":[{"index":0,"message":{"role":'
    b'"assistant","content":"Fidelity: 7"},"finish_reason":"stop"}],"usage":{"prompt_tokens":900,'
    b'"completion_tokens":4,"total_tokens":904}}'
)
RUBRIC = Rubric(name="bench", text="Judge the result. " * 40, dimensions=(Dimension(name="Fidelity", low=1, high=10),))


@dataclass(frozen=True)
class Load:
    """What one round sends, and where."""

    base_url: str
    ca_file: Path | None
    media_type: str
    pictures: Mapping[str, bytes]
    """By digest."""
    requests: int

    def digest(self, number: int) -> str:
        """Of the picture that a request carries."""
        return self._digests[number // JUDGES % len(self._digests)]

    @cached_property
    def _digests(self) -> tuple[str, ...]:
        return tuple(self.pictures)


Contender = Callable[[Load], Awaitable[None]]


async def ours(load: Load) -> None:
    """`ask.put` over `wire`: from a question to a judgment record."""
    line = Line("bench", load.base_url, (Key("BENCH_KEY", "sk-bench-0123456789"),), Limits(concurrency=IN_FLIGHT))
    endpoint = Endpoint(name="bench", host="openai", model="bench-1", base_url=load.base_url)
    async with Wire(load.pictures.__getitem__, safety=Safety(ca_file=load.ca_file)) as wire:
        desk = Desk(wire, OpenAI(), endpoint, line)

        async def one(number: int) -> None:
            picture = Picture(digest=load.digest(number), media_type=load.media_type, width=1, height=1)
            question = Question(
                rubric=RUBRIC, sample="s", outputs=(picture.digest,), parts=(Shown("result", picture),), repeat=number
            )
            if not isinstance(await put(question, desk), Judgment):
                raise RuntimeError("the reply was not read")

        await _keep_in_flight(one, load.requests)


async def openai_package(load: Load) -> None:
    """The vendor's async client alone: no strict reading, no record."""
    import openai

    context = _client_context(load.ca_file)
    http = openai.DefaultAsyncHttpxClient(verify=context) if context else openai.DefaultAsyncHttpxClient()
    async with openai.AsyncOpenAI(
        api_key="sk-bench-0123456789", base_url=load.base_url, max_retries=0, http_client=http
    ) as client:

        async def one(number: int) -> None:
            data = load.pictures[load.digest(number)]
            url = f"data:{load.media_type};base64,{base64.b64encode(data).decode()}"
            content = [
                {"type": "text", "text": RUBRIC.text},
                {"type": "text", "text": "result:"},
                {"type": "image_url", "image_url": {"url": url}},
            ]
            messages = [{"role": "user", "content": content}]
            reply = await client.chat.completions.create(
                model="bench-1", messages=messages, temperature=0, max_tokens=1024
            )
            if reply.choices[0].message.content != "Fidelity: 7":
                raise RuntimeError("the reply was not read")

        await _keep_in_flight(one, load.requests)


async def bare_socket(load: Load) -> None:
    """Ready-made bytes into 16 kept connections: what no client can be cheaper than."""
    bodies = {digest: b'{"x":"' + pybase64.b64encode(data) + b'"}' for digest, data in load.pictures.items()}
    host, _, port = load.base_url.partition("//")[2].partition("/")[0].partition(":")
    numbers = iter(range(load.requests))

    async def connection() -> None:
        reader, writer = await asyncio.open_connection(host, int(port), ssl=_client_context(load.ca_file))
        for number in numbers:
            body = bodies[load.digest(number)]
            writer.write(b"POST /v1/chat/completions HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % len(body))
            view = memoryview(body)
            for start in range(0, len(body), 262_144):
                writer.write(view[start : start + 262_144])
                await writer.drain()
            await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(len(REPLY))
        writer.close()
        with contextlib.suppress(ssl.SSLError, ConnectionError):
            await writer.wait_closed()

    await asyncio.gather(*(connection() for _ in range(IN_FLIGHT)))


async def _keep_in_flight(one: Callable[[int], Awaitable[None]], total: int) -> None:
    numbers = iter(range(total))

    async def worker() -> None:
        for number in numbers:
            await one(number)

    await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))


def _client_context(ca_file: Path | None) -> ssl.SSLContext | None:
    return None if ca_file is None else ssl.create_default_context(cafile=str(ca_file))


class _Drain(asyncio.Protocol):
    """A server that reads a request to its end, by its Content-Length, and answers at once."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        self._head = b""
        self._left = 0

    def data_received(self, data: bytes) -> None:
        if self._left == 0:
            self._head += data
            head, found, rest = self._head.partition(b"\r\n\r\n")
            if not found:
                return
            length = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
            self._left = int(length)
            self._head, data = b"", rest
        self._left -= len(data)
        if self._left == 0:
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(REPLY)
            self._transport.write(head + REPLY)


async def _serve(certificate: Path | None) -> None:
    context = None
    if certificate is not None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
    server = await asyncio.get_running_loop().create_server(_Drain, "127.0.0.1", 0, ssl=context)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


@contextlib.contextmanager
def _server(folder: Path, tls: bool) -> Iterator[tuple[str, Path | None]]:
    """Base URL of a server in another process, and the authority to trust."""
    command = [sys.executable, __file__, "--serve"]
    if tls:
        authority = trustme.CA()
        authority.cert_pem.write_to_path(str(folder / "ca.pem"))
        authority.issue_cert("localhost").private_key_and_cert_chain_pem.write_to_path(str(folder / "host.pem"))
        command += ["--certificate", str(folder / "host.pem")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = process.stdout.readline().strip()
            yield (f"https://localhost:{port}/v1", folder / "ca.pem") if tls else (f"http://127.0.0.1:{port}/v1", None)
        finally:
            process.kill()


def _milliseconds(contender: Contender, load: Load, loop: str) -> float:
    """CPU a request, in this process."""
    gc.collect()
    factory = importlib.import_module("uvloop").new_event_loop if loop == "uvloop" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        started = time.process_time()
        runner.run(contender(load))
        return (time.process_time() - started) / load.requests * 1000


def table(contenders: dict[str, Contender], rounds: int, requests: int, loop: str) -> Iterator[str]:
    """Markdown rows, one a picture and transport."""
    names = list(contenders)
    yield "| picture | transport | " + " | ".join(f"{name} ms" for name in names) + " | openai / ours |"
    yield "|---" * (len(names) + 3) + "|"
    for label, media_type, size in (("JPEG 200 kB", "image/jpeg", 200_000), ("PNG 1.5 MB", "image/png", 1_500_000)):
        pictures = {sha256(data).hexdigest(): data for data in (os.urandom(size) for _ in range(requests // JUDGES))}
        for transport in ("plain", "TLS"):
            with tempfile.TemporaryDirectory() as folder, _server(Path(folder), transport == "TLS") as (url, ca_file):
                load = Load(url, ca_file, media_type, pictures, requests)
                spent: dict[str, list[float]] = {name: [] for name in names}
                for _ in range(rounds):
                    for name in names:
                        spent[name].append(_milliseconds(contenders[name], load, loop))
            middle = {name: median(times) for name, times in spent.items()}
            cells = " | ".join(f"{middle[name]:.2f}" for name in names)
            yield f"| {label} | {transport} | {cells} | {middle['openai'] / middle['ours']:.1f} |"


async def recorded_latency(in_flight: int = 64, requests: int = 1024) -> float:
    """Median seconds that `wire` records for a host that takes 0.2 s; wanted: within 10 %."""
    command = [sys.executable, "-m", "groundswell.testing.host", "--script", '{"default": {"latency": 0.2}}']
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
        try:
            url = host.stdout.readline().strip()
            line = Line("bench", url, limits=Limits(concurrency=in_flight))
            async with Wire(lambda digest: b"") as wire:
                call = Call(method="POST", url=f"{url}/chat/completions", body=(b"{}",))
                replies = await asyncio.gather(*(wire.once(call, line) for _ in range(requests)))
        finally:
            host.kill()
    return median(reply.seconds for reply in replies)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=480)
    parser.add_argument("--loop", choices=("asyncio", "uvloop"), default="asyncio")
    parser.add_argument("--path", help="MODULE:FUNCTION of one more contender")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--certificate", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(_serve(given.certificate))
        return
    contenders: dict[str, Contender] = {"ours": ours, "openai": openai_package, "bare socket": bare_socket}
    if given.path:
        module, _, function = given.path.partition(":")
        contenders["unit to stored judgment"] = getattr(importlib.import_module(module), function)
    for row in table(contenders, given.rounds, given.requests, given.loop):
        sys.stdout.write(f"{row}\n")
        sys.stdout.flush()
    sys.stdout.write(
        f"\nlatency recorded for a host of 200 ms, 64 in flight: {asyncio.run(recorded_latency()):.3f} s\n"
    )


if __name__ == "__main__":
    main()
