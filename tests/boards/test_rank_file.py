"""The command `rank`: files as people have them, and what is refused."""

from __future__ import annotations

import json

import polars as pl
import pytest

from groundswell.boards import Anchor, RankOptions, parse_anchor, rank_file
from groundswell.errors import UserError

EVEN = "left,right,winner\nA,B,left\nA,B,right\n"


@pytest.fixture
def file(tmp_path):
    def write(text, name="votes.csv"):
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


def rated(answer):
    return {row["model"]: round(row["rating"], 3) for row in answer["ratings"]}


def test_three_wins_of_four_are_191_points(file):
    answer = rank_file(file("left,right,winner\nA,B,left\nB,A,right\nA,B,left\nA,B,right\n"))
    assert rated(answer) == {"A": 1095.424, "B": 904.576}
    assert list(answer["ratings"][0]) == [
        "model", "rating", "low", "high", "rank", "rank_low", "rank_high", "games",
    ]  # fmt: skip
    assert answer["unranked"] == []
    assert answer["left_out"] == {}


def test_the_anchor_is_where_it_was_put(file):
    answer = rank_file(file(EVEN), RankOptions(anchor=parse_anchor("B=1200")))
    assert rated(answer) == {"A": 1200.0, "B": 1200.0}
    assert answer["method"]["anchor"] == {"model": "B", "rating": 1200.0}


def test_an_absent_anchor_leaves_the_mean_at_1000_and_the_answer_says_so(file):
    answer = rank_file(file(EVEN), RankOptions(anchor=Anchor("C")))
    assert rated(answer) == {"A": 1000.0, "B": 1000.0}
    assert answer["method"]["anchor"] is None
    assert "anchor C is not on this board" in answer["method"]["centre"]


def test_an_anchor_may_have_an_equals_sign_in_its_name():
    assert parse_anchor("flux=dev=900") == Anchor("flux=dev", 900.0)
    assert parse_anchor("flux") == Anchor("flux", 1000.0)
    with pytest.raises(UserError, match="NAME=NUMBER"):
        parse_anchor("flux=many")


def test_byte_order_mark_crlf_commas_and_unicode_in_names_are_read(file):
    answer = rank_file(file('\ufeffleft,right,winner\r\n"Ünï, 2",模型,left\r\n模型,"Ünï, 2",left\r\n'))
    assert rated(answer) == {"Ünï, 2": 1000.0, "模型": 1000.0}


def test_csv_jsonl_and_parquet_give_the_same_answer(file, tmp_path):
    rows = [("A", "B", "left"), ("B", "C", "left"), ("C", "A", "left"), ("A", "B", "tie"), ("A", "C", "both_bad")]
    frame = pl.DataFrame(rows, schema=["left", "right", "winner"], orient="row")
    frame.write_parquet(tmp_path / "votes.parquet")
    lines = "\n".join(json.dumps(row) for row in frame.iter_rows(named=True))
    answers = [
        rank_file(tmp_path / "votes.parquet"),
        rank_file(file(lines, "votes.jsonl")),
        rank_file(file(frame.write_csv())),
    ]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0]["method"]["winners"] == {"left": 3, "right": 0, "tie": 1, "both_bad": 1}


def test_both_bad_counts_as_a_tie_in_the_fit(file):
    bad = rank_file(file(EVEN + "A,B,left\nA,B,both_bad\n"))
    tie = rank_file(file(EVEN + "A,B,left\nA,B,tie\n"))
    assert rated(bad) == rated(tie)


def test_an_undefeated_model_is_unranked_above_with_a_bound_and_says_why(file):
    answer = rank_file(file(EVEN + "C,A,left\nC,B,left\n"))
    assert list(rated(answer)) == ["A", "B"]
    (row,) = answer["unranked"]
    assert (row["model"], row["side"]) == ("C", "above")
    assert "never lost" in row["why"]
    assert row["bound"] > 700
    assert answer["left_out"] == {"a model of it is unranked": 2}


def test_a_repeated_vote_is_left_out_and_counted(file):
    text = "vote_id,left,right,winner\n1,A,B,left\n2,A,B,right\n2,A,B,right\n"
    answer = rank_file(file(text))
    assert rated(answer) == {"A": 1000.0, "B": 1000.0}
    assert answer["left_out"] == {"repeated vote": 1}


def test_one_id_of_two_workers_is_two_votes(file):
    answer = rank_file(file("id,worker,left,right,winner\n7,x,A,B,left\n7,y,A,B,right\n"))
    assert answer["left_out"] == {}
    assert answer["method"]["votes"] == 2


def test_weight_zero_is_left_out_and_wide_weights_are_named(file):
    text = "left,right,winner,w\nA,B,left,1\nA,B,right,1000000\nA,B,left,0\n"
    answer = rank_file(file(text), RankOptions(weights="w"))
    assert answer["left_out"] == {"weight 0": 1}
    assert "few votes decide" in answer["method"]["weights"]["warning"]


def test_weights_that_no_fit_can_hold_are_refused(file):
    with pytest.raises(UserError, match=r"votes\.csv: weights span"):
        rank_file(file("left,right,winner,w\nA,B,left,1\nA,B,right,1e200\n"), RankOptions(weights="w"))


def test_weights_that_are_all_zero_are_refused(file):
    with pytest.raises(UserError, match="no vote has a weight above 0"):
        rank_file(file("left,right,winner,w\nA,B,left,0\n"), RankOptions(weights="w"))


def test_clusters_of_a_column_widen_the_interval_of_votes_that_go_together(file):
    lines = [f"A,B,{'left' if prompt % 3 else 'right'},p{prompt}" for prompt in range(30) for _ in range(5)]
    path = file("left,right,winner,prompt\n" + "\n".join(lines))
    alone, clustered = rank_file(path), rank_file(path, RankOptions(cluster="prompt"))
    half = [answer["ratings"][0]["high"] - answer["ratings"][0]["rating"] for answer in (alone, clustered)]
    # five equal votes a prompt: sqrt(5) wider
    assert half[1] / half[0] == pytest.approx(5**0.5)
    assert clustered["method"]["clusters"] == 30
    assert "only 30 clusters" in clustered["method"]["warnings"][0]


def test_ranks_of_the_command_are_pointwise_and_say_so(file):
    assert rank_file(file(EVEN))["method"]["ranks"] == "pointwise differences"


def test_davidson_without_a_tie_names_the_remedy(file):
    with pytest.raises(UserError, match="--ties half"):
        rank_file(file(EVEN), RankOptions(ties="davidson"))


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (EVEN + "A,B,lefft\n", ":4", "'lefft' is not left, right, tie or both_bad"),
        (EVEN + "A,B,\n", ":4", "is not left, right, tie or both_bad"),
        (EVEN + "A,A,left\n", ":4", "A is compared with itself"),
        (EVEN + ",B,left\n", ":4", "a model's name is missing"),
        ('left,right,winner\n"two\nlines",B,left\nA,A,tie\n', ":4", "A is compared with itself"),
        ("left,right,winner\n", "", "no votes"),
        ("", "", "empty"),
        ("left,rigth,winner\nA,B,left\n", "", "missing columns: right (is it rigth?)"),
    ],
)
def test_a_row_that_is_no_comparison_stops_with_its_place(file, text, place, words):
    with pytest.raises(UserError) as caught:
        rank_file(file(text))
    assert f"votes.csv{place}: " in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.parametrize("weight", ["NaN", "-1", "inf", "", "heavy"])
def test_a_weight_that_is_no_number_from_zero_up_stops_with_its_place(file, weight):
    with pytest.raises(UserError, match=r"votes\.csv:3: weight .* is not a number"):
        rank_file(file(f"left,right,winner,w\nA,B,left,1\nA,B,right,{weight}\n"), RankOptions(weights="w"))


def test_an_unknown_winner_in_parquet_names_its_row(tmp_path):
    pl.DataFrame({"left": ["A", "A"], "right": ["B", "B"], "winner": ["left", "model_a"]}).write_parquet(
        tmp_path / "votes.parquet"
    )
    with pytest.raises(UserError, match="row 2: winner 'model_a'"):
        rank_file(tmp_path / "votes.parquet")


def test_an_unknown_winner_in_jsonl_names_its_line(file):
    lines = '{"left": "A", "right": "B", "winner": "left"}\n\n{"left": "A", "right": "B", "winner": 1}\n'
    with pytest.raises(UserError, match=r"votes\.jsonl:3: winner 1 is not"):
        rank_file(file(lines, "votes.jsonl"))


def test_a_file_that_is_not_there_or_not_parquet_is_named(tmp_path, file):
    with pytest.raises(UserError, match="no such file"):
        rank_file(tmp_path / "none.parquet")
    with pytest.raises(UserError, match="cannot be read as parquet"):
        rank_file(file("this is certainly no parquet file", "votes.parquet"))


def test_a_prior_ranks_the_undefeated_and_says_what_it_did(file):
    answer = rank_file(file(EVEN + "C,A,left\nC,B,left\n"), RankOptions(prior=350))
    assert [row["model"] for row in answer["ratings"]] == ["C", "A", "B"]
    assert answer["unranked"] == []
    method = answer["method"]
    assert "not maximum likelihood" in method["model"]
    assert method["prior"]["deviation"] == 350
    assert method["interval"] == "posterior"


@pytest.mark.parametrize("more", [{"cluster": "left"}, {"weights": "w"}, {"bootstrap": 10}, {"ties": "davidson"}])
def test_a_prior_goes_with_plain_votes_only(file, more):
    text = "left,right,winner,w\nA,B,left,1\nA,B,right,1\nA,B,tie,1\n"
    with pytest.raises(UserError, match="plain votes only"):
        rank_file(file(text), RankOptions(prior=350, **more))
