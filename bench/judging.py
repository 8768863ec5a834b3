"""Judges: how often the report card catches a biased one, and what adaptive grading saves, by simulation.

    python -m bench.judging [--judges 200] [--simulations 2000] [--only card|adaptive]

Adaptive grading: a full matrix of 8 models x 1,000 samples in whole grades of 1 to 10, win rates spaced as ECHO's
published image-to-image board, graded until five tiers have parted. Every way stops by the same bounds and is wrong
when any of the 56 leads lies outside its own at the stop. `shared` is the standard deviation of what makes a sample
hard for all models alike, in grades; a model's own is 1.5.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from scipy import stats

from groundswell.judge import adaptive
from groundswell.judge.rehearsal import STRENGTHS, rehearse

BOARD = np.array([0.81, 0.66, 0.53, 0.49, 0.48, 0.45, 0.18, 0.07])
"""ECHO's published win rates, image to image; they are shifted to a mean of 1/2, which a full matrix has."""

TIERS = [[0], [1], [2, 3, 4, 5], [6], [7]]
MODELS, SAMPLES, NOISE = len(BOARD), 1000, 1.5
SHARED = (0.0, 1.0)
FALSE_ALARMS = 0.05
COVERAGE = 0.95


def card_table(judges: int) -> bool:
    """Share of scripted judges that fail the card, by bias and strength; true if the noisy ones are not accused."""
    began = time.process_time()
    rates = rehearse(judges, seed=1)
    noisy = rates[0]
    print(f"\n{judges} scripted judges a cell, noise of 0.3 to 1.0 grades, 40 cases of each kind.\n")
    strengths = [strength for strength in STRENGTHS if strength > 0]
    print("| bias | " + " | ".join(f"strength {each:g}" for each in strengths) + " |")
    print("|---|" + "--:|" * len(strengths))
    found = {(rate.bias, rate.strength): rate for rate in rates if rate.bias is not None}
    for bias in dict.fromkeys(bias for bias, _ in found):
        row = [f"{found[bias, each].failed / judges:.1%}" for each in strengths]
        print(f"| {bias} | " + " | ".join(row) + " |")
    low, high = _interval(noisy.failed, judges)
    print(
        f"\nOnly noisy: {noisy.failed / judges:.1%} fail (95 % interval {low:.1%} to {high:.1%}; at most 5 % wanted)."
    )
    print(f"{time.process_time() - began:.0f} s of CPU.")
    return low <= FALSE_ALARMS


def _interval(events: int, cases: int) -> tuple[float, float]:
    found = stats.binomtest(events, cases).proportion_ci(method="exact")
    return float(found.low), float(found.high)


# --- adaptive grading ---------------------------------------------------------------------------------------------


def qualities() -> np.ndarray:
    """Means of the models' grades that give the board's win rates; found by iteration on exact rates."""
    wanted = BOARD + (0.5 - BOARD.mean())
    quality = np.full(MODELS, 5.5)
    for _ in range(400):
        edges = stats.norm.cdf((np.arange(1, 10) + 0.5 - quality[:, None]) / NOISE)
        chance = np.diff(edges, axis=1, prepend=0, append=1)
        below = np.cumsum(chance, axis=1) - chance
        points = chance @ below.T + 0.5 * chance @ chance.T
        np.fill_diagonal(points, 0)
        quality += 2 * (wanted - points.sum(axis=1) / (MODELS - 1))
    return quality


def matrix(quality: np.ndarray, shared: float, rng: np.random.Generator) -> np.ndarray:
    """Grades (samples, models)."""
    hard, own = rng.normal(0, 1, (SAMPLES, 1)), rng.normal(0, NOISE, (SAMPLES, MODELS))
    return np.clip(np.round(quality + shared * hard + own), 1, 10)


def seen_in(grades: np.ndarray) -> tuple[adaptive.Split, adaptive.Look] | None:
    """What grades that were bought say; None when they are too few."""
    found = adaptive.split(grades, adaptive.points_of(grades))
    return None if found is None else (found, adaptive.look(found, SAMPLES))


def by_samples(grades: np.ndarray, rng: np.random.Generator, *, choose: bool) -> tuple[int, adaptive.Look]:
    """Calls and the last look when samples are taken by chance: whole, or with the models that are worth it."""
    order = rng.permutation(SAMPLES)
    bought = np.empty((0, MODELS))
    plan, wanted, calls = adaptive.everything(MODELS), adaptive.FIRST * MODELS, 0
    while True:
        number = max(1, round(wanted / plan.probability().sum()))
        batch = order[len(bought) : len(bought) + number]
        graded = plan.draw(len(batch), rng)
        bought = np.vstack([bought, np.where(graded, grades[batch], np.nan)])
        calls += int(graded.sum())
        found = seen_in(bought)
        if found is not None and (len(found[1].tiers()) >= len(TIERS) or len(bought) == SAMPLES):
            return calls, found[1]
        wanted = calls * (adaptive.GROWTH - 1)
        if choose and found is not None:
            plan = adaptive.design(*found, len(TIERS))


def by_cells(grades: np.ndarray, rng: np.random.Generator) -> tuple[int, adaptive.Look]:
    """Calls and the last look when single gradings are taken by chance."""
    order = rng.permutation(grades.size)
    bought = np.full(grades.shape, np.nan)
    calls, wanted = 0, 400
    while True:
        batch = order[calls : calls + wanted]
        bought.flat[batch] = grades.flat[batch]
        calls += len(batch)
        found = seen_in(bought)
        if found is not None and (len(found[1].tiers()) >= len(TIERS) or calls == grades.size):
            return calls, found[1]
        wanted = max(1, round(calls * (adaptive.GROWTH - 1)))


WAYS = {
    "adaptive": partial(by_samples, choose=True),
    "whole samples in random order": partial(by_samples, choose=False),
    "random cells": by_cells,
}


def simulate(way: str, shared: float, quality: np.ndarray, number: int) -> tuple[int, bool, bool, bool]:
    """Calls at the stop, whether every lead lay within its bounds, whether five tiers parted, whether the true ones."""
    rng = np.random.default_rng([int(10 * shared), number])
    grades = matrix(quality, shared, rng)
    pairs = adaptive.pairings(MODELS)
    truth = pairs.to_rates @ adaptive.points_of(grades).mean(axis=0)
    truth += np.bincount(pairs.second, minlength=MODELS) / (MODELS - 1)
    calls, seen = WAYS[way](grades, rng)
    off = np.abs(seen.lead - (truth[:, None] - truth[None, :]))
    covered = bool((off <= seen.critical * seen.error)[~np.eye(MODELS, dtype=bool)].all())
    tiers = [sorted(tier) for tier in seen.tiers()]
    return calls, covered, len(tiers) >= len(TIERS), tiers == TIERS


def adaptive_table(simulations: int) -> bool:
    """Calls until five tiers have parted; true if the bounds cover and the adaptive way is the cheapest."""
    quality = qualities()
    good = True
    began = time.monotonic()
    print(f"\n{MODELS} models x {SAMPLES} samples, {simulations} repetitions, the same matrices for every way.\n")
    print("| shared | way | calls, mean | median | 95 % need at most | covered | five tiers parted | the true ones |")
    print("|--:|---|--:|--:|--:|--:|--:|--:|")
    with ProcessPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
        for shared in SHARED:
            means = {}
            for way in WAYS:
                work = partial(simulate, way, shared, quality)
                rows = np.array(list(pool.map(work, range(simulations), chunksize=25)))
                calls, rest = rows[:, 0], rows[:, 1:].T
                covered, parted, right = (float(each.mean()) for each in rest)
                means[way] = calls.mean()
                high = np.quantile(calls, 0.95)
                print(
                    f"| {shared:g} | {way} | {calls.mean():.0f} | {np.median(calls):.0f} | {high:.0f} "
                    f"| {covered:.2%} | {parted:.1%} | {right:.1%} |"
                )
                error = np.sqrt(COVERAGE * (1 - COVERAGE) / simulations)
                good = good and covered >= COVERAGE - 2 * error
            good = good and min(means, key=lambda way: means[way]) == "adaptive"
    print(f"\nBounds: 56 leads at once, valid at every look (Miller and Siegmund). {time.monotonic() - began:.0f} s.")
    return good


def main() -> int:
    """Print the tables; 1 when a target was missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--judges", type=int, default=200)
    parser.add_argument("--simulations", type=int, default=2000)
    parser.add_argument("--only", choices=["card", "adaptive"])
    given = parser.parse_args()
    good = True
    if given.only != "adaptive":
        good = card_table(given.judges)
    if given.only != "card":
        good = adaptive_table(given.simulations) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
