"""Counts over a snapshot: records, windows of time, shares with their intervals."""

import msgspec
import pytest

from groundswell.publish import endpoint_view
from groundswell.publish.board_view import board_view
from groundswell.publish.facts import Facts, WinLoss, share


def test_a_record_counts_a_tie_as_half_and_keeps_both_bad_apart(world):
    facts = Facts(world.collect())
    arena = facts.against(world.boards[1])
    assert arena["ada"]["bob"] == WinLoss(wins=0, ties=2, losses=0, both_bad=2)
    assert arena["ada"]["cyd"] == WinLoss(losses=2)
    assert WinLoss(wins=1, ties=1).share == 0.75
    assert WinLoss().share is None


def test_panel_and_people_are_not_mixed(world):
    facts = Facts(world.collect())
    assert {key for key, _ in facts.comparisons(world.boards[0])}.isdisjoint(
        key for key, _ in facts.comparisons(world.boards[1])
    )


def test_a_share_of_few_samples_has_no_interval():
    assert share("x", [1.0, 0.0]).low is None
    wide = share("x", [1.0, 1.0, 0.0, 0.0, 0.5])
    assert (wide.mean, round(wide.low, 3), round(wide.high, 3)) == (0.5, 0.062, 0.938)


def test_the_window_of_one_two_three_four_hundred_is_that_of_the_methods(world):
    window = endpoint_view.windows(Facts(world.collect()))["ada"]
    assert window.band == pytest.approx((1.2, 3.0, 80.8))
    assert window.failures == 1


def test_a_window_with_failures_only_has_no_median(world):
    window = endpoint_view.windows(Facts(world.collect()))["bob"]
    assert window.band is None
    assert window.text == "No successful measurement in 14 days; 1 failure of 1."


def test_the_same_model_looks_the_same_and_families_differ(world):
    models = Facts(world.collect()).models
    looks = {name: (model.colour, model.shape) for name, model in models.items()}
    assert len({looks["ada"], looks["bob"], looks["cyd"]}) == 3
    assert models["copy-input"].baseline


def test_a_board_of_votes_alone_does_not_know_what_was_refused(world):
    """Nobody was asked for anything here: neither 0 refusals nor 0 failures are known, and both are shown as a dash."""
    votes_alone = msgspec.structs.replace(Facts(world.collect()).snapshot, outcomes={}, verdicts={})
    board = msgspec.structs.replace(world.boards[1], coverage={})
    rows = board_view(Facts(votes_alone), board).rows
    assert rows
    assert {(row.scored, row.refused, row.failed) for row in rows} == {(None, None, None)}
