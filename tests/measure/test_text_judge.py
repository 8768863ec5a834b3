"""Text by a judge: the rubric's question, and its answer on the published scale."""

from __future__ import annotations

import pytest

from groundswell.ask.reading import read
from groundswell.measure.text_judge import by_judge, question, rubric
from groundswell.records import Blocked, Judgment, NotApplicable, Output, Picture, Sample, Truncated, Unread

PICTURE = Picture(digest="0" * 64, media_type="image/png", width=1, height=1)


def test_the_rubric_asks_for_one_number_from_1_to_10():
    (dimension,) = rubric().dimensions
    assert (dimension.name, dimension.low, dimension.high) == ("text", 1, 10)
    assert read("The sign is spelt OPNE.\n\ntext: 4", rubric().dimensions).scores == {"text": 4}


def test_the_question_holds_the_prompt_and_shows_the_output():
    sample = Sample(suite="s", task="t2i", prompts={"en": "a sign"})
    output = Output(job="j", sample=sample.key, endpoint="m", pictures=(PICTURE,))
    asked = question(sample, output, 'a sign that says "OPEN"')
    assert 'a sign that says "OPEN"' in asked.text
    assert [shown.picture for shown in asked.parts] == [PICTURE]
    assert asked.outputs == (output.key,)


VERDICT = {"outputs": ("key",), "judge": "judge-a", "rubric": "0123456789", "sample": "sample"}


def test_a_judge_s_8_of_10_is_0_8_on_the_published_scale():
    measured = by_judge(Judgment(**VERDICT, scores={"text": 8.0}))
    assert (measured.value, measured.metric, measured.backend) == (0.8, "text", "judge-a 01234567")


@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (Unread(**VERDICT, why="missing"), "the judge's reply has no readable score"),
        (Blocked(**VERDICT, why="content policy"), "the judge refused: content policy"),
        (Truncated(**VERDICT, room=2048), "the judge's reply was cut before the score"),
        (Judgment(**VERDICT, scores={"beauty": 3.0}), "the judge's reply has no readable score"),
    ],
)
def test_a_verdict_without_a_score_is_not_applicable(verdict, why):
    assert by_judge(verdict) == NotApplicable(
        output="key", sample="sample", metric="text", version=1, backend="judge-a 01234567", why=why
    )
