"""Votes as arrays, and their tally by pair of models.

Bradley-Terry reads votes only through how often each pair met and who won, so that ten million votes of fifty models
become a table of a few thousand numbers. Who voted on what is known here only as a cluster number.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

LEFT, TIE, RIGHT = 1, 0, -1
"""Outcomes of a vote: the left model won, neither did, the right model won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Votes:
    """Votes of `models` models, one entry a vote (or one a group of equal votes, see `times`).

    `left`, `right`: model numbers; `outcome`: LEFT, TIE or RIGHT; `weight`: positive, None = 1 each; `cluster`: numbers
    from 0 of what was drawn together (a prompt, a rater), None = every vote is its own; `times`: how many equal votes
    an entry stands for, None = 1 each.
    """

    models: int
    left: Ints
    right: Ints
    outcome: Ints
    weight: Floats | None = None
    cluster: Ints | None = None
    times: Ints | None = None

    def __post_init__(self) -> None:
        if bool(np.any(self.left == self.right)):
            raise ValueError("a model cannot meet itself")
        if self.weight is not None and not bool(np.all(np.isfinite(self.weight) & (self.weight > 0))):
            raise ValueError("weights must be positive numbers")
        if self.cluster is not None and self.times is not None:
            raise ValueError("grouped votes have no clusters")

    @property
    def total(self) -> int:
        """Number of votes."""
        return len(self.left) if self.times is None else int(self.times.sum())

    def only(self, keep: Bools) -> Votes:
        """The votes that `keep` marks."""
        return self.at(np.flatnonzero(keep))

    def at(self, places: Ints) -> Votes:
        """The votes at some places."""
        return Votes(
            models=self.models,
            left=self.left[places],
            right=self.right[places],
            outcome=self.outcome[places],
            weight=None if self.weight is None else self.weight[places],
            cluster=None if self.cluster is None else self.cluster[places],
            times=None if self.times is None else self.times[places],
        )

    def among(self, members: Bools) -> Votes:
        """The votes between models that `members` (models,) marks, with these models numbered anew in their order."""
        if members.all():
            return self
        number = np.cumsum(members) - 1
        kept = self.only(members[self.left] & members[self.right])
        return Votes(
            models=int(members.sum()),
            left=number[kept.left],
            right=number[kept.right],
            outcome=kept.outcome,
            weight=kept.weight,
            cluster=kept.cluster,
            times=kept.times,
        )

    def games(self) -> Ints:
        """Votes in which each model took part, shape (models,)."""
        times = None if self.times is None else self.times.astype(float)
        both = np.bincount(self.left, times, self.models) + np.bincount(self.right, times, self.models)
        return np.asarray(np.rint(both), dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Votes summed by unordered pair: `first` < `second`, shape (pairs,).

    `weight` (pairs, 3): summed weights of the votes that `first` won, that were ties, that `second` won;
    `square`: the same of squared weights; `count`: the same of votes.
    """

    models: int
    first: Ints
    second: Ints
    weight: Floats
    square: Floats
    count: Floats

    @property
    def points(self) -> Floats:
        """What `first` scored in each pair, a tie being half a win."""
        return np.asarray(self.weight[:, 0] + self.weight[:, 1] / 2)

    @property
    def total(self) -> Floats:
        """Summed weight of each pair."""
        return np.asarray(self.weight.sum(axis=1))

    def wins(self) -> Floats:
        """Dense (models, models) matrix: points of the row model against the column model."""
        matrix = np.zeros((self.models, self.models))
        matrix[self.first, self.second] = self.points
        matrix[self.second, self.first] = self.total - self.points
        return matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Pairs that met (`first` < `second`), and for each entry of the votes its cell: 3 * pair + 0, 1 or 2.

    Cell 0 of a pair holds the votes that `first` won, 1 the ties, 2 those that `second` won.
    """

    first: Ints
    second: Ints
    cell: Ints


def cells(votes: Votes) -> Cells:
    """Number the pairs that met."""
    forward = votes.left < votes.right
    code = np.where(forward, votes.left * votes.models + votes.right, votes.right * votes.models + votes.left)
    if votes.models**2 <= max(4 * len(code), 1 << 20):
        present = np.flatnonzero(np.bincount(code, minlength=votes.models**2))
        number = np.empty(votes.models**2, dtype=np.int64)
        number[present] = np.arange(len(present))
        pair = number[code]
    else:
        present, pair = np.unique(code, return_inverse=True)
    side = 1 + np.where(forward, -votes.outcome, votes.outcome)
    return Cells(first=present // votes.models, second=present % votes.models, cell=3 * pair + side)


def tally(votes: Votes, placed: Cells | None = None) -> Tally:
    """Sum votes by pair and outcome. `placed` saves numbering the pairs again."""
    placed = placed or cells(votes)
    size = 3 * len(placed.first)

    def summed(values: Floats | Ints | None) -> Floats:
        weights = None if values is None else np.asarray(values, dtype=np.float64)
        return np.bincount(placed.cell, weights, size).astype(np.float64).reshape(-1, 3)

    count = weight = square = summed(votes.times)
    if votes.weight is not None:
        times = 1 if votes.times is None else votes.times
        weight, square = summed(votes.weight * times), summed(votes.weight**2 * times)
    return Tally(
        models=votes.models,
        first=placed.first,
        second=placed.second,
        weight=weight,
        square=square,
        count=count,
    )


def grouped(cluster: Ints) -> tuple[Ints, Ints]:
    """Places of votes ordered by cluster, and where each cluster begins: a counting sort, which numpy does not have."""
    clusters, size = int(cluster.max(initial=-1)) + 1, len(cluster)
    small = np.int32 if size < np.iinfo(np.int32).max else np.int64
    places = (cluster.astype(small), np.arange(size, dtype=small))
    rows = csr_array((np.ones(size, dtype=np.int8), places), shape=(clusters, size))
    return rows.indices, rows.indptr
