"""What the tests of the wire share: lines to a scripted host, and a dialect that submits, polls and fetches."""

import pytest

from groundswell.records import Endpoint, Request
from groundswell.testing.clock import StillClock
from groundswell.testing.queued import Queued
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


@pytest.fixture
def queued():
    return Queued()
