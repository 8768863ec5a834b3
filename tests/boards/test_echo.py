"""ECHO's win rate from grades."""

from __future__ import annotations

import json

import pytest

from groundswell.boards import score_echo, score_echo_file
from groundswell.errors import UserError


def grades(*rows):
    return [{"sample": s, "model": m, "judge": j, "grade": g} for s, m, j, g in rows]


def rates(answer):
    return {row["model"]: row["win_rate"] for row in answer["models"]}


def test_two_judges_for_b_beat_one_for_a():
    rows = [("s", "A", "x", 9), ("s", "B", "x", 5), ("s", "A", "y", 3), ("s", "B", "y", 6), ("s", "A", "z", 3)]
    assert rates(score_echo(grades(*rows, ("s", "B", "z", 4)))) == {"B": 1.0, "A": 0.0}


def test_judges_that_differ_without_a_majority_make_a_tie():
    rows = [("s", "A", "x", 9), ("s", "B", "x", 5), ("s", "A", "y", 3), ("s", "B", "y", 6)]
    assert rates(score_echo(grades(*rows))) == {"A": 0.5, "B": 0.5}


def test_below_the_quorum_a_pair_is_left_out_and_counted_with_bounds():
    rows = [("s", "A", "x", 9), ("s", "B", "x", 5), ("s", "A", "y", 3), ("s", "B", "y", None)]
    rows += [("t", m, j, g) for j in "xy" for m, g in (("A", 8), ("B", 2))]
    answer = score_echo(grades(*rows))
    assert answer["left_out"]["below the quorum"] == 1
    assert answer["pairs"] == {"scored": 1, "wanted": 2}
    best = answer["models"][0]
    assert (best["model"], best["win_rate"], best["worst"], best["best"]) == ("A", 1.0, 0.5, 1.0)
    assert answer["grades_missing"] == 1


def test_a_model_without_any_pair_has_no_win_rate_rather_than_zero():
    rows = [("s", m, j, g) for j in "xy" for m, g in (("A", 8), ("B", 2), ("C", None))]
    answer = score_echo(grades(*rows))
    assert rates(answer) == {"A": 1.0, "B": 0.0, "C": None}


def test_a_win_rate_has_an_interval_over_samples_and_none_from_one_sample():
    rows = [(str(s), m, j, g if s % 4 else 5) for s in range(40) for j in "xy" for m, g in (("A", 8), ("B", 2))]
    best = score_echo(grades(*rows))["models"][0]
    # a quarter of the samples is tied: 0.875, standard error 0.5 * sqrt(3 / 16 / 40) = 0.034
    assert best["win_rate"] == pytest.approx(0.875)
    assert best["high"] - best["low"] == pytest.approx(4 * 0.034, abs=0.03)
    alone = score_echo(grades(*[row for row in rows if row[0] == "1"]))["models"][0]
    assert (alone["win_rate"], alone["low"]) == (1.0, None)


def test_separation_is_of_the_best_two():
    rows = [(s, m, j, g) for s in "st" for j in "xy" for m, g in (("A", 9), ("B", 5), ("C", 1))]
    answer = score_echo(grades(*rows))
    assert rates(answer) == {"A": 1.0, "B": 0.5, "C": 0.0}
    assert answer["separation"] == pytest.approx(1.0)


@pytest.mark.parametrize("grade", [-1, 0, 11, "8", True])
def test_a_grade_off_the_scale_is_refused_with_its_line(tmp_path, grade):
    path = tmp_path / "grades.jsonl"
    path.write_text("\n".join(map(json.dumps, grades(("s", "A", "x", 5), ("s", "B", "x", grade)))))
    with pytest.raises(UserError, match=r"grades\.jsonl:2: "):
        score_echo_file(path)


def test_a_repeated_grade_is_left_out_and_counted_and_one_that_contradicts_is_an_error():
    rows = [("s", m, j, g) for j in "xy" for m, g in (("A", 8), ("B", 2))]
    answer = score_echo(grades(*rows, ("s", "A", "x", 8)))
    assert rates(answer)["A"] == 1.0
    assert answer["left_out"]["repeated grade"] == 1
    for other in (1, None):
        with pytest.raises(UserError, match=r"grades:5: x grades A on s with .* and with 8 in line 1"):
            score_echo(grades(*rows, ("s", "A", "x", other)))


def test_grades_of_one_model_rank_nobody():
    with pytest.raises(UserError, match="fewer than two models"):
        score_echo(grades(("s", "A", "x", 5)))
