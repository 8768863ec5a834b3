"""A panel's comparisons from its judges' grades (METHODS, section 3).

For two models on one sample each judge prefers the higher grade, grades within the rubric's margin are a tie, and the
panel says what more than half of its judges say, else a tie. Fewer judges than the quorum give no comparison, and are
counted. Where grades come from is not known here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

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


def pairs(grades: Iterable[Grade], *, quorum: int = QUORUM) -> Pairs:
    """Every pair of models on every sample, as the panel sees it. Order of the grades does not matter."""
    shelves: dict[tuple[str, tuple[object, ...]], dict[str, dict[str, Grade]]] = defaultdict(lambda: defaultdict(dict))
    for grade in grades:
        shelves[grade.sample, grade.variant][grade.model][grade.judge] = grade
    comparisons: list[Comparison] = []
    below = 0
    for models in shelves.values():
        for left, right in combinations(sorted(models), 2):
            found = list(_both(models[left], models[right]))
            winner = majority((preferred(*both) for both in found), quorum)
            if winner is None:
                below += 1
                continue
            first, second = found[0]
            comparisons.append(
                Comparison(
                    sample=first.sample,
                    left=left,
                    right=right,
                    winner=winner,
                    by=PANEL,
                    left_output=first.output,
                    right_output=second.output,
                )
            )
    return Pairs(comparisons=tuple(comparisons), left_out={"below the quorum": below} if below else {})


def _both(left: Mapping[str, Grade], right: Mapping[str, Grade]) -> Iterator[tuple[Grade, Grade]]:
    """Grades of the judges that graded both."""
    return ((grade, right[judge]) for judge, grade in sorted(left.items()) if judge in right)
