"""The snapshot: everything that the pages of an edition say, as files that stand for themselves.

Small things are JSON (boards, editions, endpoints, rubrics, sidelights), facts are Parquet with a column for each field
that a reader filters by and `body`, the whole record. Order and bytes depend on the facts alone. What may not be passed
on is held back here (`licensing`), so that nothing downstream can leak it. It does not know how anything is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeVar, Union

import msgspec

from groundswell import files, ports
from groundswell.errors import UserError
from groundswell.publish import licensing, tables
from groundswell.publish.gallery import Shown, copy_pictures, read_gallery
from groundswell.publish.sidelights import Sidelights
from groundswell.records import (
    STORED,
    Board,
    Comparison,
    Edition,
    Endpoint,
    Measured,
    Outcome,
    Output,
    Part,
    Post,
    Record,
    Rubric,
    Sample,
    Thread,
    Timing,
    Verdict,
    Vote,
)

R = TypeVar("R", bound=Record)

FORMAT = 2
"""Raised when a file of the snapshot changes its meaning."""

MANIFEST = "snapshot.json"
DATABASE = "groundswell.sqlite"

BESIDE = Sidelights.__struct_fields__
"""Each field of the sidelights is a file of its own."""

NOTHING_BESIDE = Sidelights()


class Funnel(Part, frozen=True, kw_only=True):
    """How many survive each step from posts to samples, over the whole collection."""

    posts: int = 0
    threads: int = 0
    samples: int = 0
    runnable: int = 0
    qualities: Mapping[str, int] = msgspec.field(default_factory=dict)
    posts_by_day: Mapping[str, int] = msgspec.field(default_factory=dict)
    platforms: Mapping[str, int] = msgspec.field(default_factory=dict)


class Snapshot(Part, frozen=True, kw_only=True):
    """Boards and the facts behind them, by key, each mapping in the order of its keys."""

    boards: tuple[Board, ...]
    editions: tuple[Edition, ...]
    endpoints: Mapping[str, Endpoint]
    rubrics: Mapping[str, Rubric]
    samples: Mapping[str, Sample]
    """Without what may not be passed on; the keys are those of the whole samples."""
    outcomes: Mapping[str, Outcome]
    verdicts: Mapping[str, Verdict]
    measured: Mapping[str, Measured]
    comparisons: Mapping[str, Comparison]
    """Panel's pairs and people's votes."""
    timings: Mapping[str, Timing]
    posts: Mapping[str, Post]
    """Pointers to the posts that the samples were made of."""
    threads: Mapping[str, Thread]
    funnel: Funnel = Funnel()
    beside: Sidelights = Sidelights()
    shown: Mapping[str, Shown] = msgspec.field(default_factory=dict)
    """Pictures that the folder holds, by digest; empty until they are copied."""

    @property
    def as_of(self) -> date | None:
        """The day of the latest fact that carries a time: a snapshot knows no clock."""
        times = [outcome.started for outcome in self.outcomes.values()]
        times += [timing.start for timing in self.timings.values()]
        times += [vote.time for vote in self.comparisons.values() if isinstance(vote, Vote)]
        known = [time for time in times if isinstance(time, datetime)]
        return max(known).date() if known else None


def collect(
    store: ports.Store,
    boards: Sequence[Board],
    editions: Sequence[Edition],
    comparisons: Iterable[Comparison] = (),
    beside: Sidelights = NOTHING_BESIDE,
) -> Snapshot:
    """Everything that the pages of these boards need.

    Facts about samples outside `editions` are left out (without an edition: nothing is). `comparisons` are the panel's
    pairs, which are derived and not stored; the votes of people come from the store. `beside` is what others computed.
    """
    wanted = frozenset(key for edition in editions for key in edition.samples) or None
    whole = {key: sample for key, sample in _keyed(store.records(Sample)) if wanted is None or key in wanted}
    outcomes = {
        key: licensing.output_without_held_back(outcome, whole[outcome.sample])
        if isinstance(outcome, Output)
        else outcome
        for key, outcome in _keyed(store.records(Outcome))
        if outcome.sample in whole
    }
    verdicts = {key: verdict for key, verdict in _keyed(store.records(Verdict)) if verdict.sample in whole}
    timings = dict(_keyed(store.records(Timing)))
    used = {outcome.endpoint for outcome in outcomes.values()} | {timing.endpoint for timing in timings.values()}
    origins = {origin for sample in whole.values() for origin in sample.origins}
    threads = {key: each for key, each in _keyed(store.records(Thread)) if not origins.isdisjoint(each.members)}
    members = origins.union(*(thread.members for thread in threads.values()))
    funnel, posts = _community(store, members)
    stored = (each for each in store.records(Comparison) if each.sample in whole)
    return Snapshot(
        boards=tuple(boards),
        editions=tuple(editions),
        endpoints=_sorted((key, each) for key, each in _keyed(store.records(Endpoint)) if key in used),
        rubrics=_sorted(_keyed(store.records(Rubric))),
        samples=_sorted((key, licensing.without_held_back(sample)) for key, sample in whole.items()),
        outcomes=_sorted(outcomes.items()),
        verdicts=_sorted(verdicts.items()),
        measured=_sorted((k, each) for k, each in _keyed(store.records(Measured)) if each.sample in whole),
        comparisons=_sorted(_keyed(each for many in (comparisons, stored) for each in many)),
        timings=_sorted(timings.items()),
        posts=_sorted(posts.items()),
        threads=_sorted(threads.items()),
        funnel=funnel,
        beside=beside,
    )


def write(snapshot: Snapshot, blobs: ports.Blobs, folder: Path) -> Snapshot:
    """Write the snapshot with its pictures into a folder, and give it back with what is shown.

    The same facts give the same bytes. Pictures that are there already are not made again.
    """
    (folder / MANIFEST).unlink(missing_ok=True)  # written again at the end: half a snapshot is none
    shown = copy_pictures(_showable(snapshot), blobs, folder)
    files.write_text(folder / "boards.json", _json(snapshot.boards))
    files.write_text(folder / "editions.json", _json(snapshot.editions))
    files.write_text(folder / "endpoints.json", _json(dict(snapshot.endpoints)))
    files.write_text(folder / "rubrics.json", _json(dict(snapshot.rubrics)))
    for name in BESIDE:
        files.write_text(folder / f"{name}.json", _json(getattr(snapshot.beside, name)))
    for name in tables.COLUMNS:
        tables.write_table(folder / f"{name}.parquet", name, getattr(snapshot, name))
    tables.write_database(folder / DATABASE, {name: getattr(snapshot, name) for name in tables.COLUMNS})
    manifest = {"format": FORMAT, "as_of": snapshot.as_of, "funnel": snapshot.funnel}
    files.write_text(folder / MANIFEST, _json(manifest))
    return msgspec.structs.replace(snapshot, shown=shown)


def read(folder: Path) -> Snapshot:
    """The snapshot that a folder holds. Raises UserError where it holds none, or one of another format."""
    manifest = files.read_document(folder / MANIFEST)
    if manifest.get("format") != FORMAT:
        raise UserError(f"a snapshot of format {manifest.get('format')!r}; write it again", where=folder / MANIFEST)
    kind: Any = Union[STORED]  # noqa: UP007  built from a tuple
    facts = {name: dict(tables.read_table(folder / f"{name}.parquet", kind)) for name in tables.COLUMNS}
    return Snapshot(
        boards=msgspec.convert(files.read_document(folder / "boards.json"), tuple[Board, ...]),
        editions=msgspec.convert(files.read_document(folder / "editions.json"), tuple[Edition, ...]),
        endpoints=msgspec.convert(files.read_document(folder / "endpoints.json"), dict[str, Endpoint]),
        rubrics=msgspec.convert(files.read_document(folder / "rubrics.json"), dict[str, Rubric]),
        funnel=msgspec.convert(manifest["funnel"], Funnel),
        beside=msgspec.convert({name: files.read_document(folder / f"{name}.json") for name in BESIDE}, Sidelights),
        shown=read_gallery(folder),
        **facts,
    )


def _keyed(records: Iterable[R]) -> Iterator[tuple[str, R]]:
    return ((record.key, record) for record in records)


def _sorted(pairs: Iterable[tuple[str, R]]) -> dict[str, R]:
    return dict(sorted(pairs, key=lambda pair: pair[0]))


def _json(value: object) -> str:
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1).decode() + "\n"


def _showable(snapshot: Snapshot) -> list[str]:
    """Digests of the pictures that may be passed on, each once, in order."""
    digests: set[str] = set()
    for sample in snapshot.samples.values():
        digests.update(picture.digest for picture in sample.inputs if licensing.may_show(picture, sample.licence))
    for outcome in snapshot.outcomes.values():
        if isinstance(outcome, Output):
            sample = snapshot.samples[outcome.sample]
            digests.update(picture.digest for picture in outcome.pictures if licensing.may_show_output(picture, sample))
    return sorted(digests)


def _community(store: ports.Store, members: set[str]) -> tuple[Funnel, dict[str, Post]]:
    """Counts over all posts, streamed, and pointers to those that `members` names."""
    days: dict[str, int] = {}
    platforms: dict[str, int] = {}
    kept: dict[str, Post] = {}
    for post in store.records(Post):
        platforms[post.platform] = platforms.get(post.platform, 0) + 1
        if post.time is not None:
            day = post.time.date().isoformat()
            days[day] = days.get(day, 0) + 1
        key = post.key
        if key in members:
            kept[key] = licensing.pointer(post)
    samples = runnable = 0
    qualities: dict[str, int] = {}
    for sample in store.records(Sample):
        if sample.origins:
            samples += 1
            runnable += sample.not_runnable is None
            if sample.quality is not None:
                qualities[sample.quality] = qualities.get(sample.quality, 0) + 1
    threads = sum(1 for _ in store.records(Thread))
    funnel = Funnel(
        posts=sum(platforms.values()),
        threads=threads,
        samples=samples,
        runnable=runnable,
        qualities=dict(sorted(qualities.items())),
        posts_by_day=dict(sorted(days.items())),
        platforms=dict(sorted(platforms.items())),
    )
    return funnel, kept
