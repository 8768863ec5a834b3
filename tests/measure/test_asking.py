"""Models that are asked, at a scripted host: whether a metric applies, and how well text is rendered."""

from __future__ import annotations

import contextlib
import json

import msgspec
import pytest

from groundswell.ask.asking import Desk
from groundswell.measure.applicability import Applies
from groundswell.measure.applicability_by_model import AskApplies, answer_of
from groundswell.measure.text_judge import AskText
from groundswell.providers.openai import OpenAI
from groundswell.records import Decision, Endpoint, Measurement, NotApplicable, Output, Picture, Sample, UnitState
from groundswell.testing.clock import StillClock
from groundswell.testing.host import Act, Script, ScriptedHost
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line

PICTURE = Picture(digest="0" * 64, media_type="image/png", width=1, height=1)
EDIT = Sample(suite="s", task="edit", prompts={"en": "make me wear a suit"}, inputs=(PICTURE,))
SIGN = Sample(suite="s", task="t2i", prompts={"en": 'a door with the sign "OPEN"'})
CAT = Sample(suite="s", task="t2i", prompts={"en": "a cat"})
OF = {
    sample.key: Output(job=sample.key, sample=sample.key, endpoint="model", pictures=(PICTURE,))
    for sample in (EDIT, SIGN, CAT)
}


class Facts:
    """As much of a store as the stages read."""

    def __init__(self, *facts):
        self.facts = facts

    def records(self, *types):
        return (fact for fact in self.facts if isinstance(fact, types))


@contextlib.asynccontextmanager
async def desk_at(*acts):
    host = ScriptedHost(Script(first=acts))
    wire = Wire(lambda digest: b"bytes of a picture", clock=StillClock(), chance=lambda: 1.0)
    async with host, wire:
        endpoint = Endpoint(name="judge-a", host="openai", model="m", base_url=host.base_url)
        yield host, Desk(wire, OpenAI(), endpoint, Line("judge-a", host.base_url, limits=Limits(attempts=1)))


async def test_a_model_is_asked_once_a_sample_and_metric_and_its_answer_is_a_decision():
    async with desk_at(Act(text='{"applies": true, "why": "a portrait"}')) as (host, desk):
        stage = AskApplies({EDIT.key}, ["face", "near_copy"], desk)
        (unit,) = stage.units(Facts(EDIT, CAT))
        done = await stage.do(unit)
    (decision,) = done.records
    assert (decision.subject, decision.question) == (EDIT.key, "metric applies: face")
    assert decision.answer == {"applies": True, "why": "a portrait"}
    assert decision.evidence["reply"] == '{"applies": true, "why": "a portrait"}'
    sent = json.dumps(host.seen[0].json(), ensure_ascii=False)
    assert "make me wear a suit" in sent
    assert "image_url" in sent


async def test_an_answer_in_no_form_fails_the_unit_and_leaves_no_decision():
    async with desk_at(Act(text="It certainly applies!")) as (_, desk):
        stage = AskApplies({EDIT.key}, ["face"], desk)
        done = await stage.do(next(stage.units(Facts(EDIT))))
    assert (done.state, done.records, done.transient) == (UnitState.FAILED, (), False)
    assert "cannot be read" in done.why


async def test_a_host_that_fails_fails_the_unit_for_now():
    async with desk_at(Act(status=503)) as (_, desk):
        stage = AskApplies({EDIT.key}, ["face"], desk)
        done = await stage.do(next(stage.units(Facts(EDIT))))
    assert (done.state, done.transient) == (UnitState.FAILED, True)


@pytest.mark.parametrize(
    "reply", ['```json\n{"applies": false, "why": "x"}\n```', 'So: {"applies": false, "why": "x"}']
)
def test_one_object_is_read_out_of_its_wrapping(reply):
    assert answer_of(reply) == Applies(applies=False, why="x")


def test_null_is_unsure_and_another_type_is_no_answer():
    assert answer_of("null") is None
    with pytest.raises(msgspec.ValidationError):
        answer_of('{"applies": "maybe", "why": "?"}')


async def test_every_judge_grades_the_text_of_outputs_that_should_have_some():
    async with desk_at(Act(text="The sign reads OPEN.\n\ntext: 9")) as (host, desk):
        stage = AskText({SIGN.key, CAT.key}, [desk])
        done = [await stage.do(unit) for unit in stage.units(Facts(SIGN, CAT, EDIT, *OF.values()))]
    assert len(host.seen) == 1
    verdict, measured, rubric = done[0].records
    assert isinstance(measured, Measurement)
    assert (measured.value, measured.output) == (0.9, OF[SIGN.key].key)
    assert verdict.reply.endswith("text: 9")
    assert verdict.rubric == rubric.key
    (silent,) = done[1].records
    assert isinstance(silent, NotApplicable)
    assert silent.backend == measured.backend
    assert silent.why == "local rules judged that it does not apply: the prompt asks for no text"


async def test_text_waits_for_the_model_that_is_to_say_whether_there_should_be_some():
    async with desk_at() as (_, desk):
        stage = AskText({SIGN.key}, [desk], reader="judge-a")
        assert not list(stage.units(Facts(SIGN, OF[SIGN.key])))
        answer = {"applies": True, "why": "a sign"}
        said = Decision(subject=SIGN.key, question="metric applies: text", reader="judge-a", answer=answer)
        assert len(list(stage.units(Facts(SIGN, said, OF[SIGN.key])))) == 1
