"""Which model a judge is: dated ids, one model a board, one judge a name."""

import pytest

from groundswell.judge.snapshots import alias_warning, is_dated, one_judge_a_name, one_model_each
from groundswell.records import Judgment


@pytest.mark.parametrize(
    "model",
    ["gpt-4o-2024-08-06", "claude-sonnet-4-20250514", "gemini-2.5-pro-preview-05-06", "gemini-2.0-flash-001",
     "gpt-4-0613", "judge@sha256:0f3b2c1d", "scripted-2026-11"],
)  # fmt: skip
def test_a_date_a_number_or_a_digest_names_one_snapshot(model):
    assert is_dated(model)
    assert alias_warning("judge", model) is None


@pytest.mark.parametrize(
    "model", ["gpt-4o", "gemini-2.0-flash", "claude-opus-4.5", "chatgpt-4o-latest", "flux-1.1-pro"]
)
def test_a_family_and_latest_name_none(model):
    assert "alias" in alias_warning("judge", model)


def verdict(number, served, judge="j@1"):
    return Judgment(
        outputs=(str(number),), judge=judge, rubric="r", sample="s", served_model=served, scores={"grade": 5.0}
    )


def test_what_answered_less_often_is_left_out_by_name():
    found = one_model_each([verdict(0, "old"), verdict(1, "new"), verdict(2, "old"), verdict(3, None)])
    assert [each.outputs[0] for each in found.verdicts] == ["0", "2", "3"]
    assert found.left_out == {"verdict of j@1 answered by new instead of old": 1}


def test_two_judges_may_be_two_models():
    found = one_model_each([verdict(0, "a", "j@1"), verdict(0, "b", "k@1")])
    assert (len(found.verdicts), found.left_out) == (2, {})


def test_a_judge_whose_model_was_exchanged_does_not_vote_twice():
    assert one_judge_a_name(["j@old", "j@new", "k@1"], current=()) == {"j@new", "k@1"}
    assert one_judge_a_name(["j@old", "j@new", "j@old"], current={"j@new"}) == {"j@new"}
