"""A person's own rubric: what it asks, what it counts, and what is refused."""

import pytest

from groundswell.errors import UserError
from groundswell.files import write_text
from groundswell.judge.own_rubric import PAIR, arithmetic, is_pair, load, question
from groundswell.records import Output, Picture, Sample

HEAD = '+++\nname = "mine"\nmode = "{mode}"\n{rules}\n{dimensions}\n+++\n{text}\n'
FIT = '[[dimensions]]\nname = "Fit"\nlow = 0\nhigh = 10\n'
LOOK = '[[dimensions]]\nname = "Look"\nlow = 0\nhigh = 10\nweight = 3.0\n'


def rubric(folder, *, text="Rate {instruction}.", mode="grade", rules="", dimensions=FIT + LOOK):
    write_text(folder / "mine.md", HEAD.format(mode=mode, rules=rules, dimensions=dimensions, text=text))
    return load(folder / "mine.md")


def sample(**more):
    picture = Picture(digest="in", media_type="image/png", width=1, height=1)
    return Sample(suite="s", task="edit", prompts={"en": "make it blue"}, inputs=(picture,), **more)


OUT = Picture(digest="out", media_type="image/png", width=1, height=1)


def test_inputs_stand_first_and_the_result_before_the_text(tmp_path):
    asked = question(rubric(tmp_path), sample(), Output(job="j", sample="s", endpoint="e", pictures=(OUT,)))
    shown, result, text = asked.parts
    assert [(each.role, each.picture.digest) for each in (shown, result)] == [
        ("input picture 1", "in"),
        ("result", "out"),
    ]
    assert "make it blue" in text


def test_a_rubric_without_a_place_gets_the_instruction_and_the_answer_before_it(tmp_path):
    output = Output(job="j", sample="s", endpoint="e", text="It is blue.")
    parts = question(rubric(tmp_path, text="Is it good?"), sample(), output).parts
    assert "make it blue" in parts[1]
    assert "It is blue." in parts[2]
    assert parts[3] == "Is it good?"


def test_a_place_that_cannot_be_filled_is_named(tmp_path):
    with pytest.raises(UserError, match="wants reference"):
        question(rubric(tmp_path, text="{reference}"), sample(), Output(job="j", sample="s", endpoint="e", text="x"))


def test_weights_count_and_a_missing_score_gives_no_grade(tmp_path):
    graded = arithmetic(rubric(tmp_path))
    assert graded(sample(), {"Fit": 2, "Look": 6}) == 5.0  # (2 + 3 * 6) / 4
    assert graded(sample(), {"Fit": 2}) is None


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"rules": '[rules]\narithmetic = "meen"', "dimensions": ""}, "no .*dimensions"),
        ({"mode": "reference"}, "belongs to llava"),
        ({"mode": "pair", "dimensions": FIT}, "two dimensions"),
    ],
)
def test_what_cannot_be_used_is_refused_with_the_file(tmp_path, fields, message):
    with pytest.raises(UserError, match=message) as error:
        rubric(tmp_path, **fields)
    assert "mine.md" in str(error.value)


def test_an_arithmetic_that_does_not_exist_is_refused_when_the_file_is_read(tmp_path):
    text = '+++\nname = "mine"\n' + FIT + '[rules]\narithmetic = "meen"\n+++\nRate it.\n'
    write_text(tmp_path / "mine.md", text)
    with pytest.raises(UserError, match="did you mean 'mean'"):
        load(tmp_path / "mine.md")


def test_ours_for_pairs_is_one(tmp_path):
    assert is_pair(load(PAIR))
    assert not is_pair(rubric(tmp_path))
