"""Voters that are made up: honest ones with a taste, and five kinds of attack. For tests, benches and the demo.

Whoever shows their votes must say that no person cast them; their sessions begin with `simulated-`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

from groundswell.records import Done, Unit
from groundswell.vote.hall import Asked, Choice, Hall, Looked
from groundswell.vote.voters import SIMULATED

Kind = Literal["honest", "always left", "fast random", "booster", "replay", "slow drip"]
ATTACKS: tuple[Kind, ...] = ("always left", "fast random", "booster", "replay", "slow drip")

TIES = 0.1
"""Share of ballots on which an honest voter sees no difference."""

SKIPS = 0.03
"""Share of ballots that an honest voter leaves undecided."""

ATTENTION = 0.97
"""Share of golden pairs that an honest voter gets right."""

LOOKS = (1.4, 0.5)
"""Mean and deviation of the logarithm of the seconds for which an honest voter looks beyond the minimum."""

LOYALTY = 0.9
"""How often a booster lets its model win."""


@dataclass(slots=True, kw_only=True)
class Voter:
    """One simulated session. `taste` is the strength of each model as this voter sees it, in units of log odds."""

    name: str
    kind: Kind
    taste: Mapping[str, float]
    rng: np.random.Generator
    decoys: frozenset[str] = frozenset({"blank", "noise"})
    target: str = ""
    least_look: float = 2.0

    @property
    def session(self) -> str:
        return f"{SIMULATED}{self.name}"

    def answer(self, asked: Asked) -> tuple[Choice, float]:
        """The choice and the seconds that it took."""
        models = (asked.left.model, asked.right.model)
        hasty = self.least_look + float(self.rng.uniform(0.05, 0.4))
        match self.kind:
            case "always left":
                return "left", hasty
            case "fast random":
                choices: tuple[Choice, ...] = ("left", "right", "tie", "both_bad")
                return choices[int(self.rng.integers(4))], hasty
            case "booster" if self.target not in models:
                return "skip", hasty
            case "booster" | "slow drip" if self.target in models:
                wins = (self.rng.random() < LOYALTY) == (models[0] == self.target)
                return "left" if wins else "right", self._time()
        return self._honest(models), self._time()

    def _honest(self, models: tuple[str, str]) -> Choice:
        left, right = models
        if left in self.decoys or right in self.decoys:
            attentive = self.rng.random() < ATTENTION
            return "left" if (right in self.decoys) == attentive else "right"
        chance = self.rng.random()
        if chance < SKIPS + TIES:
            return "skip" if chance < SKIPS else "tie"
        return "left" if self.rng.random() < expit(self.taste[left] - self.taste[right]) else "right"

    def _time(self) -> float:
        return self.least_look + float(self.rng.lognormal(*LOOKS))


def vote(hall: Hall, voter: Voter, votes: int, most: int = 2_000) -> list[tuple[Unit, Done]]:
    """The answers of a voter at a hall until it has cast so many votes, or been asked `most` times."""
    answers = []
    cast = 0
    for _ in range(most):
        asked = hall.ask(voter.session) if cast < votes else None
        if asked is None:
            break
        choice, seconds = voter.answer(asked)
        unit, done = hall.written(asked, choice, Looked(left=seconds, right=seconds))
        hall.count(asked, done)
        answers.append((unit, done))
        cast += choice != "skip"
    return answers
