"""What other rooms found beside the boards, in the form in which the pages show it.

Judges with their report cards, what the community says, how boards moved between editions, what was withdrawn, and
results that others published. It names posts and samples by key; the words that pages quote come from the snapshot's
samples, so that nothing leaves by this door that may not be passed on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from groundswell.records import Json, Part

# --- the community ------------------------------------------------------------------------------------------------


class Complaint(Part, frozen=True, kw_only=True):
    """Somebody's post that tells of a failure; what it says stands in the feedback of the samples."""

    post: str
    kind: str
    keywords: tuple[str, ...] = ()


class Spot(Part, frozen=True, kw_only=True):
    """A prompt of the community on the novelty map."""

    sample: str
    x: float
    y: float
    nearest: float | None = None
    """Likeness (cosine) to the nearest older prompt."""
    novel: bool = False


class Older(Part, frozen=True, kw_only=True):
    """An older prompt set on the map."""

    name: str
    points: tuple[tuple[float, float], ...] = ()


class NoveltyMap(Part, frozen=True, kw_only=True):
    """New prompts over older sets in two dimensions; without spots `why` says why."""

    spots: tuple[Spot, ...] = ()
    older: tuple[Older, ...] = ()
    explained: float | None = None
    """Share of the variance that the two dimensions show."""
    why: str | None = None


class KindShare(Part, frozen=True, kw_only=True):
    """How many prompts of a set are of a kind, with the 95 % interval of the share."""

    n: int
    of: int
    low: float | None = None
    high: float | None = None


class TaskKind(Part, frozen=True, kw_only=True):
    """A kind of task in our prompts and in older sets."""

    kind: str
    means: str = ""
    ours: KindShare
    older: Mapping[str, KindShare] = msgspec.field(default_factory=dict)
    lacking_in: tuple[str, ...] = ()
    """Older sets that surely have less of it."""
    examples: tuple[str, ...] = ()
    """Keys of samples."""


class Community(Part, frozen=True, kw_only=True):
    """What people post about models, beside the counts of the snapshot's funnel."""

    judged: int | None = None
    """Conversations whose relevance was judged."""
    relevant: int | None = None
    qualities: Mapping[str, int] = msgspec.field(default_factory=dict)
    """Conversations by what they are good for: Benchmark, Analysis, Trash."""
    releases: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """By ISO date, the models that came out."""
    complaints: tuple[Complaint, ...] = ()
    metrics: Mapping[str, str] = msgspec.field(default_factory=dict)
    """By kind of complaint, the metric that shows it; a kind without one is not here."""
    novelty: NoveltyMap = NoveltyMap(why="the corpus was not looked at as a whole: groundswell curate corpus")
    task_kinds: tuple[TaskKind, ...] = ()
    task_kinds_why: str | None = "the corpus was not looked at as a whole: groundswell curate corpus"
    wording: Mapping[str, Json] = msgspec.field(default_factory=dict)
    """Near-duplicates, leading bigrams and fluency, as `groundswell curate corpus` gives them."""


# --- judges -------------------------------------------------------------------------------------------------------


class Finding(Part, frozen=True, kw_only=True):
    """One kind of planted case on a report card."""

    plant: str
    mark: Literal["passed", "failed", "undecided"]
    cases: int
    against: int
    """Cases that count against the judge."""
    unread: int = 0
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    may: float | None = None
    """Rate that noise alone may reach; None = the kind is marked by how far grades moved."""
    moved: float | None = None
    """Mean move of the grades, as a share of the scale."""


class Card(Part, frozen=True, kw_only=True):
    """The newest report card of a judge."""

    mark: Literal["passed", "failed", "undecided"]
    findings: tuple[Finding, ...] = ()
    not_tried: tuple[str, ...] = ()
    suite: str | None = None
    edition: str | None = None
    outputs: int | None = None
    """Real outputs that cases were planted among."""
    time: str | None = None


class Judge(Part, frozen=True, kw_only=True):
    """What is known of a judge beside its verdicts."""

    family: str | None = None
    card: Card | None = None


# --- changes ------------------------------------------------------------------------------------------------------


class Prompt(Part, frozen=True, kw_only=True):
    """A sample that came or went. `title` None = its words may not be passed on, or are gone."""

    key: str
    title: str | None = None
    why: str | None = None
    """Why it went, where somebody said so."""


class Place(Part, frozen=True, kw_only=True):
    """Where a model stands on one of two boards."""

    rating: float
    low: float | None = None
    high: float | None = None
    rank_low: int
    rank_high: int


class Moved(Part, frozen=True, kw_only=True):
    """One model on two boards: the difference with its interval, and whether it is beyond noise."""

    model: str
    before: Place | None = None
    after: Place | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    moved: bool | None = None
    why: str | None = None


class BoardMove(Part, frozen=True, kw_only=True):
    """One board in two editions; `why_not` says why they cannot be compared."""

    board: str
    modality: str
    why_not: str | None = None
    about: str | None = None
    models: tuple[Moved, ...] = ()


class Change(Part, frozen=True, kw_only=True):
    """From one edition of a suite to the next."""

    suite: str
    before: str
    after: str
    before_key: str
    after_key: str
    stayed: int
    came: tuple[Prompt, ...] = ()
    went: tuple[Prompt, ...] = ()
    boards: tuple[BoardMove, ...] = ()


class Withdrawal(Part, frozen=True, kw_only=True):
    """Something that was taken back. Its address is not kept: it was taken back."""

    key: str
    kind: str
    day: str


# --- published results --------------------------------------------------------------------------------------------


class Published(Part, frozen=True, kw_only=True):
    """A table that others published, and our models in its columns; the two are never mixed."""

    suite: str
    title: str
    source: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[float | None, ...]]
    note: str = ""


class Scored(Part, frozen=True, kw_only=True):
    """A suite's own score of a model by a judge, by group (LLaVA's categories, CPI's tasks)."""

    suite: str
    model: str
    judge: str
    groups: Mapping[str, float | None]
    scored: Mapping[str, int] = msgspec.field(default_factory=dict)
    wanted: Mapping[str, int] = msgspec.field(default_factory=dict)
    unit: str = ""


class Sidelights(Part, frozen=True, kw_only=True):
    """Everything beside the boards; each field is a file of the snapshot."""

    community: Community | None = None
    judges: Mapping[str, Judge] = msgspec.field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    withdrawn: tuple[Withdrawal, ...] = ()
    published: tuple[Published, ...] = ()
    scores: tuple[Scored, ...] = ()
    set_aside: tuple[str, ...] = ()
    """Keys of votes that count on no board."""
