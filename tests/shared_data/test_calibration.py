"""Judges against people on published votes, by the arithmetic and the calibration that boards use."""

from __future__ import annotations

import ast
import csv
import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import groundswell.judge
from groundswell.ask import rubrics
from groundswell.boards.agreement import Opinion
from groundswell.boards.calibration import calibrate
from groundswell.judge.arithmetic import grade
from groundswell.records import Winner
from groundswell.stats.agreement import estimates, spearman

VIESCORE = rubrics.load(Path(groundswell.judge.__file__).parent / "rubrics" / "viescore.md")
HUMAN = {"leftvote": "left", "rightvote": "right", "tievote": "tie", "bothbad_vote": "both_bad"}
VERDICT = {
    "[[A>B]]": "left", "[[B>A]]": "right", "[[A=B=Good]]": "tie", "[[A=B]]": "tie", "[[A=B=Bad]]": "both_bad",
}  # fmt: skip


def judged(path):
    """(model, uid) -> GPT-4o's grade by the arithmetic of our VIEScore rubric.

    A list of one score stands for both dimensions of its group: the lowest counts.
    """
    names = [dimension.name for dimension in VIESCORE.dimensions]
    found = {}
    for row in csv.DictReader(path.read_text().splitlines()):
        content, quality = (min(ast.literal_eval(row[column])) for column in ("sc", "pq"))
        scores = dict(zip(names, (content, content, quality, quality), strict=True))
        found[row["model"], row["uid"]] = grade(VIESCORE, scores)
    return found


def rated(folder):
    """(model, uid) -> sqrt(SC * PQ) of each rater."""
    found = {}
    for path in sorted(folder.glob("Text-Guided_IE_rater*.tsv")):
        for row in csv.DictReader(path.read_text().splitlines(), delimiter="\t"):
            uid = row.pop("uid")
            for model, cell in row.items():
                sc, pq = ast.literal_eval(cell)
                found.setdefault((model, uid), []).append((sc * pq) ** 0.5)
    return found


def test_gpt4os_pooled_spearman_with_people_is_0_589_over_1432_edits(shared):
    judge, people = judged(shared / "votes/viescore/gpt4o_0shot.Text-Guided_IE.csv"), rated(shared / "votes/imagenhub")
    edits = [edit for edit in judge if edit in people]
    assert len(edits) == 1432
    pictures = {uid: place for place, uid in enumerate(dict.fromkeys(uid for _, uid in edits))}
    ours, theirs = np.array([judge[edit] for edit in edits]), np.array([np.mean(people[edit]) for edit in edits])
    statistic = spearman(ours, theirs, np.array([pictures[uid] for _, uid in edits]))
    found = estimates({"spearman": statistic}, len(pictures), seed=0)["spearman"]
    assert found.value == pytest.approx(0.589, abs=0.003)
    assert 0.5 < found.low < found.value < found.high < 0.68


def test_gpt4os_pairs_of_edits_are_calibrated_whole_and_by_kind(shared):
    judge, people = judged(shared / "votes/viescore/gpt4o_0shot.Text-Guided_IE.csv"), rated(shared / "votes/imagenhub")
    by_picture = {}
    for model, uid in judge:
        if (model, uid) in people:
            by_picture.setdefault(uid, []).append(model)
    rows = [(uid, *pair) for uid, models in by_picture.items() for pair in combinations(sorted(models), 2)]
    said = [opinion(uid, one, two, judge[one, uid], judge[two, uid], "gpt4o") for uid, one, two in rows]
    votes = [
        opinion(uid, one, two, people[one, uid][rater], people[two, uid][rater], f"rater {rater}")
        for uid, one, two in rows
        for rater in range(3)
    ]
    tags = {uid: {"category": f"picture {number % 2}"} for number, uid in enumerate(by_picture)}
    found = calibrate(said, votes, tags)
    (row,) = found["judges"]
    assert row["votes_judged"] == len(votes)
    assert 0.2 < row["tau_b_interval"][0] < row["tau_b"] < row["tau_b_interval"][1] < 0.6
    assert 0.15 < row["alpha"] < found["people"]["alpha"], "people agree more with each other than the judge with them"
    halves = found["slices"]["category"]
    assert sum(half["votes"] for half in halves.values()) == len(votes)
    assert all(half["judges"][0]["tau_b"] > 0.2 for half in halves.values())


def opinion(sample, left, right, one, two, by):
    winner = Winner.TIE if abs(one - two) < 1e-9 else Winner.LEFT if one > two else Winner.RIGHT
    return Opinion(sample=sample, left=left, right=right, winner=winner, by=by)


def test_genai_benchs_judges_have_their_published_accuracies_on_what_was_read(shared):
    wanted = json.loads((shared / "EXPECTED.json").read_text())["votes"]["genai_bench_image_generation"]["judges"]
    said, votes = [], []
    for line in (shared / "votes/genai_bench/image_generation_votes.jsonl").read_text().splitlines():
        row = json.loads(line)
        pair = {"sample": str(row["idx"]), "left": "A", "right": "B"}
        votes.append(Opinion(**pair, winner=Winner(HUMAN[row["human_vote"]]), by="people"))
        for judge, verdict in row["model_votes"].items():
            winner = Winner(VERDICT[verdict]) if verdict in VERDICT else None
            said.append(Opinion(**pair, winner=winner, by=judge))
    found = {row["judge"]: row for row in calibrate(said, votes, {})["judges"]}
    for judge, published in wanted.items():
        readable = published["accuracy_percent_on_readable"]
        got = found[judge]["accuracy"]
        assert got == (None if readable is None else pytest.approx(readable / 100, abs=6e-5)), judge
    low, high = found["random"]["tau_b_interval"]
    assert low < 0 < high, "a judge that guesses agrees with nobody"
    assert found["gpt4o"]["tau_b_interval"][0] > 0.3
