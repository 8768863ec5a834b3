"""When a metric applies: local rules, and how far they agree."""

from __future__ import annotations

import pytest

from groundswell.measure.applicability import Applies, agreement, by_local_rules, by_rule
from groundswell.records import Picture, Sample

PICTURE = Picture(digest="0" * 64, media_type="image/png", width=1, height=1)


def edit(prompt, inputs=1):
    return Sample(suite="s", task="edit", prompts={"en": prompt}, inputs=(PICTURE,) * inputs)


@pytest.mark.parametrize(
    ("metric", "prompt", "applies"),
    [
        ("color", "remove the lamp post, keep everything else", True),
        ("color", "turn this photo into an anime drawing", False),
        ("color", "change the sky to a warm sunset", False),
        ("color", "把照片变成黑白", False),
        ("structure", "add a hat to the dog", True),
        ("structure", "show the building from above", False),
        ("structure", "make a four panel comic of her", False),
        ("face", "make me wear a suit", True),
        ("face", "swap the faces of these two", False),
        ("face", "remove the people in the background", False),
        ("face", "add a fountain", None),
        ("text", 'a door with the sign "OPEN"', True),
        ("text", "a poster for a jazz concert", True),
        ("text", "a red bicycle", False),
    ],
)
def test_local_rules_read_the_prompt(metric, prompt, applies):
    answer = by_local_rules(edit(prompt), metric)
    assert (None if answer is None else answer.applies) == applies


def test_without_an_input_there_is_no_colour_to_keep():
    assert by_rule("color", "a cat", inputs=0) == Applies(applies=False, why="there is no input picture")


def test_places_of_several_composed_inputs_are_not_to_be_kept():
    assert not by_local_rules(edit("put them in a park", inputs=2), "structure").applies


def test_agreement_counts_cells_and_leaves_out_the_unsure():
    ours = {"a": True, "b": True, "c": False, "d": None}
    theirs = {"a": True, "b": False, "c": False, "d": True, "e": False}
    table = agreement("color", ours, theirs)
    assert (table.both, table.only_ours, table.only_theirs, table.neither, table.unsure) == (1, 1, 0, 1, 2)
    assert table.accuracy == pytest.approx(2 / 3)
    assert table.kappa == pytest.approx(0.4)


def test_saying_yes_to_everything_has_no_kappa_above_chance():
    theirs = {str(n): n < 6 for n in range(10)}
    table = agreement("color", dict.fromkeys(theirs, True), theirs)
    assert (table.accuracy, table.kappa) == (0.6, 0.0)
