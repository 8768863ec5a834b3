"""Ratings beside their peers, and what the statistics reach by simulation, as one table each.

    python -m bench.ratings [--votes 10000000] [--simulations 2000] [--only speed|pairing|fusion]

Every speed of the first table is of a fresh process with its imports, one thread for each native library, ours the
best of three. A peer that is not installed is named as absent. arena-rank fits without a bootstrap, since its own does
not end. The logistic regression stands for the way of FastChat; it is given counts, where the released package wants a
dense row a vote (8 GB here).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
from scipy.special import expit, ndtri

from groundswell.stats.bradley_terry import ELO, fit
from groundswell.stats.fusion import draw_weights, fuse
from groundswell.stats.intervals import bootstrap, covariance
from groundswell.stats.pairing import believe, pairs
from groundswell.stats.ranking import Plan, rank
from groundswell.stats.votes import Tally, Votes, cells, grouped, tally

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

OURS = """
from groundswell.boards import RankOptions, rank_file
answer = rank_file(path, RankOptions(bootstrap=1000))
ratings = {row["model"]: row["rating"] for row in answer["ratings"]}
"""

ARENA_RANK = """
import pandas
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset
frame = pandas.read_parquet(path)
points = {"left": 1.0, "right": 0.0, "tie": 0.5}
data = PairDataset.from_pandas(frame, competitor_cols=["left", "right"], outcome_col="winner", outcome_map=points.get)
model = BradleyTerry(n_competitors=len(data.competitors))
found = model.compute_ratings_and_cis(data)
ratings = dict(zip(found["competitors"], map(float, found["ratings"])))
"""

LOGISTIC = """
import numpy, pandas
from sklearn.linear_model import LogisticRegression
frame = pandas.read_parquet(path)
table = frame.groupby(["left", "right", "winner"]).size().reset_index(name="count")
names = sorted(set(table.left) | set(table.right))
place = {name: number for number, name in enumerate(names)}
design = numpy.zeros((2 * len(table), len(names)))
for half in (0, 1):
    rows = numpy.arange(len(table)) + half * len(table)
    design[rows, [place[name] for name in table.left]] = 1
    design[rows, [place[name] for name in table.right]] = -1
won = table.winner.map({"left": 1.0, "right": 0.0, "tie": 0.5}).to_numpy()
label = numpy.repeat([1, 0], len(table))
count = table["count"].to_numpy()

def strengths(count):
    weight = numpy.concatenate([count * won, count * (1 - won)])
    used = weight > 0
    model = LogisticRegression(C=1e10, fit_intercept=False, tol=1e-6, max_iter=1000)
    return model.fit(design[used], label[used], sample_weight=weight[used]).coef_[0]

def points(strength):
    return 1000 + 400 / numpy.log(10) * (strength - strength.mean())

ratings = dict(zip(names, map(float, points(strengths(count)))))
rng = numpy.random.default_rng(0)
drawn = rng.multinomial(count.sum(), count / count.sum(), size=1000)
low, high = numpy.quantile([points(strengths(each)) for each in drawn], [0.025, 0.975], axis=0)
"""

EVALICA = """
import evalica, pandas
frame = pandas.read_parquet(path)
side = {"left": evalica.Winner.X, "right": evalica.Winner.Y, "tie": evalica.Winner.Draw}
found = evalica.bradley_terry(frame.left, frame.right, frame.winner.map(side), tolerance=1e-10, limit=100000)
import numpy
logs = numpy.log(found.scores)
ratings = (1000 + 400 / numpy.log(10) * (logs - logs.mean())).to_dict()
"""

CONTENDERS = {
    "groundswell, 1,000 draws": (OURS, 3),
    "scikit-learn logistic, 1,000 draws": (LOGISTIC, 1),
    "arena-rank, sandwich only": (ARENA_RANK, 1),
    "evalica, fit only": (EVALICA, 1),
}

WATCH = """
import time, json, sys
path, began = sys.argv[1], time.perf_counter()
{code}
seconds = time.perf_counter() - began
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(json.dumps([seconds, peak / 1024, ratings]))
"""


def world(votes: int, models: int, *, spread: float = 150, seed: int = 1) -> Votes:
    """Votes of a Bradley-Terry world, 15 % ties."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, spread / ELO, models)
    left = rng.integers(models, size=votes)
    right = (left + rng.integers(1, models, votes)) % models
    wins = rng.random(votes) < expit(strength[left] - strength[right])
    outcome = np.where(rng.random(votes) < 0.15, 0, np.where(wins, 1, -1))
    return Votes(models=models, left=left, right=right, outcome=outcome)


def written(votes: Votes, path: Path) -> None:
    """Votes as a Parquet file of strings, as they come from an arena."""
    names = pl.Series([f"model-{number:03d}-instruct" for number in range(votes.models)])
    winners = pl.Series(["right", "tie", "left"])
    pl.DataFrame(
        {"left": names[votes.left], "right": names[votes.right], "winner": winners[votes.outcome + 1]}
    ).write_parquet(path)


def timed(code: str, path: Path, repeats: int) -> tuple[float, float, dict[str, float]] | None:
    """Best seconds, MB and ratings of a fresh process; None where it fails."""
    best = None
    for _ in range(repeats):
        run = subprocess.run(
            [sys.executable, "-c", WATCH.replace("{code}", code), str(path)],
            capture_output=True,
            text=True,
            env={**os.environ, **ONE_THREAD},
            check=False,
        )
        if run.returncode:
            print(run.stderr.splitlines()[-1], file=sys.stderr)
            return None
        found = json.loads(run.stdout.splitlines()[-1])
        best = found if best is None or found[0] < best[0] else best
    return (best[0], best[1], best[2]) if best else None


def speed(count: int) -> None:
    votes = world(count, 50)
    exact = 1000 + ELO * fit(tally(votes)).strength
    print(f"\n{count:,} votes of 50 models from Parquet")
    print(f"{'':38}{'seconds':>9}{'ratio':>8}{'MB':>8}{'from exact':>12}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.parquet"
        written(votes, path)
        ours = None
        for name, (code, repeats) in CONTENDERS.items():
            found = timed(code, path, repeats)
            if found is None:
                print(f"{name:38}   absent")
                continue
            seconds, memory, ratings = found
            ours = ours or seconds
            away = max(abs(ratings[f"model-{place:03d}-instruct"] - value) for place, value in enumerate(exact))
            print(f"{name:38}{seconds:9.2f}{seconds / ours:8.1f}{memory:8.0f}{away:12.1e}")


def larger() -> None:
    """Our own limits: many models, many clusters, many slices."""
    print(f"\n{'within one process':54}{'seconds':>9}{'limit':>8}")

    def line(name: str, limit: str, work: Callable[[], object]) -> float:
        began = time.perf_counter()
        work()
        seconds = time.perf_counter() - began
        print(f"{name:54}{seconds:9.2f}{limit:>8}")
        return seconds

    many = world(1_000_000, 1000)
    placed = cells(many)
    table = tally(many, placed)
    found = fit(table)
    line("fit, 1,000 models, 1,000,000 votes", "0.5", lambda: fit(table))
    line("100 draws of it", "30", lambda: bootstrap(many, placed, table, found, draws=100, seed=0))
    for votes in (1_000_000, 10_000_000):
        few = clustered(world(votes, 50), 1_000_000)
        places = cells(few)
        counts = tally(few, places)
        fitted = fit(counts)
        name = f"sandwich over 1,000,000 prompts, {votes:,} votes"
        line(
            name,
            "1",
            lambda few=few, places=places, counts=counts, fitted=fitted: covariance(few, places, counts, fitted),
        )
    board = clustered(world(5_000_000, 50), 20_000)
    one = line("one board of 5,000,000 votes", "", lambda: rank(board, Plan(simultaneous=True)))
    line(
        "50 boards of its slices",
        f"{3 * one:.2f}",
        lambda: [rank(part, Plan(simultaneous=True)) for part in sliced(board)],
    )


def clustered(votes: Votes, clusters: int) -> Votes:
    drawn = np.random.default_rng(2).integers(clusters, size=len(votes.left))
    return Votes(models=votes.models, left=votes.left, right=votes.right, outcome=votes.outcome, cluster=drawn)


def sliced(votes: Votes, slices: int = 50) -> Iterator[Votes]:
    """Votes of every fiftieth cluster, as the arena's slices take theirs."""
    order, begins = grouped(votes.cluster)
    for start in range(slices):
        chosen = [order[begins[place] : begins[place + 1]] for place in range(start, len(begins) - 1, slices)]
        yield votes.at(np.concatenate(chosen))


# --- pairing ------------------------------------------------------------------------------------------------------


def neighbour_variance(strength: np.ndarray, first: np.ndarray, second: np.ndarray, counts: np.ndarray) -> float:
    """Summed variance of neighbour differences under the true strengths."""
    gap = strength[first] - strength[second]
    information = np.zeros((len(strength), len(strength)))
    information[first, second] = information[second, first] = -counts * expit(gap) * expit(-gap)
    covariance = np.linalg.pinv(information - np.diag(information.sum(axis=1)))
    order = np.argsort(-strength)
    own, better, worse = np.diag(covariance), order[:-1], order[1:]
    return float((own[better] + own[worse] - 2 * covariance[better, worse]).sum())


def share_of_uniform(spread: float, votes: int, seed: int, models: int = 30) -> float:
    """Votes that informed pairing needs for what uniform pairing reaches, as a share."""
    rng = np.random.default_rng(seed)
    strength = rng.permutation(spread / ELO * ndtri((np.arange(models) + 0.5) / models))
    first, second = np.triu_indices(models, 1)
    chance = expit(strength[first] - strength[second])
    wanted = neighbour_variance(strength, first, second, np.full(len(first), votes / len(first)))
    counts, wins = np.zeros(len(first)), np.zeros(len(first))
    batch = max(1, votes // 400)
    while counts.sum() < votes:
        won = np.column_stack([wins, np.zeros(len(first)), counts - wins])
        belief = believe(Tally(models=models, first=first, second=second, weight=won, square=won, count=won))
        drawn = rng.multinomial(batch, pairs(belief, rng).probability)
        counts, wins = counts + drawn, wins + rng.binomial(drawn, chance)
        if counts.sum() > votes / 4 and neighbour_variance(strength, first, second, np.maximum(counts, 1e-9)) <= wanted:
            break
    return float(counts.sum()) / votes


def pairing(simulations: int) -> None:
    print("\nInformed pairing: votes needed for what uniform pairing reaches, 30 models")
    print(f"{'SD of ratings':>14}{'votes':>9}{'share':>8}{'s.e.':>8}")
    for spread in (150, 300):
        for votes in (6_000, 20_000, 50_000):
            shares = [share_of_uniform(spread, votes, seed) for seed in range(simulations)]
            print(f"{spread:14}{votes:9,}{np.mean(shares):8.3f}{np.std(shares) / len(shares) ** 0.5:8.3f}")


# --- fusion -------------------------------------------------------------------------------------------------------

JUDGES = {
    "useless": (0.0, False),
    "biased": (0.0, True),
    "biased, half informed": (0.5, True),
    "agrees 80 %": (0.8, False),
    "agrees 90 %": (0.9, False),
}


def verdicts_of(judge: str, truth: np.ndarray, first: np.ndarray, second: np.ndarray, rng: np.random.Generator):
    share, bias = JUDGES[judge]
    if bias:
        taste = rng.normal(0, 200 / ELO, 1 + int(second.max()))
        liked = rng.random(truth.shape) < expit(taste[first] - taste[second])
        return np.where(rng.random(truth.shape) < share, truth, liked)
    if share == 0:
        return rng.random(truth.shape) < 0.5
    return np.where(rng.random(truth.shape) < share, truth, ~truth)


def fused(judge: str, seed: int, *, models: int = 10, votes: int = 1000, verdicts_a_vote: int = 20) -> list[float]:
    """Coverage of the fused and of the votes' intervals, their widths' ratio, and the judge's share."""
    rng = np.random.default_rng(seed)
    strength = rng.permutation(150 / ELO * ndtri((np.arange(models) + 0.5) / models))
    first, second = np.triu_indices(models, 1)
    samples = votes * verdicts_a_vote // len(first)
    truth = rng.random((samples, len(first))) < expit(strength[first] - strength[second])
    said = verdicts_of(judge, truth, first, second, rng)
    counts, wins = np.zeros(len(first)), np.zeros(len(first))
    drawn: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    while counts.sum() < votes:
        won = np.column_stack([wins, np.zeros(len(first)), counts - wins])
        belief = believe(Tally(models=models, first=first, second=second, weight=won, square=won, count=won))
        chance = pairs(belief, rng).probability
        pair, sample = rng.choice(len(first), 50, p=chance), rng.integers(samples, size=50)
        np.add.at(counts, pair, 1)
        np.add.at(wins, pair, truth[sample, pair])
        drawn.append((pair, sample, chance[pair]))
    pair, sample, chance = (np.concatenate(column) for column in zip(*drawn, strict=True))
    people = Votes(
        models=models,
        left=first[pair],
        right=second[pair],
        outcome=np.where(truth[sample, pair], 1, -1),
        weight=draw_weights(chance)[0],
        cluster=sample,
    )
    every = np.tile(np.arange(len(first)), samples)
    panel = Votes(
        models=models,
        left=first[every],
        right=second[every],
        outcome=np.where(said.ravel(), 1, -1),
        cluster=np.repeat(np.arange(samples), len(first)),
    )
    found = fuse(people, panel, said[sample, pair].astype(float), seed=seed)
    wide, alone = np.sqrt(np.diag(found.covariance)), np.sqrt(np.diag(found.votes_covariance))
    centred = strength - strength.mean()
    hit = np.mean(np.abs(found.strength - centred) < 1.96 * wide)
    hit_alone = np.mean(np.abs(found.votes_strength - centred) < 1.96 * alone)
    return [float(hit), float(hit_alone), float(wide.mean() / alone.mean()), found.share]


def fusion(simulations: int) -> None:
    print(f"\nFused ratings: 10 models, 1,000 votes drawn adaptively, 20 verdicts a vote, {simulations:,} repetitions")
    print(f"{'judge':24}{'covers':>8}{'votes alone':>13}{'width ratio':>13}{'share':>8}")
    for judge in JUDGES:
        covers, alone, ratio, share = np.mean([fused(judge, seed) for seed in range(simulations)], axis=0)
        print(f"{judge:24}{covers:8.3f}{alone:13.3f}{ratio:13.3f}{share:8.2f}", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--votes", type=int, default=10_000_000)
    options.add_argument("--simulations", type=int, default=2000)
    options.add_argument("--only", choices=["speed", "pairing", "fusion"])
    chosen = options.parse_args()
    if chosen.only in (None, "speed"):
        speed(chosen.votes)
        larger()
    if chosen.only in (None, "pairing"):
        pairing(min(20, chosen.simulations))
    if chosen.only in (None, "fusion"):
        fusion(chosen.simulations)


if __name__ == "__main__":
    main()
