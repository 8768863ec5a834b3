"""A snapshot looked at from where a page stands: by model, by sample, by output.

Everything here is a lookup or a count over the snapshot's facts. It rates nothing, and it does not know how anything
is drawn.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean, median, stdev
from typing import Any, Final

from groundswell.publish import wording
from groundswell.publish.sidelights import Judge
from groundswell.publish.snapshot import Snapshot
from groundswell.records import (
    Board,
    Comparison,
    Edition,
    Endpoint,
    Failure,
    Measured,
    Outcome,
    Output,
    Refusal,
    Sample,
    Timing,
    Verdict,
    Vote,
    Winner,
)
from groundswell.stats.prices import per_thousand
from groundswell.stats.timings import Window, window, within

BASELINES: Final = frozenset({"copy-input", "blank", "noise", "other-sample"})
"""Models that ignore the instruction; a judge that ranks one above a real model has failed."""

COLOURS: Final = 7
SHAPES: Final = 5
"""Colour and shape follow the family; 5 and 7 share no factor, so 35 families differ in one of them."""

GREY: Final = 7
"""Colour of baselines and of models without a known family."""

ARENA: Final = "arena"
"""Boards of people's votes have names that begin so."""

SIMULATED: Final = "simulated-"
"""Votes of simulated voters are by sessions whose names begin so."""

SLICING: Final = frozenset({"use_case", "capability", "style", "language"})
"""What `.../tag=value` in a board's name slices by and can be told of a sample."""

IN_WORDS: Final = {
    "panel": ("verdict of the panel", "verdicts of the panel"),
    "people": ("vote of a person", "votes of people"),
    "simulated": ("vote of a simulated voter", "votes of simulated voters"),
}
"""Who may have said that one output is better: one, many."""

FEWEST: Final = 5
"""Samples below which a mean gets no interval."""

NORMAL: Final = 1.96


@dataclass(frozen=True, slots=True)
class WinLoss:
    """How often a model won, tied and lost; `both_bad` are those of the ties in which nobody was good."""

    wins: int = 0
    ties: int = 0
    losses: int = 0
    both_bad: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float | None:
        """Points a game, a tie being half; None without a game."""
        return (self.wins + self.ties / 2) / self.games if self.games else None

    def __add__(self, other: WinLoss) -> WinLoss:
        return WinLoss(
            self.wins + other.wins,
            self.ties + other.ties,
            self.losses + other.losses,
            self.both_bad + other.both_bad,
        )

    @classmethod
    def of(cls, comparison: Comparison, model: str) -> WinLoss:
        """What one comparison adds to a model that stands in it."""
        match comparison.winner:
            case Winner.TIE:
                return cls(ties=1)
            case Winner.BOTH_BAD:
                return cls(ties=1, both_bad=1)
            case side:
                won = (side is Winner.LEFT) == (comparison.left == model)
                return cls(wins=1) if won else cls(losses=1)


@dataclass(frozen=True, slots=True)
class Share:
    """A mean over samples with its 95 % interval; `low` and `high` are None where there are too few samples."""

    name: str
    mean: float
    low: float | None
    high: float | None
    samples: int


@dataclass(frozen=True, slots=True)
class Model:
    """A competitor as the pages show it everywhere the same."""

    name: str
    slug: str
    endpoint: Endpoint | None
    endpoint_key: str | None
    colour: int
    shape: int

    @property
    def family(self) -> str | None:
        return None if self.endpoint is None else self.endpoint.family

    @property
    def baseline(self) -> bool:
        return self.name in BASELINES

    @property
    def marks(self) -> tuple[str, ...]:
        """What a reader must know before comparing it with others."""
        found = ["baseline"] if self.baseline else []
        if self.endpoint is not None:
            found += ["modified"] if self.endpoint.modified else []
            found += ["legacy"] if self.endpoint.cohort == "legacy" else []
            found += ["reference"] if self.endpoint.settings.get("answers_as") == "reference" else []
        return tuple(found)


@dataclass
class Facts:
    """Lookups over one snapshot; each is made once, when it is first asked for."""

    snapshot: Snapshot
    _against: dict[str, Mapping[str, Mapping[str, WinLoss]]] = field(default_factory=dict)

    @cached_property
    def models(self) -> Mapping[str, Model]:
        """Every model that stands on a board or gave an output, by name."""
        endpoints = {endpoint.name: (key, endpoint) for key, endpoint in self.snapshot.endpoints.items()}
        names = set(endpoints)
        for board in self.snapshot.boards:
            names |= {rating.model for rating in board.ratings} | {each.model for each in board.unranked}
        real = [endpoint for name, (_, endpoint) in endpoints.items() if name not in BASELINES]
        families = sorted({endpoint.family for endpoint in real if endpoint.family is not None})
        found: dict[str, Model] = {}
        for name in sorted(names):
            key, endpoint = endpoints.get(name, (None, None))
            family = None if endpoint is None else endpoint.family
            place = families.index(family) if family in families and name not in BASELINES else None
            colour, shape = (GREY, 0) if place is None else (place % COLOURS, place % SHAPES)
            found[name] = Model(name, wording.slug(name), endpoint, key, colour, shape)
        return found

    @cached_property
    def order(self) -> Mapping[str, int]:
        """Place of every model on every page: as ranked on the first board that has it, then by name."""
        names: dict[str, None] = {}
        for board in self.snapshot.boards:
            above = [each.model for each in board.unranked if each.side == "above"]
            others = [each.model for each in board.unranked if each.side != "above"]
            names.update(dict.fromkeys([*above, *(rating.model for rating in board.ratings), *others]))
        names.update(dict.fromkeys(self.models))
        return {name: place for place, name in enumerate(names)}

    def name_of(self, endpoint: str) -> str:
        """Name of the endpoint with that key."""
        found = self.snapshot.endpoints.get(endpoint)
        return endpoint if found is None else found.name

    # --- samples and outcomes -------------------------------------------------------------------------------------

    @cached_property
    def samples(self) -> Mapping[str, Sample]:
        """Samples in the order of their editions, then the rest."""
        order: dict[str, None] = {}
        for edition in self.snapshot.editions:
            order.update(dict.fromkeys(edition.samples))
        order.update(dict.fromkeys(self.snapshot.samples))
        return {key: self.snapshot.samples[key] for key in order if key in self.snapshot.samples}

    @cached_property
    def said(self) -> Mapping[str, tuple[str, str]]:
        """By post, what it says as feedback of a sample, and the key of the sample."""
        return {said.post: (said.text, key) for key, sample in self.samples.items() for said in sample.feedback}

    @cached_property
    def outcomes(self) -> Mapping[str, Sequence[tuple[str, Outcome]]]:
        """By sample, what came of each job: an output where there is one, else the refusal, else the failure."""
        best: dict[str, tuple[str, Outcome]] = {}
        for key, outcome in self.snapshot.outcomes.items():
            known = best.get(outcome.job)
            if known is None or _weight(outcome) > _weight(known[1]):
                best[outcome.job] = (key, outcome)
        found: dict[str, list[tuple[str, Outcome]]] = defaultdict(list)
        for key, outcome in best.values():
            found[outcome.sample].append((key, outcome))
        for many in found.values():
            many.sort(key=lambda pair: (self._place(pair[1]), pair[1].language or "", pair[1].draw, pair[0]))
        return found

    def _place(self, outcome: Outcome) -> int:
        return self.order.get(self.name_of(outcome.endpoint), len(self.order))

    @cached_property
    def outcomes_of(self) -> Mapping[str, Sequence[tuple[str, Outcome]]]:
        """By model's name, what came of its jobs."""
        found: dict[str, list[tuple[str, Outcome]]] = defaultdict(list)
        for key in self.samples:
            for pair in self.outcomes.get(key, ()):
                found[self.name_of(pair[1].endpoint)].append(pair)
        return found

    @cached_property
    def verdicts(self) -> Mapping[str, Sequence[tuple[str, Verdict]]]:
        """By output, what judges said of it, in the order of judges and repeats."""
        found: dict[str, list[tuple[str, Verdict]]] = defaultdict(list)
        for key, verdict in self.snapshot.verdicts.items():
            for output in dict.fromkeys(verdict.outputs):
                found[output].append((key, verdict))
        for many in found.values():
            many.sort(key=lambda pair: (pair[1].judge, pair[1].rubric, pair[1].repeat, pair[0]))
        return found

    @cached_property
    def measured(self) -> Mapping[str, Sequence[tuple[str, Measured]]]:
        """By output, what was measured with its key, in the order of metrics."""
        found: dict[str, list[tuple[str, Measured]]] = defaultdict(list)
        for key, measured in self.snapshot.measured.items():
            found[measured.output].append((key, measured))
        for many in found.values():
            many.sort(key=lambda pair: (pair[1].metric, pair[1].backend, pair[1].version))
        return found

    # --- comparisons ----------------------------------------------------------------------------------------------

    @cached_property
    def counted(self) -> Mapping[str, Comparison]:
        """The comparisons that count, by key: all but the votes that were set aside."""
        aside = frozenset(self.snapshot.beside.set_aside)
        return {key: each for key, each in self.snapshot.comparisons.items() if key not in aside}

    def comparisons(self, board: Board) -> Iterator[tuple[str, Comparison]]:
        """The comparisons that a board reads: votes for an arena's, panel's pairs for the others, of its samples."""
        samples = self.samples_of(board)
        by_people = board.name.startswith(ARENA)
        for key, comparison in self.counted.items():
            if isinstance(comparison, Vote) is by_people and comparison.sample in samples:
                yield key, comparison

    def samples_of(self, board: Board) -> frozenset[str]:
        """Samples of a board: those of its task in its edition, or of its task where it names no edition we have; of
        the board of a slice, `.../tag=value`, those of the slice."""
        edition = self.edition_of(board)
        keys = self.samples if edition is None else edition.samples
        tag, _, value = board.name.partition("/")[2].partition("=")
        return frozenset(
            key
            for key in keys
            if (sample := self.samples.get(key)) is not None
            and sample.task == board.modality
            and (tag not in SLICING or value in slice_values(sample, tag))
        )

    def edition_of(self, board: Board) -> Edition | None:
        """The edition that a board names by its key or its label; the suite of the board's name goes first."""
        named = [each for each in self.snapshot.editions if board.edition in (each.key, each.label)]
        return min(named, key=lambda each: each.suite != board.name, default=None)

    def judge(self, name: str) -> Judge:
        """What is known of a judge, by the name that verdicts bear (with or without the start of its key)."""
        told = self.snapshot.beside.judges
        return told.get(name) or told.get(name.partition("@")[0]) or Judge()

    def self_judged(self, board: Board) -> Mapping[str, Sequence[str]]:
        """By model of a board, the judges of its own family that sat on the panel."""
        judges: Any = board.method.get("judges") or ()
        families = {judge: self.judge(judge).family for judge in judges}
        found: dict[str, Sequence[str]] = {}
        for name in (*(each.model for each in board.ratings), *(each.model for each in board.unranked)):
            family = self.models[name].family
            own = [judge for judge, of in families.items() if family is not None and of == family]
            if own:
                found[name] = own
        return found

    @staticmethod
    def is_vote(comparison: Comparison) -> bool:
        """Whether a person said it."""
        return isinstance(comparison, Vote)

    @cached_property
    def of_model(self) -> Mapping[str, Sequence[Comparison]]:
        """By model, the comparisons in which it stands."""
        found: dict[str, list[Comparison]] = defaultdict(list)
        for comparison in self.counted.values():
            if comparison.sample in self.samples:
                found[comparison.left].append(comparison)
                found[comparison.right].append(comparison)
        return found

    @cached_property
    def of_sample(self) -> Mapping[str, Sequence[tuple[str, Comparison]]]:
        """By sample, all comparisons with their keys, counted or not, the panel's first."""
        found: dict[str, list[tuple[str, Comparison]]] = defaultdict(list)
        for key, comparison in self.snapshot.comparisons.items():
            found[comparison.sample].append((key, comparison))
        for many in found.values():
            many.sort(key=lambda pair: (self.is_vote(pair[1]), pair[1].left, pair[1].right, pair[0]))
        return found

    @cached_property
    def _records(self) -> Mapping[bool, Mapping[str, Mapping[str, WinLoss]]]:
        """By whether people said it, by sample and model: its record."""
        found: dict[bool, dict[str, dict[str, WinLoss]]] = {False: defaultdict(dict), True: defaultdict(dict)}
        for comparison in self.counted.values():
            place = found[self.is_vote(comparison)][comparison.sample]
            for model in (comparison.left, comparison.right):
                place[model] = place.get(model, WinLoss()) + WinLoss.of(comparison, model)
        return found

    @cached_property
    def voters(self) -> str:
        """Whose votes there are, in words: no reader may take simulated voters for people."""
        return voters_of(self.snapshot.comparisons.values())

    @cached_property
    def simulated(self) -> bool:
        """Whether any vote here was cast by a simulated voter."""
        return "simulated" in self.voters

    @property
    def votes(self) -> Mapping[str, Mapping[str, WinLoss]]:
        """By sample and model, its record in people's votes."""
        return self._records[True]

    @cached_property
    def points(self) -> Mapping[str, Mapping[str, WinLoss]]:
        """By sample and model, its record there: the panel's where there is one, else the people's."""
        return {**self._records[True], **self._records[False]}

    def records_of(self, board: Board) -> Mapping[str, Mapping[str, WinLoss]]:
        """By sample and model, its record on a board."""
        found, wanted = self._records[board.name.startswith(ARENA)], self.samples_of(board)
        return {key: found[key] for key in self.samples if key in wanted and key in found}

    @cached_property
    def points_of(self) -> Mapping[str, Mapping[str, WinLoss]]:
        """By model and sample, its record there."""
        found: dict[str, dict[str, WinLoss]] = defaultdict(dict)
        for key in self.samples:
            for model, record in self.points.get(key, {}).items():
                found[model][key] = record
        return found

    def against(self, board: Board) -> Mapping[str, Mapping[str, WinLoss]]:
        """By model and opponent, the model's record on a board."""
        if board.key not in self._against:
            found: dict[str, dict[str, WinLoss]] = defaultdict(dict)
            for _, comparison in self.comparisons(board):
                for model, other in ((comparison.left, comparison.right), (comparison.right, comparison.left)):
                    found[model][other] = found[model].get(other, WinLoss()) + WinLoss.of(comparison, model)
            self._against[board.key] = found
        return self._against[board.key]

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Tags that split the samples: those with at least two values."""
        seen: dict[str, set[str]] = defaultdict(set)
        for sample in self.samples.values():
            for tag in sample.tags:
                seen[tag].update(tag_values(sample, tag))
        return tuple(sorted(tag for tag, values in seen.items() if 2 <= len(values) <= 40))

    # --- times and prices -----------------------------------------------------------------------------------------

    def price(self, model: str) -> float | None:
        """USD for 1,000 pictures, where the host publishes a price."""
        endpoint = self.models[model].endpoint
        return None if endpoint is None else per_thousand(endpoint)

    @cached_property
    def probed(self) -> Mapping[str, tuple[Sequence[Timing], Window]]:
        """By model's name, its timed requests in the days before the latest of all, and what they say."""
        timings = list(self.snapshot.timings.values())
        if not timings:
            return {}
        latest = max(timing.start for timing in timings)  # a snapshot knows no clock
        found: dict[str, list[Timing]] = defaultdict(list)
        for timing in within(timings, latest):
            found[self.name_of(timing.endpoint)].append(timing)
        return {name: (many, window(name, many, latest)) for name, many in found.items()}

    def median_seconds(self, model: str) -> tuple[float | None, bool, int]:
        """Median time, whether it was probed (else it is that of the run's own requests), and of how many."""
        _, timed = self.probed.get(model, ((), None))
        if timed is not None and timed.median is not None:
            return timed.median, True, timed.n
        own = [outcome.seconds for _, outcome in self.outcomes_of.get(model, ()) if isinstance(outcome, Output)]
        known = [value for value in own if value is not None]
        return (median(known) if known else None), False, len(known)


def voters_of(comparisons: Iterable[Comparison]) -> str:
    """Whose votes are among some comparisons, in words."""
    simulated = {each.by.startswith(SIMULATED) for each in comparisons if isinstance(each, Vote)}
    if simulated == {True}:
        return "simulated voters’ votes"
    return "people’s and simulated voters’ votes" if True in simulated else "people’s votes"


def sources_of(comparisons: Iterable[Comparison]) -> str:
    """Who said what some comparisons say, counted, in words."""
    found = Counter(_source(each) for each in comparisons)
    named = [wording.plural(found[name], *words) for name, words in IN_WORDS.items() if found[name]]
    return ", ".join(named) or "nothing"


def _source(comparison: Comparison) -> str:
    if not isinstance(comparison, Vote):
        return "panel"
    return "simulated" if comparison.by.startswith(SIMULATED) else "people"


def slice_values(sample: Sample, tag: str) -> Iterable[str]:
    """Values by which arena boards slice: those of a tag, or the languages that the prompt is in."""
    return sample.prompts if tag == "language" else tag_values(sample, tag)


def tag_values(sample: Sample, tag: str) -> Iterable[str]:
    """Values of a tag as text; a list gives each of its members."""
    value = sample.tags.get(tag)
    many = value if isinstance(value, list | tuple) else [value]
    return [str(each) for each in many if each not in (None, "")]


def share(name: str, numbers: Sequence[float]) -> Share:
    """Mean with a normal 95 % interval cut to 0..1; no interval below `FEWEST` numbers."""
    mean = fmean(numbers)
    if len(numbers) < FEWEST:
        return Share(name, mean, None, None, len(numbers))
    spread = NORMAL * stdev(numbers) / math.sqrt(len(numbers))
    return Share(name, mean, max(0.0, mean - spread), min(1.0, mean + spread), len(numbers))


def _weight(outcome: Outcome) -> int:
    match outcome:
        case Output():
            return 2
        case Refusal():
            return 1
        case Failure():
            return 0
        case _:
            raise TypeError(f"not an outcome: {type(outcome).__name__}")
