import pytest

from groundswell.config import load
from groundswell.errors import UserError
from groundswell.files import write_text
from groundswell.generate.chain import Chain, Writer
from groundswell.generate.stage import Wanted
from groundswell.providers.openai import OpenAI
from groundswell.records import Answer, Broken, Declined, Endpoint, Job, Picture, Price, Sample
from groundswell.testing.host import Act, ScriptedHost
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line

CAT = Picture(digest="cat", media_type="image/png", width=8, height=8)
SAMPLE = Sample(suite="s", task="edit", prompts={"en": "make it gray"}, inputs=(CAT,))
PAINTER = Endpoint(name="painter", host="openai", model="p", tasks=("t2i",), price=Price(per_image=0.04))
CHAIN = Endpoint(name="both", host="chain", model="chain", tasks=("edit",))
WANTED = Wanted(
    job=Job(sample=SAMPLE.key, endpoint=CHAIN.key), sample=SAMPLE, endpoint=CHAIN, prompt="gray", language="en"
)


def chain_at(host, wire, paint, price=None):
    writer = Endpoint(name="writer", host="openai", model="w", base_url=host.base_url, price=price)
    return Chain(wire, Writer(writer, OpenAI(), Line("writer", host.base_url)), PAINTER, paint)


class Painter:
    """Remembers what it was asked for, and answers from a list."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def __call__(self, wanted):
        self.asked.append(wanted)
        return self.answers.pop(0)


async def test_the_writer_sees_the_input_and_the_painter_only_what_was_written():
    painter = Painter(Answer(pictures=(b"png",), served_model="p-2026"))
    price = Price(tokens_in=1.0, tokens_out=10.0)
    async with ScriptedHost(lambda seen: Act(text="A gray cat.")) as host, Wire(lambda digest: b"bytes") as wire:
        came = await chain_at(host, wire, painter, price)(WANTED)
        assert host.seen[0].json()["messages"][1]["content"][0]["type"] == "image_url"
    (asked,) = painter.asked
    assert (asked.prompt, asked.sample.inputs, asked.sample.task, asked.endpoint) == ("A gray cat.", (), "t2i", PAINTER)
    assert (came.pictures, came.rewritten_prompt) == ((b"png",), "A gray cat.")
    assert came.cost == pytest.approx(0.04 + (1000 * 1.0 + 10 * 10.0) / 1e6)
    assert came.observed["writer"] == {"endpoint": "writer", "model": "scripted-2026-11", "cost": pytest.approx(0.0011)}
    assert came.observed["painter"] == {"endpoint": "painter", "model": "p-2026", "cost": 0.04}


async def test_a_writer_that_refuses_is_named_and_nothing_is_painted():
    painter = Painter()
    async with ScriptedHost(lambda seen: Act(refusal="I won't.")) as host, Wire(lambda digest: b"") as wire:
        came = await chain_at(host, wire, painter)(WANTED)
    assert isinstance(came, Declined)
    assert (came.reason, painter.asked) == ("writer: I won't.", [])


async def test_a_painter_that_fails_is_named_with_what_was_written_which_is_not_bought_again():
    failing = Broken(what="timeout", reason="too slow", transient=True)
    painter = Painter(failing, Declined(reason="no"), Answer(pictures=(b"png",)))
    async with ScriptedHost(lambda seen: Act(text="A gray cat.")) as host, Wire(lambda digest: b"") as wire:
        chain = chain_at(host, wire, painter)
        first, second, third = [await chain(WANTED) for _ in range(3)]
        assert host.bought.total() == 1
    assert (first.reason, first.transient) == ("painter: too slow", True)
    assert first.observed["written"] == "A gray cat."
    assert isinstance(second, Declined)
    assert third.pictures == (b"png",)


async def test_a_cost_is_unknown_when_either_half_is():
    painter = Painter(Answer(pictures=(b"png",)))
    async with ScriptedHost() as host, Wire(lambda digest: b"") as wire:
        chain = chain_at(host, wire, painter)
        came = await chain(WANTED)
        assert (came.cost, chain.price(SAMPLE)) == (None, None)
        known = chain_at(host, wire, painter, Price(per_call=0.01))
        assert known.price(SAMPLE) == pytest.approx(0.05)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("", "needs settings = { writer"),
        ('settings = { writer = "judge", painter = "paintr" }', "did you mean painter?"),
        ('settings = { writer = "judge", painter = "judge" }', "the painter judge"),
        ('settings = { writer = "both", painter = "painter" }', "the writer both"),
    ],
)
def test_a_chain_that_names_no_configured_halves_is_told_so_with_its_line(tmp_path, settings, said):
    text = f"""
[[judge]]
name = "judge"
host = "openai"
model = "m"

[[endpoint]]
name = "painter"
host = "fal"
model = "m"

[[endpoint]]
name = "both"
host = "chain"
model = "chain"
{settings}
"""
    write_text(tmp_path / "groundswell.toml", text)
    with pytest.raises(UserError) as error:
        load(tmp_path)
    assert said in str(error.value)
    assert error.value.line is not None


def test_another_writer_makes_another_endpoint(tmp_path):
    from groundswell.flow.crew import Crew
    from groundswell.flow.workspace import workspace

    keys = []
    for model in ("w1", "w2"):
        text = f"""
[[endpoint]]
name = "writer"
host = "openai"
model = "{model}"
tasks = ["chat"]

[[endpoint]]
name = "painter"
host = "fal"
model = "m"

[[endpoint]]
name = "both"
host = "chain"
model = "chain"
settings = {{ writer = "writer", painter = "painter" }}
"""
        write_text(tmp_path / "groundswell.toml", text)
        with workspace(tmp_path) as space:
            crew = Crew(space, Wire(space.blobs.get))
            keys.append(next(each for each in crew.endpoints if each.name == "both").key)
    assert keys[0] != keys[1]
