"""One table of all benchmarks, gathered from the sections of the report: ours, what is wanted, a peer, their ratio.

It reads what the benchmarks printed and runs nothing. A figure that its section does not hold is not in the table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

NUMBER = r"(\d[\d,]*\.?\d*)"
"""A group in a pattern that finds a figure."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of one section: patterns find it and a peer's in the section's text."""

    section: str
    what: str
    ours: str
    unit: str
    wanted: float | None = None
    more_is_better: bool = False
    peer: str | None = None
    """Who did the same work in the same run."""
    theirs: str | None = None


FIGURES = (
    Figure(section="Client CPU per judged request", what="a request with a JPEG of 200 kB over TLS, client CPU",
           ours=rf"JPEG 200 kB \| TLS \| {NUMBER}", unit="ms", peer="openai",
           theirs=rf"JPEG 200 kB \| TLS \| [\d.]+ \| {NUMBER}"),
    Figure(section="Client CPU per judged request", what="a request with a PNG of 1.5 MB, client CPU",
           ours=rf"PNG 1.5 MB \| plain \| {NUMBER}", unit="ms", peer="openai",
           theirs=rf"PNG 1.5 MB \| plain \| [\d.]+ \| {NUMBER}"),
    Figure(section="Ratings", what="10,000,000 votes of 50 models with 1,000 bootstrap draws",
           ours=rf"groundswell, 1,000 draws +{NUMBER}", unit="s", peer="scikit-learn",
           theirs=rf"scikit-learn logistic, 1,000 draws +{NUMBER}"),
    Figure(section="Ratings", what="the same, against a fit with sandwich intervals alone",
           ours=rf"groundswell, 1,000 draws +{NUMBER}", unit="s", peer="arena-rank",
           theirs=rf"arena-rank, sandwich only +{NUMBER}"),
    Figure(section="Ratings", what="the same, against a fit alone",
           ours=rf"groundswell, 1,000 draws +{NUMBER}", unit="s", peer="evalica",
           theirs=rf"evalica, fit only +{NUMBER}"),
    Figure(section="Threads from posts", what="1,000,000 posts to threads, arrays",
           ours=rf"groundswell, arrays, numba \| {NUMBER}", unit="s", peer="dictionaries",
           theirs=rf"\| dictionaries \| {NUMBER}"),
    Figure(section="Threads from posts", what="1,000,000 posts to threads, records in",
           ours=rf"groundswell, records in, arrays out \| {NUMBER}", unit="s", peer="networkx",
           theirs=rf"\| networkx \| {NUMBER}"),
    Figure(section="Metrics", what="colour of a pair of PNG", ours=rf"colour PNG +{NUMBER}", unit="pairs/s", wanted=25,
           more_is_better=True),
    Figure(section="Metrics", what="colour of a pair of JPEG", ours=rf"colour JPEG +{NUMBER}", unit="pairs/s",
           wanted=80, more_is_better=True),
    Figure(section="Metrics", what="a PNG decoded", ours=rf"colour PNG .*decoding {NUMBER} ms", unit="ms",
           peer="Pillow", theirs=rf"colour PNG .*by Pillow {NUMBER}"),
    Figure(section="Metrics", what="a JPEG decoded", ours=rf"colour JPEG .*decoding {NUMBER} ms", unit="ms",
           peer="Pillow", theirs=rf"colour JPEG .*by Pillow {NUMBER}"),
    Figure(section="The arena under load", what="complete ballots", ours=rf"^\| 0 \| {NUMBER}", unit="a second",
           wanted=150, more_is_better=True),
    Figure(section="The arena under load", what="99th percentile of a page",
           ours=rf"^\| 0 \| [\d.]+ \| [\d.]+ \| {NUMBER}", unit="ms", wanted=150),
    Figure(section="Curation", what="near-duplicates among 1,000,000 prompts, CPU", ours=rf"prompts: {NUMBER} s of CPU",
           unit="s", wanted=12),
    Figure(section="Curation", what="near-duplicates among 1,000,000 prompts, memory", ours=rf"{NUMBER} MB in all",
           unit="MB", wanted=1600),
    *(
        Figure(section="The arena under load", what=f"complete ballots over {store}, {stored} votes stored",
               ours=rf"\| {store}[^|]* \| {stored} \| {NUMBER}", unit="ballots/s", wanted=150, more_is_better=True)
        for store in ("SQLite", "PostgreSQL") for stored in ("0", "1,000,000")
    ),
    *(
        Figure(section="The arena under load", what=f"p99 of its requests over {store}, {stored} votes stored",
               ours=rf"\| {store}[^|]* \| {stored} \| [\d.]+ \| [\d.]+ \| {NUMBER}", unit="ms", wanted=150)
        for store in ("SQLite", "PostgreSQL") for stored in ("0", "1,000,000")
    ),
    *(
        Figure(section="Timing an endpoint", what=f"p95 of the timing error, {what}",
               ours=rf"\| {what} \| \d+ \| [\d.]+ \| {NUMBER}", unit="ms", wanted=10)
        for what in ("one call", "a queue's submission", "a queue's download")
    ),
    *(
        Figure(section="Curation", what=f"local reader, {what}",
               ours=rf"\| {what} \| \d+ \| \d+ \| {NUMBER}", unit="of all", wanted=wanted, more_is_better=True)
        for what, wanted in (
            ("relevance: sensitivity", 0.85), ("relevance: specificity", 0.85), ("prompt recovered", 0.85),
            ("picture roles", 0.9), ("blanks filled right", 0.7),
        )
    ),
)  # fmt: skip
"""What no table with the columns `measured` and `target` says."""

HEADINGS = ("what", "ours", "wanted", "peer", "the peer is at", "", "where")


def table(sections: Mapping[str, str]) -> str:
    """The table as Markdown, of sections by heading in their order."""
    rows = [row for heading, text in sections.items() for row in _rows(heading, text)]
    if not rows:
        return ""
    lines = [HEADINGS, ("---",) * len(HEADINGS), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines) + "\n"


def _rows(heading: str, text: str) -> Iterator[tuple[str, ...]]:
    where = _where(text)
    for what, measured, target in re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", _targets(text), re.MULTILINE):
        yield (
            what,
            measured,
            target,
            "",
            "",
            _met(_number(measured), _number(target), target.startswith("at least")),
            where,
        )
    for what, seconds, limit in re.findall(rf"^(\S.*?) {{2,}}{NUMBER} +{NUMBER}$", _limits(text), re.MULTILINE):
        yield what, f"{seconds} s", f"{limit} s", "", "", _met(_number(seconds), _number(limit), False), where
    for figure in FIGURES:
        ours = re.search(figure.ours, text, re.MULTILINE) if figure.section == heading else None
        theirs = None if figure.theirs is None else re.search(figure.theirs, text, re.MULTILINE)
        if ours is not None and (figure.theirs is None or theirs is not None):
            yield _row(figure, ours[1], None if theirs is None else theirs[1], where)


def _row(figure: Figure, ours: str, theirs: str | None, where: str) -> tuple[str, ...]:
    wanted, met, peer, ratio = "", "", "", ""
    mine = _number(ours)
    if figure.wanted is not None:
        wanted = f"{'at least ' if figure.more_is_better else ''}{figure.wanted:g} {figure.unit}"
        met = _met(mine, figure.wanted, figure.more_is_better)
    if theirs is not None:
        peer = f"{figure.peer}, {theirs} {figure.unit}"
        other = _number(theirs)
        ratio = f"{other / mine:.1f} times ours" if mine and other is not None else ""
    return figure.what, f"{ours} {figure.unit}", wanted, peer, ratio, met, where


def _targets(text: str) -> str:
    """The rows of a table with the columns `measured` and `target`."""
    return text.partition("| what | measured | target |\n|---|---|---|\n")[2].partition("\n\n")[0]


def _limits(text: str) -> str:
    """The lines below a heading with the columns `seconds` and `limit`."""
    return re.split(r"seconds +limit\n", text, maxsplit=1)[-1].partition("```")[0] if " limit\n" in text else ""


def _met(ours: float | None, wanted: float | None, more_is_better: bool) -> str:
    if ours is None or wanted is None:
        return ""
    return "met" if (ours >= wanted if more_is_better else ours <= wanted) else "missed"


def _number(text: str) -> float | None:
    found = re.search(NUMBER, text)
    return None if found is None else float(found[1].replace(",", ""))


def _where(text: str) -> str:
    """Machine and date of a section, as its first line says them."""
    line = text.partition("`python")[2].partition("\n")[0]
    date, cores, load = (
        re.search(pattern, line) for pattern in (r"\d{4}-\d\d-\d\d", r"\d+ cores, \w+", r"load [\d.]+")
    )
    return ", ".join(found[0] for found in (date, cores, load) if found)
