import pytest

from groundswell.ask.asking import (
    BETWEEN,
    Question,
    Shown,
    Unanswered,
    answer_schema,
    cost_of,
    expected_cost,
    put,
)
from groundswell.records import (
    Blocked,
    Dimension,
    Judgment,
    Picture,
    Price,
    Rubric,
    Truncated,
    Unread,
    Usage,
)
from groundswell.testing.host import Act, Script

FIDELITY, BEAUTY = Dimension(name="Fidelity", low=1, high=10), Dimension(name="Beauty", low=1, high=10)
RUBRIC = Rubric(name="two", text="Judge the result.", dimensions=(FIDELITY, BEAUTY))
CAT = Picture(digest="cat", media_type="image/png", width=1, height=1)
BOTH = Act(text="Fidelity: 7\nBeauty: 4")


def question(**more):
    return Question(rubric=RUBRIC, sample="s", outputs=("o",), **more)


async def test_a_question_becomes_a_judgment_with_the_raw_reply_and_what_it_took(desk_at, price):
    async with desk_at(Script(default=BOTH), price) as (host, desk):
        got = await put(question(parts=("The task was: a cat.", Shown("result", CAT)), repeat=1), desk)
        body = host.seen[0].json()
    assert isinstance(got, Judgment)
    assert got.scores == {"Fidelity": 7.0, "Beauty": 4.0}
    assert (got.outputs, got.judge, got.rubric, got.sample, got.repeat) == (("o",), desk.judge, RUBRIC.key, "s", 1)
    assert (got.reply, got.served_model) == ("Fidelity: 7\nBeauty: 4", "scripted-2026-11")
    assert got.usage == Usage(tokens_in=1000, tokens_out=10)
    assert got.cost == pytest.approx(0.0021)
    assert got.seconds is not None
    texts = [part.get("text") for part in body["messages"][0]["content"]]
    assert texts == ["Judge the result.", "The task was: a cat.", "result:", None]
    assert (body["temperature"], body["max_tokens"]) == (0.0, 1024)


async def test_the_rubrics_rules_say_room_temperature_and_system(desk_at):
    rules = {"max_tokens": 64, "temperature": 0.5, "system": "Be fair."}
    rubric = Rubric(name="r", text="t", dimensions=(FIDELITY,), rules=rules)
    async with desk_at(Script(default=BOTH)) as (host, desk):
        await put(Question(rubric=rubric, sample="s", outputs=("o",)), desk)
        body = host.seen[0].json()
    assert (body["max_tokens"], body["temperature"], body["messages"][0]["content"]) == (64, 0.5, "Be fair.")


async def test_a_schema_goes_to_a_host_that_takes_it(desk_at):
    async with desk_at(Script(default=Act(text='{"Fidelity": 7, "Beauty": 4}')), json_schema=True) as (host, desk):
        got = await put(question(by_schema=True), desk)
        schema = host.seen[0].json()["response_format"]["json_schema"]["schema"]
    assert got.scores == {"Fidelity": 7.0, "Beauty": 4.0}
    assert schema["properties"]["Beauty"] == {"type": "number", "minimum": 1.0, "maximum": 10.0}


@pytest.mark.parametrize("usage", ["missing", "null"])
async def test_without_usage_the_cost_is_unknown_and_not_nothing(desk_at, price, usage):
    async with desk_at(Script(default=Act(text=BOTH.text, usage=usage)), price) as (_, desk):
        got = await put(question(), desk)
    assert (got.usage, got.cost) == (None, None)


async def test_a_missing_dimension_is_asked_for_once_and_only_that(desk_at, price):
    script = Script(first=(Act(text="Fidelity: 7"), Act(text="Beauty: 4")))
    async with desk_at(script, price) as (host, desk):
        got = await put(question(), desk)
        again = host.seen[1].json()["messages"][0]["content"]
    assert isinstance(got, Judgment)
    assert got.scores == {"Fidelity": 7.0, "Beauty": 4.0}
    assert got.reply == f"Fidelity: 7{BETWEEN}Beauty: 4"
    assert got.usage == Usage(tokens_in=2000, tokens_out=20)
    assert got.cost == pytest.approx(0.0042)
    assert "Beauty: a number from 1 to 10" in again
    assert "Fidelity: a number" not in again


async def test_a_dimension_missing_twice_is_unread_with_what_came(desk_at):
    async with desk_at(Script(default=Act(text="Fidelity: 7"))) as (host, desk):
        got = await put(question(), desk)
        assert len(host.seen) == 2
    assert isinstance(got, Unread)
    assert (got.why, got.partial) == ("missing", {"Fidelity": 7.0})


@pytest.mark.parametrize("unclear", ["Beauty: 12", "Beauty: 4 or 5", "Beauty: 4\nBeauty: 9"])
async def test_a_dimension_that_is_off_its_scale_or_said_in_two_ways_is_asked_for_again_alone(desk_at, unclear):
    script = Script(first=(Act(text=f"Fidelity: 7\n{unclear}"), Act(text="Beauty: 4")))
    async with desk_at(script) as (host, desk):
        got = await put(question(), desk)
        assert "Fidelity: a number" not in host.seen[1].json()["messages"][0]["content"]
    assert got.scores == {"Fidelity": 7.0, "Beauty": 4.0}


async def test_what_was_read_first_is_not_changed_by_the_second_answer(desk_at):
    script = Script(first=(Act(text="Fidelity: 7"), Act(text="Fidelity: 2\nBeauty: 4")))
    async with desk_at(script) as (_, desk):
        got = await put(question(), desk)
    assert got.scores == {"Fidelity": 7.0, "Beauty": 4.0}


@pytest.mark.parametrize(
    ("text", "why"), [("", "empty"), ("Fidelity: 11\nBeauty: 12", "range"), ("A lovely picture.", "no_score")]
)
async def test_a_reply_without_a_score_is_unread_and_its_reason_is_kept(desk_at, text, why):
    async with desk_at(Script(default=Act(text=text))) as (host, desk):
        got = await put(question(), desk)
        assert len(host.seen) == 1
    assert isinstance(got, Unread)
    assert (got.why, got.reply) == (why, text)


async def test_content_null_is_an_empty_reply(desk_at):
    async with desk_at(Script(default=Act(shape="none"))) as (_, desk):
        got = await put(question(), desk)
    assert (got.why, got.reply) == ("empty", "")


async def test_content_as_parts_is_read_as_text(desk_at):
    async with desk_at(Script(default=Act(text=BOTH.text, shape="parts"))) as (_, desk):
        got = await put(question(), desk)
    assert isinstance(got, Judgment)


async def test_a_cut_reply_is_asked_again_once_with_twice_the_room(desk_at):
    script = Script(first=(Act(text="Fidelity: 7\nBeau", finish="length"),), default=BOTH)
    async with desk_at(script) as (host, desk):
        got = await put(question(), desk)
        rooms = [seen.json()["max_tokens"] for seen in host.seen]
    assert isinstance(got, Judgment)
    assert rooms == [1024, 2048]


async def test_a_reply_cut_twice_is_truncated_and_never_scored(desk_at):
    async with desk_at(Script(default=Act(text=BOTH.text, finish="length"))) as (host, desk):
        got = await put(question(), desk)
        assert len(host.seen) == 2
    assert isinstance(got, Truncated)
    assert got.room == 2048
    assert got.reply == f"{BOTH.text}{BETWEEN}{BOTH.text}"


@pytest.mark.parametrize(
    "act",
    [
        Act(status=400, error={"message": "content policy", "code": "content_policy_violation"}),
        Act(finish="content_filter"),
        Act(refusal="I cannot judge this."),
    ],
)
async def test_a_refusal_of_the_host_is_blocked_and_not_asked_again(desk_at, act):
    async with desk_at(Script(default=act)) as (host, desk):
        got = await put(question(), desk)
        assert len(host.seen) == 1
    assert isinstance(got, Blocked)


@pytest.mark.parametrize("act", [Act(status=500), Act(choices=False), Act(body="<html>", content_type="text/html")])
async def test_a_host_that_does_not_answer_gives_no_verdict(desk_at, act):
    async with desk_at(Script(default=act)) as (_, desk):
        got = await put(question(), desk)
    assert isinstance(got, Unanswered)
    assert got.broken.transient


async def test_what_the_first_answer_cost_is_told_when_the_second_does_not_come(desk_at, price):
    script = Script(first=(Act(text="Fidelity: 7"),), default=Act(status=500))
    async with desk_at(script, price) as (_, desk):
        got = await put(question(), desk)
    assert isinstance(got, Unanswered)
    assert got.cost == pytest.approx(0.0021)


def test_a_cost_is_known_only_when_all_of_it_is():
    usage = Usage(tokens_in=1_000_000, tokens_out=100_000)
    assert cost_of(Price(tokens_in=2.5, tokens_out=10.0), usage) == 3.5
    assert cost_of(Price(per_call=0.01), None) == 0.01
    assert cost_of(Price(tokens_in=2.5), usage) is None
    assert cost_of(Price(tokens_in=2.5, tokens_out=10.0), Usage(tokens_in=1)) is None
    assert cost_of(None, usage) is None


def test_the_expected_cost_takes_the_whole_room_and_each_picture():
    asked = question(text="x" * 300, parts=(Shown("", CAT), Shown("", CAT)))
    assert expected_cost(asked, Price(tokens_in=1.0, tokens_out=1.0)) == pytest.approx((100 + 3000 + 1024) / 1e6)
    assert expected_cost(asked, None) is None


def test_a_schema_keeps_to_the_steps_of_a_scale():
    scales = [Dimension(name="whole", low=1, high=5, step=1), Dimension(name="half", low=0, high=1, step=0.5)]
    assert answer_schema(scales)["properties"] == {
        "whole": {"type": "integer", "minimum": 1, "maximum": 5},
        "half": {"enum": [0.0, 0.5, 1.0]},
    }
