"""Checklists: every dimension is a question of yes or no."""

import pytest

from groundswell.ask.reading import Why, read
from groundswell.records import Dimension

LIST = [Dimension(name=name, low=0, high=1, step=1) for name in ("cat removed", "background kept")]


@pytest.mark.parametrize(
    "reply",
    [
        "cat removed: yes\nbackground kept: no",
        "1. **Cat removed**: Yes, no cat is left\n2. **Background kept**: No - 2 trees moved",
        '{"cat_removed": true, "background_kept": false}',
        '{"cat_removed": {"answer": "yes", "why": "no cat"}, "background_kept": {"answer": "No"}}',
        "| Question | Answer |\n|-|-|\n| cat removed | yes |\n| background kept | no |",
        "cat removed: 1, background kept: 0",
        "cat removed：是\nbackground kept：否",
    ],
)
def test_yes_is_one_and_no_is_zero(reply):
    assert read(reply, LIST).scores == {"cat removed": 1, "background kept": 0}


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("cat removed: yes", Why.MISSING),
        ("cat removed: yes\ncat removed: no\nbackground kept: yes", Why.CONFLICT),
        ("cat removed: partly\nbackground kept: yes", Why.MISSING),
        ("cat removed: yes and no\nbackground kept: yes", Why.MISSING),
        ("cat removed: yes/no\nbackground kept: yes", Why.MISSING),
        ("yes", Why.NO_SCORE),
    ],
)
def test_anything_else_is_no_answer(reply, why):
    assert read(reply, LIST).why is why


def test_yes_and_no_are_no_numbers_on_another_scale():
    assert read("Score: yes", [Dimension(name="score", low=0, high=1)]).why is Why.NO_SCORE
