"""The command `agree`: judges against people."""

from __future__ import annotations

import json

import pytest

from groundswell.boards import agree_files
from groundswell.errors import UserError


@pytest.fixture
def agreement(tmp_path):
    def run(judgments, votes):
        paths = tmp_path / "judgments.jsonl", tmp_path / "votes.jsonl"
        for path, rows in zip(paths, (judgments, votes), strict=True):
            path.write_text("\n".join(map(json.dumps, rows)))
        return agree_files(*paths)

    return run


def says(who, name, *rows):
    return [{"sample": s, "left": a, "right": b, "winner": w, who: name} for s, a, b, w in rows]


def test_accuracy_tau_and_coverage_by_hand(agreement):
    people = says("rater", "p", ("1", "A", "B", "left"), ("2", "A", "B", "right"), ("3", "A", "B", "tie"))
    people += says("rater", "p", ("4", "A", "B", "left"))
    judged = says("judge", "j", ("1", "A", "B", "left"), ("2", "A", "B", "left"), ("3", "A", "B", "tie"))
    (judge,) = agreement(judged, people)["judges"]
    assert judge["accuracy"] == pytest.approx(2 / 3)
    assert judge["accuracy_decisive"] == pytest.approx(1 / 2)
    assert judge["tau_b"] == pytest.approx(0)
    assert (judge["votes"], judge["votes_judged"]) == (4, 3)
    assert (judge["accuracy_worst"], judge["accuracy_best"]) == (0.5, 0.75)


def test_sides_do_not_matter(agreement):
    people = says("rater", "p", ("1", "A", "B", "left"), ("2", "A", "B", "right"))
    judged = says("judge", "j", ("1", "B", "A", "right"), ("2", "B", "A", "left"))
    (judge,) = agreement(judged, people)["judges"]
    assert (judge["accuracy"], judge["tau_b"]) == (1.0, 1.0)


def test_a_verdict_that_flips_with_the_order_is_a_tie_and_the_rate_is_published(agreement):
    people = says("rater", "p", ("1", "A", "B", "tie"), ("2", "A", "B", "left"))
    judged = says("judge", "j", ("1", "A", "B", "left"), ("1", "B", "A", "left"))
    judged += says("judge", "j", ("2", "A", "B", "left"), ("2", "B", "A", "right"))
    (judge,) = agreement(judged, people)["judges"]
    assert judge["flip_rate"] == pytest.approx(0.5)
    assert judge["accuracy"] == 1.0


def test_a_judge_asked_in_one_order_has_no_flip_rate(agreement):
    rows = (("1", "A", "B", "left"),)
    (judge,) = agreement(says("judge", "j", *rows), says("rater", "p", *rows))["judges"]
    assert judge["flip_rate"] is None


def test_a_verdict_that_was_not_read_agrees_with_nobody_and_is_counted(agreement):
    people = says("rater", "p", ("1", "A", "B", "tie"))
    (judge,) = agreement(says("judge", "j", ("1", "A", "B", None)), people)["judges"]
    assert judge["accuracy"] is None
    assert (judge["unread"], judge["accuracy_worst"], judge["accuracy_best"]) == (1, 0.0, 1.0)


def test_both_bad_is_not_the_same_as_tie_for_accuracy(agreement):
    people = says("rater", "p", ("1", "A", "B", "both_bad"))
    (judge,) = agreement(says("judge", "j", ("1", "A", "B", "tie")), people)["judges"]
    assert judge["accuracy"] == 0.0


def test_rankings_are_read_and_people_have_a_w(agreement):
    people = [{"sample": "1", "rater": rater, "order": [["A"], ["B", "C"]]} for rater in "pq"]
    judged = [{"sample": "1", "judge": "j", "order": [["A"], ["B"], ["C"]]}]
    answer = agreement(judged, people)
    assert answer["people"]["w"] == pytest.approx(1)
    assert answer["people"]["alpha"] == pytest.approx(1)
    # each rater: two of three pairs concordant, the third tied by the rater: 4 / sqrt(6 * 4)
    assert answer["judges"][0]["tau_b"] == pytest.approx(4 / 24**0.5)


def test_opposite_rankings_have_no_concordance(agreement):
    people = [{"sample": "1", "rater": r, "order": [[m] for m in o]} for r, o in (("p", "ABC"), ("q", "CBA"))]
    answer = agreement([{"sample": "1", "judge": "j", "order": [["A"], ["B"], ["C"]]}], people)
    assert answer["people"]["w"] == pytest.approx(0)


def test_one_rater_alone_has_neither_w_nor_alpha(agreement):
    rows = (("1", "A", "B", "left"), ("2", "A", "B", "left"))
    people = agreement(says("judge", "j", *rows), says("rater", "p", *rows))["people"]
    assert (people["w"], people["alpha"]) == (None, None)


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"sample": "1", "left": "A", "right": "B", "winner": "model_a", "judge": "j"}, "does not fit"),
        ({"sample": "1", "left": "A", "right": "B", "winner": "left"}, "does not say its judge"),
        ({"sample": "1", "left": "A", "judge": "j"}, "needs left, right and winner"),
        ({"sample": "1", "left": "A", "right": "A", "winner": "tie", "judge": "j"}, "compared with itself"),
        ({"sample": "1", "judge": "j", "order": [["A"], ["A", "B"]]}, "stands twice"),
    ],
)
def test_a_row_that_is_no_verdict_stops_with_its_line(agreement, row, words):
    with pytest.raises(UserError, match=r"judgments\.jsonl:1: ") as caught:
        agreement([row], says("rater", "p", ("1", "A", "B", "left")))
    assert words in str(caught.value)


def test_a_vote_that_a_person_gives_again_counts_once(agreement):
    people = says("rater", "p", ("1", "A", "B", "left"), ("1", "A", "B", "left"), ("1", "B", "A", "right"))
    people += says("rater", "q", ("1", "A", "B", "left"), ("2", "A", "B", "right"))
    judged = says("judge", "j", ("1", "A", "B", "left"), ("2", "A", "B", "left"))
    found = agreement(judged, people)
    (judge,) = found["judges"]
    assert (judge["votes"], judge["accuracy"]) == (3, pytest.approx(2 / 3))
    assert found["people"]["votes"] == 3
    assert found["left_out"] == {"repeated vote": 2}
