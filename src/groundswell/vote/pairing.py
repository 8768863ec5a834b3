"""Which ballot comes next: a cell of the taxonomy, a prompt in it, two models, and the probability of that draw.

Cells are drawn evenly, whatever the number of their prompts; models by what a vote on them is expected to tell, so that
new ones are drawn more often until their interval is narrow. Pure: what was voted comes in as counts, chance as a
generator, and what the session has seen as a question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from groundswell.records import Sample
from groundswell.stats.pairing import Belief, believe, cells_evenly, pairs
from groundswell.stats.votes import Floats, Tally

GOLDEN_SHARE = 0.1
"""One ballot in ten is a golden pair, where there are any."""

TRIES = 50
"""Prompts looked at before a session is told that it has seen everything."""

Cell = tuple[str, str, str]
"""Task, use case, capability; an empty word where a prompt has no tag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One output that may be shown: whose it is, its key, and the digest of its picture."""

    model: int
    output: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A prompt with the outputs that models gave for it. `decoys` are outputs of baselines that nobody could prefer."""

    sample: Sample
    cell: Cell
    outputs: tuple[Shown, ...]
    decoys: tuple[Shown, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What can be drawn: prompts by cell, and the models' names in the order of their numbers."""

    models: tuple[str, ...]
    entries: tuple[Entry, ...]
    cells: tuple[Cell, ...]
    members: tuple[tuple[int, ...], ...]
    """For each cell the places of its prompts."""


def pool_of(models: Sequence[str], entries: Sequence[Entry]) -> Pool:
    """A pool of the prompts that have at least two different pictures."""
    usable = [entry for entry in entries if len({shown.digest for shown in entry.outputs}) > 1]
    cells = sorted({entry.cell for entry in usable})
    members: dict[Cell, list[int]] = {cell: [] for cell in cells}
    for place, entry in enumerate(usable):
        members[entry.cell].append(place)
    return Pool(
        models=tuple(models),
        entries=tuple(usable),
        cells=tuple(cells),
        members=tuple(tuple(members[cell]) for cell in cells),
    )


@dataclass(slots=True)
class Counts:
    """Votes so far: `points` (models, models) of the row against the column, a tie being half, by task; and by cell."""

    models: int
    points: dict[str, Floats] = field(default_factory=dict)
    cells: dict[Cell, int] = field(default_factory=dict)

    def add(self, cell: Cell, first: int, second: int, points: float) -> None:
        """Count a vote of which `first` has `points` (1, 1/2 or 0)."""
        if cell[0] not in self.points:
            self.points[cell[0]] = np.zeros((self.models, self.models))
        matrix = self.points[cell[0]]
        matrix[first, second] += points
        matrix[second, first] += 1 - points
        self.cells[cell] = self.cells.get(cell, 0) + 1

    def belief(self, task: str) -> Belief:
        """What is believed of the models' strengths in one task."""
        points = self.points.get(task, np.zeros((self.models, self.models)))
        first, second = np.nonzero(np.triu(points + points.T))
        weight = np.column_stack([points[first, second], np.zeros(len(first)), points[second, first]])
        tallied = Tally(models=self.models, first=first, second=second, weight=weight, square=weight, count=weight)
        return believe(tallied)


def chances(belief: Belief, rng: np.random.Generator) -> Floats:
    """Probability of every pair as a symmetric (models, models) matrix whose upper half adds up to 1."""
    matrix = np.zeros((len(belief.strength), len(belief.strength)))
    if len(belief.strength) > 1:
        drawn = pairs(belief, rng)
        matrix[drawn.first, drawn.second] = drawn.probability
        matrix[drawn.second, drawn.first] = drawn.probability
    return matrix


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """A pair of one prompt with its sides, the probability of the unordered draw, and whether it is a golden pair."""

    entry: Entry
    left: Shown
    right: Shown
    probability: float
    golden: bool = False


Seen = Callable[[Entry, Shown, Shown], bool]


def draw(
    pool: Pool, counts: Counts, wanted: dict[str, Floats], seen: Seen, rng: np.random.Generator
) -> Drawn | None:
    """The next ballot of a session, or None when it has seen every pair.

    `wanted` holds the `chances` of each task. The probability is that of the cell times the prompt's within it times
    the pair's among the pairs of this prompt that the session has not seen; it does not count prompts that were passed
    over because nothing was left of them.
    """
    if not pool.cells:
        return None
    by_cell = cells_evenly(np.array([float(counts.cells.get(cell, 0)) for cell in pool.cells]))
    for place in _places(pool, by_cell, rng):
        cell = pool.cells.index(pool.entries[place].cell)
        entry, before = pool.entries[place], float(by_cell[cell]) / len(pool.members[cell])
        golden = bool(entry.decoys) and rng.random() < GOLDEN_SHARE
        if golden and (planted := _golden(entry, before * GOLDEN_SHARE, seen, rng)) is not None:
            return planted
        share = 1 - GOLDEN_SHARE if entry.decoys else 1.0
        if (found := _pair(entry, wanted[entry.cell[0]], before * share, seen, rng)) is not None:
            return found
    return None


def _places(pool: Pool, by_cell: Floats, rng: np.random.Generator) -> list[int]:
    """Prompts to try: drawn by cell at first, then every prompt once, so that none is missed."""
    cells = np.searchsorted(np.cumsum(by_cell), rng.random(TRIES)).clip(max=len(pool.cells) - 1)
    drawn = [int(rng.choice(pool.members[cell])) for cell in cells[: min(TRIES, 1 + len(pool.entries) // 4)]]
    return [*drawn, *_Rest(len(pool.entries), rng)]


class _Rest(list[int]):
    """All places in a random order."""

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        super().__init__(int(place) for place in rng.permutation(size))


def _pair(entry: Entry, wanted: Floats, before: float, seen: Seen, rng: np.random.Generator) -> Drawn | None:
    numbers = [shown.model for shown in entry.outputs]
    first, second = np.triu_indices(len(numbers), 1)
    chance = wanted[np.ix_(numbers, numbers)][first, second].copy()
    for place, (one, other) in enumerate(zip(first, second, strict=True)):
        a, b = entry.outputs[one], entry.outputs[other]
        if a.digest == b.digest or seen(entry, a, b):
            chance[place] = 0.0
    total = float(chance.sum())
    if total <= 0:
        return None
    chance /= total
    place = min(int(np.searchsorted(np.cumsum(chance), rng.random(), side="right")), len(chance) - 1)
    pair = (entry.outputs[first[place]], entry.outputs[second[place]])
    return _sided(entry, pair, before * float(chance[place]), rng, golden=False)


def _golden(entry: Entry, before: float, seen: Seen, rng: np.random.Generator) -> Drawn | None:
    choices = [
        (shown, decoy) for shown in entry.outputs for decoy in entry.decoys if not seen(entry, shown, decoy)
    ]
    if not choices:
        return None
    pair = choices[int(rng.integers(len(choices)))]
    return _sided(entry, pair, before / len(choices), rng, golden=True)


def _sided(
    entry: Entry, pair: tuple[Shown, Shown], probability: float, rng: np.random.Generator, *, golden: bool
) -> Drawn:
    left, right = pair if rng.random() < 0.5 else pair[::-1]
    return Drawn(entry=entry, left=left, right=right, probability=probability, golden=golden)
