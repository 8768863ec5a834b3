"""Which written answers are refusals."""

from __future__ import annotations

import pytest

from groundswell.suites.declined import is_declined


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, but I can't help with identifying people.",
        "Sorry, I can\u2019t help with images of people yet.",
        "I cannot identify the people in this picture.",
        "As an AI, I am built for text and cannot look at pictures.",
        "I must decline this request.",
        "I'm unable to provide information about this.",
        "抱歉，我无法回答这个问题。",
    ],
)
def test_a_refusal_is_told_by_its_opening(answer: str) -> None:
    assert is_declined(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "The harbour lies behind the bridge.",
        "I cannot see the label of the jar, but it looks like jam.",
        "I can't tell which brand it is.",
        "I'm sorry to hear about your cat; it looks ill.",
        "The sign says: 'We cannot help you here'.",
        "He is unable to stand up.",
        "A long answer. " * 20 + "I cannot help with more than that.",
        "",
    ],
)
def test_an_answer_about_the_picture_is_not_a_refusal(answer: str) -> None:
    assert not is_declined(answer)
