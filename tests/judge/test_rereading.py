"""Stored raw replies, read again."""

import pytest

from groundswell.ask.asking import BETWEEN
from groundswell.judge.rereading import changes, reread
from groundswell.records import Blocked, Dimension, Judgment, Rubric, Unread

SIDES = tuple(Dimension(name=f"{side} side", low=1, high=5) for side in "AB")
RUBRIC = Rubric(name="r", text="t", dimensions=SIDES)
COMMON = {"outputs": ("o",), "judge": "j", "rubric": RUBRIC.key, "sample": "s", "repeat": 1}


def test_what_was_unread_becomes_a_judgment_on_the_same_question():
    before = Unread(why="unparseable", reply="**A side**: 4\n**B side**: 5", **COMMON)
    after = reread(before, RUBRIC)
    assert isinstance(after, Judgment)
    assert after.scores == {"A side": 4, "B side": 5}
    assert (after.identity(), after.reply) == (before.identity(), before.reply)


def test_a_number_that_should_not_have_been_read_becomes_unread():
    before = Judgment(scores={"A side": 4, "B side": 5}, reply="I think 4 of 5 people are there.", **COMMON)
    assert reread(before, RUBRIC) == Unread(why="unparseable", reply=before.reply, **COMMON)


def test_scores_that_were_asked_for_again_come_from_the_second_reply():
    reply = f"A side: 4{BETWEEN}A side: 1\nB side: 5"
    before = Unread(why="missing", reply=reply, **COMMON)
    assert reread(before, RUBRIC).scores == {"A side": 4, "B side": 5}


@pytest.mark.parametrize(
    "verdict",
    [
        Judgment(scores={"A side": 4, "B side": 5}, reply="A side: 4\nB side: 5", flags=("declined",), **COMMON),
        Blocked(why="policy", reply="no", **COMMON),
        Unread(why="empty", **COMMON),
    ],
)
def test_what_would_be_read_the_same_stays_the_record_it_was(verdict):
    assert reread(verdict, RUBRIC) is verdict
    assert list(changes([verdict], {RUBRIC.key: RUBRIC})) == []
