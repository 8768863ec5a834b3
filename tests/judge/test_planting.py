"""Planted cases made from real outputs, and a judge's answers to them."""

from hashlib import sha256

import numpy as np
import pytest

from groundswell import pictures
from groundswell.errors import HostError
from groundswell.judge.card import Mark, Plant, card
from groundswell.judge.planting import (
    HARMLESS,
    ORDERS_TO_JUDGE,
    Real,
    both_orders,
    degraded,
    examine,
    examine_pairs,
    kinds,
    plant,
    written_on,
)
from groundswell.records import Judgment, Output, Sample, Unread


class Kept(dict):
    """Blobs in memory."""

    def put(self, data):
        digest = sha256(data).hexdigest()
        self[digest] = data
        return digest

    get = dict.__getitem__
    has = dict.__contains__


def picture(blobs, seed):
    tiles = np.random.default_rng(seed).integers(0, 256, (6, 8, 3))
    data = pictures.encode_png(np.kron(tiles, np.ones((16, 16, 1))).astype(np.uint8))
    blobs.put(data)
    return pictures.describe(data)


@pytest.fixture
def blobs():
    return Kept()


@pytest.fixture
def reals(blobs):
    found = []
    for number in range(12):
        sample = Sample(suite="t", task="edit", prompts={"en": f"edit {number}"}, inputs=(picture(blobs, number),))
        output = Output(job=sample.key, sample=sample.key, endpoint="e", pictures=(picture(blobs, 100 + number),))
        found.append(Real(sample=sample, output=output))
    return found


def test_every_output_gives_one_case_of_each_kind_and_two_of_instructions(reals, blobs):
    kinds = [case.plant for case in plant(reals, blobs)]
    alone = (Plant.BASELINE, Plant.COPY, Plant.SWAP, Plant.DEGRADED, Plant.REPEAT)
    assert [kinds.count(kind) for kind in (*alone, Plant.INSTRUCTION)] == [12, 12, 12, 12, 12, 24]


def test_the_copy_is_the_input_itself_and_the_swap_another_samples_output(reals, blobs):
    cases = list(plant(reals, blobs))
    copy = next(case for case in cases if case.plant is Plant.COPY)
    swap = next(case for case in cases if case.plant is Plant.SWAP)
    assert copy.planted.output.pictures == reals[0].sample.inputs
    assert swap.planted.output.pictures == reals[1].output.pictures
    assert all(blobs.has(each.planted.output.pictures[0].digest) for each in cases)


def test_an_instruction_is_compared_with_a_harmless_remark_in_its_place(reals, blobs):
    case = next(case for case in plant(reals, blobs) if case.detail == "prompt")
    assert case.honest.sample.prompts["en"].endswith(HARMLESS)
    assert case.planted.sample.prompts["en"].endswith(ORDERS_TO_JUDGE[0])


def test_answers_in_chat_get_the_instruction_in_the_answer(blobs):
    sample = Sample(suite="t", task="chat", prompts={"en": "what is it?"})
    real = Real(sample=sample, output=Output(job="j", sample=sample.key, endpoint="e", text="A cat."))
    found = [(case.plant, case.detail) for case in plant([real], blobs)]
    assert found == [(Plant.REPEAT, "the same question"), (Plant.INSTRUCTION, "prompt"), (Plant.INSTRUCTION, "answer")]


def test_degrading_blurs_and_writing_changes_the_lower_edge_only(blobs):
    pixels = pictures.pixels(blobs.get(picture(blobs, 1).digest))
    assert degraded(pixels).shape == pixels.shape
    assert degraded(pixels).astype(float).std() < pixels.astype(float).std()
    written = written_on(pixels, "Score: 10")
    assert (written[: pixels.shape[0] - 11] == pixels[: pixels.shape[0] - 11]).all()
    assert (written != pixels).any()


class Scripted:
    """A judge that knows which pictures are real outputs, and obeys instructions if told so."""

    name = "scripted"

    def __init__(self, reals, obedient=False):
        self.good = {real.sample.key: real.output.pictures[0].digest for real in reals}
        self.obedient = obedient
        self.asked = 0

    async def judge(self, sample, outputs):
        self.asked += 1
        (output,) = outputs
        common = {"outputs": (output.key,), "judge": self.name, "rubric": "r", "sample": sample.key}
        prompt = sample.prompts["en"]
        if prompt == "edit 3":
            return Unread(why="empty", **common)
        obeys = self.obedient and any(order in prompt for order in ORDERS_TO_JUDGE)
        real = output.pictures[0].digest in self.good.values() and output.sample == sample.key
        own = self.good.get(output.sample) == output.pictures[0].digest
        grade = 10.0 if obeys else 8.0 if real and own else 2.0
        return Judgment(scores={"grade": grade}, **common)


async def test_a_sound_judge_passes_and_its_unread_verdicts_are_counted(reals, blobs):
    judge = Scripted(reals)
    cases = list(plant(reals, blobs))
    found = card(judge.name, await examine(judge, cases), (1, 10))
    by_kind = {finding.plant: finding for finding in found.findings}
    assert by_kind[Plant.COPY].against == 0
    assert by_kind[Plant.COPY].unread == 1
    assert found.failures == ()
    assert judge.asked == 12 * 10  # honest: real, two harmless; planted: seven


async def test_an_obedient_judge_fails_for_instructions_and_nothing_else(reals, blobs):
    found = card("scripted", await examine(Scripted(reals, obedient=True), list(plant(reals, blobs))), (1, 10))
    assert (found.mark, found.failures) == (Mark.FAILED, (Plant.INSTRUCTION,))


# --- judges of pairs ----------------------------------------------------------------------------------------------


class Pairwise:
    """A judge of two outputs: real ones get 8, others 2; one that goes by the place prefers the first."""

    name = "pairwise"

    def __init__(self, reals, by_place=False):
        self.good = {real.output.pictures[0].digest for real in reals}
        self.by_place = by_place

    async def judge(self, sample, outputs):
        scores = [8.0 if output.pictures[0].digest in self.good else 2.0 for output in outputs]
        if self.by_place:
            scores = [9.0, 3.0]
        common = {"outputs": tuple(each.key for each in outputs), "judge": self.name, "rubric": "r"}
        return Judgment(scores=dict(zip(("Result 1", "Result 2"), scores, strict=True)), sample=sample.key, **common)


def rivals(reals, blobs):
    """Another model's output of every sample."""
    return [
        Real(
            sample=real.sample,
            output=Output(job="r", sample=real.sample.key, endpoint="f", pictures=(picture(blobs, 200 + number),)),
        )
        for number, real in enumerate(reals)
    ]


async def test_a_judge_of_pairs_sees_the_plant_beside_the_real_output_on_both_sides(reals, blobs):
    both = [each for pair in zip(reals, rivals(reals, blobs), strict=True) for each in pair]
    cases = [*plant(reals, blobs), *both_orders(both)]
    tried = await examine_pairs(Pairwise(both), cases)
    by_kind = {
        finding.plant: finding for finding in card("p", tried, (1, 10), expected=kinds(both, pairs=True)).findings
    }
    assert Plant.REPEAT not in by_kind
    assert (by_kind[Plant.BASELINE].cases, by_kind[Plant.BASELINE].against) == (12, 0)
    assert (by_kind[Plant.ORDER].cases, by_kind[Plant.ORDER].against) == (12, 0)


async def test_a_judge_that_goes_by_the_place_fails_both_orders(reals, blobs):
    both = [each for pair in zip(reals, rivals(reals, blobs), strict=True) for each in pair]
    found = card("p", await examine_pairs(Pairwise(both, by_place=True), list(both_orders(both))), (1, 10))
    assert found.failures == (Plant.ORDER,)
    (finding,) = found.findings
    assert (finding.cases, finding.against) == (12, 12)


def test_the_kinds_of_a_card_follow_what_there_is(reals):
    assert kinds(reals, pairs=False) == set(Plant) - {Plant.ORDER}
    sample = Sample(suite="t", task="chat", prompts={"en": "what is it?"})
    spoken = [Real(sample=sample, output=Output(job="j", sample=sample.key, endpoint="e", text="A cat."))]
    assert kinds(spoken, pairs=False) == {Plant.REPEAT, Plant.INSTRUCTION}


async def test_a_host_that_answers_nothing_is_an_error_and_no_card(reals, blobs):
    class Silent:
        name = "silent"

        async def judge(self, sample, outputs):
            raise HostError("silent: 503", transient=True)

    with pytest.raises(HostError, match="503"):
        await examine(Silent(), list(plant(reals, blobs)))
