"""The stage: units before they are bought, each picture decoded once, silence with a reason."""

from __future__ import annotations

import asyncio
import pickle

import numpy as np
import pytest

from groundswell import pictures
from groundswell.errors import StoreError, UserError
from groundswell.measure.alone import ObjectCount
from groundswell.measure.color import Color
from groundswell.measure.face import FaceIdentity
from groundswell.measure.gallery import GALLERY, Gallery
from groundswell.measure.keeping import AspectRatio, NearCopy
from groundswell.measure.stage import MeasureStage
from groundswell.measure.structure import StructureDistance
from groundswell.measure.text import TextByOcr
from groundswell.perception.faces import SFACE
from groundswell.records import (
    Decision,
    Measurement,
    Output,
    Sample,
    UnitState,
)


class Facts:
    """As much of a store as the stage reads."""

    def __init__(self, *facts):
        self.facts = facts

    def records(self, *types):
        return (fact for fact in self.facts if isinstance(fact, types))


class Shelf(dict):
    """Bytes by digest."""

    def keep(self, data):
        picture = pictures.describe(data)
        self[picture.digest] = data
        return picture

    def load(self, digest):
        if digest not in self:
            raise StoreError(f"no bytes under {digest[:8]}")
        return self[digest]


@pytest.fixture
def shelf():
    return Shelf()


@pytest.fixture
def edited(shelf, encode):
    """A sample, and outputs of two models for it."""

    def make(prompt="add a hat"):
        before = shelf.keep(encode(np.full((6, 6, 3), 100, np.uint8)))
        sample = Sample(suite="s", task="edit", prompts={"en": prompt}, inputs=(before,))
        outputs = [
            Output(
                job=f"job {level}",
                sample=sample.key,
                endpoint=f"model {level}",
                pictures=(shelf.keep(encode(np.full((6, 6, 3), level, np.uint8))),),
            )
            for level in (110, 130)
        ]
        return sample, outputs

    return make


def metrics():
    gallery = Gallery()
    return [Color(gallery), AspectRatio(gallery), NearCopy(gallery)]


async def run(stage, store):
    return [await stage.do(unit) for unit in stage.units(store)]


async def test_every_output_and_metric_is_one_unit_and_one_record(edited, shelf):
    sample, outputs = edited()
    done = await run(MeasureStage(metrics(), shelf.load), Facts(sample, *outputs))
    assert len(done) == 6
    assert all(each.state is UnitState.DONE and each.cost == 0 for each in done)
    colours = [each.records[0] for each in done if each.records[0].metric == "color"]
    assert [round(each.value, 3) for each in colours] == [round(10 * 3**0.5, 3), round(30 * 3**0.5, 3)]
    assert [each.output for each in colours] == [output.key for output in outputs]


def test_units_have_the_same_keys_again_and_new_ones_for_another_backend(edited, shelf):
    store = Facts(*(lambda made: (made[0], *made[1]))(edited()))
    keys = [unit.key for unit in MeasureStage([Color()], shelf.load).units(store)]
    again = Color()
    assert keys == [unit.key for unit in MeasureStage([again], shelf.load).units(store)]
    again.backend = "another"
    assert not set(keys) & {unit.key for unit in MeasureStage([again], shelf.load).units(store)}


async def test_each_picture_is_decoded_once_however_many_metrics_and_models(edited, shelf, monkeypatch):
    done, pixels = [], pictures.pixels
    monkeypatch.setattr(pictures, "pixels", lambda data: done.append(data) or pixels(data))
    sample, outputs = edited()
    await run(MeasureStage(metrics(), shelf.load), Facts(sample, *outputs))
    assert sorted(done) == sorted(shelf.values())


async def test_units_done_at_once_give_the_same_records(edited, shelf):
    sample, outputs = edited()
    store = Facts(sample, *outputs)
    stage = MeasureStage(metrics(), shelf.load)
    together = await asyncio.gather(*(stage.do(unit) for unit in stage.units(store)))
    assert together == await run(MeasureStage(metrics(), shelf.load), store)


async def test_where_local_rules_say_no_the_record_says_why(edited, shelf):
    sample, outputs = edited("turn it into an anime drawing")
    done = await run(MeasureStage([Color()], shelf.load), Facts(sample, *outputs))
    assert [each.records[0].why for each in done] == [
        "local rules judged that it does not apply: it asks for: anime"
    ] * 2


def said(sample, applies, why, reader="judge-a"):
    answer = {"applies": applies, "why": why}
    return Decision(subject=sample.key, question="metric applies: color", reader=reader, answer=answer)


async def test_what_a_model_said_of_a_sample_goes_before_local_rules(edited, shelf):
    sample, outputs = edited("turn it into an anime drawing")
    stage = MeasureStage([Color()], shelf.load, reader="judge-a")
    yes = await run(stage, Facts(sample, said(sample, True, "its colours shall stay"), *outputs))
    assert all(isinstance(each.records[0], Measurement) for each in yes)
    no = await run(stage, Facts(sample, said(sample, False, "a new style"), *outputs))
    assert [each.records[0].why for each in no] == ["judge-a judged that it does not apply: a new style"] * 2


def test_units_wait_for_the_model_that_is_to_say_whether_they_apply(edited, shelf):
    sample, outputs = edited()
    stage = MeasureStage([Color(), NearCopy()], shelf.load, reader="judge-a")
    others = said(sample, True, "yes", reader="judge-b")
    assert {unit.payload.metric for unit in stage.units(Facts(sample, others, *outputs))} == {"near_copy"}


async def test_missing_bytes_fail_the_unit(edited, shelf):
    sample, outputs = edited()
    del shelf[outputs[0].pictures[0].digest]
    first, second = await run(MeasureStage([Color()], shelf.load), Facts(sample, *outputs))
    assert first.state is UnitState.FAILED
    assert first.why.startswith("no bytes under")
    assert second.state is UnitState.DONE


def test_only_an_edition_s_samples_are_wanted(edited, shelf):
    sample, outputs = edited()
    other = Sample(suite="s", task="edit", prompts={"en": "other"}, inputs=sample.inputs)
    theirs = Output(job="j", sample=other.key, endpoint="m", pictures=outputs[0].pictures)
    store = Facts(sample, other, theirs, *outputs)
    units = MeasureStage([Color()], shelf.load, only={other.key}).units(store)
    assert [unit.payload.output for unit in units] == [theirs]


def test_an_output_of_text_alone_wants_no_measurement(edited, shelf):
    sample, _ = edited()
    assert not list(
        MeasureStage([Color()], shelf.load).units(
            Facts(sample, Output(job="j", sample=sample.key, endpoint="m", text="hello"))
        )
    )


def test_two_metrics_of_one_name_are_refused(shelf):
    with pytest.raises(UserError, match="one name"):
        MeasureStage([Color(), Color()], shelf.load)


def test_units_travel_to_other_machines(edited, shelf):
    sample, outputs = edited()
    units = list(MeasureStage([Color()], shelf.load).units(Facts(sample, *outputs)))
    assert pickle.loads(pickle.dumps(units)) == units


async def test_the_stage_travels_without_pictures_or_weights_and_measures_the_same(edited, shelf):
    store = Facts(*(lambda made: (made[0], *made[1]))(edited()))
    stage = MeasureStage([Color(), FaceIdentity(), StructureDistance(), TextByOcr(), ObjectCount()], shelf.load)
    here = await run(stage, store)
    sent = pickle.dumps(stage)
    assert len(sent) < 5_000
    there = pickle.loads(sent)
    assert await run(there, store) == here
    assert there._metrics["face"]._faces is SFACE
    assert there._metrics["color"]._gallery is GALLERY
