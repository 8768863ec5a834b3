"""The parts that come with Groundswell do what the suite asks that we ship for plugins."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from groundswell import plugins
from groundswell.ask.asking import Desk
from groundswell.curate.by_model import ModelReader
from groundswell.ingest import FORMATS, FileSource
from groundswell.providers.openai import OpenAI
from groundswell.records import Endpoint, Json, Post, Request
from groundswell.testing import conformance
from groundswell.testing.host import Act, Script, ScriptedHost, picture
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line

PROVIDERS = ("anthropic", "bfl", "fal", "gemini", "openai", "replicate", "stability", "together")
METRICS = ("aspect", "background", "color", "near_copy", "resolution")


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("check", conformance.PROVIDER, ids=lambda check: check.__name__)
def test_a(check, name: str) -> None:
    want = "text" if name in ("anthropic", "openai") else "picture"
    endpoint = Endpoint(name="e", host=name, model="m", base_url="https://host.example/v1")
    check(plugins.load("provider", name)(), endpoint, Request(model="m", want=want, parts=("a red fox",)))


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("check", conformance.METRIC, ids=lambda check: check.__name__)
def test_that(check, name: str) -> None:
    check(plugins.load("metric", name)(), picture("fox"))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("check", conformance.SOURCE, ids=lambda check: check.__name__)
def test_files_where(check, name: str, tmp_path: Path) -> None:
    exports = json.loads((Path(__file__).parents[1] / "ingest/exports.json").read_text())
    export, foreign = tmp_path / "export.json", tmp_path / "foreign.json"
    export.write_text(json.dumps(exports[name]))
    foreign.write_text('{"scale": "1..5", "labels": {}}')
    check(FileSource(name=name, salt="s"), export, foreign)


@pytest.mark.parametrize("name", ["bluesky", "hackernews", "mastodon", "reddit", "x", "x-all"])
@pytest.mark.parametrize("check", conformance.PLATFORM, ids=lambda check: check.__name__)
def test_live(check, name: str) -> None:
    check(plugins.load("source", name)())


@pytest.mark.parametrize("check", conformance.READER, ids=lambda check: check.__name__)
def test_the_local(check) -> None:
    time = datetime(2026, 11, 1, tzinfo=UTC)
    main = Post(platform="x", id="1", text='Prompt: "a red fox in {city}, oil painting"', time=time)
    reply = Post(platform="x", id="2", reply_to="1", text="I used Oslo. She has six fingers!", time=time)
    check(plugins.load("reader", "local")(lambda digest: b""), [main, reply])


SAID = {
    "relevance": {"score": 5, "why": "a prompt"},
    "prompt": {"text": "a red fox", "clean": "a red fox", "posts": ["p0"], "task": "t2i"},
    "roles": {"pictures": []},
    "blanks": {"blanks": []},
    "feedback": {"comments": []},
    "quality": {"label": "Analysis"},
}
"""What a model replies to each question."""


class AtAHost:
    """The model reader, at a host that is opened anew for each question."""

    version = ModelReader.version

    name = "reader@12345678"

    async def read(self, question: str, material: Json) -> Json:
        async with (
            ScriptedHost(Script(default=Act(text=json.dumps(SAID[question])))) as host,
            Wire(lambda digest: b"") as wire,
        ):
            endpoint = Endpoint(name="reader", host="openai", model="m", base_url=host.base_url)
            desk = Desk(wire, OpenAI(), endpoint, Line("reader", host.base_url, limits=Limits(attempts=1)))
            return await ModelReader(desk, lambda digest: None).read(question, material)


@pytest.mark.parametrize("check", conformance.READER, ids=lambda check: check.__name__)
def test_a_model_that_reads(check) -> None:
    time = datetime(2026, 11, 1, tzinfo=UTC)
    main = Post(platform="x", id="1", text="Prompt: a red fox", time=time)
    check(AtAHost(), [main, Post(platform="x", id="2", reply_to="1", text="Six fingers!", time=time)])
