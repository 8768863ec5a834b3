"""Keys: the same content has the same key everywhere, and only identity counts."""

from __future__ import annotations

import subprocess
import sys
from typing import Union

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell import records
from groundswell.records import (
    STORED,
    Check,
    Comparison,
    Job,
    Judgment,
    Licence,
    Picture,
    Post,
    Record,
    Sample,
    Unread,
    Vote,
    Winner,
    key_of,
)

text = st.text(max_size=20)
scores = st.dictionaries(text, st.floats(allow_nan=False, allow_infinity=False), max_size=3)
pictures = st.builds(
    Picture,
    digest=text,
    media_type=text,
    width=st.integers(1, 9999),
    height=st.integers(1, 9999),
    licence=st.none() | st.builds(Licence, id=text),
)
SOME_RECORDS = st.one_of(
    st.builds(Post, platform=text, id=text, revision=st.integers(0, 9), text=text, author=st.none() | text),
    st.builds(
        Sample,
        suite=text,
        task=st.sampled_from(["t2i", "edit", "chat"]),
        prompts=st.dictionaries(text, text, min_size=1, max_size=3),
        inputs=st.lists(pictures, max_size=2).map(tuple),
        checks=st.lists(st.builds(Check, name=text, args=st.dictionaries(text, st.integers())), max_size=2).map(tuple),
        reference=st.none() | text,
    ),
    st.builds(
        Job, sample=text, endpoint=text, settings=st.dictionaries(text, text, max_size=2), draw=st.integers(0, 5)
    ),
    st.builds(Judgment, outputs=st.tuples(text), judge=text, rubric=text, sample=text, scores=scores, reply=text),
    st.builds(Unread, outputs=st.tuples(text), judge=text, rubric=text, sample=text, why=text),
    st.builds(Comparison, sample=text, left=text, right=text, winner=st.sampled_from(Winner), by=text),
    st.builds(Vote, sample=text, left=text, right=text, winner=st.sampled_from(Winner), by=text, ballot=text),
)
decode = msgspec.json.Decoder(Union[STORED]).decode  # noqa: UP007  built from a tuple


@given(SOME_RECORDS)
def test_a_record_written_and_read_is_the_same_record_with_the_same_key(record: Record) -> None:
    again = decode(msgspec.json.encode(record))
    assert again == record
    assert again.key == record.key


@given(st.permutations([("en", "a fox"), ("zh", "狐狸"), ("de", "ein Fuchs")]))
def test_the_order_in_which_a_mapping_was_filled_does_not_change_a_key(pairs: list[tuple[str, str]]) -> None:
    sample = Sample(suite="s", task="t2i", prompts=dict(pairs))
    assert sample.key == Sample(suite="s", task="t2i", prompts=dict(sorted(pairs))).key


def test_a_key_is_the_same_in_every_process_and_on_every_machine() -> None:
    code = "from groundswell.records import Job; print(Job(sample='s', endpoint='e', settings={'b': 1, 'a': 2}).key)"
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert elsewhere == Job(sample="s", endpoint="e", settings={"a": 2, "b": 1}).key
    assert elsewhere == key_of("Job", 1, "s", "e", {"a": 2, "b": 1}, 0)


@pytest.mark.parametrize("other", [{"text": "edited"}, {"author": "h"}, {"engagement": {"likes": 3}}, {"url": "u"}])
def test_what_is_no_identity_changes_no_key(other: dict) -> None:
    assert Post(platform="x", id="1", **other).key == Post(platform="x", id="1").key


@pytest.mark.parametrize("other", [{"platform": "y"}, {"id": "2"}, {"revision": 1}])
def test_what_is_identity_changes_the_key(other: dict) -> None:
    assert Post(**{"platform": "x", "id": "1", **other}).key != Post(platform="x", id="1").key


def test_outcomes_of_one_question_of_different_kinds_have_different_keys() -> None:
    asked = {"outputs": ("o",), "judge": "j", "rubric": "r", "sample": "s"}
    assert Judgment(**asked, scores={}).key != Unread(**asked, why="empty").key


def test_every_stored_record_declares_its_identity() -> None:
    for stored in STORED:
        assert stored.identity is not Record.identity, stored


def test_a_record_type_that_declares_no_identity_has_no_key() -> None:
    with pytest.raises(TypeError, match="declares no identity"):
        _ = records.Record().key


def test_draw_zero_sends_seed_42() -> None:
    assert [Job(sample="s", endpoint="e", draw=draw).seed for draw in (0, 1)] == [42, 43]
