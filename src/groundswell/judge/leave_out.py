"""A panel without some of its judges, and how far its judges agree with each other.

Each board is shown without each judge, and without the judges of a family that has models on it. Pure but for the
intervals, which are `stats`' business.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from itertools import combinations

import msgspec
import numpy as np

from groundswell.judge.panel import QUORUM, Pair, Pairs, Said, decided
from groundswell.records import Winner
from groundswell.stats.agreement import Estimate, alpha, estimates, share

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


def without(verdicts: Said, judges: Collection[str], *, quorum: int = QUORUM) -> Pairs:
    """The panel's comparisons without these judges; the quorum shrinks to the judges that are left, at least 1."""
    kept = {
        pair: {judge: winner for judge, winner in by_judge.items() if judge not in judges}
        for pair, by_judge in verdicts.items()
    }
    return decided(kept, quorum=max(1, min(quorum, len(judges_of(kept)))))


def judges_of(verdicts: Said) -> list[str]:
    """The judges that said something."""
    return sorted({judge for by_judge in verdicts.values() for judge in by_judge})


def leave_one_out(verdicts: Said, *, quorum: int = QUORUM) -> dict[str, Pairs]:
    """By judge: the comparisons of the panel without it. A panel of one has no such board."""
    judges = judges_of(verdicts)
    return {judge: without(verdicts, {judge}, quorum=quorum) for judge in judges if len(judges) > 1}


def leave_family_out(
    verdicts: Said, judges: Mapping[str, str | None], models: Mapping[str, str | None], *, quorum: int = QUORUM
) -> dict[str, Pairs]:
    """By family that has both a judge and a model here: the comparisons of the panel without its judges.

    `judges` and `models` give families by name; None = not known, and belongs to nobody.
    """
    everyone = set(judges_of(verdicts))
    present = {models.get(model) for pair in verdicts for model in (pair.left, pair.right)} - {None}
    boards: dict[str, Pairs] = {}
    for family in sorted(name for name in present if name is not None):
        own = {judge for judge in everyone if judges.get(judge) == family}
        if own and own != everyone:
            boards[family] = without(verdicts, own, quorum=quorum)
    return boards


def by_judge(verdicts: Said) -> dict[str, dict[Pair, Winner]]:
    """What each judge says, pair by pair."""
    found: dict[str, dict[Pair, Winner]] = defaultdict(dict)
    for pair, winners in verdicts.items():
        for judge, winner in winners.items():
            found[judge][pair] = winner
    return dict(found)


def agreements(verdicts: Said, *, seed: int = 0) -> list[Agreement]:
    """Agreement of every two judges that judged a pair in common, with 95 % intervals over samples."""
    said = by_judge(verdicts)
    found: list[Agreement] = []
    for one, other in combinations(sorted(said), 2):
        if rows := [(pair, said[one][pair], said[other][pair]) for pair in said[one] if pair in said[other]]:
            found.append(_agreement(one, other, rows, seed))
    return found


def _agreement(one: str, other: str, rows: list[tuple[Pair, Winner, Winner]], seed: int) -> Agreement:
    samples = {key: place for place, key in enumerate(dict.fromkeys(pair.sample for pair, _, _ in rows))}
    cluster = np.array([samples[pair.sample] for pair, _, _ in rows])
    first = np.array([VERDICTS.index(verdict) for _, verdict, _ in rows])
    second = np.array([VERDICTS.index(verdict) for _, _, verdict in rows])
    unit = np.arange(len(rows))
    statistics = {
        "same": share((first == second).astype(float), cluster),
        "alpha": alpha(np.concatenate([unit, unit]), np.concatenate([first, second]), cluster, len(VERDICTS)),
    }
    found = estimates(statistics, len(samples), seed)
    return Agreement(one=one, other=other, pairs=len(rows), same=found["same"], alpha=found["alpha"])
