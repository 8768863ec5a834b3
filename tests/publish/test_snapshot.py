"""The snapshot: same facts, same bytes; nothing leaves that may not."""

import sqlite3
from pathlib import Path

import msgspec
import polars as pl
import pytest

from groundswell.errors import UserError
from groundswell.publish import licensing, snapshot
from groundswell.records import Licence, Output, Picture, Sample

FREE = Licence(id="CC0-1.0", redistribute=True, derivatives=True)
NO_CHANGES = Licence(id="CC-BY-ND", redistribute=True)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def _picture(digit: str, licence: Licence | None) -> Picture:
    return Picture(digest=digit * 64, media_type="image/png", width=4, height=4, licence=licence)


def test_the_same_facts_give_the_same_bytes_and_writing_again_changes_none(world, tmp_path):
    world.write(tmp_path / "a")
    world.write(tmp_path / "b")
    first = _bytes(tmp_path / "a")
    assert first == _bytes(tmp_path / "b")
    world.write(tmp_path / "a")
    assert first == _bytes(tmp_path / "a")


def test_the_order_in_which_facts_came_does_not_matter(fresh, tmp_path):
    fresh.write(tmp_path / "a")
    fresh.store.kept = dict(reversed(fresh.store.kept.items()))
    fresh.comparisons.reverse()
    fresh.write(tmp_path / "b")
    assert _bytes(tmp_path / "a") == _bytes(tmp_path / "b")


def test_what_was_written_is_read_back(world, tmp_path):
    written = world.write(tmp_path)
    assert snapshot.read(tmp_path) == written


def test_tables_are_columns_for_people_and_a_database_for_those_who_ask_in_sql(world, tmp_path):
    world.write(tmp_path)
    frame = pl.read_parquet(tmp_path / "comparisons.parquet")
    assert frame.filter(pl.col("kind") == "comparison")["winner"].to_list().count("left") == 9
    connection = sqlite3.connect(tmp_path / "groundswell.sqlite")
    try:
        rows = connection.execute("SELECT reason FROM outcomes WHERE kind = 'refusal'").fetchall()
    finally:
        connection.close()
    assert rows == [("not allowed: a plain sentence",)]


def test_words_and_pictures_that_may_not_be_passed_on_stay_behind(world, tmp_path):
    written = world.write(tmp_path)
    closed = next(sample for sample in written.samples.values() if sample.suite == "closed")
    assert closed.prompts == {}
    assert closed.inputs[0].digest not in written.shown
    assert not any("secret instruction" in text for text in map(repr, _bytes(tmp_path).values()))
    outputs = [each for each in written.outcomes.values() if isinstance(each, Output)]
    of_closed = [each for each in outputs if written.samples[each.sample].suite == "closed"]
    assert of_closed
    assert all(each.rewritten_prompt is None and each.pictures[0].digest not in written.shown for each in of_closed)


def test_of_a_post_only_the_pointer_leaves(world, tmp_path):
    written = world.write(tmp_path)
    assert written.posts
    assert all(post.text == "" and post.author is None for post in written.posts.values())
    assert {post.url for post in written.posts.values()} >= {"https://example.org/0"}


def test_an_unknown_licence_counts_as_no_and_an_edit_follows_its_inputs():
    edit = Sample(suite="s", task="edit", prompts={"en": "x"}, inputs=(_picture("a", FREE), _picture("b", None)))
    assert licensing.may_show(_picture("a", FREE))
    assert not licensing.may_show(_picture("a", None))
    assert licensing.may_show(_picture("a", None), FREE)
    assert not licensing.may_show_output(_picture("c", None), edit)
    free = msgspec.structs.replace(edit, inputs=(_picture("a", FREE),))
    assert licensing.may_show_output(_picture("c", None), free)
    changed = msgspec.structs.replace(edit, inputs=(_picture("a", NO_CHANGES),))
    assert not licensing.may_show_output(_picture("c", None), changed)
    drawn = Sample(suite="s", task="t2i", prompts={"en": "x"})
    assert licensing.may_show_output(_picture("c", None), drawn)


def test_a_picture_that_is_gone_from_the_blobs_is_not_listed(fresh, tmp_path):
    digest = next(iter(fresh.write(tmp_path).shown))
    (tmp_path / "pictures.json").unlink()
    fresh.blobs.delete(digest)
    assert digest not in fresh.write(tmp_path).shown


def test_the_day_of_a_snapshot_is_that_of_its_latest_fact(world):
    assert str(world.collect().as_of) == "2026-11-21"


def test_facts_outside_the_editions_are_left_out(fresh):
    fresh.editions = fresh.editions[:1]
    found = fresh.collect()
    assert set(found.samples) == set(fresh.editions[0].samples)
    assert {outcome.sample for outcome in found.outcomes.values()} == set(found.samples)


def test_a_folder_without_a_snapshot_is_named(tmp_path):
    with pytest.raises(UserError, match=r"snapshot\.json"):
        snapshot.read(tmp_path)
