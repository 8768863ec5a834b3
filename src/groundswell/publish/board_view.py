"""A board as a page shows it: rows with their drawings, the reading of its method, head to head.

Numbers are those of the board; what is added are counts of the snapshot's facts beside them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from markupsafe import Markup

from groundswell.publish import figures, wording
from groundswell.publish.facts import ARENA, Facts, Model, WinLoss, tag_values
from groundswell.publish.figures import Scale
from groundswell.publish.sidelights import Community
from groundswell.records import Board, Failure, Output, Rating, Refusal, Unranked

MODALITIES = {"t2i": "Text to image", "edit": "Image editing", "chat": "Visual chat"}

ROOM = 0.1
"""Share of the scale on both sides for the arrows of the unranked."""

SLICES = 12
"""Above so many values of a tag a table of them is no longer read."""

MATRIX_MODELS = 24
"""Above so many models a head-to-head table is no longer read; the model pages have the rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A mark on a board with what it means."""

    text: str
    hint: str
    warn: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One model of a board. `rating` is None for an unranked one, whose `why`, `side` and `bound` say what is known."""

    model: Model
    rank: str
    rank_value: float
    rating: float | None
    rating_text: str
    hint: str
    dial: Markup
    games: int
    win_rate: float | None
    scored: int | None
    wanted: int | None
    refused: int | None
    """None = it is not known what was asked, as where only votes came in."""
    failed: int | None
    price: float | None
    time: float | None
    time_hint: str
    explain: str | None
    marks: Sequence[str]
    maker: str | None
    why: str | None = None
    side: str | None = None
    bound: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardView:
    """Everything that the template of a board needs."""

    board: Board
    slug: str
    modality: str
    axis: Markup
    rows: Sequence[Row]
    unranked: Sequence[Row]
    sentence: str
    left_out: Sequence[tuple[str, int]]
    tags: Sequence[Tag]
    sliced: bool
    """Whether it is the board of a slice, `.../tag=value`."""
    simulated: str | None
    """What the board says of votes by simulated voters; None = it has none."""
    readout: Sequence[tuple[str, str, str]]
    tried: Sequence[tuple[str, int, int]]
    """Where nobody is ranked: by model, how much was scored of what was wanted."""
    priced: bool
    timed: bool
    times_are_ours: bool
    hideable: Sequence[str]
    """Marks of models that a reader may want to hide; `modified` ones are hidden until asked for."""


def board_slug(board: Board) -> str:
    """File name of a board; boards of one name in several modalities or editions differ."""
    return "--".join(wording.slug(part) for part in (board.name, board.modality, board.edition) if part)


def explain_page(board: Board, model: Model) -> str:
    """Where the way home of a rating stands, from the top."""
    return f"explain/{board_slug(board)}/{model.slug}.html"


def board_view(facts: Facts, board: Board) -> BoardView:
    """Put a board's numbers beside the counts of its facts."""
    scale = board_scale(board)
    rows = [_ranked(facts, board, rating, scale) for rating in board.ratings]
    unranked = [_unranked(facts, board, each, scale) for each in board.unranked]
    everybody = [*rows, *unranked]
    timed = [row for row in everybody if row.time is not None]
    ours = bool(timed) and not any(row.model.name in facts.probed for row in timed)
    marks = {mark for row in everybody for mark in row.model.marks}
    return BoardView(
        board=board,
        slug=board_slug(board),
        modality=MODALITIES.get(board.modality, board.modality),
        axis=figures.axis(scale),
        rows=rows,
        unranked=unranked,
        sentence=sentence(board.method),
        left_out=[(reason, count) for reason, count in board.left_out.items() if count],
        tags=_tags(facts, board),
        sliced="/" in board.name,
        simulated=None if (said := board.method.get("simulated")) is None else str(said),
        readout=_readout(facts, board),
        tried=[] if everybody else _tried(board),
        priced=any(row.price for row in everybody),
        timed=bool(timed),
        times_are_ours=ours,
        hideable=[mark for mark in ("modified", "legacy", "baseline") if mark in marks],
    )


def _tried(board: Board) -> list[tuple[str, int, int]]:
    counts: Mapping[str, Any] = board.coverage
    return [(name, each["scored"], each["wanted"]) for name, each in sorted(counts.items()) if "wanted" in each]


def board_scale(board: Board) -> Scale:
    """The scale that holds every interval of a board, and the bounds of the unranked."""
    ends: list[float] = [bound for each in board.unranked if (bound := each.bound) is not None]
    for rating in board.ratings:
        ends += [end for end in (rating.low, rating.rating, rating.high) if end is not None]
    return figures.scale_of(ends, pad=ROOM if board.unranked else figures.PAD)


def _ranked(facts: Facts, board: Board, rating: Rating, scale: Scale) -> Row:
    model = facts.models[rating.model]
    interval = None if rating.low is None or rating.high is None else (rating.low, rating.high)
    said = (
        "no interval"
        if interval is None
        else f"95 % between {wording.number(interval[0])} and {wording.number(interval[1])}"
    )
    label = f"{model.name}: {rating.rating:.0f}, {said}"
    look = (model.colour, model.shape, model.baseline)
    return Row(
        rank=wording.ranks(rating.rank_low, rating.rank_high),
        rank_value=rating.rank_low + rating.rank_high / 1000,
        rating=rating.rating,
        rating_text=wording.number(rating.rating),
        hint=f"{said}; Bradley-Terry over {rating.games} comparisons",
        dial=figures.whisker(scale, rating.rating, interval, look, label=wording.clean(label)),
        games=rating.games,
        win_rate=rating.win_rate,
        **_common(facts, board, model),
    )


def _unranked(facts: Facts, board: Board, each: Unranked, scale: Scale) -> Row:
    model = facts.models[each.model]
    record = sum(facts.against(board).get(each.model, {}).values(), WinLoss())
    return Row(
        rank={"above": "↑", "below": "↓"}.get(each.side, wording.NONE),
        rank_value={"above": 0, "below": 1e6}.get(each.side, 1e7),
        rating=None,
        rating_text="not ranked",
        hint=each.why,
        dial=figures.beyond(
            scale, each.bound, each.side, model.colour, label=wording.clean(f"{model.name}: {each.why}")
        ),
        games=each.games,
        win_rate=record.share,
        why=each.why,
        side=each.side,
        bound=each.bound,
        **_common(facts, board, model),
    )


def _common(facts: Facts, board: Board, model: Model) -> dict[str, Any]:
    """What ranked and unranked models have alike."""
    time, probed, n = facts.median_seconds(model.name)
    counts = coverage(facts, board, model.name)
    judged = ["self-judged"] if model.name in facts.self_judged(board) else []
    return {
        "model": model,
        "scored": counts.get("scored"),
        "wanted": counts.get("wanted"),
        "refused": counts.get("refused"),
        "failed": counts.get("failed"),
        "price": facts.price(model.name),
        "time": time,
        "time_hint": f"median of {n} {'probes' if probed else 'requests of this run, not of a probe'}",
        "explain": explain_page(board, model) if facts.against(board).get(model.name) else None,
        "marks": [*model.marks, *judged],
        "maker": None if model.family in model.marks else model.family,
    }


def coverage(facts: Facts, board: Board, model: str) -> Mapping[str, int]:
    """Scored, wanted, refused, failed: the board's own counts, else those of the outcomes of its task."""
    own = board.coverage.get(model)
    if isinstance(own, dict) and "wanted" in own:
        return own
    samples = facts.samples_of(board)
    outcomes = [outcome for _, outcome in facts.outcomes_of.get(model, ()) if outcome.sample in samples]
    if not outcomes:
        return {}
    return {
        "scored": sum(isinstance(outcome, Output) for outcome in outcomes),
        "wanted": max(len(samples), len(outcomes)),
        "refused": sum(isinstance(outcome, Refusal) for outcome in outcomes),
        "failed": sum(isinstance(outcome, Failure) for outcome in outcomes),
    }


def sentence(method: Mapping[str, Any]) -> str:
    """A board's method in one sentence, of what it says of itself."""
    parts = [str(method.get("model", "Ratings as the board's method describes"))]
    if ties := method.get("ties"):
        parts.append(f"a tie is {ties}" if "half" in str(ties) else f"ties after {ties}")
    if interval := method.get("interval"):
        confidence = wording.percent(method.get("confidence", 0.95))
        by = f" over {method['clusters']} {method.get('cluster') or 'cluster'}s" if method.get("clusters") else ""
        parts.append(f"{confidence} {interval} intervals{by}")
    elif why := method.get("no_interval"):
        parts.append(f"no intervals, because {why}")
    if ranks := method.get("ranks"):
        parts.append(f"rank ranges from {ranks}")
    if centre := method.get("centre"):
        anchor = method.get("anchor")
        parts.append(f"{anchor['model']} = {anchor['rating']:g}" if isinstance(anchor, dict) else str(centre))
    warnings = method.get("warnings") or ()
    text = "; ".join(parts) + "."
    return text + "".join(f" Note: {warning}." for warning in warnings)


def _tags(facts: Facts, board: Board) -> list[Tag]:
    tags = []
    if board.edition:
        edition = facts.edition_of(board)
        label = board.edition if edition is None else edition.label
        tags.append(Tag(text=f"edition {label}", hint="the frozen list of samples behind it"))
    if facts.snapshot.as_of:
        tags.append(Tag(text=f"as of {facts.snapshot.as_of}", hint="day of the latest fact"))
    if board.calibration is None and not board.name.startswith(ARENA):
        hint = "how far the judges agree with people has not been measured"
        tags.append(Tag(text="uncalibrated", hint=hint, warn=True))
    if simulated := board.method.get("simulated"):
        tags.append(Tag(text="simulated voters", hint=str(simulated), warn=True))
    if board.method.get("equal_weight") is False:
        tags.append(Tag(text="not equal-weight", hint="some categories have no votes", warn=True))
    return tags


def _readout(facts: Facts, board: Board) -> list[tuple[str, str, str]]:
    samples = {comparison.sample for _, comparison in facts.comparisons(board)}
    total = sum(1 for _ in facts.comparisons(board))
    out = sum(board.left_out.values())
    judges = sorted({verdict.judge for verdict in facts.snapshot.verdicts.values() if verdict.sample in samples})
    everybody = len(board.ratings) + len(board.unranked)
    possible = len(samples) * everybody * (everybody - 1) // 2
    by_people = board.name.startswith(ARENA)
    pairs = [
        ("ranked", wording.number(len(board.ratings)), f"of {everybody}"),
        ("samples", wording.number(len(samples)), ""),
        ("comparisons", wording.number(total), "" if by_people else f"of {wording.number(possible)} pairs"),
        ("left out", wording.number(out), ""),
    ]
    if judges and not by_people:
        pairs.append(("judges", wording.number(len(judges)), ", ".join(judges) if len(judges) < 3 else ""))
    if len(board.ratings) > 1 and (gap := _separation(board)) is not None:
        pairs.append(("lead of the best", wording.percent(gap), "of the second's win rate"))
    return pairs


def _separation(board: Board) -> float | None:
    """(best - second) / second of the win rates, METHODS section 3."""
    rates = sorted((each.win_rate for each in board.ratings if each.win_rate is not None), reverse=True)
    return (rates[0] - rates[1]) / rates[1] if len(rates) > 1 and rates[1] else None


def matrix(facts: Facts, board: Board, pages: Mapping[frozenset[str], str]) -> list[dict[str, Any]]:
    """Rows of the head-to-head table in the board's order; empty where it would be too large to read."""
    names = _names(board)
    if not 2 <= len(names) <= MATRIX_MODELS:
        return []
    found = facts.against(board)
    rows = []
    for name in names:
        cells = []
        for other in names:
            record = found.get(name, {}).get(other, WinLoss())
            page = pages.get(frozenset((name, other)))
            cells.append(
                None if other == name else {"share": record.share, "record": record, "other": other, "page": page}
            )
        rows.append({"model": facts.models[name], "short": wording.one_line(name, 8), "cells": cells})
    return rows


def slices(facts: Facts, board: Board) -> list[dict[str, Any]]:
    """By tag, the models' points in each of its values: mean over samples of the points a game there."""
    records = facts.records_of(board)
    names = _names(board)
    answer = []
    for tag in facts.tags:
        shares: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for key, by_model in records.items():
            for value in tag_values(facts.samples[key], tag):
                for name, record in by_model.items():
                    if record.share is not None:
                        shares[value][name].append(record.share)
        if 2 <= len(shares) <= SLICES:
            answer.append({"tag": tag, **_slice(facts, names, shares)})
    return answer


def metrics(facts: Facts, board: Board) -> dict[str, Any]:
    """By metric and backend, each model's mean with its interval on one scale; the metrics of complaints first."""
    told = {name: _measured(board, name) for name in _names(board)}
    shows = {metric: kind for kind, metric in (facts.snapshot.beside.community or Community()).metrics.items()}
    found = {place for cells in told.values() for place in cells}
    places = sorted(found, key=lambda place: (place[0] not in shows, place))
    columns = [
        _metric_column(place, [cells[place] for cells in told.values() if place in cells], shows) for place in places
    ]
    rows = []
    for model in (facts.models[name] for name in _names(board)):
        look = (model.colour, model.shape, model.baseline)
        pairs = zip(places, columns, strict=True)
        cells = [_metric_cell(column, told[model.name].get(place), look) for place, column in pairs]
        rows.append({"model": model, "cells": cells})
    return {"columns": columns, "rows": rows}


def _measured(board: Board, model: str) -> dict[tuple[str, str, int], Mapping[str, Any]]:
    coverage: Any = board.coverage.get(model) or {}
    return {
        (row["metric"], row["backend"], row["version"]): row
        for row in coverage.get("measured", ())
        if row["mean"] is not None
    }


def _metric_column(
    place: tuple[str, str, int], rows: Sequence[Mapping[str, Any]], shows: Mapping[str, str]
) -> dict[str, Any]:
    ends = [end for row in rows for end in (row["mean"], *_ends(row)) if end is not None]
    metric, backend, version = place
    return {
        "metric": metric,
        "backend": backend,
        "version": version,
        "complaint": shows.get(metric),
        "better": rows[0]["better"],
        "scale": figures.scale_of(ends, 2),
    }


def _ends(row: Mapping[str, Any]) -> tuple[float | None, float | None]:
    interval = row.get("interval") or {}
    return interval.get("low"), interval.get("high")


def _metric_cell(
    column: Mapping[str, Any], row: Mapping[str, Any] | None, look: tuple[int, int, bool]
) -> dict[str, Any] | None:
    if row is None:
        return None
    low, high = _ends(row)
    interval = None if low is None or high is None else (low, high)
    return {
        "mean": row["mean"],
        "n": row["scored"],
        "wanted": row["wanted"],
        "dial": figures.small_range(column["scale"], row["mean"], interval, look),
    }


def _slice(facts: Facts, names: Sequence[str], shares: Mapping[str, Mapping[str, list[float]]]) -> dict[str, Any]:
    values = [{"name": value, "n": max(map(len, shares[value].values()))} for value in sorted(shares)]
    rows = [
        {
            "model": facts.models[name],
            "cells": [
                {"share": fmean(many), "n": len(many)} if (many := shares[value].get(name)) else None
                for value in sorted(shares)
            ],
        }
        for name in names
    ]
    return {"values": values, "rows": rows}


def _names(board: Board) -> list[str]:
    """A board's models in its order."""
    return [rating.model for rating in board.ratings] + [each.model for each in board.unranked]
