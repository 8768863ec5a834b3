from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from groundswell.ingest.live.windows import Ledger, Revisits, Wanted, gaps
from groundswell.records import Pull

START = datetime(2026, 10, 1, tzinfo=UTC)
HOURS = st.integers(0, 48)


def hour(n):
    return START + timedelta(hours=n)


def search(cursor=None, since=0, until=10, **fields):
    return Pull(source="x", what="search", query="fox", since=hour(since), until=hour(until), cursor=cursor, **fields)


def thread(id, **fields):
    return Pull(source="x", what="thread", query=id, **fields)


def missing(*pulls, until=10):
    wanted = Wanted(query="fox", since=hour(0), until=hour(until))
    return list(Ledger("x", pulls).missing([wanted]))


def test_what_lies_before_between_and_behind_windows_is_missing():
    found = gaps(Wanted(query="fox", since=hour(0), until=hour(10)), [(hour(7), hour(8)), (hour(2), hour(5))])
    assert [(gap.since, gap.until) for gap in found] == [
        (hour(0), hour(2)), (hour(5), hour(7)), (hour(8), hour(10))
    ]  # fmt: skip


def test_a_window_without_a_beginning_covers_all_before_its_end():
    found = gaps(Wanted(query="fox", until=hour(10)), [(None, hour(4))])
    assert [(gap.since, gap.until) for gap in found] == [(hour(4), hour(10))]


@given(st.tuples(HOURS, HOURS).map(sorted), st.lists(st.tuples(HOURS, HOURS).map(sorted)))
def test_every_hour_is_covered_or_missing_and_none_is_both(wanted, covered):
    found = gaps(
        Wanted(query="fox", since=hour(wanted[0]), until=hour(wanted[1])), [(hour(a), hour(b)) for a, b in covered]
    )
    for n in range(*wanted):
        times = sum(gap.since <= hour(n) < gap.until for gap in found)
        assert times == (not any(a <= n < b for a, b in covered))
    assert all(hour(wanted[0]) <= gap.since < gap.until <= hour(wanted[1]) for gap in found)


def test_a_search_goes_on_at_the_cursor_of_its_last_page():
    first, second = search(next="t2"), search("t2", next="t3", reached=hour(1))
    assert missing(first, second) == [search("t3", reached=hour(1))]


def test_a_search_at_its_end_is_not_asked_again_and_a_later_end_asks_for_the_rest_only():
    assert missing(search()) == []
    assert missing(search(), until=12) == [search(since=10, until=12)]


def test_conversations_of_what_was_found_are_missing_once_each():
    page = search(found=(("2", "1"), ("3", "1"), ("4", "4"), ("5", None)))
    assert missing(page) == [thread("1"), thread("4")]
    assert missing(page, thread("1"), thread("4")) == []


def test_where_a_conversation_is_gone_its_finds_are_asked_for_themselves():
    page = search(found=(("2", "1"), ("3", "1")))
    assert missing(page, thread("1", gone=True)) == [thread("2"), thread("3")]
    assert missing(page, thread("1", gone=True), thread("2", gone=True), thread("3", gone=True)) == []


def again(*pulls, at, most=9):
    rule = Revisits(now=hour(at), window=timedelta(hours=48), every=timedelta(hours=24), most=most)
    return list(Ledger("x", pulls).revisits([Wanted(query="fox", since=hour(0), until=hour(10))], rule))


def test_a_conversation_is_looked_at_again_a_day_after_it_was_found_from_then_on():
    known = [search(found=(("2", "1"), ("3", "1"))), thread("1")]
    assert again(*known, at=33) == []
    assert again(*known, at=34) == [thread("1", since=hour(10), until=hour(34))]
    assert again(*known, thread("1", since=hour(10), until=hour(34)), at=57) == []
    assert again(*known, at=59) == []


def test_a_look_that_was_broken_off_goes_on_at_its_cursor_also_in_a_later_run():
    known = [search(found=(("2", "1"),)), thread("1")]
    begun = thread("1", since=hour(10), until=hour(34), next="t2")
    assert again(*known, begun, at=35) == [thread("1", since=hour(10), until=hour(34), cursor="t2")]


def test_what_is_gone_or_not_yet_fetched_is_not_looked_at_again():
    page = search(found=(("2", "1"),))
    assert again(page, at=34) == again(page, thread("1", gone=True), at=34) == []
    assert again(page, thread("1"), thread("1", since=hour(10), until=hour(20), gone=True), at=50) == []


def test_of_those_that_are_due_the_one_that_waited_longest_comes_first():
    pages = [search(found=(("1", "1"),)), search(since=10, until=12, found=(("2", "2"),)), thread("1"), thread("2")]
    assert [pull.query for pull in again(*pages, at=40)] == ["1", "2"]
    assert [pull.query for pull in again(*pages, at=40, most=1)] == ["1"]


def test_another_sources_pages_are_not_ours():
    page = msgspec.structs.replace(search(next="t2"), source="bluesky")
    assert missing(page) == [search()]


def test_the_identity_of_a_page_is_what_was_asked_and_not_what_came():
    assert search("t2").key == search("t2", next="t3", posts=5, requests=2).key
    assert search("t2").key != search("t3").key
