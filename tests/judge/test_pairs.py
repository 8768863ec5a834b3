"""Direct pairwise judging in both orders, against a scripted host."""

import asyncio
import base64
from pathlib import Path

import groundswell.judge
from groundswell.ask import rubrics
from groundswell.ask.asking import Desk, Question
from groundswell.judge.arithmetic import duels
from groundswell.judge.desk import DeskJudge
from groundswell.judge.pairs import AskPairs, duels_of, pair_question
from groundswell.providers.openai import OpenAI
from groundswell.records import (
    Dimension,
    Edition,
    Endpoint,
    Output,
    Picture,
    Rubric,
    Sample,
    UnitState,
    Unread,
    Winner,
)
from groundswell.testing.clock import StillClock
from groundswell.testing.host import Act, ScriptedHost
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line

RUBRIC = rubrics.load(Path(groundswell.judge.__file__).parent / "rubrics" / "pair.md")


def picture(name):
    return Picture(digest=name, media_type="image/png", width=1, height=1)


SAMPLE = Sample(suite="t", task="edit", prompts={"en": "make it blue"}, inputs=(picture("input"),))
MODELS = {"e-good": "good", "e-bad": "bad"}


def output(name):
    return Output(job=name, sample=SAMPLE.key, endpoint=f"e-{name}", pictures=(picture(name),))


GOOD, BAD = output("good"), output("bad")
EDITION = Edition(suite="t", label="1", samples=(SAMPLE.key,))


class Records:
    """As much of a store as the stage looks at."""

    def records(self, kind):
        return iter([SAMPLE] if kind is Sample else [GOOD, BAD])


def judged_by(script, work):
    async def run():
        wire = Wire(lambda digest: digest.encode(), clock=StillClock(), chance=lambda: 1.0)
        async with ScriptedHost(script) as host, wire:
            endpoint = Endpoint(name="judge-a", host="openai", model="m", base_url=host.base_url)
            desk = Desk(wire, OpenAI(), endpoint, Line("judge-a", host.base_url, limits=Limits(attempts=1)))
            return await work(desk), host

    return asyncio.run(run())


def verdicts(script):
    async def work(desk):
        stage = AskPairs(EDITION, [desk], RUBRIC)
        done = [await stage.do(unit) for unit in stage.units(Records())]
        assert all(one.state is UnitState.DONE for one in done)
        return [one.records[0] for one in done]

    found, host = judged_by(script, work)
    outputs = {each.key: each for each in (GOOD, BAD)}
    return duels(duels_of(found, RUBRIC, outputs, MODELS)), host


def roles(seen):
    """Which picture stands under which role, as the host saw them."""
    parts = seen.json()["messages"][-1]["content"]
    names = [part["text"] for part in parts if part["type"] == "text"]
    shown = [base64.b64decode(p["image_url"]["url"].split(",")[1]).decode() for p in parts if p["type"] == "image_url"]
    return dict(zip([name for name in names if name.endswith(":") and len(name) < 30], shown, strict=True))


def by_role(seen):
    """A judge that looks at the pictures: the good one wins, wherever it stands."""
    return Act(
        text="Reasons.\nResult 1: 9\nResult 2: 3" if roles(seen)["Result 1:"] == "good" else "Result 1: 2\nResult 2: 8"
    )


def test_a_judge_that_looks_says_the_same_in_both_orders():
    found, host = verdicts(by_role)
    assert [roles(seen)["input picture 1:"] for seen in host.seen] == ["input", "input"]
    (comparison,) = found.comparisons
    winner = comparison.left if comparison.winner is Winner.LEFT else comparison.right
    assert (winner, list(found.flips.values())) == ("good", [(0, 1)])


def test_a_judge_that_goes_by_the_place_gives_a_tie_and_is_counted():
    found, _ = verdicts(lambda seen: Act(text="Result 1: 9\nResult 2: 3"))
    assert [comparison.winner for comparison in found.comparisons] == [Winner.TIE]
    assert list(found.flips.values()) == [(1, 1)]


def test_an_order_that_was_not_read_leaves_the_pair_out():
    found, _ = verdicts(lambda seen: Act(text="Result 1: 9\nResult 2: 3" if seen.number == 0 else "I cannot say."))
    assert (found.comparisons, found.left_out) == ((), {"read in one order only": 1})


def test_the_roles_matter_exchanging_the_pictures_exchanges_the_verdict():
    forward, backward = (pair_question(SAMPLE, *pair, RUBRIC) for pair in ((GOOD, BAD), (BAD, GOOD)))
    assert [part.role for part in forward.parts] == ["input picture 1", "Result 1", "Result 2"]
    assert [part.picture.digest for part in forward.parts] == ["input", "good", "bad"]
    assert [part.picture.digest for part in backward.parts] == ["input", "bad", "good"]
    assert forward.text == backward.text


def test_a_desk_answers_as_a_judge():
    async def work(desk):
        judge = DeskJudge(desk, lambda sample, output: [pair_question(sample, output, output, RUBRIC)])
        return await judge.judge(SAMPLE, [GOOD])

    verdict, _ = judged_by(lambda seen: Act(text="Result 1: 5\nResult 2: 5"), work)
    assert verdict.scores == {"Result 1": 5.0, "Result 2": 5.0}


def test_a_desk_puts_the_scores_of_several_questions_together_and_one_unread_spoils_them():
    halves = [
        Rubric(name=name, text=f"Rate {name}.", dimensions=(Dimension(name=name, low=1, high=10),))
        for name in ("Fit", "Look")
    ]

    def ask(sample, output):
        return [Question(rubric=half, sample=output.sample, outputs=(output.key,)) for half in halves]

    async def work(desk):
        return await DeskJudge(desk, ask).judge(SAMPLE, [GOOD])

    def script(look):
        return lambda seen: Act(text="Fit: 7" if "Rate Fit" in str(seen.json()) else look)

    assert judged_by(script("Look: 4"), work)[0].scores == {"Fit": 7.0, "Look": 4.0}
    assert isinstance(judged_by(script("Lovely."), work)[0], Unread)
