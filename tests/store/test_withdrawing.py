"""What a store keeps of what was withdrawn, on every kind of store."""

from __future__ import annotations

from groundswell.records import Done, Post, Sample, Unit, UnitState, WithdrawnSample

ASKED = "asked by its author"


def samples() -> tuple[Sample, Sample]:
    one, other = (Sample(suite="s", task="t2i", prompts={"en": text}) for text in ("a lighthouse", "a boat"))
    return one, other


def test_what_is_left_takes_the_place_of_a_record_and_only_who_counts_sees_it(open_it) -> None:
    store, (one, other) = open_it(), samples()
    later = Post(platform="x", id="1")
    store.put([one, other, later])
    left = WithdrawnSample(was=one.key, suite="s", task="t2i", prompts={"en": ""})
    assert store.forget([later.key], ASKED, [left]) == 2
    assert list(store.records(Sample, Post)) == [other]
    assert store.get(one.key) is None
    assert store.kinds() == {"sample": 1}
    counting = store.with_withdrawn()
    assert list(counting.records(Sample)) == [left, other]
    assert counting.get(one.key) == left
    assert list(counting.before(other.key).records(Sample)) == [left]
    assert store.put([one]) == 0
    assert {(stone["kind"], stone["why"]) for stone in store.tombstones()} == {("sample", ASKED), ("post", ASKED)}


def test_reasons_that_quote_are_taken_out_and_the_others_stay(open_it) -> None:
    store = open_it()
    failures = [
        (Unit(key=f"{n:032d}", payload=None), Done(state=UnitState.FAILED, why=why))
        for n, why in enumerate(("no lighthouse", "timeout"))
    ]
    store.finish("generate", failures)
    assert store.hush(lambda why: "lighthouse" in why) == 1
    assert sorted(why for _, why, _ in store.reasons(UnitState.FAILED)) == ["timeout", "withdrawn"]


def test_a_store_is_written_anew(open_it) -> None:
    store, (one, other) = open_it(), samples()
    store.put([one, other])
    store.forget([one.key], ASKED)
    assert store.scrub()
    assert list(store.records(Sample)) == [other]


def test_a_database_file_that_somebody_reads_is_not_written_anew_and_says_so(tmp_path) -> None:
    import sqlite3

    from groundswell.store.sql import open_store

    path = tmp_path / "groundswell.sqlite"
    store, (one, other) = open_store(str(path)), samples()
    store.put([one, other])
    reader = sqlite3.connect(path, isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM record").fetchone() == (2,)
    store.forget([one.key], ASKED)
    assert not store.scrub()
    reader.close()
    assert store.scrub()
    assert all(b"a lighthouse" not in each.read_bytes() for each in tmp_path.iterdir())
    store.close()
