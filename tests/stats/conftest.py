from __future__ import annotations

import numpy as np
import pytest

from groundswell.stats.votes import Votes


def from_games(*games, models=None, **more):
    """Votes from (left, right, outcome) triples; models are numbers."""
    left, right, outcome = (np.array(column, dtype=np.int64) for column in zip(*games, strict=True))
    count = models or int(max(left.max(), right.max())) + 1
    return Votes(models=count, left=left, right=right, outcome=outcome, **more)


def random_votes(seed, *, models=6, votes=400, ties=0.2, clusters=None, spread=1.0):
    """Votes of a Bradley-Terry world whose strengths are normal with a given spread."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, spread, models)
    left = rng.integers(models, size=votes)
    right = (left + rng.integers(1, models, votes)) % models
    wins = rng.random(votes) < 1 / (1 + np.exp(strength[right] - strength[left]))
    outcome = np.where(rng.random(votes) < ties, 0, np.where(wins, 1, -1))
    cluster = None if clusters is None else rng.integers(clusters, size=votes)
    return Votes(models=models, left=left, right=right, outcome=outcome, cluster=cluster)


@pytest.fixture(scope="session")
def games():
    return from_games


@pytest.fixture(scope="session")
def world():
    return random_votes
