"""The static site: a pure function of a snapshot's folder. Same snapshot, same bytes.

It opens from a disk and from any server under any prefix, asks no other host for anything, and is complete without
JavaScript. A site is built beside its place and put there whole, so nobody ever sees half of one.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from groundswell.errors import UserError
from groundswell.publish import (
    api,
    board_view,
    change_view,
    community_view,
    data_view,
    endpoint_view,
    figures,
    judge_view,
    model_view,
    published_view,
    sample_view,
    snapshot,
    tables,
    trust_view,
    wording,
)
from groundswell.publish.board_view import BoardView
from groundswell.publish.endpoint_view import Window
from groundswell.publish.facts import Facts, Model, WinLoss, sources_of, tag_values
from groundswell.publish.pages import HERE, Pages
from groundswell.records import Sample

MARKER: Final = "site.json"
"""Stands in every site; a folder without it is not ours to replace."""

Menu = tuple[tuple[str, str], ...]

SEPARATOR: Final = "\u241f"
"""Between the values of one attribute; the script splits at it."""

Compared = Mapping[frozenset[str], str]
"""By two models' names, the page on which they stand side by side."""

LISTED: Final = 600
"""Samples on one page of the list: about 300 kB."""

LOOKS: Final = 12
"""Samples that the overview shows."""


def build(snapshot_folder: Path, out: Path) -> None:
    """Build the site of a snapshot at `out`, replacing the site that is there.

    Raises UserError where `out` holds anything but a site, and where there is no snapshot.
    """
    facts, out = Facts(snapshot.read(snapshot_folder)), out.resolve()
    _ours(out)
    fresh = out.with_name(f".{out.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    shutil.copytree(HERE / "static", fresh / "static")
    _pictures(facts, snapshot_folder, fresh)
    views = [board_view.board_view(facts, board) for board in facts.snapshot.boards]
    pages = Pages(facts, fresh, _menu(facts))
    _overview(facts, pages, views)
    compared = model_view.pairs(facts)
    _boards(facts, pages, views, compared)
    _models(facts, pages, views, compared)
    _compare(facts, pages, compared)
    _explain(facts, pages, views)
    _metrics(facts, pages)
    _samples(facts, pages)
    _judges(facts, pages)
    _endpoints(facts, pages, views)
    _community(facts, pages)
    _changes(facts, pages)
    _data(facts, pages, snapshot_folder, fresh)
    api.write(facts, views, fresh)
    (fresh / MARKER).write_text('{"made_by": "groundswell"}\n')
    _replace(fresh, out)


def _menu(facts: Facts) -> Menu:
    """The pages that have something to say."""
    found = [("Overview", "index.html"), ("Models", "models/index.html"), ("Samples", "samples/index.html")]
    if facts.snapshot.verdicts:
        found.append(("Judges", "judges/index.html"))
    if endpoint_view.rows(facts) or endpoint_view.failures(facts):
        found.append(("Speed", "endpoints.html"))
    if facts.snapshot.funnel.posts:
        found.append(("Community", "community.html"))
    if facts.snapshot.editions:
        found.append(("Changes", "changes.html"))
    return (*found, ("Method", "method.html"), ("Data", "data.html"))


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
        groups=[{"title": many[0].modality, "main": many[0], "others": _others(many[1:])} for many in groups.values()],
        looks=looks,
        looks_note=_looks_note(facts),
        sample_count=len(facts.samples),
    )


def _others(views: Sequence[BoardView]) -> list[dict[str, Any]]:
    """Boards with those of their slices (`arena-edit/style=photo`) under them, by what slices them."""
    found: dict[str, dict[str, Any]] = {}
    for view in views:
        name, _, part = view.board.name.partition("/")
        kind, _, value = part.partition("=")
        group = found.setdefault(name, {"main": view, "slices": {}})
        if kind:
            group["slices"].setdefault(kind, []).append((value or kind, view.slug))
    return [{**group, "slices": list(group["slices"].items())} for group in found.values()]


def _headline(facts: Facts, views: list[BoardView]) -> str:
    models = {row.model.name: row.model for view in views for row in (*view.rows, *view.unranked)}
    if not models:
        return "No model was compared yet"
    baselines = sum(model.baseline for model in models.values())
    told = wording.plural(len(models) - baselines, "model")
    beside = f" and {wording.plural(baselines, 'baseline')}" if baselines else ""
    return f"{told}{beside} on {wording.plural(len(facts.samples), 'sample')}"


def _looks(facts: Facts) -> Iterator[dict[str, Any]]:
    """Samples spread over the edition, with what the first and the last of the models that are no baselines made."""
    names = [name for name in facts.order if not facts.models[name].baseline]
    ends = [name for place, name in enumerate(names) if place in (0, len(names) - 1)]
    keys = [key for key in facts.samples if any(model_view.first_picture(facts, key, name) for name in ends)]
    step = max(1, len(keys) // LOOKS)
    for key in keys[::step][:LOOKS]:
        yield model_view.card(facts, key, ends)


def _looks_note(facts: Facts) -> str:
    names = [name for name in facts.order if not facts.models[name].baseline]
    if len(names) < 2:
        return "What was asked, and what came."
    return f"Some of the samples: input first, then {names[0]}, the first of the board, then {names[-1]}, its last."


def _fields(facts: Facts, sample: Sample) -> list[tuple[str, str]]:
    """Data attributes that the sample list filters by; several values of one tag are joined by a separator."""
    return [(wording.slug(tag), SEPARATOR.join(tag_values(sample, tag))) for tag in facts.tags if tag in sample.tags]


def _boards(facts: Facts, pages: Pages, views: Sequence[BoardView], compared: Compared) -> None:
    for view in views:
        pages.write(
            f"boards/{view.slug}.html",
            "board.html",
            view=view,
            matrix=board_view.matrix(facts, view.board, compared),
            slices=board_view.slices(facts, view.board),
            metrics=board_view.metrics(facts, view.board),
            published=published_view.tables(facts, view.board),
        )
    pages.write("method.html", "method.html", views=views)


def _models(facts: Facts, pages: Pages, views: Sequence[BoardView], compared: Compared) -> None:
    order = sorted(facts.models.values(), key=lambda model: facts.order[model.name])
    timed = endpoint_view.windows(facts)
    rows: list[dict[str, Any]] = [
        {
            "model": model,
            "standings": model_view.standings(facts, model, views),
            "outputs": len(facts.outcomes_of.get(model.name, ())),
        }
        for model in order
    ]
    pages.write("models/index.html", "models.html", rows=rows)
    axis = figures.axis(model_view.SHARES, share=True)
    for row in rows:
        model: Model = row["model"]
        best, worst = model_view.telling(facts, model)
        rivals = model_view.opponents(facts, model)
        for rival in rivals:
            rival["page"] = compared.get(frozenset((model.name, rival["model"].name)))
        pages.write(
            f"models/{model.slug}.html",
            "model.html",
            model=model,
            standings=row["standings"],
            best=best,
            worst=worst,
            opponents=rivals,
            made_of=sources_of(facts.of_model.get(model.name, ())),
            share_axis=axis,
            groups=model_view.by_tag(facts, model),
            metrics=model_view.metrics(facts, model),
            troubles=model_view.troubles(facts, model),
            timing=_timing(facts, timed.get(model.name), model),
            about=model_view.facts_of(facts, model),
        )


def _timing(facts: Facts, window: Window | None, model: Model) -> dict[str, Any] | None:
    return None if window is None else {"text": window.text, "drawing": endpoint_view.over_days(facts, model.name)}


def _compare(facts: Facts, pages: Pages, compared: Compared) -> None:
    for two, path in compared.items():
        one, other = sorted(two, key=lambda name: facts.order[name])
        view = model_view.side_by_side(facts, facts.models[one], facts.models[other])
        record, share = view["record"], view["share"]
        interval = ""
        if share is not None and share.low is not None:
            interval = f"{wording.percent(share.low)} to {wording.percent(share.high)}"
        readout = [
            ("samples", wording.number(len(view["strip"])), ""),
            (f"won by {one}", wording.number(record.wins), ""),
            ("tied", wording.number(record.ties), ""),
            (f"won by {other}", wording.number(record.losses), ""),
            (f"points of {one}", wording.percent(record.share), interval),
        ]
        pages.write(path, "compare.html", view=view, readout=readout)


def _explain(facts: Facts, pages: Pages, views: Sequence[BoardView]) -> None:
    for view in views:
        for row in (*view.rows, *view.unranked):
            if row.explain is None:
                continue
            home = model_view.way_home(facts, view.board, row.model)
            pages.write(
                row.explain,
                "explain.html",
                view=view,
                row=row,
                model=row.model,
                home=home,
                total=sum((line["record"] for line in home["rows"]), WinLoss()),
                command=shlex.join([view.board.name, row.model.name]),
            )


def _metrics(facts: Facts, pages: Pages) -> None:
    for model in facts.models.values():
        for home in model_view.metric_homes(facts, model):
            command = shlex.join([home["metric"], model.name])
            pages.write(home["path"], "metric.html", home=home, model=model, command=command)


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
    first = list(facts.order)[:1]
    items = [model_view.card(facts, key, first) | {"fields": _fields(facts, facts.samples[key])} for key in keys]
    parts = [items[start : start + LISTED] for start in range(0, len(items), LISTED)] or [[]]
    paths = [f"samples/{'index' if not place else f'page-{place + 1}'}.html" for place in range(len(parts))]
    named = [
        (f"{place * LISTED + 1} to {place * LISTED + len(part)}", path)
        for place, (part, path) in enumerate(zip(parts, paths, strict=True))
    ]
    for part, path in zip(parts, paths, strict=True):
        pages.write(path, "samples.html", items=part, filters=filters, total=len(items), pages=named)
    for place, key in enumerate(keys):
        sample, cards = facts.samples[key], list(sample_view.cards(facts, key))
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
            cards=cards,
            heated=any(card["structure"] for card in cards),
            input_boxes=sample_view.input_boxes(facts, key),
            missing=sample_view.missing(facts, key),
            origin=sample_view.origin(facts, sample),
            comparisons=sample_view.comparisons(facts, key),
            before=keys[place - 1] if place else None,
            after=keys[place + 1] if place + 1 < len(keys) else None,
        )


def _judges(facts: Facts, pages: Pages) -> None:
    reports = [judge_view.report(facts, judge, verdicts) for judge, verdicts in judge_view.judges(facts).items()]
    if not reports:
        return
    pages.write(
        "judges/index.html",
        "judges.html",
        reports=reports,
        agreement=judge_view.agreement(facts),
        people=trust_view.people(facts),
        biases=trust_view.biases(facts),
        panels=trust_view.panels(facts),
    )
    for report in reports:
        name = report["name"]
        pages.write(
            f"judges/{report['slug']}.html",
            "judge.html",
            report=report,
            card=trust_view.card(facts, name),
            people=trust_view.people(facts, name),
            biases=trust_view.biases(facts, name),
            own=judge_view.own_family(facts, name),
            family=facts.judge(name).family,
        )


def _endpoints(facts: Facts, pages: Pages, views: Sequence[BoardView]) -> None:
    rows = endpoint_view.rows(facts)
    if rows or endpoint_view.failures(facts):
        pages.write(
            "endpoints.html",
            "endpoints.html",
            rows=rows,
            axis=endpoint_view.axis_of(facts) if rows else None,
            scatters=endpoint_view.scatters(facts, views),
            failures=endpoint_view.failures(facts),
        )


def _community(facts: Facts, pages: Pages) -> None:
    if not facts.snapshot.funnel.posts:
        return
    pages.write(
        "community.html",
        "community.html",
        funnel=community_view.funnel(facts),
        qualities=community_view.qualities(facts),
        days=community_view.days(facts),
        platforms=community_view.platforms(facts),
        kinds=community_view.kinds(facts),
        words=community_view.words(facts),
        novelty=community_view.novelty(facts),
        task_kinds=community_view.task_kinds(facts),
        diversity=community_view.diversity(facts),
        said=data_view.said(facts),
    )


def _changes(facts: Facts, pages: Pages) -> None:
    if facts.snapshot.editions:
        pages.write(
            "changes.html",
            "changes.html",
            editions=data_view.editions(facts),
            changes=[change_view.change(facts, each) for each in facts.snapshot.beside.changes],
            here_too=facts.samples,
        )


def _data(facts: Facts, pages: Pages, source: Path, out: Path) -> None:
    folder = out / "data"
    folder.mkdir()
    for name in (*data_view.DOCUMENTS, *(f"{table}.parquet" for table in tables.COLUMNS)):
        shutil.copyfile(source / name, folder / name)
    (folder / "README.md").write_text(data_view.card(facts), encoding="utf-8")
    sums = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted(folder.iterdir())]
    (folder / "checksums.txt").write_text("\n".join(sums) + "\n")
    withdrawn = facts.snapshot.beside.withdrawn
    pages.write(
        "data.html",
        "data.html",
        downloads=list(data_view.downloads(facts, folder)),
        editions=data_view.editions(facts),
        withdrawn=withdrawn[: data_view.WITHDRAWN],
        withdrawn_more=max(0, len(withdrawn) - data_view.WITHDRAWN),
        withdrawn_kinds=data_view.withdrawn_kinds(facts),
        licences=data_view.licences(facts),
    )
