"""The report of a run: one HTML file that needs nothing beside it, and a Markdown table for a pull request.

It shows what the site's boards show, and question by question what every model answered and what the judges said of
it. Pictures stand in it as small copies.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pybase64
from markupsafe import Markup

from groundswell import files, pictures
from groundswell.publish import board_view, pages, published_view, sample_view, snapshot, wording
from groundswell.publish.board_view import BoardView
from groundswell.publish.facts import Facts
from groundswell.publish.gallery import Shown

SAMPLES: Final = 60
"""Questions in a report; a longer run is shown by so many spread over it, and the report says so."""

SIDE: Final = 200
"""Longest side of a picture in pixels: 60 questions of 10 models stay under 5 MB."""

QUALITY: Final = 75


def build(snapshot_folder: Path, out: Path) -> tuple[Path, Path]:
    """Write `report.html` and `report.md` into the folder `out` and give their paths. Same snapshot, same bytes."""
    facts = Facts(snapshot.read(snapshot_folder))
    views = [board_view.board_view(facts, board) for board in facts.snapshot.boards]
    page, table = out / "report.html", out / "report.md"
    files.write_text(page, _page(facts, views, snapshot_folder))
    files.write_text(table, markdown(facts, views))
    return page, table


def markdown(facts: Facts, views: list[BoardView]) -> str:
    """The boards as Markdown tables, with what was left out, the method, and what others published under each."""
    parts, published = [], _published_once(facts, views)
    for view in views:
        parts.append(f"### {wording.markdown(view.board.name)}: {wording.markdown(view.modality)}\n")
        parts.append("| rank | model | rating | 95 % interval | win rate | scored | refused | failed |")
        parts.append("|---:|---|---:|---:|---:|---:|---:|---:|")
        intervals = {rating.model: (rating.low, rating.high) for rating in view.board.ratings}
        for row in (*view.rows, *view.unranked):
            low, high = intervals.get(row.model.name, (None, None))
            interval = wording.NONE if low is None else f"{wording.number(low)} to {wording.number(high)}"
            scored = wording.NONE if row.scored is None else f"{row.scored}/{row.wanted}"
            cells = [row.rank, wording.markdown(row.model.name), row.rating_text, interval]
            cells += [wording.percent(row.win_rate), scored, wording.number(row.refused), wording.number(row.failed)]
            parts.append(f"| {' | '.join(cells)} |")
        out = ", ".join(f"{count} {wording.words(reason)}" for reason, count in view.left_out) or "nothing"
        voters = f" {wording.markdown(view.simulated)}." if view.simulated else ""
        parts.append(f"\n{wording.markdown(view.sentence)} Left out: {wording.markdown(out)}.{voters}\n")
        parts += [_published(each) for each in published.get(view.slug, ())]
    return "\n".join(parts) + "\n"


def _published_once(facts: Facts, views: list[BoardView]) -> dict[str, list[dict[str, Any]]]:
    """By board, the published results of its suite; of several boards of a suite the first has them."""
    first = {view.board.name: view for view in reversed(views)}
    return {view.slug: published_view.tables(facts, view.board) for view in first.values()}


def _published(table: dict[str, Any]) -> str:
    """A suite's own scores and the published rows as one Markdown table."""
    columns = [wording.markdown(name) for name in ("model", "from", *table["columns"])]
    lines = [
        f"Beside published results: {wording.markdown(table['title'])} {wording.markdown(table['source'] or '')}\n"
    ]
    lines += [f"| {' | '.join(columns)} |", f"|---|---|{'---:|' * len(table['columns'])}"]
    for row in table["rows"]:
        cells = [wording.markdown(row["name"]), wording.markdown(row["source"])]
        lines.append(f"| {' | '.join([*cells, *(wording.short(cell['value']) for cell in row['cells'])])} |")
    return "\n".join(lines) + "\n"


def _page(facts: Facts, views: list[BoardView], folder: Path) -> str:
    environment = pages.environment()
    environment.globals |= {"models": facts.models, "as_of": facts.snapshot.as_of, "site_title": pages.TITLE}
    environment.globals |= {"simulated": facts.simulated, "voters": facts.voters}
    copies = _Copies(facts, folder)
    environment.globals["copy"] = copies.of
    keys = list(facts.samples)
    step = max(1, -(-len(keys) // SAMPLES))
    return environment.get_template("report.html").render(
        views=views,
        published=_published_once(facts, views),
        style=Markup((pages.HERE / "static" / "site.css").read_text("utf-8")),
        questions=[_question(facts, key) for key in keys[::step]],
        shown_of=(len(keys[::step]), len(keys)),
    )


def _question(facts: Facts, key: str) -> dict[str, Any]:
    sample = facts.samples[key]
    return {
        "key": key,
        "sample": sample,
        "title": sample_view.title_of(sample, 400),
        "tags": sample_view.tags_of(sample),
        "ratio": sample_view.ratio_of(sample, list(facts.outcomes.get(key, ()))),
        "cards": list(sample_view.cards(facts, key)),
    }


class _Copies:
    """Small copies of the snapshot's pictures as data addresses, each made once."""

    def __init__(self, facts: Facts, folder: Path) -> None:
        self._shown = facts.snapshot.shown
        self._folder = folder
        self._made: dict[str, Markup] = {}

    def of(self, digest: str) -> Markup | None:
        """The data address of a picture; None where the snapshot does not hold it."""
        shown = self._shown.get(digest)
        if shown is None:
            return None
        if digest not in self._made:
            self._made[digest] = Markup("data:image/jpeg;base64,") + self._small(shown)
        return self._made[digest]

    def _small(self, shown: Shown) -> str:
        scale = min(1.0, SIDE / max(shown.thumb_width, shown.thumb_height))
        size = (max(1, round(shown.thumb_width * scale)), max(1, round(shown.thumb_height * scale)))
        thumb = pictures.pixels((self._folder / shown.thumb).read_bytes())
        return str(pybase64.b64encode(pictures.encode_jpeg(pictures.scaled(thumb, *size), quality=QUALITY)).decode())
