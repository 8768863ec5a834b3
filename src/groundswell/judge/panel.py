"""A panel's comparisons from its judges' grades and direct verdicts (METHODS, section 3).

For two models on one sample each judge prefers the higher grade, grades within the rubric's margin are a tie, and the
panel says what more than half of its judges say, else a tie. A judge that compares two outputs directly has its say
beside those that grade. Fewer judges than the quorum give no comparison, and are counted. Where grades come from is not
known here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import NamedTuple

import msgspec

from groundswell.records import Comparison, Winner

QUORUM = 2

PANEL = "panel"


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """What one judge gave one output."""

    sample: str
    """Key of the sample."""
    variant: tuple[object, ...] = ()
    """Language and draw: only outputs of the same variant are compared."""
    model: str
    output: str
    judge: str
    value: float
    margin: float = 0.0
    """Grades that differ by at most this are equal."""


class Pair(NamedTuple):
    """Two outputs of one sample, their models in the order of their names."""

    sample: str
    left: str
    right: str
    left_output: str | None = None
    right_output: str | None = None


Said = Mapping[Pair, Mapping[str, Winner]]
"""What each judge says of each pair; a pair that no judge saw whole is there, and empty."""


class Pairs(msgspec.Struct, frozen=True, kw_only=True):
    """The panel's comparisons, and how many pairs were left out by reason."""

    comparisons: tuple[Comparison, ...]
    left_out: Mapping[str, int]


def preferred(left: Grade, right: Grade) -> Winner:
    """One judge's verdict from its two grades."""
    lead = left.value - right.value
    # Grades have few decimals; the sum of two roundings must not decide what the margin calls equal.
    if abs(lead) <= max(left.margin, right.margin) + 1e-9:
        return Winner.TIE
    return Winner.LEFT if lead > 0 else Winner.RIGHT


def majority(verdicts: Iterable[Winner], quorum: int = QUORUM) -> Winner | None:
    """What more than half of the judges say, else a tie; None below the quorum. left, right, right -> right."""
    counts = Counter(verdicts)
    judges = counts.total()
    if judges < quorum:
        return None
    return next((winner for winner, count in counts.items() if 2 * count > judges), Winner.TIE)


def said(grades: Iterable[Grade], compared: Iterable[Comparison] = ()) -> Said:
    """What each judge says of every pair: by its two grades, or in `compared`, where `by` names the judge."""
    shelves: dict[tuple[str, tuple[object, ...]], dict[str, dict[str, Grade]]] = defaultdict(lambda: defaultdict(dict))
    for grade in grades:
        shelves[grade.sample, grade.variant][grade.model][grade.judge] = grade
    verdicts: dict[Pair, dict[str, Winner]] = {}
    for (sample, _), models in shelves.items():
        for left, right in combinations(sorted(models), 2):
            ours, theirs = models[left], models[right]
            pair = Pair(sample, left, right, _output(ours), _output(theirs))
            verdicts[pair] = {judge: preferred(ours[judge], theirs[judge]) for judge in sorted(ours) if judge in theirs}
    for comparison in compared:
        pair, winner = ordered(comparison)
        verdicts.setdefault(pair, {})[comparison.by] = winner
    return verdicts


def _output(grades: Mapping[str, Grade]) -> str:
    return next(iter(grades.values())).output


def ordered(comparison: Comparison) -> tuple[Pair, Winner]:
    """A comparison with its models in the order of their names."""
    each = comparison
    if each.left < each.right:
        return Pair(each.sample, each.left, each.right, each.left_output, each.right_output), each.winner
    return Pair(each.sample, each.right, each.left, each.right_output, each.left_output), turned(each.winner)


def turned(winner: Winner) -> Winner:
    """The same verdict with the sides exchanged."""
    return {Winner.LEFT: Winner.RIGHT, Winner.RIGHT: Winner.LEFT}.get(winner, winner)


def decided(verdicts: Said, *, quorum: int = QUORUM) -> Pairs:
    """The panel's comparisons of all pairs."""
    comparisons: list[Comparison] = []
    below = 0
    for pair, by_judge in verdicts.items():
        winner = majority(by_judge.values(), quorum)
        if winner is None:
            below += 1
        else:
            comparisons.append(Comparison(winner=winner, by=PANEL, **pair._asdict()))
    return Pairs(comparisons=tuple(comparisons), left_out={"below the quorum": below} if below else {})
