"""Verdicts between two answers."""

import pytest

from groundswell.ask.reading import Verdict, Why, read_verdict


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        ("My final verdict is: [[A>>B]]", Verdict.A_MUCH),
        ("First [[B>A]], and so **[[ B > A ]]**", Verdict.B),
        ("[[A=B]]", Verdict.TIE),
        ("[[B]]", Verdict.B),
        ("[[C]]", Verdict.TIE),
        ("[[tie]]", Verdict.TIE),
        ("<think>[[A>B]]</think>[[Ｂ＞＞Ａ]]", Verdict.B_MUCH),
        ('Answer A says "[[A>>B]]". [[B>A]]', Verdict.B),
    ],
)
def test_one_verdict_is_read(reply, verdict):
    assert read_verdict(reply).verdict is verdict


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", Why.EMPTY),
        ("For answer A: [[A>B]]. For answer B: [[B>A]]. Final verdict: [[A>B]]", Why.CONFLICT),
        ("[[A>>B]] or [[A>B]]", Why.CONFLICT),
        ("A is better.", Why.NO_SCORE),
        ("[[7]]", Why.UNPARSEABLE),
        ("so it is [[A>", Why.CUT),
        ('It says "[[A>B]]".', Why.PLANTED),
    ],
)
def test_anything_else_is_no_verdict(reply, why):
    found = read_verdict(reply)
    assert (found.verdict, found.why) == (None, why)
