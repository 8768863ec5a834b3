"""Conversations in a line: who wrote what, and pictures without bytes."""

import contextlib

import pytest

from groundswell.ask.asking import Desk
from groundswell.curate.conversation import Conversation, SeenPicture, SeenPost
from groundswell.flow.demo import demo_posts
from groundswell.flow.workspace import initialise, workspace
from groundswell.providers.openai import OpenAI
from groundswell.records import Endpoint
from groundswell.testing.clock import StillClock
from groundswell.testing.host import ScriptedHost
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line


@pytest.fixture
def talk():
    """`talk("main text", ("other", "reply"), pictures={0: 2})`: post 0 is the main one, the others answer it."""

    def build(main, *replies, pictures=None):
        said = [("author", main), *replies]
        shown = pictures or {}
        return Conversation(
            posts=tuple(
                SeenPost(
                    key=f"k{number}",
                    text=text,
                    by=by,
                    reply_to=0 if number else None,
                    pictures=tuple(SeenPicture() for _ in range(shown.get(number, 0))),
                )
                for number, (by, text) in enumerate(said)
            )
        )

    return build


@pytest.fixture
def desk_at():
    @contextlib.asynccontextmanager
    async def open_desk(script, price=None):
        host = ScriptedHost(script)
        async with host, Wire(lambda digest: b"picture", clock=StillClock(), chance=lambda: 1.0) as wire:
            endpoint = Endpoint(name="reader", host="openai", model="m", base_url=host.base_url, price=price)
            yield host, Desk(wire, OpenAI(), endpoint, Line("reader", host.base_url, limits=Limits(attempts=2)))

    return open_desk


@pytest.fixture(scope="session")
def curated(tmp_path_factory):
    """The folder of a workspace with the demo's posts, curated. Whoever changes it works on a copy."""
    place = tmp_path_factory.mktemp("curated")
    initialise(place)
    with workspace(place) as space:
        demo_posts(space)
    return place
