import asyncio

import pytest

from groundswell.records import Skip, UnitState, Vote
from groundswell.vote.ballots import LIFETIME_SECONDS
from groundswell.vote.booth import Answer, NoVote
from groundswell.vote.sealing import Seal, secret

from .conftest import entry, new_hall


def _ballot(booth, seal, session="me"):
    asked = booth.hall.ask(session)
    return asked, seal.seal(asked.ballot)


def _cast(booth, sealed, choice="left", session="me", **seen):
    return asyncio.run(booth.cast(session, Answer(sealed=sealed, choice=choice, **seen)))


def _refused(booth, sealed, choice="left", session="me"):
    with pytest.raises(NoVote) as error:
        _cast(booth, sealed, choice, session)
    return error.value.why


def test_a_vote_is_on_disk_with_its_probability_and_its_looks(booth, seal, box, clock):
    asked, sealed = _ballot(booth, seal)
    booth.looks_at(asked.ballot, "left")
    booth.looks_at(asked.ballot, "right")
    clock.now += 5
    _cast(booth, sealed, seen_left=3.0)
    (vote,) = box.records.values()
    assert isinstance(vote, Vote)
    assert (vote.left, vote.right) == (asked.left.model, asked.right.model)
    assert (vote.seconds_left, vote.seconds_right) == (3.0, 5.0)
    assert vote.probability == asked.ballot.probability
    assert vote.methodology == "2026-11"


def test_a_vote_before_the_minimum_look_is_none_and_the_ballot_stays(booth, seal, box, clock):
    _, sealed = _ballot(booth, seal)
    clock.now += 1.9
    assert _refused(booth, sealed) == "too early"
    clock.now += 0.2
    _cast(booth, sealed)
    assert len(box.records) == 1


def test_the_look_begins_when_the_later_picture_was_sent(booth, seal, clock):
    asked, sealed = _ballot(booth, seal)
    booth.looks_at(asked.ballot, "left")
    clock.now += 10
    booth.looks_at(asked.ballot, "right")
    clock.now += 1
    assert _refused(booth, sealed) == "too early"


def test_a_ballot_counts_once(booth, seal, box, clock):
    asked, sealed = _ballot(booth, seal)
    clock.now += 3
    _cast(booth, sealed, "right")
    assert _refused(booth, sealed, "left") == "used"
    assert booth.answered(asked.ballot, lambda key: None) == "right"
    assert len(box.records) == 1


def test_two_answers_at_the_same_moment_count_once(booth, seal, box, clock):
    _, sealed = _ballot(booth, seal)
    clock.now += 3

    async def both():
        answers = [booth.cast("me", Answer(sealed=sealed, choice=choice)) for choice in ("left", "right")]
        return await asyncio.gather(*answers, return_exceptions=True)

    refused = [each for each in asyncio.run(both()) if isinstance(each, NoVote)]
    assert [each.why for each in refused] == ["used"]
    assert len(box.records) == 1


def test_a_session_is_shown_its_open_ballot_until_it_answers(booth, seal, clock):
    asked, sealed = _ballot(booth, seal)
    assert booth.hall.ask("me").ballot == asked.ballot
    assert booth.hall.ask("other").ballot != asked.ballot
    clock.now += 3
    _cast(booth, sealed)
    assert booth.hall.ask("me").ballot != asked.ballot


def test_a_skip_is_no_vote_but_is_kept(booth, seal, box):
    _, sealed = _ballot(booth, seal)
    _cast(booth, sealed, "skip")
    (record,) = box.records.values()
    assert isinstance(record, Skip)
    assert [done.state for done in box.units.values()] == [UnitState.REFUSED]
    assert booth.hall.votes == 0


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda sealed: sealed[:-3] + "AAA", "forged"),
        (lambda sealed: "", "forged"),
        (lambda sealed: "ü", "forged"),
    ],
)
def test_a_ballot_that_was_not_made_here_is_refused(booth, seal, clock, change, why):
    _, sealed = _ballot(booth, seal)
    clock.now += 3
    assert _refused(booth, change(sealed)) == why


def test_a_ballot_of_another_secret_session_or_time_is_refused(booth, seal, clock):
    asked, sealed = _ballot(booth, seal)
    clock.now += 3
    assert _refused(booth, Seal(b"other", clock).seal(asked.ballot)) == "forged"
    assert _refused(booth, sealed, session="you") == "foreign"
    assert _refused(booth, sealed, "A") == "unknown choice"
    clock.now += LIFETIME_SECONDS
    assert _refused(booth, sealed) == "expired"


def test_a_seal_shows_neither_outputs_nor_session(booth, seal):
    from base64 import urlsafe_b64decode

    asked, sealed = _ballot(booth, seal)
    seen = urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4))
    assert not any(part.encode() in seen for part in (asked.ballot.left, asked.ballot.right, asked.ballot.session))


def test_what_was_voted_before_a_restart_is_known_after_it(booth, seal, box, clock):
    entries = [entry(0, models=("ada", "bob"))]
    hall = booth.hall = new_hall(clock, entries)
    _, sealed = _ballot(booth, seal)
    clock.now += 3
    _cast(booth, sealed)
    again = new_hall(clock, entries)
    again.recall(box.records.values())
    assert again.votes == hall.votes == 1
    assert again.ask("me") is None
    assert again.ask("you") is not None


def test_the_secret_of_a_workspace_is_made_once_and_readable_by_its_owner_only(tmp_path):
    assert secret(tmp_path) == secret(tmp_path)
    assert (tmp_path / ".arena-key").stat().st_mode & 0o077 == 0
