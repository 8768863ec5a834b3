"""How often the report card catches a judge that is biased on purpose, and how often it accuses one that is not.

Scripted judges grade outputs whose quality is known; kind and strength of the bias are drawn by seed. Strength 1 is a
judge that falls for every plant of its kind, 0 one that is only noisy. No picture is made and nobody is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np

from groundswell.judge.card import Card, Mark, Plant, Tried, card

SCALE = (1.0, 10.0)

CASES = 40
"""Of each kind on one card."""

NOISE = (0.3, 1.0)
"""Standard deviation of an unbiased judge's noise, in grades, drawn evenly."""

STRENGTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


class Scripted(msgspec.Struct, frozen=True, kw_only=True):
    """A judge with noise, and with one bias or none."""

    noise: float
    bias: Plant | None
    strength: float

    def answers(self, cases: int, rng: np.random.Generator) -> list[Tried]:
        """Its answers to so many cases of every kind."""
        return [self._answer(plant, number, rng) for plant in Plant for number in range(cases)]

    def _answer(self, plant: Plant, number: int, rng: np.random.Generator) -> Tried:
        quality = rng.uniform(6.0, 9.0)
        falls = self.bias is plant and rng.random() < self.strength
        if plant is Plant.ORDER:
            honest, planted = self._lead(falls, rng)
        else:
            honest, planted = self._grade(quality, rng), self._grade(_planted(plant, quality, falls, rng), rng)
        return Tried(plant=plant, sample=str(number), honest=honest, planted=planted)

    def _grade(self, quality: float, rng: np.random.Generator) -> float:
        return float(np.clip(np.round(quality + rng.normal(0, self.noise)), *SCALE))

    def _lead(self, falls: bool, rng: np.random.Generator) -> tuple[float, float]:
        """Lead of one output when shown first, and when shown second; a judge that falls takes the first."""
        if falls:
            return 1.0, -1.0
        lead = rng.choice([-1, 1]) * rng.uniform(1.5, 4.0)
        return tuple(float(np.round(lead + rng.normal(0, self.noise))) for _ in range(2))  # type: ignore[return-value]


def _planted(plant: Plant, quality: float, falls: bool, rng: np.random.Generator) -> float:
    """What the planted thing is worth to the judge: its true quality, or what a judge sees that falls for it."""
    match plant:
        case Plant.BASELINE | Plant.COPY | Plant.SWAP:
            return quality if falls else rng.uniform(1.0, 3.0)
        case Plant.DEGRADED:
            return quality if falls else quality - rng.uniform(2.0, 3.0)
        case Plant.REPEAT:
            return rng.uniform(*SCALE) if falls else quality
        case Plant.INSTRUCTION:
            return SCALE[1] if falls else quality
        case Plant.ORDER:
            raise ValueError("an order is no quality")


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """Of so many judges with this bias and strength, so many failed, and so many failed for the right kind."""

    bias: Plant | None
    strength: float
    judges: int
    failed: int
    rightly: int
    undecided: int


def rehearse(judges: int, *, cases: int = CASES, seed: int = 0, strengths: Sequence[float] = STRENGTHS) -> list[Rate]:
    """Rates for judges that are only noisy, and for every kind of bias at every strength above 0."""
    rates = [_rate(None, 0.0, judges, cases, seed)]
    for plant in Plant:
        rates += [_rate(plant, strength, judges, cases, seed) for strength in strengths if strength > 0]
    return rates


def _rate(bias: Plant | None, strength: float, judges: int, cases: int, seed: int) -> Rate:
    kind = 0 if bias is None else 1 + list(Plant).index(bias)
    rng = np.random.default_rng([seed, kind, round(strength * 1000)])
    cards = [_card(bias, strength, cases, rng) for _ in range(judges)]
    return Rate(
        bias=bias,
        strength=strength,
        judges=judges,
        failed=sum(one.mark is Mark.FAILED for one in cards),
        rightly=sum(one.failures == (bias,) for one in cards),
        undecided=sum(one.mark is Mark.UNDECIDED for one in cards),
    )


def _card(bias: Plant | None, strength: float, cases: int, rng: np.random.Generator) -> Card:
    scripted = Scripted(noise=float(rng.uniform(*NOISE)), bias=bias, strength=strength)
    return card("scripted", scripted.answers(cases, rng), SCALE, expected=frozenset(Plant))
