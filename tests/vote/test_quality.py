from datetime import UTC, datetime, timedelta

import pytest
from bench.arena_attacks import attack

from groundswell.records import Ruling, Sample, Skip, Vote, Winner
from groundswell.vote import quality
from groundswell.vote.quality import Setting, discoveries, flags, names_a_model, overruled

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)


def _vote(place, winner="left", by="me", left="ada", right="bob", seconds=9.0):
    return Vote(
        sample=f"sample-{place}",
        left=left,
        right=right,
        winner=Winner(winner),
        by=by,
        ballot=f"{by}-{place}",
        left_output=f"{place}-{left}",
        right_output=f"{place}-{right}",
        seconds_left=seconds,
        seconds_right=seconds,
        time=NOON + timedelta(seconds=place),
    )


def _reasons(votes, skips=(), **setting):
    return {votes[place].ballot: reason for place, reason in flags(votes, skips, Setting(**setting)).items()}


@pytest.mark.parametrize("kind", ["always left", "fast random", "replay"])
def test_nine_in_ten_attack_votes_are_excluded_and_hardly_an_honest_one(kind):
    row = attack(kind, honest=2_000, attacking=400)
    assert row["excluded"] >= 0.9
    assert row["honest excluded"] <= 0.01


@pytest.mark.parametrize("kind", ["booster", "slow drip"])
def test_no_rating_moves_by_more_than_its_interval_under_an_attack_on_one_model(kind):
    row = attack(kind, honest=2_000, attacking=400)
    assert row["unfiltered"] > 1 > row["largest move"]
    assert row["honest excluded"] <= 0.01


def test_a_session_that_always_answers_left_is_flagged_and_a_short_one_is_not():
    long, short = [_vote(place) for place in range(20)], [_vote(place, by="you") for place in range(19)]
    assert set(_reasons(long + short).values()) == {quality.SIDE}
    assert len(_reasons(long + short)) == 20


def test_a_pair_counts_once_a_session_whatever_its_sides():
    again = _vote(0, left="bob", right="ada")
    votes = [_vote(0), _vote(0, by="you"), again]
    assert flags(votes, [], Setting()) == {2: quality.DUPLICATE}


def test_votes_on_a_prompt_that_names_a_model_are_flagged():
    assert _reasons([_vote(0), _vote(1)], leaking=frozenset({"sample-1"})) == {"me-1": quality.LEAK}
    named = Sample(suite="arena", task="t2i", prompts={"en": "A cat in the style of Flux-Dev."})
    assert names_a_model(named, ["flux-dev"])
    assert not names_a_model(named, ["dev", "lux"])


def test_whoever_is_fast_and_right_is_kept():
    sure = [_vote(place, "left" if place % 2 else "right", left="ada" if place % 2 else "bob",
                  right="bob" if place % 2 else "ada", seconds=2.1) for place in range(40)]  # fmt: skip
    assert _reasons(sure) == {}


def test_whoever_is_fast_and_misses_the_planted_pairs_is_flagged():
    golden = [_vote(place, "left" if place % 2 else "right", right="blank", seconds=2.1) for place in range(24)]
    assert set(_reasons(golden, decoys=frozenset({"blank"})).values()) == {quality.FAST}


def test_whoever_misses_the_planted_pairs_slowly_disagrees():
    golden = [_vote(place, "left" if place % 2 else "right", right="blank") for place in range(24)]
    assert set(_reasons(golden, decoys=frozenset({"blank"})).values()) == {quality.DISAGREES}


def test_whoever_skips_until_one_model_shows_is_flagged_by_the_skips():
    votes = [_vote(place, "left" if place % 2 else "right") for place in range(20)]
    skips = [Skip(ballot=f"s{place}", sample="x", left="cyd", right="dan", by="me") for place in range(20)]
    assert _reasons(votes) == {}
    assert set(_reasons(votes, skips).values()) == {quality.BOOSTS}


def test_the_operator_overrules_a_session_or_a_single_vote():
    votes = [_vote(0), _vote(1), _vote(2, by="you")]
    found = {0: quality.SIDE, 1: quality.SIDE}
    reinstate = Ruling(subject="me", what="reinstate", by="operator", time=NOON)
    exclude = Ruling(subject=votes[1].key, what="exclude", by="operator", time=NOON)
    assert overruled(votes, found, {}) == {votes[0].key: quality.SIDE, votes[1].key: quality.SIDE}
    assert overruled(votes, found, {"me": reinstate}) == {}
    both = {"me": reinstate, votes[1].key: exclude}
    assert overruled(votes, found, both) == {votes[1].key: quality.EXCLUDED}


def test_no_votes_have_no_flags():
    assert flags([], [], Setting()) == {}


def test_discoveries_are_benjamini_and_hochbergs():
    p = [0.001, 0.8, 0.02, 0.03, 0.04]
    assert discoveries(p, 0.05) == [True, False, True, True, True]
    assert discoveries(p, 0.01) == [True, False, False, False, False]
    assert discoveries([]) == []
