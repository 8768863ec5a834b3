import pytest

from groundswell.curate.questions import Prompt
from groundswell.curate.roles import find_roles

EDIT = Prompt(text="Turn this into winter", clean="Turn this into winter", posts=("k0",), task="edit")
MAKE = Prompt(text="A teapot of ice", clean="A teapot of ice", posts=("k0",), task="t2i")


def roles(conversation, prompt):
    return [(each.post, each.role) for each in find_roles(conversation, prompt).pictures]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Look. Turn this into winter. First is the input, second the output.", ["input", "output"]),
        ("Result and original. Turn this into winter", ["output", "input"]),
        ("第一张原图，第二张效果 Turn this into winter", ["input", "output"]),
        ("Turn this into winter", ["input", "output"]),
    ],
)
def test_two_pictures_of_an_edit_are_told_apart_by_words_else_by_order(talk, words, told):
    assert [role for _, role in roles(talk(words, pictures={0: 2}), EDIT)] == told


def test_every_picture_of_an_instruction_that_needs_none_is_an_output(talk):
    assert roles(talk("A teapot of ice", pictures={0: 2}), MAKE) == [("k0", "output")] * 2


def test_an_original_in_a_reply_is_an_input_and_a_joke_is_neither(talk):
    conversation = talk("Turn this into winter", ("author", "Original photo:"), ("other", "me when it snows lol"),
                        pictures={0: 1, 1: 1, 2: 1})  # fmt: skip
    assert roles(conversation, EDIT) == [("k0", "output"), ("k1", "input"), ("k2", "neither")]


def test_one_picture_of_two_sides_is_combined(talk):
    assert roles(talk("Before and after. Turn this into winter", pictures={0: 1}), EDIT) == [("k0", "combined")]


def test_numbered_references_come_before_the_result(talk):
    prompt = Prompt(text="Put image 1 on image 2", clean="", posts=("k0",), task="edit")
    told = roles(talk("Put image 1 on image 2", pictures={0: 3}), prompt)
    assert [role for _, role in told] == ["input", "input", "output"]
