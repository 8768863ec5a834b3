"""The static site: a pure function of a snapshot's folder. Same snapshot, same bytes.

It opens from a disk and from any server under any prefix, asks no other host for anything, and is complete without
JavaScript. A site is built beside its place and put there whole, so nobody ever sees half of one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from groundswell.errors import UserError
from groundswell.publish import api, board_view, sample_view, snapshot, wording
from groundswell.publish.board_view import BoardView, board_slug
from groundswell.publish.facts import Facts, tag_values
from groundswell.publish.pages import HERE, Pages
from groundswell.records import Output, Picture, Sample

MARKER: Final = "site.json"
"""Stands in every site; a folder without it is not ours to replace."""

MENU: Final = (
    ("Overview", "index.html"),
    ("Models", "models/index.html"),
    ("Samples", "samples/index.html"),
    ("Method", "method.html"),
    ("Data", "data.html"),
)

LOOKS: Final = 12
"""Samples that the overview shows."""


def build(snapshot_folder: Path, out: Path) -> None:
    """Build the site of a snapshot at `out`, replacing the site that is there.

    Raises UserError where `out` holds anything but a site, and where there is no snapshot.
    """
    facts = Facts(snapshot.read(snapshot_folder))
    _ours(out)
    fresh = out.with_name(f".{out.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    shutil.copytree(HERE / "static", fresh / "static")
    _pictures(facts, snapshot_folder, fresh)
    views = [board_view.board_view(facts, board) for board in facts.snapshot.boards]
    pages = Pages(facts, fresh, MENU)
    _overview(facts, pages, views)
    _boards(facts, pages, views)
    _samples(facts, pages)
    api.write(facts, views, fresh)
    (fresh / MARKER).write_text('{"made_by": "groundswell"}\n')
    _replace(fresh, out)


def _ours(out: Path) -> None:
    if out.is_dir() and any(out.iterdir()) and not (out / MARKER).exists():
        raise UserError("this folder holds something that is not a site of ours; name another", where=out)
    if out.exists() and not out.is_dir():
        raise UserError("this is a file; name a folder for the site", where=out)


def _replace(fresh: Path, out: Path) -> None:
    old = out.with_name(f".{out.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    fresh.rename(out)
    shutil.rmtree(old, ignore_errors=True)


def _pictures(facts: Facts, source: Path, out: Path) -> None:
    """The snapshot's pictures: linked where the file system allows it, since they never change, else copied."""
    (out / "pictures").mkdir()
    (out / "thumbs").mkdir()
    for shown in facts.snapshot.shown.values():
        for name in (shown.file, shown.thumb):
            if name is not None and not (out / name).exists():
                try:
                    os.link(source / name, out / name)
                except OSError:
                    shutil.copyfile(source / name, out / name)


def _overview(facts: Facts, pages: Pages, views: list[BoardView]) -> None:
    groups: dict[str, list[BoardView]] = {}
    for view in views:
        groups.setdefault(view.board.modality, []).append(view)
    looks = list(_looks(facts))
    pages.write(
        "index.html",
        "index.html",
        headline=_headline(facts, views),
        standfirst=(
            "Every number carries its interval and its coverage, and can be followed home: "
            "to the comparisons, the grades, the judges’ own words and the pictures."
        ),
        groups=[{"title": many[0].modality, "main": many[0], "others": many[1:]} for many in groups.values()],
        looks=looks,
        looks_note="What was asked, at left, and what the best and the worst of the models made of it.",
        sample_count=len(facts.samples),
    )


def _headline(facts: Facts, views: list[BoardView]) -> str:
    names = {row.model.name for view in views for row in (*view.rows, *view.unranked)}
    return f"{wording.plural(len(names), 'model')}, {wording.plural(len(facts.samples), 'sample')}, one yardstick"


def _looks(facts: Facts) -> Iterable[dict[str, Any]]:
    """Samples on which the models differ most: with pictures, spread over the edition."""
    keys = [key for key, sample in facts.samples.items() if _has_picture(facts, key)]
    step = max(1, len(keys) // LOOKS)
    for key in keys[::step][:LOOKS]:
        yield item_of(facts, key)


def _has_picture(facts: Facts, key: str) -> bool:
    return any(
        picture.digest in facts.snapshot.shown
        for _, outcome in facts.outcomes.get(key, ())
        if isinstance(outcome, Output)
        for picture in outcome.pictures
    )


def item_of(facts: Facts, key: str, model: str | None = None, note: str = "") -> dict[str, Any]:
    """A sample as a small card: its first input, and the output of `model` (else of the first model that has one)."""
    sample = facts.samples[key]
    prompts = sample_view.prompts_of(sample)
    output: Picture | None = None
    for _, outcome in facts.outcomes.get(key, ()):
        if isinstance(outcome, Output) and outcome.pictures and model in (None, facts.name_of(outcome.endpoint)):
            output = outcome.pictures[0]
            break
    return {
        "key": key,
        "title": sample_view.title_of(sample, 160),
        "language": prompts[0][0] if prompts else "en",
        "input": sample.inputs[0] if sample.inputs else None,
        "output": output,
        "note": note,
        "fields": _fields(facts, sample),
    }


def _fields(facts: Facts, sample: Sample) -> list[tuple[str, str]]:
    """Data attributes that the sample list filters by; several values of one tag are joined by a unit separator."""
    return [(wording.slug(tag), "\u241f".join(tag_values(sample, tag))) for tag in (*facts.tags,) if tag in sample.tags]


def _boards(facts: Facts, pages: Pages, views: list[BoardView]) -> None:
    for view in views:
        pages.write(
            f"boards/{view.slug}.html",
            "board.html",
            view=view,
            matrix=board_view.matrix(facts, view.board, {}),
        )
    pages.write("method.html", "method.html", views=views)


def _samples(facts: Facts, pages: Pages) -> None:
    keys = list(facts.samples)
    filters = [
        {
            "label": wording.words(tag),
            "field": wording.slug(tag),
            "options": sorted({value for sample in facts.samples.values() for value in tag_values(sample, tag)}),
        }
        for tag in facts.tags
    ]
    pages.write("samples/index.html", "samples.html", items=[item_of(facts, key) for key in keys], filters=filters)
    for place, key in enumerate(keys):
        sample = facts.samples[key]
        pages.write(
            f"samples/{key}.html",
            "sample.html",
            key=key,
            sample=sample,
            title=sample_view.title_of(sample),
            prompts=sample_view.prompts_of(sample),
            tags=sample_view.tags_of(sample),
            checks=sample.checks,
            ratio=sample_view.ratio_of(sample, list(facts.outcomes.get(key, ()))),
            cards=list(sample_view.cards(facts, key)),
            missing=sample_view.missing(facts, key),
            origin=sample_view.origin(facts, sample),
            before=keys[place - 1] if place else None,
            after=keys[place + 1] if place + 1 < len(keys) else None,
        )


__all__ = ["board_slug", "build"]
