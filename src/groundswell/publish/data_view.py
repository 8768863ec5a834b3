"""The data page and the community page: files to download, editions and what changed, licences, the funnel of posts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sized
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from groundswell.publish import licensing, sample_view, snapshot, tables, wording
from groundswell.publish.facts import Facts
from groundswell.records import Edition, Licence, Output, Picture

WHAT: Final = {
    "samples": "what the models were asked",
    "outcomes": "outputs, refusals and failures, one for each try",
    "verdicts": "grades with the judges’ raw replies, and replies that gave none",
    "measured": "metrics of outputs, and why a metric does not apply",
    "comparisons": "the panel’s pairs and the votes",
    "timings": "single timed requests",
    "posts": "pointers to the posts that samples were made of",
    "threads": "how those posts hang together",
}

DOCUMENTS: Final = {
    "boards.json": "the boards as they were made, with their methods",
    "editions.json": "the frozen lists of samples",
    "endpoints.json": "the models as they are served, with settings and prices",
    "rubrics.json": "what the judges were asked, word for word",
    "community.json": "complaints, the novelty map and kinds of tasks, by keys of posts and samples",
    "judges.json": "families and report cards of the judges",
    "changes.json": "what came and went between editions, and how the boards moved",
    "withdrawn.json": "what was taken back, by key",
    "published.json": "tables that others published, with their sources",
    "scores.json": "the suites’ own scores of the models",
    "set_aside.json": "keys of votes that count on no board",
    "groundswell.sqlite": "the tables again, in one SQLite file",
}

CHANGES: Final = 100
"""New or gone samples that an edition lists."""

WITHDRAWN: Final = 300
"""Withdrawals that the data page lists."""

SAID: Final = 40
"""Comments that the community page shows."""


def downloads(facts: Facts, folder: Path) -> Iterator[dict[str, Any]]:
    """The files below `folder` with what stands in them."""
    for name, columns in tables.COLUMNS.items():
        path = folder / f"{name}.parquet"
        rows = len(getattr(facts.snapshot, name))
        what = WHAT[name] if name != "comparisons" else f"the panel’s pairs and {facts.voters}"
        yield _file(path, what, rows) | {"columns": ["key", "kind", *columns, "body"]}
    counts = {
        "boards.json": len(facts.snapshot.boards),
        "editions.json": len(facts.snapshot.editions),
        "endpoints.json": len(facts.snapshot.endpoints),
        "rubrics.json": len(facts.snapshot.rubrics),
    }
    for name in snapshot.BESIDE:
        found = getattr(facts.snapshot.beside, name)
        if isinstance(found, Sized):
            counts[f"{name}.json"] = len(found)
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
        "drawn": _drawn(edition),
        "licence": said if licence is None or licence.redistribute else f"{said}, not passed on",
        "before": None if before is None else before.label,
        "added": len(mine - theirs),
        "removed": len(theirs - mine),
        "kept": len(mine & theirs),
        "fresh": [] if before is None else _titles(facts, mine - theirs),
        "left": [] if before is None else _titles(facts, theirs - mine),
    }


def _drawn(edition: Edition) -> str | None:
    """How the samples were drawn, where not all were taken."""
    chances = [chance for chance in (edition.inclusion or {}).values() if chance < 1]
    return f"stratified, each with a probability of {min(chances):.2g} to {max(chances):.2g}" if chances else None


def _titles(facts: Facts, keys: Collection[str]) -> list[tuple[str, str]]:
    """Key and title of the samples that are at hand, at most `CHANGES`."""
    found = [key for key in facts.samples if key in keys]
    return [(key, sample_view.title_of(facts.samples[key], 80)) for key in found[:CHANGES]]


def withdrawn_kinds(facts: Facts) -> list[tuple[str, int]]:
    """What was taken back, counted by kind."""
    return sorted(Counter(each.kind for each in facts.snapshot.beside.withdrawn).items())


def card(facts: Facts) -> str:
    """The data card as Markdown: what it is, from where, under which terms, and what is missing."""
    snapshot = facts.snapshot
    lines = ["# Data card", ""]
    lines += [f"Facts as of {snapshot.as_of or 'an unknown day'}. Written by the program that drew the site.", ""]
    lines += ["| edition | samples | languages | licence | key |", "|---|---:|---|---|---|"]
    for edition in editions(facts):
        named = wording.markdown(f"{edition['suite']} {edition['label']}")
        said = wording.markdown(str(edition["licence"]))
        spoken = wording.markdown(", ".join(edition["languages"])) or wording.NONE
        lines.append(f"| {named} | {edition['count']} | {spoken} | {said} | {edition['key']} |")
    lines += ["", "## Where it comes from", ""]
    found = snapshot.funnel
    lines.append(
        f"* posts {found.posts}, conversations {found.threads}, samples {found.samples}, runnable {found.runnable}"
    )
    lines += [f"* {wording.markdown(name)}: {count} posts" for name, count in sorted(found.platforms.items())]
    lines += ["", "## Licences of the pictures", "", "| licence | here | digest only |", "|---|---:|---:|"]
    lines += [f"| {wording.markdown(row['name'])} | {row['here']} | {row['held']} |" for row in licences(facts)]
    lines += ["", "A picture is passed on only where its licence allows it; an unknown licence counts as no. Of a post"]
    lines += ["only the pointer is here.", "", "## Withdrawn", ""]
    lines += [f"* {wording.plural(count, kind)}" for kind, count in withdrawn_kinds(facts)] or ["Nothing."]
    lines += ["", "## Votes", "", f"The votes are {facts.voters}." if facts.votes else "There are no votes.", ""]
    return "\n".join(lines)


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


def said(facts: Facts) -> list[dict[str, str]]:
    """What people said of outputs, spread over the samples."""
    found = [
        {"text": feedback.text, "sample": key} for key, sample in facts.samples.items() for feedback in sample.feedback
    ]
    step = max(1, len(found) // SAID)
    return found[::step][:SAID]
