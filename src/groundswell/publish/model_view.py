"""A model as its page shows it: where it stands, against whom, where it wins and fails, and its telling samples.

Also two models side by side, and the way home of a rating as a page. Everything is counted from comparisons; no rating
is made here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import Any, Final

from markupsafe import Markup

from groundswell.publish import figures, sample_view, wording
from groundswell.publish.board_view import BoardView, Row
from groundswell.publish.facts import ARENA, Facts, Model, Share, WinLoss, share, sources_of, tag_values
from groundswell.records import (
    Board,
    Comparison,
    Failure,
    Measured,
    Measurement,
    NotApplicable,
    Output,
    Picture,
    Refusal,
)

CASES: Final = 6
"""Best and worst samples that a model's page shows."""

COMPARE_ALL: Final = 14
"""Up to so many models every two have a page (91 pages); above, only those that stand near each other."""

NEAR: Final = 3
"""Places apart at which two of many models still have a page."""

SHARES: Final = figures.Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))

LETTERS: Final = {(1, 0): "W", (0, 1): "L", (0, 0): "T"}


def pairs(facts: Facts) -> dict[frozenset[str], str]:
    """Which two models have a page, and where it stands from the top."""
    names = [name for name in facts.order if name in _compared(facts)]
    chosen = [
        (one, other)
        for one, other in combinations(names, 2)
        if len(names) <= COMPARE_ALL or abs(names.index(one) - names.index(other)) <= NEAR
    ]
    return {frozenset(two): f"compare/{'--'.join(facts.models[name].slug for name in two)}.html" for two in chosen}


def _compared(facts: Facts) -> set[str]:
    comparisons = facts.snapshot.comparisons.values()
    return {each.left for each in comparisons} | {each.right for each in comparisons}


def standings(facts: Facts, model: Model, views: Sequence[BoardView]) -> list[tuple[BoardView, Row]]:
    """The model's row on every board that has it."""
    return [(view, row) for view in views for row in (*view.rows, *view.unranked) if row.model.name == model.name]


def opponents(facts: Facts, model: Model) -> list[dict[str, Any]]:
    """By opponent in the order of all pages: record, and mean share over samples with its interval, drawn."""
    by_sample: dict[str, dict[str, WinLoss]] = defaultdict(dict)
    for comparison in facts.of_model.get(model.name, ()):
        other = comparison.right if comparison.left == model.name else comparison.left
        place = by_sample[other]
        place[comparison.sample] = place.get(comparison.sample, WinLoss()) + WinLoss.of(comparison, model.name)
    rows = []
    for other in sorted(by_sample, key=lambda name: facts.order[name]):
        records = by_sample[other].values()
        found = share(other, [part for record in records if (part := record.share) is not None])
        rival = facts.models[other]
        rows.append(
            {
                "model": rival,
                "record": sum(records, WinLoss()),
                "share": found,
                "dial": share_dial(found, rival, rule=0.5),
            }
        )
    return rows


def share_dial(found: Share, model: Model, *, rule: float) -> Markup:
    """A share of points on the scale of 0 to 100 per cent."""
    interval = None if found.low is None or found.high is None else (found.low, found.high)
    said = "no interval" if interval is None else f"95 % between {interval[0]:.0%} and {interval[1]:.0%}"
    label = wording.clean(f"{found.name}: {found.mean:.0%} over {found.samples} samples, {said}")
    look = (model.colour, model.shape, model.baseline)
    return figures.whisker(SHARES, found.mean, interval, look, label=label, rule=rule)


def by_tag(facts: Facts, model: Model) -> list[dict[str, Any]]:
    """For every tag that splits the samples, the model's points by value, worst first, beside its mean over all."""
    records = facts.points_of.get(model.name, {})
    shares = {key: part for key, record in records.items() if (part := record.share) is not None}
    if not shares:
        return []
    mean = fmean(shares.values())
    groups = []
    for tag in facts.tags:
        values: dict[str, list[float]] = defaultdict(list)
        for key, part in shares.items():
            for value in tag_values(facts.samples[key], tag):
                values[value].append(part)
        found = sorted(
            (share(value, parts) for value, parts in values.items()), key=lambda each: (each.mean, each.name)
        )
        rows = [{"share": each, "dial": share_dial(each, model, rule=mean)} for each in found]
        if len(rows) > 1:
            groups.append({"tag": tag, "rows": rows, "mean": mean})
    return groups


def telling(facts: Facts, model: Model) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The samples on which the model did best and worst, as cards; no sample stands in both."""
    records = {key: each for key, each in facts.points_of.get(model.name, {}).items() if each.games}
    order = list(facts.samples)
    ranked = sorted(records, key=lambda key: (-_share(records[key]), order.index(key)))
    count = min(CASES, len(ranked) // 2)
    best = [_case(facts, key, model, records[key]) for key in ranked[:count]]
    worst = [_case(facts, key, model, records[key]) for key in reversed(ranked[len(ranked) - count :])]
    return best, worst


def _share(record: WinLoss) -> float:
    return 0.0 if record.share is None else record.share


def _case(facts: Facts, key: str, model: Model, record: WinLoss) -> dict[str, Any]:
    note = f"{record.wins} won, {record.ties} tied, {record.losses} lost"
    return card(facts, key, [model.name], note)


def card(facts: Facts, key: str, names: Sequence[str], note: str = "") -> dict[str, Any]:
    """A sample as a small card: its first input, and the first pictures of the models named that have one."""
    sample = facts.samples[key]
    prompts = sample_view.prompts_of(sample)
    return {
        "key": key,
        "title": sample_view.title_of(sample, 110),
        "language": prompts[0][0] if prompts else "en",
        "pictures": [*sample.inputs[:1], *(first_picture(facts, key, name) for name in names)],
        "note": note,
    }


def first_picture(facts: Facts, key: str, name: str) -> Picture | None:
    """A model's first picture for a sample."""
    for _, outcome in facts.outcomes.get(key, ()):
        if isinstance(outcome, Output) and outcome.pictures and facts.name_of(outcome.endpoint) == name:
            return outcome.pictures[0]
    return None


def metric_page(metric: str, backend: str, version: int, model: Model) -> str:
    """Where the way home of a metric's mean stands, from the top."""
    return f"explain/metrics/{wording.slug(f'{metric} {backend} {version}')}/{model.slug}.html"


def metric_homes(facts: Facts, model: Model) -> Iterator[dict[str, Any]]:
    """By metric, backend and version: every output's number, the lowest first, and why others have none."""
    columns: dict[tuple[str, str, int], list[tuple[str, str, Measured]]] = defaultdict(list)
    for output, outcome in facts.outcomes_of.get(model.name, ()):
        for key, each in facts.measured.get(output, ()):
            columns[each.metric, each.backend, each.version].append((outcome.sample, key, each))
    for (metric, backend, version), many in sorted(columns.items()):
        numbers = [(each.value, sample, key, each) for sample, key, each in many if isinstance(each, Measurement)]
        yield {
            "metric": metric,
            "backend": backend,
            "version": version,
            "path": metric_page(metric, backend, version, model),
            "mean": fmean(value for value, *_ in numbers) if numbers else None,
            "rows": [
                {"value": value, "sample": sample, "title": sample_view.title_of(facts.samples[sample], 60),
                 "output": each.output, "key": key}
                for value, sample, key, each in sorted(numbers, key=lambda row: (row[0], row[2]))
            ],
            "silent": [
                {
                    "why": each.why,
                    "sample": sample,
                    "title": sample_view.title_of(facts.samples[sample], 60),
                    "key": key,
                }
                for sample, key, each in many
                if isinstance(each, NotApplicable)
            ],
        }  # fmt: skip


def metrics(facts: Facts, model: Model) -> list[dict[str, Any]]:
    """By metric and backend: mean over samples, how many it applies to, and why not to the others."""
    columns: dict[tuple[str, str, int], list[Measured]] = defaultdict(list)
    for key, _ in facts.outcomes_of.get(model.name, ()):
        for _, each in facts.measured.get(key, ()):
            columns[each.metric, each.backend, each.version].append(each)
    rows, known = [], _results(facts, model)
    for (metric, backend, version), many in sorted(columns.items()):
        result = known.get((metric, backend, version), {})
        values = [each.value for each in many if isinstance(each, Measurement)]
        silent = Counter(each.why for each in many if isinstance(each, NotApplicable))
        rows.append(
            {
                "metric": metric,
                "backend": backend,
                "version": version,
                "mean": fmean(values) if values else None,
                "interval": result.get("interval"),
                "set_level": result.get("set_level"),
                "worst": _measured_cases(facts, model, result, "worst"),
                "best": _measured_cases(facts, model, result, "best"),
                "n": len(values),
                "wanted": len(many),
                "silent": silent.most_common(3),
            }
        )
    return rows


def _results(facts: Facts, model: Model) -> Mapping[tuple[str, str, int], Mapping[str, Any]]:
    """What boards say of a model's measurements by metric, backend and version; of several boards the first counts."""
    found: dict[tuple[str, str, int], Mapping[str, Any]] = {}
    for board in facts.snapshot.boards:
        for row in (board.coverage.get(model.name) or {}).get("measured", ()):
            found.setdefault((row["metric"], row["backend"], row["version"]), row)
    return found


def _measured_cases(facts: Facts, model: Model, result: Mapping[str, Any], which: str) -> list[dict[str, Any]]:
    """The worst or best outputs of a metric as cards of their samples, with their value."""
    cards = []
    for key in result.get(which, ()):
        outcome = facts.snapshot.outcomes.get(key)
        if outcome is None or outcome.sample not in facts.samples:
            continue
        values = [
            each.value
            for _, each in facts.measured.get(key, ())
            if isinstance(each, Measurement) and (each.metric, each.backend) == (result["metric"], result["backend"])
        ]
        cards.append(card(facts, outcome.sample, [model.name], f"{values[0]:.3g}" if values else ""))
    return cards


def troubles(facts: Facts, model: Model) -> list[tuple[str, int]]:
    """Reasons of refusals and failures, the most frequent first."""
    found: Counter[str] = Counter()
    for _, outcome in facts.outcomes_of.get(model.name, ()):
        match outcome:
            case Refusal(reason=reason):
                found[f"refused: {reason}"] += 1
            case Failure(what=what, reason=reason):
                found[f"failed ({what}): {reason}"] += 1
    return found.most_common(8)


def facts_of(facts: Facts, model: Model) -> list[tuple[str, str]]:
    """What is known of the endpoint, in words."""
    served = served_models(facts, model)
    endpoint = model.endpoint
    if endpoint is None:
        return []
    said = [("model", endpoint.model), ("host", endpoint.host), ("service", endpoint.service)]
    if endpoint.family:
        said.append(("made by", endpoint.family))
    said.append(("cohort", endpoint.cohort + (", modified" if endpoint.modified else "")))
    if endpoint.settings:
        settings = ", ".join(f"{name} {value}" for name, value in sorted(endpoint.settings.items()))
        said.append(("settings sent", settings))
    others = {name: count for name, count in served.items() if name != endpoint.model}
    if others:
        said.append(("answered as", ", ".join(f"{name} ({count})" for name, count in sorted(others.items()))))
    if endpoint.price is not None and endpoint.price.per_image is not None:
        price = endpoint.price
        source = ", ".join(part for part in (price.source, price.date) if part) or "source not stated"
        said.append(("price of 1,000", f"{wording.dollars(1000 * (price.per_image or 0))} ({source})"))
    alike = [each.name for each in facts.models.values() if each.endpoint and each.endpoint.model == endpoint.model]
    if len(alike) > 1:
        said.append(("served also as", ", ".join(name for name in alike if name != model.name)))
    if endpoint.public_from:
        said.append(("public from", endpoint.public_from))
    return said


def served_models(facts: Facts, model: Model) -> Mapping[str, int]:
    """Model ids that the host answered with, counted."""
    outputs = (each for _, each in facts.outcomes_of.get(model.name, ()) if isinstance(each, Output))
    return Counter(each.served_model for each in outputs if each.served_model)


# --- two models side by side ----------------------------------------------------------------------------------------


def side_by_side(facts: Facts, one: Model, other: Model) -> dict[str, Any]:
    """Two models' record against each other: as a whole, by tag, and sample by sample."""
    records: dict[str, WinLoss] = {}
    met = [each for each in facts.of_model.get(one.name, ()) if other.name in (each.left, each.right)]
    for comparison in met:
        key = comparison.sample
        records[key] = records.get(key, WinLoss()) + WinLoss.of(comparison, one.name)
    keys = [key for key in facts.samples if key in records]
    return {
        "made_of": sources_of(met),
        "one": one,
        "other": other,
        "record": sum(records.values(), WinLoss()),
        "share": share(one.name, [_share(records[key]) for key in keys]) if keys else None,
        "strip": [_move(facts, key, records[key]) for key in keys],
        "won": _cards(facts, [key for key in keys if _share(records[key]) > 0.5], (one.name, other.name)),
        "lost": _cards(facts, [key for key in keys if _share(records[key]) < 0.5], (one.name, other.name)),
    }


def _move(facts: Facts, key: str, record: WinLoss) -> dict[str, Any]:
    part = _share(record)
    result = "won" if part > 0.5 else "lost" if part < 0.5 else "tied"
    return {"key": key, "result": result, "title": sample_view.title_of(facts.samples[key], 60)}


def _cards(facts: Facts, keys: Sequence[str], names: Sequence[str]) -> list[dict[str, Any]]:
    """At most `CASES` cards, spread over all."""
    step = max(1, len(keys) // CASES)
    return [card(facts, key, names) for key in keys[::step][:CASES]]


# --- the way home ---------------------------------------------------------------------------------------------------


def way_home(facts: Facts, board: Board, model: Model) -> dict[str, Any]:
    """A rating's comparisons, by sample and opponent, as letters in the order of the opponents."""
    by_sample: dict[str, dict[str, WinLoss]] = defaultdict(dict)
    for comparison in _of(facts, board, model):
        other = comparison.right if comparison.left == model.name else comparison.left
        place = by_sample[comparison.sample]
        place[other] = place.get(other, WinLoss()) + WinLoss.of(comparison, model.name)
    names = sorted({other for found in by_sample.values() for other in found}, key=lambda name: facts.order[name])
    rows = [
        {
            "key": key,
            "title": sample_view.title_of(facts.samples[key], 70),
            "moves": "".join(_letter(by_sample[key].get(other)) for other in names),
            "record": sum(by_sample[key].values(), WinLoss()),
        }
        for key in facts.samples
        if key in by_sample
    ]
    made_of = sources_of(_of(facts, board, model))
    return {"opponents": [facts.models[name] for name in names], "rows": rows, "made_of": made_of}


def _of(facts: Facts, board: Board, model: Model) -> Iterator[Comparison]:
    samples = facts.samples_of(board)
    by_people = board.name.startswith(ARENA)
    for comparison in facts.of_model.get(model.name, ()):
        if comparison.sample in samples and facts.is_vote(comparison) is by_people:
            yield comparison


def _letter(record: WinLoss | None) -> str:
    """W, T or L of one comparison; a digit where there are several; a point where they did not meet."""
    if record is None or not record.games:
        return "·"
    if record.games == 1:
        return LETTERS[record.wins, record.losses]
    part = _share(record)
    return "W" if part > 0.5 else "L" if part < 0.5 else "T"
