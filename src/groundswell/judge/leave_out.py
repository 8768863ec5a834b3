"""A panel without some of its judges, and how far its judges agree with each other.

Each board is shown without each judge, and without the judges of a family that has models on it. Pure but for the
intervals, which are `stats`' business.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations

import msgspec
import numpy as np

from groundswell.judge.panel import QUORUM, Grade, Pairs, pairs, preferred
from groundswell.records import Winner
from groundswell.stats.agreement import Estimate, alpha, estimates, share

PairKey = tuple[str, tuple[object, ...], str, str]
"""Sample, variant, and two models in the order of their names."""

VERDICTS: tuple[Winner, ...] = (Winner.LEFT, Winner.RIGHT, Winner.TIE)


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How far two judges agree over the pairs that both judged."""

    one: str
    other: str
    pairs: int
    same: Estimate
    """Share of pairs with the same verdict, interval by sample."""
    alpha: Estimate
    """Krippendorff, nominal over left, right, tie."""


def without(grades: Iterable[Grade], judges: Collection[str], *, quorum: int = QUORUM) -> Pairs:
    """The panel's comparisons without these judges; the quorum shrinks to the judges that are left, at least 1."""
    kept = [grade for grade in grades if grade.judge not in judges]
    left = len({grade.judge for grade in kept})
    return pairs(kept, quorum=max(1, min(quorum, left)))


def leave_one_out(grades: Sequence[Grade], *, quorum: int = QUORUM) -> dict[str, Pairs]:
    """By judge: the comparisons of the panel without it. A panel of one has no such board."""
    judges = sorted({grade.judge for grade in grades})
    return {judge: without(grades, {judge}, quorum=quorum) for judge in judges if len(judges) > 1}


def leave_family_out(
    grades: Sequence[Grade], judges: Mapping[str, str | None], models: Mapping[str, str | None], *, quorum: int = QUORUM
) -> dict[str, Pairs]:
    """By family that has both a judge and a model here: the comparisons of the panel without its judges.

    `judges` and `models` give families by name; None = not known, and belongs to nobody.
    """
    present = {models.get(grade.model) for grade in grades} - {None}
    boards: dict[str, Pairs] = {}
    for family in sorted(name for name in present if name is not None):
        own = {grade.judge for grade in grades if judges.get(grade.judge) == family}
        if own and own != {grade.judge for grade in grades}:
            boards[family] = without(grades, own, quorum=quorum)
    return boards


def verdicts_by_judge(grades: Iterable[Grade]) -> dict[str, dict[PairKey, Winner]]:
    """What each judge says of every two models that it graded on one sample."""
    shelves: dict[tuple[str, str, tuple[object, ...]], dict[str, Grade]] = defaultdict(dict)
    for grade in grades:
        shelves[grade.judge, grade.sample, grade.variant][grade.model] = grade
    said: dict[str, dict[PairKey, Winner]] = defaultdict(dict)
    for (judge, sample, variant), models in shelves.items():
        for left, right in combinations(sorted(models), 2):
            said[judge][sample, variant, left, right] = preferred(models[left], models[right])
    return dict(said)


def agreements(grades: Iterable[Grade], *, seed: int = 0) -> list[Agreement]:
    """Agreement of every two judges that judged a pair in common, with 95 % intervals over samples."""
    said = verdicts_by_judge(grades)
    found: list[Agreement] = []
    for one, other in combinations(sorted(said), 2):
        if shared := sorted(said[one].keys() & said[other].keys(), key=repr):
            found.append(_agreement(one, other, [(key, said[one][key], said[other][key]) for key in shared], seed))
    return found


def _agreement(one: str, other: str, rows: list[tuple[PairKey, Winner, Winner]], seed: int) -> Agreement:
    samples = sorted({key[0] for key, _, _ in rows})
    cluster = np.array([samples.index(key[0]) for key, _, _ in rows])
    first = np.array([VERDICTS.index(verdict) for _, verdict, _ in rows])
    second = np.array([VERDICTS.index(verdict) for _, _, verdict in rows])
    unit = np.arange(len(rows))
    statistics = {
        "same": share((first == second).astype(float), cluster),
        "alpha": alpha(np.concatenate([unit, unit]), np.concatenate([first, second]), cluster, len(VERDICTS)),
    }
    found = estimates(statistics, len(samples), seed)
    return Agreement(one=one, other=other, pairs=len(rows), same=found["same"], alpha=found["alpha"])
