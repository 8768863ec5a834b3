"""Which ballot comes next: a cell of the taxonomy, a prompt in it, two models, and the probability of that draw.

Cells are drawn evenly, whatever the number of their prompts; models by what a vote on them is expected to tell, so that
new ones are drawn more often until their interval is narrow. Pure: what was voted comes in as counts, chance as a
generator, and what the session has seen as a question.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from groundswell.records import Sample
from groundswell.stats.pairing import Belief, believe, cells_evenly, pairs
from groundswell.stats.votes import Floats, Ints, Tally

GOLDEN_SHARE = 0.1
"""One ballot in ten is a golden pair, where there are any."""

TRIES = 50
"""Prompts looked at before a session is told that it has seen everything."""

Cell = tuple[str, str, str]
"""Task, use case, capability; an empty word where a prompt has no tag."""

Pair = int
"""Hash of the keys of a ballot's two outputs, without their sides. A number and not the keys: there are millions."""


def pair_of(one: str, other: str) -> Pair:
    """The same for both orders; of this process only."""
    return hash(frozenset((one, other)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One output that may be shown: whose it is, its key, and the digest of its picture."""

    model: str
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
class Meetings:
    """The pairs of outputs of one prompt that differ: places in `outputs`, and numbers of their models."""

    first: Ints
    second: Ints
    models: tuple[Ints, Ints]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What can be drawn: prompts with their cell and meetings, and the models by number."""

    models: tuple[str, ...]
    number: Mapping[str, int]
    entries: tuple[Entry, ...]
    meetings: tuple[Meetings, ...]
    cells: tuple[Cell, ...]
    members: tuple[tuple[int, ...], ...]
    """For each cell the places of its prompts."""


def pool_of(entries: Sequence[Entry]) -> Pool:
    """A pool of those prompts for which two models gave different pictures."""
    models = tuple(sorted({shown.model for entry in entries for shown in entry.outputs}))
    number = {model: place for place, model in enumerate(models)}
    usable = [(entry, met) for entry in entries if len((met := _meetings(entry, number)).first)]
    cells = tuple(sorted({entry.cell for entry, _ in usable}))
    members: dict[Cell, list[int]] = {cell: [] for cell in cells}
    for place, (entry, _) in enumerate(usable):
        members[entry.cell].append(place)
    return Pool(
        models=models,
        number=number,
        entries=tuple(entry for entry, _ in usable),
        meetings=tuple(met for _, met in usable),
        cells=cells,
        members=tuple(tuple(members[cell]) for cell in cells),
    )


def _meetings(entry: Entry, number: Mapping[str, int]) -> Meetings:
    pairs_of = [
        (one, other)
        for (one, a), (other, b) in combinations(enumerate(entry.outputs), 2)
        if a.model != b.model and a.digest != b.digest
    ]
    first, second = np.array(pairs_of, dtype=np.int64).reshape(-1, 2).T
    models = np.array([number[shown.model] for shown in entry.outputs], dtype=np.int64)
    return Meetings(first=first, second=second, models=(models[first], models[second]))


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


Seen = Callable[[str], Collection[Pair]]
"""What a session has seen of a prompt, by the prompt's key."""


def draw(
    pool: Pool, counts: Counts, wanted: Mapping[str, Floats], seen: Seen, rng: np.random.Generator
) -> Drawn | None:
    """The next ballot of a session, or None when it has seen every pair.

    `wanted` holds the `chances` of each task. The probability is that of the cell, times the prompt's within it, times
    the pair's among the pairs of this prompt that the session has not seen; prompts that were passed over because
    nothing was left of them are not counted in it.
    """
    if not pool.cells:
        return None
    by_cell = cells_evenly(np.array([float(counts.cells.get(cell, 0)) for cell in pool.cells]))
    for cell, place in _places(pool, by_cell, rng):
        entry, met = pool.entries[place], pool.meetings[place]
        known = seen(entry.sample.key)
        before = float(by_cell[cell]) / len(pool.members[cell])
        if entry.decoys:
            golden = rng.random() < GOLDEN_SHARE
            if golden and (planted := _golden(entry, before * GOLDEN_SHARE, known, rng)) is not None:
                return planted
            before *= 1 - GOLDEN_SHARE
        if (found := _pair(entry, met, wanted[entry.cell[0]], known, rng)) is not None:
            pair, chance = found
            return _sided(entry, pair, before * chance, rng, golden=False)
    return None


def _places(pool: Pool, by_cell: Floats, rng: np.random.Generator) -> Iterator[tuple[int, int]]:
    """Cells and prompts to try: drawn by cell at first, then every prompt once, so that none is missed."""
    reach = np.cumsum(by_cell)
    for _ in range(TRIES):
        cell = min(int(np.searchsorted(reach, rng.random(), side="right")), len(pool.cells) - 1)
        members = pool.members[cell]
        yield cell, members[int(rng.integers(len(members)))]
    for cell in rng.permutation(len(pool.cells)).tolist():
        for place in pool.members[cell]:
            yield cell, place


def _pair(
    entry: Entry, met: Meetings, wanted: Floats, known: Collection[Pair], rng: np.random.Generator
) -> tuple[tuple[Shown, Shown], float] | None:
    """Two outputs and the probability of their draw; None when the session knows all pairs."""
    chance = wanted[met.models]
    outputs = entry.outputs
    if known:
        new = [
            pair_of(outputs[one].output, outputs[other].output) not in known
            for one, other in zip(met.first, met.second, strict=True)
        ]
        chance = chance * np.array(new)
    reach = np.cumsum(chance)
    if reach[-1] <= 0:
        return None
    place = min(int(np.searchsorted(reach, rng.random() * reach[-1], side="right")), len(chance) - 1)
    return (outputs[met.first[place]], outputs[met.second[place]]), float(chance[place] / reach[-1])


def _golden(entry: Entry, before: float, known: Collection[Pair], rng: np.random.Generator) -> Drawn | None:
    choices = [
        (shown, decoy)
        for shown in entry.outputs
        for decoy in entry.decoys
        if pair_of(shown.output, decoy.output) not in known
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
