"""The arena under bad treatment: killed while people vote, two servers at once, pictures that are gone, crowds, hostile
prompts."""

import re
import signal
import sqlite3
import threading
import time
from dataclasses import replace

import pytest

from groundswell.errors import StoreError
from groundswell.flow.workspace import workspace
from groundswell.records import Sample, Vote
from groundswell.vote.ballots import LIFETIME_SECONDS
from groundswell.vote.pairing import pool_of

from .conftest import LOOK, Open, drawn_picture, entry, new_hall
from .test_serving import _served, folder  # noqa: F401  a fixture
from .test_web import Client


def _votes(arena):
    return [each for each in arena.box.records.values() if isinstance(each, Vote)]


def test_no_vote_that_was_confirmed_is_lost_when_the_server_is_killed_among_many(folder):  # noqa: F811
    confirmed = []

    def votes(base):
        client = Client(base)
        while True:
            try:
                ballot, _, _ = client.ballot()
                time.sleep(0.21)
                status, _ = client.vote(ballot)
            except (OSError, AssertionError, AttributeError):
                return  # the server is gone, or there is no pair left
            confirmed.append(status)

    with _served(folder) as (server, client):
        crowd = [threading.Thread(target=votes, args=(client.base,)) for _ in range(8)]
        for each in crowd:
            each.start()
        while len(confirmed) < 20 and any(each.is_alive() for each in crowd):
            time.sleep(0.01)
        server.send_signal(signal.SIGKILL)
        for each in crowd:
            each.join()
    with workspace(folder) as space:
        stored = sum(1 for _ in space.store.records(Vote))
    assert confirmed.count(200) >= 20
    assert stored >= confirmed.count(200)


def test_a_copy_of_the_store_made_while_people_vote_holds_their_votes(folder, tmp_path):  # noqa: F811
    with _served(folder) as (_, client):
        for _ in range(2):
            ballot, _, _ = client.ballot()
            time.sleep(0.25)
            assert client.vote(ballot)[0] == 200
        with sqlite3.connect(folder / "groundswell.sqlite") as store, sqlite3.connect(tmp_path / "copy.sqlite") as copy:
            store.backup(copy)
        store.close()
        copy.close()
    (folder / "groundswell.sqlite").unlink()
    (tmp_path / "copy.sqlite").rename(folder / "groundswell.sqlite")
    for leftover in folder.glob("groundswell.sqlite-*"):
        leftover.unlink()
    with workspace(folder) as space:
        assert sum(1 for _ in space.store.records(Vote)) == 2


def test_two_servers_on_one_store_count_a_ballot_once_and_both_know_its_answer(folder):  # noqa: F811
    with _served(folder) as (_, one), _served(folder) as (_, other):
        ballot, _, _ = one.ballot()
        other._open = one._open
        time.sleep(0.3)
        assert one.vote(ballot, "left")[0] == 200
        status, page = other.vote(ballot, "right")
        assert (status, "your first answer stands" in page, "left is better" in page) == (409, True, True)
    with workspace(folder) as space:
        assert [vote.winner for vote in space.store.records(Vote)] == ["left"]


def test_a_pair_whose_picture_is_gone_is_not_asked_again(arena):
    client = Client(arena.base)

    def load(digest):
        raise StoreError("gone")

    arena.load = load
    ballot, (left, _), _ = client.ballot()
    assert client.ask(left)[0] == 410
    arena.load = drawn_picture
    assert client.ballot()[0] != ballot


def test_a_model_that_is_withdrawn_under_a_ballot_gets_no_vote(arena):
    client = Client(arena.base)
    ballot, (left, _), _ = client.ballot()
    old = arena.booth.hall
    arena.booth.hall = new_hall(arena.clock, [entry(place, models=("dan", "eve")) for place in range(4)])
    arena.booth.hall.take_over(old)
    arena.clock.now += LOOK + 0.1
    assert client.ask(left)[0] == 410
    status, page = client.vote(ballot)
    assert (status, "no longer shown" in page, _votes(arena)) == (410, True, [])
    fresh, _, _ = client.ballot()
    arena.clock.now += LOOK + 0.1
    assert client.vote(fresh)[0] == 200


def test_votes_cast_while_the_pool_is_read_again_are_counted_once(clock, hall):
    from groundswell.vote.hall import Looked

    def vote(session):
        asked = hall.ask(session)
        _, done = hall.written(asked, "left", Looked())
        hall.count(asked, done)
        return done.records

    hall.follow()
    read = [*vote("a"), *vote("b")]
    vote("c")
    fresh = new_hall(clock, hall.pool.entries)
    fresh.recall(read)
    fresh.take_over(hall)
    assert fresh.votes == 3
    assert fresh.cast_by == {"a": 1, "b": 1, "c": 1}


def test_ten_thousand_sessions_that_never_answer_are_forgotten_when_their_ballots_expire(clock, hall):
    for number in range(10_000):
        hall.ask(f"s{number}")
    assert len(hall._open) == 10_000
    clock.now += LIFETIME_SECONDS + 1
    hall.ask("late")
    assert list(hall._open) == ["late"]
    assert hall._seen == {}


HOSTILE = (
    "</h1><script>alert(1)</script><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }} {% raw %} ${7*7}",
    "\u202eeslaf\u202c right to left \u0000 and \ufeff",
    "word " * 20_000,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 " + "\u0301" * 500,
)


@pytest.mark.parametrize("prompt", HOSTILE, ids=["markup", "templates", "bidi", "long", "combining"])
def test_a_hostile_prompt_is_text_and_nothing_else(clock, prompt):
    hostile = Sample(suite="arena", task="t2i", prompts={"en": prompt}, tags={"use_case": prompt, "style": [prompt]})
    with Open(clock, [replace(entry(0), sample=hostile)]) as opened:
        client = Client(opened.base)
        ballot, _, page = client.ballot()
        clock.now += LOOK + 0.1
        status, after = client.vote(ballot)
    assert status == 200
    for shown in (page, after):
        assert re.findall(r"<script(?! src=\"/static/)", shown) == []
        assert "<img src=x" not in shown
        assert ("{{" in prompt) == ("{{ 7 * 7 }}" in shown)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"ballot": "", "choice": "left"},
        {"ballot": "x" * 20_000, "choice": "left"},
        {"ballot": "\u0000", "choice": "left"},
        {f"field-{n}": "" for n in range(500)},
    ],
)
def test_a_form_that_is_none_of_ours_is_refused_and_nothing_breaks(arena, form):
    client = Client(arena.base)
    client.ballot()
    assert client.ask("/vote", form)[0] == 400
    assert _votes(arena) == []


def test_what_a_page_says_of_its_looks_cannot_make_them_longer(arena):
    client = Client(arena.base)
    for said in ("1e309", "nan", "-5", "99999999", "9.5"):
        ballot, sides, _ = client.ballot()
        for address in sides:
            client.ask(address)
        arena.clock.now += 3.0
        form = {"ballot": ballot, "choice": "left", "seen_left": said, "seen_right": said}
        assert client.ask("/vote", form)[0] == 200
    assert {vote.seconds_left for vote in _votes(arena)} == {3.0}


def test_a_pool_without_pairs_draws_nothing(clock):
    assert new_hall(clock, [entry(0, models=("ada",))]).ask("me") is None
    assert pool_of([]).cells == ()
