"""What a judge prefers for other reasons than quality: its own family, the place, the length.

A preference is measured against other judges on the very same pairs, so that a family that is better, or an answer
that is better because it says more, is not called a bias. Position needs no other judge: every pair was shown in both
orders. Values are points (0..1) that the preferred side gets above what it should; intervals are 95 %, over samples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal

import msgspec
import numpy as np

from groundswell.judge.arithmetic import Duel
from groundswell.judge.leave_out import by_judge
from groundswell.judge.panel import Pair, Said
from groundswell.records import Winner
from groundswell.stats.agreement import Estimate, estimates, share

POINTS: Mapping[Winner, float] = {Winner.LEFT: 1.0, Winner.RIGHT: 0.0, Winner.TIE: 0.5, Winner.BOTH_BAD: 0.5}
"""What the left side gets."""


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """Points above what is due, with the interval. `excess.value` None = it cannot be told, and `why` says why."""

    judge: str
    kind: Literal["self-preference", "position", "length"]
    excess: Estimate
    pairs: int
    why: str | None = None

    @property
    def flagged(self) -> bool:
        """Whether the whole interval lies above 0 (for position: on one side of it)."""
        low, high = self.excess.low, self.excess.high
        if low is None or high is None:
            return False
        return low > 0 or (self.kind == "position" and high < 0)


def self_preference(
    verdicts: Said, judges: Mapping[str, str | None], models: Mapping[str, str | None], *, seed: int = 0
) -> list[Bias]:
    """For every judge with a model of its own family on the board: points that its family gets above what others give.

    Pairs of one model of the family and one of another; the referees are judges of neither. `judges` and `models` give
    families by name.
    """
    said = by_judge(verdicts)
    present = {models.get(model) for pair in verdicts for model in (pair.left, pair.right)}
    found: list[Bias] = []
    for judge in sorted(said):
        family = judges.get(judge)
        if family is None or family not in present:
            continue

        def side(pair: Pair, own: str = family) -> Winner | None:
            left, right = models.get(pair.left) == own, models.get(pair.right) == own
            return None if left == right else (Winner.LEFT if left else Winner.RIGHT)

        referees = [other for other in said if other != judge and judges.get(other) != family]
        found.append(_excess(judge, "self-preference", side, said, referees, seed))
    return found


def length_bias(verdicts: Said, lengths: Mapping[str, int], *, seed: int = 0) -> list[Bias]:
    """For every judge: points that the longer of two answers gets above what the other judges give it.

    `lengths` are characters of the answers by output key; pairs of equal or unknown length do not count.
    """
    said = by_judge(verdicts)

    def side(pair: Pair) -> Winner | None:
        left, right = lengths.get(pair.left_output or ""), lengths.get(pair.right_output or "")
        if left is None or right is None or left == right:
            return None
        return Winner.LEFT if left > right else Winner.RIGHT

    return [
        _excess(judge, "length", side, said, [other for other in said if other != judge], seed)
        for judge in sorted(said)
    ]


def position_bias(duels: Iterable[Duel], *, seed: int = 0) -> list[Bias]:
    """For every judge: points above one half that the output shown first gets, over pairs read in both orders."""
    rows: dict[str, list[tuple[str, float]]] = {}
    for duel in duels:
        if duel.forward is not None and duel.backward is not None:
            first = (POINTS[duel.forward] + POINTS[duel.backward]) / 2
            rows.setdefault(duel.judge, []).append((duel.sample, first - 0.5))
    return [_bias(judge, "position", found, seed) for judge, found in sorted(rows.items())]


def _excess(
    judge: str,
    kind: Literal["self-preference", "length"],
    side: Callable[[Pair], Winner | None],
    said: Mapping[str, Mapping[Pair, Winner]],
    referees: Sequence[str],
    seed: int,
) -> Bias:
    """`side` names the side of a pair that might be favoured, None where the pair says nothing."""
    rows: list[tuple[str, float]] = []
    for pair, verdict in said[judge].items():
        favoured = side(pair)
        others = [_points(said[other][pair], favoured) for other in referees if favoured and pair in said[other]]
        if favoured and others:
            rows.append((pair.sample, _points(verdict, favoured) - fmean(others)))
    if not rows:
        return Bias(judge=judge, kind=kind, excess=Estimate(None), pairs=0, why="no other judge saw such pairs")
    return _bias(judge, kind, rows, seed)


def _points(verdict: Winner, favoured: Winner) -> float:
    return POINTS[verdict] if favoured is Winner.LEFT else 1 - POINTS[verdict]


def _bias(
    judge: str, kind: Literal["self-preference", "position", "length"], rows: list[tuple[str, float]], seed: int
) -> Bias:
    number = {sample: place for place, sample in enumerate(dict.fromkeys(sample for sample, _ in rows))}
    values = np.array([value for _, value in rows])
    cluster = np.array([number[sample] for sample, _ in rows])
    found = estimates({kind: share(values, cluster)}, len(number), seed)[kind]
    return Bias(judge=judge, kind=kind, excess=found, pairs=len(rows))
