"""Ratings and agreement on published votes, against their published or independently computed numbers."""

from __future__ import annotations

import ast
import csv
import json

import numpy as np
import polars as pl
import pytest

from groundswell.boards import RankOptions, agree_files, rank_file
from groundswell.errors import UserError
from groundswell.stats import agreement
from groundswell.stats.bradley_terry import fit
from groundswell.stats.elo import elo_history
from groundswell.stats.fusion import fuse
from groundswell.stats.votes import Votes, tally
from groundswell.stats.win_rate import win_rate


def lines(path):
    return path.read_text().splitlines()


@pytest.fixture(scope="module")
def expected(shared):
    return json.loads((shared / "EXPECTED.json").read_text())["votes"]


@pytest.fixture(scope="module")
def golden(shared):
    def scores(name, algorithm):
        rows = csv.DictReader(lines(shared / "votes/evalica" / f"{name}-golden.csv"))
        return {row["item"]: float(row["score"]) for row in rows if row["algorithm"] == algorithm}

    return scores


def numbered(path):
    frame = pl.read_csv(path, infer_schema=False)
    names = sorted(set(frame["left"]) | set(frame["right"]))
    place = {name: number for number, name in enumerate(names)}
    outcome = {"left": 1, "tie": 0, "right": -1}
    votes = Votes(
        models=len(names),
        left=np.array([place[name] for name in frame["left"]]),
        right=np.array([place[name] for name in frame["right"]]),
        outcome=np.array([outcome[winner] for winner in frame["winner"]]),
    )
    return names, votes


@pytest.mark.parametrize("name", ["food", "simple", "llmfao"])
def test_ratings_are_the_golden_ones(shared, expected, name):
    answer = rank_file(shared / "votes/evalica" / f"{name}.csv")
    wanted = expected[name]["ratings_mean_1000"]
    assert {row["model"]: row["games"] for row in answer["ratings"]} == {m: w["games"] for m, w in wanted.items()}
    for row in answer["ratings"]:
        assert row["rating"] == pytest.approx(wanted[row["model"]]["rating"], abs=0.001)
        # the golden intervals carry a ridge of 1e-5 a vote in the information: 0.03 points, and 0.3 % for llmfao
        width = wanted[row["model"]]["high"] - wanted[row["model"]]["low"]
        assert row["low"] == pytest.approx(wanted[row["model"]]["low"], abs=max(0.03, 0.002 * width))
        assert row["high"] == pytest.approx(wanted[row["model"]]["high"], abs=max(0.03, 0.002 * width))


@pytest.mark.parametrize("name", ["food", "simple", "llmfao"])
def test_golden_bradley_terry_scores_are_met_to_a_millionth_of_a_point(shared, golden, name):
    names, votes = numbered(shared / "votes/evalica" / f"{name}.csv")
    scores = golden(name, "bradley_terry")
    logs = np.log([scores[item] for item in names])
    assert fit(tally(votes)).strength == pytest.approx(logs - logs.mean(), abs=1e-8)


@pytest.mark.parametrize("name", ["food", "simple", "llmfao"])
def test_golden_win_rates_and_elo_are_met(shared, golden, name):
    names, votes = numbered(shared / "votes/evalica" / f"{name}.csv")
    elo = golden(name, "elo")
    assert elo_history(votes, [votes.total])[0] == pytest.approx([elo[item] for item in names], abs=1e-6)
    rates = golden(name, "average_win_rate")
    if name == "food":
        assert win_rate(votes).over_opponents == pytest.approx([rates[item] for item in names])


def test_food_loses_its_bootstrap_interval_since_draws_lack_a_maximum(shared):
    answer = rank_file(shared / "votes/evalica/food.csv", RankOptions(bootstrap=1000))
    assert answer["method"]["bootstrap"]["without_maximum"] == pytest.approx(64, abs=20)
    assert answer["ratings"][0]["low"] is None


def test_workers_as_clusters_widen_the_intervals_of_llmfao(shared):
    path = shared / "votes/evalica/llmfao.csv"
    alone, workers = rank_file(path), rank_file(path, RankOptions(cluster="worker"))
    assert workers["method"]["clusters"] == 124
    assert np.mean([r["high"] - r["low"] for r in workers["ratings"]]) > np.mean(
        [r["high"] - r["low"] for r in alone["ratings"]]
    )


def test_solver_timings_are_refused_naming_the_missing_columns(shared):
    with pytest.raises(UserError, match="missing columns: left, right, winner"):
        rank_file(shared / "votes/evalica/chatbot_arena.csv")


def test_choix_cases_have_their_estimates(shared):
    for path in sorted((shared / "votes/choix").glob("testcase-pairwise-*.json")):
        case = json.loads(path.read_text())
        won, lost = np.array(case["data"]).T
        votes = Votes(models=case["n_items"], left=won, right=lost, outcome=np.ones(len(won), dtype=int))
        assert fit(tally(votes)).strength == pytest.approx(case["ml_est"], abs=1e-8)


@pytest.mark.parametrize("name", ["rankings", "top1"])
def test_choix_rankings_and_choices_have_their_estimates_as_pairs(shared, name):
    for path in sorted((shared / "votes/choix").glob(f"testcase-{name}-*.json")):
        case = json.loads(path.read_text())
        chosen = case["data"]
        if name == "rankings":
            chosen = [(row[place], row[place + 1 :]) for row in case["data"] for place in range(len(row) - 1)]
        won, lost = np.array([(best, other) for best, others in chosen for other in others]).T
        votes = Votes(models=case["n_items"], left=won, right=lost, outcome=np.ones(len(won), dtype=int))
        assert fit(tally(votes)).strength == pytest.approx(case["ml_est"], abs=1e-8)


HUMAN = {"leftvote": "left", "rightvote": "right", "tievote": "tie", "bothbad_vote": "both_bad"}
VERDICT = {
    "[[A>B]]": "left", "[[B>A]]": "right", "[[A=B=Good]]": "tie", "[[A=B]]": "tie", "[[A=B=Bad]]": "both_bad",
}  # fmt: skip


def test_genai_bench_accuracies_are_the_published_ones(shared, expected, tmp_path):
    judgments, votes = tmp_path / "judgments.jsonl", tmp_path / "votes.jsonl"
    with judgments.open("w") as judged, votes.open("w") as people:
        for line in lines(shared / "votes/genai_bench/image_generation_votes.jsonl"):
            row = json.loads(line)
            pair = {"sample": row["idx"], "left": "A", "right": "B"}
            people.write(json.dumps({**pair, "winner": HUMAN[row["human_vote"]], "rater": "people"}) + "\n")
            for judge, said in row["model_votes"].items():
                judged.write(json.dumps({**pair, "winner": VERDICT.get(said), "judge": judge}) + "\n")
    wanted = expected["genai_bench_image_generation"]["judges"]
    found = agree_files(judgments, votes)["judges"]
    assert len(found) == len(wanted)
    for judge in found:
        published = wanted[judge["judge"]]
        assert 100 * judge["accuracy_worst"] == pytest.approx(published["accuracy_percent"], abs=0.006)
        readable = published["accuracy_percent_on_readable"]
        assert judge["accuracy"] == (None if readable is None else pytest.approx(readable / 100, abs=6e-5))


def test_a_real_judge_narrows_a_quarter_of_the_genai_bench_votes(shared):
    # the models' names are absent, so that all that can be rated is the left place against the right one
    rows = [json.loads(line) for line in lines(shared / "votes/genai_bench/image_generation_votes.jsonl")]
    points = {"left": 1, "right": -1, "tie": 0, "both_bad": 0}
    people = np.array([points[HUMAN[row["human_vote"]]] for row in rows])
    said = np.array([points.get(VERDICT.get(row["model_votes"]["gpt4o"]), np.nan) for row in rows])
    asked, read = np.arange(0, len(rows), 4), np.flatnonzero(~np.isnan(said))

    def places(which, outcome):
        zero = np.zeros(len(which), dtype=int)
        return Votes(models=2, left=zero, right=zero + 1, outcome=outcome[which].astype(int), cluster=which)

    found = fuse(places(asked, people), places(read, said), (1 + said[asked]) / 2)
    narrower = np.sqrt(found.covariance[0, 0] / found.votes_covariance[0, 0])
    # tau-b is 0.37, and the judge spoke four times as often: sqrt(1 - 0.37^2 * 3 / 4) = 0.95
    assert narrower == pytest.approx(0.95, abs=0.03)
    everyone = fit(tally(places(np.arange(len(rows)), people))).strength
    assert abs(found.strength[0] - everyone[0]) < 3 * np.sqrt(found.covariance[0, 0])


def judge_scores(path):
    """(model, uid) -> SC, PQ and overall of a judge, by the rule in EXPECTED.json."""
    scores = {}
    for row in csv.DictReader(lines(path)):
        if "null" not in (row["sc"], row["pq"]) and row["sc"] and row["pq"]:
            sc, pq = (np.min(json.loads(row[column])) for column in ("sc", "pq"))
            scores[row["model"], row["uid"]] = (sc / 10, pq / 10, (sc * pq) ** 0.5 / 10)
    return scores


def people_scores(folder):
    """(model, uid) -> means over raters of SC, PQ and sqrt(SC * PQ)."""
    gathered = {}
    for path in sorted(folder.glob("Text-Guided_IE_rater*.tsv")):
        for row in csv.DictReader(lines(path), delimiter="\t"):
            uid = row.pop("uid")
            for model, cell in row.items():
                sc, pq = ast.literal_eval(cell)
                gathered.setdefault((model, uid), []).append((sc, pq, (sc * pq) ** 0.5))
    return {pair: tuple(np.mean(ratings, axis=0)) for pair, ratings in gathered.items()}


@pytest.mark.parametrize("judge", ["gpt4o", "gpt4v", "gemini", "llava"])
def test_viescore_correlations_are_the_recomputed_ones(shared, expected, judge):
    wanted = expected["viescore_text_guided_ie"]["judges"][judge]
    people = people_scores(shared / "votes/imagenhub")
    scores = judge_scores(shared / "votes/viescore" / f"{judge}_0shot.Text-Guided_IE.csv")
    pairs = [pair for pair in scores if pair in people]
    assert len(pairs) == wanted["usable"]

    def correlation(column, chosen):
        one, two = (np.array([table[pair][column] for pair in chosen]) for table in (scores, people))
        return float(agreement.spearman(one, two)(np.ones((1, len(chosen))))[0])

    pooled = [correlation(column, pairs) for column in range(3)]
    assert pooled == pytest.approx(wanted["pooled_SC_PQ_O"], abs=0.0005)
    models = sorted({model for model, _ in pairs})
    for column in range(3):
        each = [correlation(column, [pair for pair in pairs if pair[0] == model]) for model in models]
        assert agreement.fisher_mean(each) == pytest.approx(wanted["fisher_SC_PQ_O"][column], abs=0.0005)
