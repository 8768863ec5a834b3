"""A host on loopback that answers as its script says, well or badly, and remembers what was bought from it.

It speaks OpenAI's chat completions and images, and a small queued dialect (`/jobs`, polled, with a link to a picture).
A script is a list of acts, so that it can be given to a host of its own process, which outlives a killed client:

    python -m groundswell.testing.host --port 8123 --script '{"default": {"latency": 0.2}}' --log bought.jsonl
"""

from __future__ import annotations

import argparse
import asyncio
import ssl
import sys
import time
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import pybase64
from aiohttp import web

from groundswell.testing.acts import Act as Act
from groundswell.testing.acts import Script as Script
from groundswell.testing.acts import Seen as Seen
from groundswell.testing.acts import picture as picture
from groundswell.testing.misbehaving import Misbehaving

MODEL = "scripted-2026-11"

SERVED = "X-Served-Seconds"
"""Header with what the host took from reading a request to sending its reply; a sleep of a busy machine is late."""


class ScriptedHost:
    """An async context manager. `script` is a Script or any function from Seen to Act."""

    def __init__(
        self,
        script: Callable[[Seen], Act] | None = None,
        *,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
        log: Path | None = None,
        keep: bool = True,
    ) -> None:
        """`log`: a file to which each purchase is appended, as a JSON line, when it is made. `keep`: fill `seen`."""
        self._script = script or Script()
        self._port = port
        self._tls = tls
        self._log = log
        self._sendings: Counter[str] = Counter()
        self._jobs: dict[str, tuple[Act, int]] = {}
        self._keep = keep
        self._count = 0
        self.seen: list[Seen] = []
        self.bought: Counter[str] = Counter()
        """How often each question was answered with something that costs."""
        self.in_flight = 0
        self.most_in_flight = 0

    async def __aenter__(self) -> ScriptedHost:
        app = web.Application(client_max_size=256 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, ssl_context=self._tls)
        await site.start()
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()

    @property
    def origin(self) -> str:
        """Scheme, host and port; over TLS by name, because certificates are for names."""
        scheme, name = ("http", "127.0.0.1") if self._tls is None else ("https", "localhost")
        return f"{scheme}://{name}:{self._port}"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            seen = await self._see(request)
            act = self._script(seen)
            if act.reset:
                return await _cut(request)
            made = self._make(act, seen)
            if act.latency:
                await asyncio.sleep(act.latency)
            took = {SERVED: f"{time.monotonic() - seen.at:.6f}"}
            return await _send(request, msgspec.structs.replace(act, headers=act.headers | took), made)
        finally:
            self.in_flight -= 1

    async def _see(self, request: web.Request) -> Seen:
        body = await request.read()
        question = sha256(f"{request.method} {request.path_qs}\n".encode() + body).hexdigest()[:32]
        seen = Seen(
            number=self._count,
            method=request.method,
            path=request.path_qs,
            headers={name.lower(): value for name, value in request.headers.items()},
            body=body,
            question=question,
            sending=self._sendings[question],
            at=time.monotonic(),
        )
        self._sendings[question] += 1
        self._count += 1
        if self._keep:
            self.seen.append(seen)
        return seen

    def _make(self, act: Act, seen: Seen) -> tuple[bytes, str]:
        """Body and media type of the reply; what costs is counted here, before it is sent."""
        if act.body is not None:
            return act.body.encode(), act.content_type
        if act.status >= 400:
            error = act.error or {"message": f"scripted {act.status}", "type": "scripted", "code": None}
            if act.echo:
                error = error | {"message": f"{error['message']} {dict(seen.headers)}"}
            return msgspec.json.encode({"error": error}), act.content_type
        if seen.method == "GET":
            return self._made_before(act, seen)
        self._buy(seen)
        if seen.path.endswith("/chat/completions"):
            made: Any = _completion(act, seen)
        elif "/images/" in seen.path:
            made = {"created": 0, "data": [{"b64_json": pybase64.b64encode(picture(seen.question)).decode()}]}
        else:
            self._jobs[seen.question] = (act, 0)
            made = {"id": seen.question, "poll": f"{self.origin}/jobs/{seen.question}"}
        return msgspec.json.encode(made), act.content_type

    def _made_before(self, act: Act, seen: Seen) -> tuple[bytes, str]:
        """A poll of a job, or the picture that a link leads to."""
        name = seen.path.rpartition("/")[2]
        if name.endswith(".png"):
            return picture(name.removesuffix(".png")), "image/png"
        job, polled = self._jobs.get(name, (act, 0))
        self._jobs[name] = (job, polled + 1)
        if polled < job.polls:
            return msgspec.json.encode({"state": "working"}), act.content_type
        return msgspec.json.encode({"state": "done", "picture": f"{self.origin}/made/{name}.png"}), act.content_type

    def _buy(self, seen: Seen) -> None:
        self.bought[seen.question] += 1
        if self._log is not None:
            line = msgspec.json.encode({"question": seen.question, "path": seen.path, "sending": seen.sending})
            with self._log.open("ab") as log:
                log.write(line + b"\n")


def _completion(act: Act, seen: Seen) -> dict[str, Any]:
    score = int(seen.question, 16) % 10 + 1
    text = act.text.replace("{score}", str(score)).replace("{question}", seen.question)
    if act.echo:
        text += f" {dict(seen.headers)}"
    content: Any = {"text": text, "parts": [{"type": "text", "text": text}], "none": None}[act.shape]
    message = {"role": "assistant", "content": content, "refusal": act.refusal}
    made: dict[str, Any] = {
        "id": f"chatcmpl-{seen.number}",
        "object": "chat.completion",
        "model": MODEL,
        "choices": [{"index": 0, "message": message, "finish_reason": act.finish}] if act.choices else [],
    }
    if act.usage == "counted":
        made["usage"] = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
    elif act.usage == "null":
        made["usage"] = None
    return made


async def _send(request: web.Request, act: Act, made: tuple[bytes, str]) -> web.StreamResponse:
    body, media_type = made
    headers = {"Content-Type": media_type, **act.headers}
    if act.tear is None and act.drip is None:
        return web.Response(status=act.status, headers=headers, body=body)
    reply = web.StreamResponse(status=act.status, headers=headers)
    reply.content_length = len(body)
    await reply.prepare(request)
    if act.tear is not None:
        await reply.write(body[: int(len(body) * act.tear)])
        return await _cut(request)
    step = max(1, len(body) // 10)
    for start in range(0, len(body), step):
        await asyncio.sleep(act.drip or 0.0)
        await reply.write(body[start : start + step])
    return reply


async def _cut(request: web.Request) -> web.StreamResponse:
    """Close the connection under the client, after what was written has left."""
    if request.transport is not None:
        request.transport.close()
    await asyncio.sleep(0)
    return web.Response()


async def _serve(port: int, script: Callable[[Seen], Act], log: Path | None) -> None:
    async with ScriptedHost(script, port=port, log=log, keep=False) as host:
        sys.stdout.write(f"{host.base_url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main() -> None:
    """Serve until killed; the first line printed is the base URL."""
    parser = argparse.ArgumentParser(prog="python -m groundswell.testing.host", description=main.__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", default="{}", help="a Script as JSON, or @FILE with it")
    parser.add_argument("--log", type=Path, help="purchases are appended here as JSON lines")
    parser.add_argument("--misbehave", type=float, metavar="SHARE", help="fail in every way, in place of a script")
    given = parser.parse_args()
    if given.misbehave is not None:
        asyncio.run(_serve(given.port, Misbehaving(given.misbehave), given.log))
        return
    script = Path(given.script[1:]).read_bytes() if given.script.startswith("@") else given.script.encode()
    asyncio.run(_serve(given.port, msgspec.json.decode(script, type=Script), given.log))


if __name__ == "__main__":
    main()
