"""Boards from records: what counts, what is left out, and how boards are cut."""

from __future__ import annotations

import numpy as np
import pytest

from groundswell.boards import (
    Anchor,
    ArenaPlan,
    RankOptions,
    Rules,
    arena_boards,
    board_from,
    eligible,
    freshness,
    fused_board,
    rank_comparisons,
    rises,
    without_own,
)
from groundswell.boards.change import is_named
from groundswell.errors import UserError
from groundswell.records import Winner

FLAT = {"A": 0.4, "B": 0.0, "C": -0.4}


def test_a_board_clusters_by_sample_and_ranks_simultaneously(make):
    board = board_from(make.votes(FLAT, [f"s{i}" for i in range(80)], 600, 0), name="arena-t2i", modality="t2i")
    assert [rating.model for rating in board.ratings] == ["A", "B", "C"]
    assert (board.method["cluster"], board.method["clusters"]) == ("sample", 80)
    assert board.method["ranks"] == "simultaneous differences"
    assert board.ratings[0].win_rate > 0.5
    assert np.mean([rating.rating for rating in board.ratings]) == pytest.approx(1000)


def test_repeats_and_models_against_themselves_are_left_out_and_counted(make):
    once = make.comparison("s", "A", "B", "left")
    board = board_from(
        [once, once, make.comparison("s", "A", "A", "tie"), make.comparison("t", "A", "B", "right")],
        name="echo",
        modality="edit",
        left_out={"below the quorum": 3},
    )
    assert board.left_out == {"below the quorum": 3, "repeated vote": 1, "a model against itself": 1}


def test_a_board_of_nothing_is_empty_and_says_that_nobody_is_ranked():
    board = board_from([], name="empty", modality="t2i")
    assert board.ratings == ()
    assert board.method["no_interval"] == "nobody is ranked"


def test_the_same_votes_make_the_same_board(make):
    votes = list(make.votes(FLAT, [f"s{i}" for i in range(50)], 200, 1))
    assert board_from(votes, name="b", modality="t2i").key == board_from(votes[::-1], name="b", modality="t2i").key


# --- eligibility --------------------------------------------------------------------------------------------------


@pytest.fixture
def rules(make):
    endpoints = {
        "new": make.endpoint("new"),
        "other": make.endpoint("other"),
        "old": make.endpoint("old", cohort="legacy"),
        "older": make.endpoint("older", cohort="legacy"),
        "tuned": make.endpoint("tuned", modified=True),
    }
    return Rules(methodology="2026-11", endpoints=endpoints)


@pytest.mark.parametrize(
    ("left", "right", "methodology", "counts"),
    [
        ("new", "other", "2026-11", True),
        ("new", "other", "2026-01", False),
        ("new", "old", "2026-11", True),
        ("new", "old", "2026-01", False),
        ("old", "new", "2026-01", False),
        ("old", "older", "2026-01", True),
        ("old", "older", None, True),
        ("new", "other", None, False),
        ("tuned", "new", "2026-11", False),
        ("unheard", "new", "2026-11", False),
    ],
)
def test_a_vote_counts_if_both_models_qualify_for_it(make, rules, left, right, methodology, counts):
    kept, left_out = eligible([make.vote(0, "s", left, right, "left", methodology=methodology)], rules)
    assert (len(kept) == 1) is counts
    assert sum(left_out.values()) == 1 - counts


def test_a_flagged_vote_is_left_out_under_its_flag(make):
    vote = make.vote(0, "s", "A", "B", "left", methodology="m")
    rules = Rules(
        methodology="m",
        endpoints={name: make.endpoint(name) for name in "AB"},
        flags={vote.key: "too fast"},
    )
    assert eligible([vote], rules) == ([], {"flagged: too fast": 1})


# --- the arena ----------------------------------------------------------------------------------------------------


@pytest.fixture
def arena(make):
    samples = [
        make.sample(f"p{i}", use_case="consumer" if i % 4 else "frontier", capability="layout", style=["anime"])
        for i in range(60)
    ]
    by_key = {sample.key: sample for sample in samples}
    votes = list(make.votes(FLAT, list(by_key), 500, 2, methodology="m"))
    rules = Rules(methodology="m", endpoints={name: make.endpoint(name) for name in FLAT})
    plan = ArenaPlan(rules=rules, anchors={"t2i": Anchor("B")}, category_anchors={"t2i": Anchor("C")})
    return {board.name: board for board in arena_boards(votes, by_key, plan)}


def test_the_arena_has_one_board_for_all_and_one_for_every_slice(arena):
    assert sorted(arena) == [
        "arena-t2i",
        "arena-t2i/capability=layout",
        "arena-t2i/language=en",
        "arena-t2i/style=anime",
        "arena-t2i/use_case=consumer",
        "arena-t2i/use_case=frontier",
    ]
    parts = [arena[f"arena-t2i/use_case={name}"].method["votes"] for name in ("consumer", "frontier")]
    assert sum(parts) == arena["arena-t2i"].method["votes"] == 500


def test_the_overall_board_weighs_use_cases_equally_and_names_what_is_missing(arena):
    method = arena["arena-t2i"].method
    assert method["margin_error"] < 1e-6
    assert method["equal_weight"] is False
    assert "reasoning" in method["missing_categories"]["capability"]
    assert method["effective_votes"] < 500


def test_anchors_differ_between_overall_and_categories(arena):
    assert arena["arena-t2i"].method["anchor"]["model"] == "B"
    assert arena["arena-t2i/style=anime"].method["anchor"]["model"] == "C"


def test_cohorts_and_standard_endpoints_have_boards_of_their_own_votes(make):
    endpoints = {
        "A": make.endpoint("A"),
        "B": make.endpoint("B", modified=True),
        "C": make.endpoint("C", cohort="legacy"),
        "D": make.endpoint("D", cohort="legacy"),
    }
    sample = make.sample("draw")
    pairs = [("A", "B"), ("A", "C"), ("C", "D"), ("B", "D")]
    votes = [
        make.vote(number, sample.key, *pair, winner, methodology="m")
        for number, (pair, winner) in enumerate([(p, w) for p in pairs for w in ("left", "right")])
    ]
    plan = ArenaPlan(rules=Rules(methodology="m", endpoints=endpoints, modified=True))
    boards = {board.name: board for board in arena_boards(votes, {sample.key: sample}, plan)}
    assert {r.model for r in boards["arena-t2i/cohort=current"].ratings} == {"A", "B"}
    assert {r.model for r in boards["arena-t2i/cohort=legacy"].ratings} == {"C", "D"}
    assert {r.model for r in boards["arena-t2i/endpoints=standard"].ratings} == {"A", "C", "D"}
    assert "arena-t2i/endpoints=modified" not in boards


def test_comparisons_of_a_store_are_ranked_with_their_samples_or_raters_as_clusters(make):
    votes = list(make.votes(FLAT, [f"s{i}" for i in range(50)], 200, 1))
    by_sample, by_rater = (rank_comparisons(votes, RankOptions(cluster=name)) for name in (None, "rater"))
    assert by_sample["method"]["clusters"] == len({vote.sample for vote in votes})
    assert by_rater["method"]["clusters"] == 1
    assert by_rater["ratings"][0]["low"] is None
    assert rank_comparisons(votes, RankOptions(prior=350))["method"]["interval"] == "posterior"
    with pytest.raises(UserError, match="sample or rater"):
        rank_comparisons(votes, RankOptions(cluster="worker"))


def test_a_modality_has_a_board_of_its_own(make):
    samples = [make.sample("draw"), make.sample("edit", task="edit")]
    votes = [
        make.vote(number, sample.key, "A", "B", winner, methodology="m")
        for number, (sample, winner) in enumerate([(s, w) for s in samples for w in ("left", "right")])
    ]
    rules = Rules(methodology="m", endpoints={name: make.endpoint(name) for name in "AB"})
    boards = list(arena_boards(votes, {s.key: s for s in samples}, ArenaPlan(rules=rules)))
    assert [board.name for board in boards if "/" not in board.name] == ["arena-t2i", "arena-edit"]
    assert all(board.method["votes"] == 2 for board in boards)


# --- fused, and what moved ----------------------------------------------------------------------------------------


def test_a_judge_that_knows_narrows_a_fused_board(make):
    rng = np.random.default_rng(0)
    samples = [f"s{i}" for i in range(150)]
    truth = {(s, p): Winner.LEFT if rng.random() < 0.6 else Winner.RIGHT for s in samples for p in ("AB", "AC", "BC")}
    verdicts = [make.comparison(s, p[0], p[1], winner) for (s, p), winner in truth.items()]
    drawn = rng.permutation(len(truth))[:150]
    asked = [list(truth.items())[place] for place in drawn]
    votes = [
        make.vote(number, s, p[0], p[1], winner, probability=1 / 3) for number, ((s, p), winner) in enumerate(asked)
    ]
    board = fused_board(votes, verdicts, name="fused", modality="t2i", options=RankOptions(anchor=Anchor("C")))
    assert board.method["doubly_labelled"] == 150
    assert board.method["mean_half_width"] < 0.7 * board.method["mean_half_width_votes_alone"]
    assert next(r.rating for r in board.ratings if r.model == "C") == pytest.approx(1000)


def test_votes_that_rank_nobody_cannot_be_fused(make):
    with pytest.raises(UserError, match="rank nobody"):
        fused_board([make.vote(0, "s", "A", "B", "left", probability=0.5)], [], name="fused", modality="t2i")


def test_a_rise_within_noise_is_not_real(make):
    samples = [f"s{i}" for i in range(100)]
    votes = list(make.votes(FLAT, samples, 800, 3))
    rows = rises(votes[:600], votes)
    assert [row["model"] for row in rows] == ["A", "B", "C"]
    assert not any(row["real"] for row in rows)
    assert rises([], votes) == []


def test_freshness_compares_within_tags_and_passes_over_the_rest(make):
    samples = [f"s{i}" for i in range(100)]
    votes = list(make.votes(FLAT, samples, 800, 4))
    fresh = {sample: place % 2 == 0 for place, sample in enumerate(samples[:80])}
    rows = freshness(votes, fresh, dict.fromkeys(samples, "consumer"))
    assert sum(row["gap"] for row in rows) == pytest.approx(0, abs=1e-6)
    assert freshness(votes, {}, {}) == []


def test_a_rating_without_the_samples_about_that_model_stands_beside_it(make):
    own = [make.comparison(f"own{i}", "A", "B", "left") for i in range(6)]
    rest = [make.comparison(f"s{i}", "A", "B", "left" if i % 2 else "right") for i in range(8)]
    about = {comparison.sample: "A" for comparison in own}
    assert without_own(own + rest, about, RankOptions()) == {"A": pytest.approx(1000)}


def test_a_samples_model_is_found_under_its_hosts_names():
    assert is_named("nano-banana@google", "Nano Banana")
    assert is_named("nano-banana-pro", "Nano Banana")
    assert not is_named("nano-banana", "Nano Banana Pro")
    assert not is_named("nano-banana", "")
