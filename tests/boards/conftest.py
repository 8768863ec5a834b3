from __future__ import annotations

import numpy as np
import pytest

from groundswell.records import Comparison, Endpoint, Sample, Vote, Winner

WINNERS = {1: Winner.LEFT, 0: Winner.TIE, -1: Winner.RIGHT}


def panel(sample, left, right, winner):
    return Comparison(sample=sample, left=left, right=right, winner=Winner(winner), by="panel")


def cast(number, sample, left, right, winner, **more):
    return Vote(sample=sample, left=left, right=right, winner=Winner(winner), by="someone", ballot=f"b{number}", **more)


def crowd(strength, samples, votes, seed, **more):
    """Votes of people in a Bradley-Terry world on random samples and pairs, each drawn with equal probability."""
    rng = np.random.default_rng(seed)
    names = list(strength)
    for number in range(votes):
        left, right = rng.permutation(names)[:2]
        won = rng.random() < 1 / (1 + np.exp(strength[right] - strength[left]))
        sample = samples[rng.integers(len(samples))]
        yield cast(number, sample, str(left), str(right), "left" if won else "right", **more)


@pytest.fixture(scope="session")
def make():
    """Builders of records, by name."""

    class Make:
        comparison = staticmethod(panel)
        vote = staticmethod(cast)
        votes = staticmethod(crowd)

        @staticmethod
        def endpoint(name, **more):
            return Endpoint(name=name, host="local", model=name, **more)

        @staticmethod
        def sample(label, task="t2i", **tags):
            return Sample(suite="arena", task=task, prompts={"en": label}, label=label, tags=tags)

    return Make
