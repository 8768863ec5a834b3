"""What the tests of the wire share: lines to a scripted host, and a dialect that submits, polls and fetches."""

import msgspec
import pytest

from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Reply, Request, Understood
from groundswell.testing.clock import StillClock
from groundswell.wire.door import Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Limits, Line

CANARY = "sk-canary-0123456789abcdefghij"


@pytest.fixture
def canary():
    return CANARY


@pytest.fixture
def line_to():
    def make(host, *keys, **limits):
        made = tuple(Key(f"KEY_{n}", key) if isinstance(key, str) else key for n, key in enumerate(keys))
        return Line("judge", host.base_url, made, Limits(**limits))

    return make


@pytest.fixture
def clock():
    return StillClock()


@pytest.fixture
def wire(clock):
    return Wire(fetch=lambda digest: b"", clock=clock, chance=lambda: 1.0)


@pytest.fixture
def request_of():
    def make(text="How good?"):
        return Request(model="m", want="text", parts=(text,))

    return make


@pytest.fixture
def endpoint_at():
    def make(host):
        return Endpoint(name="judge", host="openai", model="m", base_url=host.base_url)

    return make


class Queued:
    """A dialect of the scripted host's `/jobs`: submit, poll every 0.1 s, fetch the picture."""

    name = "queued"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        origin = (endpoint.base_url or "").removesuffix("/v1")
        return Call(method="POST", url=f"{origin}/jobs", body=(msgspec.json.encode(request.parts),))

    def advance(self, reply: Reply) -> Understood:
        if reply.status >= 400:
            return Broken(what="provider", reason=str(reply.status), transient=reply.status >= 429, status=reply.status)
        if reply.call.phase == "fetch":
            return Answer(pictures=(reply.body,))
        body = msgspec.json.decode(reply.body)
        if "poll" in body:
            return Call(method="GET", url=body["poll"], phase="wait", delay=0.1, from_reply=True)
        if body["state"] == "working":
            return reply.call
        if body["state"] == "refused":
            return Declined(reason="refused", at="output")
        if body["state"] == "failed":
            return Broken(what="provider", reason="the job failed", transient=True)
        return Call(method="GET", url=body["picture"], phase="fetch", auth=None, from_reply=True)


@pytest.fixture
def queued():
    return Queued()
