"""The data page and the community page: files to download, editions and what changed, licences, the funnel of posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from groundswell.publish import figures, licensing, sample_view, tables, wording
from groundswell.publish.facts import Facts
from groundswell.records import Edition, Licence, Output, Picture

WHAT: Final = {
    "samples": "what the models were asked",
    "outcomes": "outputs, refusals and failures, one for each try",
    "verdicts": "grades with the judges’ raw replies, and replies that gave none",
    "measured": "metrics of outputs, and why a metric does not apply",
    "comparisons": "the panel’s pairs and people’s votes",
    "timings": "single timed requests",
    "posts": "pointers to the posts that samples were made of",
    "threads": "how those posts hang together",
}

DOCUMENTS: Final = {
    "boards.json": "the boards as they were made, with their methods",
    "editions.json": "the frozen lists of samples",
    "endpoints.json": "the models as they are served, with settings and prices",
    "rubrics.json": "what the judges were asked, word for word",
    "groundswell.sqlite": "the tables again, in one SQLite file",
}

CHANGES: Final = 100
"""New or gone samples that an edition lists."""

SAID: Final = 60
"""Comments that the community page shows."""


def downloads(facts: Facts, folder: Path) -> Iterator[dict[str, Any]]:
    """The files below `folder` with what stands in them."""
    for name, columns in tables.COLUMNS.items():
        path = folder / f"{name}.parquet"
        rows = len(getattr(facts.snapshot, name))
        yield _file(path, WHAT[name], rows) | {"columns": ["key", "kind", *columns, "body"]}
    counts = {
        "boards.json": len(facts.snapshot.boards),
        "editions.json": len(facts.snapshot.editions),
        "endpoints.json": len(facts.snapshot.endpoints),
        "rubrics.json": len(facts.snapshot.rubrics),
    }
    for name, what in DOCUMENTS.items():
        yield _file(folder / name, what, counts.get(name)) | {"columns": []}


def _file(path: Path, what: str, rows: int | None) -> dict[str, Any]:
    return {"name": path.name, "what": what, "rows": rows, "size": size(path.stat().st_size)}


def size(count: int) -> str:
    """Bytes in the unit that reads best."""
    if count < 1_000_000:
        return f"{wording.number(max(1, round(count / 1000)))} kB"
    return f"{wording.number(count / 1_000_000, 1)} MB"


def editions(facts: Facts) -> list[dict[str, Any]]:
    """Editions with what changed since the one before of the same suite."""
    answer: list[dict[str, Any]] = []
    by_suite: dict[str, list[Edition]] = {}
    for edition in facts.snapshot.editions:
        by_suite.setdefault(edition.suite, []).append(edition)
    for many in by_suite.values():
        answer.append(_edition(facts, many[0], None))
        answer.extend(_edition(facts, edition, before) for before, edition in pairwise(many))
    return answer


def _edition(facts: Facts, edition: Edition, before: Edition | None) -> dict[str, Any]:
    mine, theirs = set(edition.samples), set(() if before is None else before.samples)
    licence = edition.licence
    said = "not stated" if licence is None else licence.id
    return {
        "key": edition.key,
        "suite": edition.suite,
        "label": edition.label,
        "count": len(edition.samples),
        "gone": len(mine - facts.samples.keys()),
        "languages": edition.languages,
        "licence": said if licence is None or licence.redistribute else f"{said}, not passed on",
        "before": None if before is None else before.label,
        "added": len(mine - theirs),
        "removed": len(theirs - mine),
        "kept": len(mine & theirs),
        "fresh": [] if before is None else _titles(facts, mine - theirs),
        "left": [] if before is None else _titles(facts, theirs - mine),
    }


def _titles(facts: Facts, keys: Collection[str]) -> list[tuple[str, str]]:
    """Key and title of the samples that are at hand, at most `CHANGES`."""
    found = [key for key in facts.samples if key in keys]
    return [(key, sample_view.title_of(facts.samples[key], 80)) for key in found[:CHANGES]]


def licences(facts: Facts) -> list[dict[str, Any]]:
    """By licence, how many pictures are here and how many are named by digest only."""
    seen: dict[str, tuple[str, bool]] = {}
    for sample in facts.samples.values():
        for picture in sample.inputs:
            seen[picture.digest] = _ruled(picture, sample.licence, licensing.may_show(picture, sample.licence))
    for outcome in facts.snapshot.outcomes.values():
        if isinstance(outcome, Output):
            sample = facts.samples[outcome.sample]
            for picture in outcome.pictures:
                may = licensing.may_show_output(picture, sample)
                ruled = picture.licence.id if picture.licence else "made by a model"
                seen.setdefault(picture.digest, (ruled, may))
    counts = Counter(seen.values())
    names = sorted({name for name, _ in counts})
    return [{"name": name, "here": counts[name, True], "held": counts[name, False]} for name in names]


def _ruled(picture: Picture, suite: Licence | None, may: bool) -> tuple[str, bool]:
    licence = picture.licence or suite
    return ("unknown" if licence is None else licence.id), may


def funnel(facts: Facts) -> list[dict[str, Any]]:
    """Steps from posts to samples with their counts."""
    found = facts.snapshot.funnel
    steps = [("posts found", found.posts), ("threads", found.threads), ("samples made", found.samples)]
    steps.append(("that can be run", found.runnable))
    top = max(1, found.posts)
    return [{"name": name, "count": count, "part": min(1.0, count / top)} for name, count in steps]


def days(facts: Facts) -> tuple[Markup, list[tuple[str, str]]]:
    """Posts a day as columns, and which models became public on those days."""
    counts = list(facts.snapshot.funnel.posts_by_day.items())
    public = {
        endpoint.public_from: endpoint.name
        for endpoint in facts.snapshot.endpoints.values()
        if endpoint.public_from is not None
    }
    marked = [place for place, (day, _) in enumerate(counts) if day in public]
    return figures.bars(counts, marked), [(public[day], day) for day, _ in counts if day in public]


def said(facts: Facts) -> list[dict[str, str]]:
    """What people said of outputs, spread over the samples."""
    found = [
        {"text": feedback.text, "sample": key} for key, sample in facts.samples.items() for feedback in sample.feedback
    ]
    step = max(1, len(found) // SAID)
    return found[::step][:SAID]
