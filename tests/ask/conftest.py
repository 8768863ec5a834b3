"""A judge's desk at a scripted host."""

import contextlib

import pytest

from groundswell.ask.asking import Desk
from groundswell.providers.openai import OpenAI
from groundswell.records import Endpoint, Price
from groundswell.testing.clock import StillClock
from groundswell.testing.host import ScriptedHost
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line


@pytest.fixture
def desk_at():
    @contextlib.asynccontextmanager
    async def open_desk(script, price=None, **settings):
        host = ScriptedHost(script)
        wire = Wire(lambda digest: b"bytes of " + digest.encode(), clock=StillClock(), chance=lambda: 1.0)
        async with host, wire:
            endpoint = Endpoint(
                name="judge-a", host="openai", model="m", base_url=host.base_url, price=price, settings=settings
            )
            yield host, Desk(wire, OpenAI(), endpoint, Line("judge-a", host.base_url, limits=Limits(attempts=2)))

    return open_desk


@pytest.fixture
def price():
    return Price(tokens_in=2.0, tokens_out=10.0)
