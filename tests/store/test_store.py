"""The store and the blobs: what goes in comes out, and what is held is held once."""

from __future__ import annotations

import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from groundswell.errors import StoreError, UserError
from groundswell.records import Comparison, Done, Judgment, Post, Sample, Unit, UnitState, Verdict, Winner
from groundswell.store.blobs import ObjectBlobs, open_blobs
from groundswell.store.sql import SqlStore, open_store, open_to_read


@pytest.fixture
def store(tmp_path: Path) -> SqlStore:
    opened = open_store(str(tmp_path / "groundswell.sqlite"))
    yield opened
    opened.close()


def unit(name: str) -> Unit:
    return Unit(key=f"{name:0>32}", payload=None)


def done(**fields) -> Done:
    return Done(**{"state": UnitState.DONE, "cost": 0.0, **fields})


def judgment(name: str) -> Judgment:
    return Judgment(outputs=(name,), judge="j", rubric="r", sample="s", scores={"grade": 7.0}, reply="[[7]]")


def test_a_record_comes_back_as_it_was(store: SqlStore) -> None:
    records = [Post(platform="x", id="1", text="a\u2028b"), judgment("o")]
    assert store.put(records) == 2
    assert [store.get(record.key) for record in records] == records


def test_the_first_record_of_a_key_stays_unless_it_is_renewed(store: SqlStore) -> None:
    first = Sample(suite="s", task="t2i", prompts={"en": "a fox"}, label="1")
    second = Sample(suite="s", task="t2i", prompts={"en": "a fox"}, label="2")
    assert first.key == second.key
    assert store.put([first]) == 1
    assert store.put([second]) == 0
    assert store.get(first.key) == first
    store.put([second], renew=True)
    assert store.get(first.key) == second


def test_records_of_a_family_are_streamed_in_their_order(store: SqlStore) -> None:
    store.put([judgment("b"), Post(platform="x", id="1"), judgment("a")])
    assert [verdict.outputs for verdict in store.records(Verdict)] == [("b",), ("a",)]


def test_a_forgotten_record_is_gone_and_never_comes_back(store: SqlStore) -> None:
    post = Post(platform="x", id="1")
    store.put([post])
    assert store.forget([post.key], "asked by its author") == 1
    assert store.put([post]) == 0
    assert store.get(post.key) is None


def test_finished_units_are_not_wanted_again_and_transient_failures_are(store: SqlStore) -> None:
    worker = store.enlist()
    ended = {
        "done": done(),
        "refused": done(state=UnitState.REFUSED, why="safety"),
        "broken": done(state=UnitState.FAILED, why="not a picture"),
        "passing": done(state=UnitState.FAILED, why="503", transient=True),
    }
    units = [unit(name) for name in (*ended, "new")]
    store.claim("generate", [each.key for each in units], worker)
    store.settle("generate", [(each, ended[name]) for each, name in zip(units, ended, strict=False)])
    store.dismiss(worker)
    assert [each.key.lstrip("0") for each in store.unfinished("generate", units, 2)] == ["passing", "new"]
    assert [each.key.lstrip("0") for each in store.unfinished("generate", units, 1)] == ["new"]


def test_a_unit_is_held_by_one_worker_until_it_is_dismissed(store: SqlStore) -> None:
    first, second = store.enlist(), store.enlist()
    keys = [unit("a").key, unit("b").key]
    assert store.claim("judge", keys[:1], first) == set(keys[:1])
    assert store.claim("judge", keys, second) == set(keys[1:])
    store.dismiss(first)
    assert store.claim("judge", keys, second) == set(keys)


def test_a_worker_whose_process_is_gone_holds_nothing(store: SqlStore, tmp_path: Path) -> None:
    worker = store.enlist()
    store.claim("judge", [unit("a").key], worker)
    with sqlite3.connect(tmp_path / "groundswell.sqlite") as connection:
        connection.execute("UPDATE worker SET pid = 4194304")  # beyond the largest process number there is
    assert store.claim("judge", [unit("a").key], store.enlist()) == {unit("a").key}


def test_a_worker_that_stopped_beating_holds_nothing(tmp_path: Path) -> None:
    now = [1000.0]
    store = open_store(str(tmp_path / "groundswell.sqlite"))
    store._clock = lambda: now[0]
    store.claim("judge", [unit("a").key], store.enlist())
    now[0] += 61
    assert store.claim("judge", [unit("a").key], store.enlist()) == {unit("a").key}
    store.close()


def test_a_unit_is_done_only_together_with_its_records(store: SqlStore) -> None:
    worker = store.enlist()
    store.claim("judge", [unit("a").key], worker)
    store.settle("judge", [(unit("a"), done(records=(judgment("a"),), cost=0.25))])
    assert store.states() == {"judge": {UnitState.DONE: 1}}
    assert store.get(judgment("a").key) == judgment("a")
    assert store.spent() == (0.25, 0)


def test_a_cost_that_nobody_knows_is_counted_and_not_summed(store: SqlStore) -> None:
    store.claim("judge", [unit("a").key], store.enlist())
    store.settle("judge", [(unit("a"), done(cost=None))])
    assert store.spent() == (0.0, 1)


def test_a_store_of_a_newer_groundswell_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "groundswell.sqlite"
    open_store(str(place)).close()
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="schema 9999"):
        open_store(str(place))


def test_a_file_that_is_no_database_is_refused_by_name(tmp_path: Path) -> None:
    place = tmp_path / "groundswell.sqlite"
    place.write_text("not a database, but long enough to be looked at as one" * 100)
    with pytest.raises(UserError, match="not a store of Groundswell"):
        open_store(str(place))


def test_swapping_sides_gives_another_comparison_and_a_new_optional_field_gives_no_new_key() -> None:
    pair = {"sample": "s", "by": "panel", "winner": Winner.LEFT}
    assert Comparison(left="a", right="b", **pair).key != Comparison(left="b", right="a", **pair).key
    assert Post(platform="x", id="1").key == Post(platform="x", id="1", text="edited", author="h").key


def test_bytes_come_back_under_the_digest_of_their_content(blobs: ObjectBlobs) -> None:
    digest = blobs.put(b"picture")
    assert blobs.put(b"picture") == digest
    assert blobs.get(digest) == b"picture"
    assert digest == sha256(b"picture").hexdigest()


def test_absent_bytes_are_an_error_that_names_them(blobs: ObjectBlobs) -> None:
    with pytest.raises(StoreError, match="not in the store"):
        blobs.get("0" * 64)
    blobs.delete("0" * 64)


def test_damaged_bytes_are_found_when_they_are_read(tmp_path: Path) -> None:
    blobs = open_blobs(str(tmp_path))
    digest = blobs.put(b"picture")
    (tmp_path / digest[:2] / digest[2:]).write_bytes(b"pictvre")
    with pytest.raises(StoreError, match="damaged"):
        blobs.get(digest)


def test_a_store_opened_to_be_read_says_what_is_there_and_takes_nothing(open_it, store_place: str) -> None:
    kite, hat = (Sample(suite="s", task="t2i", prompts={"en": prompt}) for prompt in ("a kite", "a hat"))
    writing = open_it()
    writing.put([kite])
    reading = open_to_read(store_place)
    assert list(reading.records(Sample)) == [kite]
    with pytest.raises(StoreError, match=r"could not be written: .*read-?only"):
        reading.put([hat])
    reading.close()
    assert list(writing.records(Sample)) == [kite]


def test_a_store_that_is_not_there_is_not_made_by_reading_it(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing is stored here yet"):
        open_to_read(str(tmp_path / "none.sqlite"))
    assert not list(tmp_path.iterdir())
