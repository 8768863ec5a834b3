"""A sample as its page shows it: what each model made of it, how that was judged, and where the sample comes from."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from markupsafe import Markup

from groundswell.publish import figures, wording
from groundswell.publish.facts import SIMULATED, Facts, Model, tag_values
from groundswell.records import (
    Failure,
    Judgment,
    Measured,
    Measurement,
    NotApplicable,
    Outcome,
    Output,
    Picture,
    Refusal,
    Sample,
    Thread,
    Unread,
    Verdict,
    Vote,
    Winner,
)

FIRST_LANGUAGE: Final = "en"

LISTED: Final = 24
"""Posts up to which a thread is listed whole."""

DEEPEST: Final = 6
"""Steps of indentation; what lies deeper stands under the last."""

SCORE_LINE: Final = re.compile(
    r"\[\[\s*\d+(?:\.\d+)?\s*\]\]|^\W*[\w &/-]{2,40}\W*[::]\W*\d+(?:\.\d+)?(?:\s*/\s*\d+)?\W*$"
)
"""Lines of a judge's reply that hold a score; for marking only, scores are read elsewhere."""


def title_of(sample: Sample, limit: int = 90) -> str:
    """The prompt on one line, in English where there is one; else the suite's own name of the sample."""
    prompts = prompts_of(sample)
    return wording.one_line(prompts[0][1], limit) if prompts else f"{sample.suite} {sample.label or ''}".strip()


def prompts_of(sample: Sample) -> list[tuple[str, str]]:
    """Language and text, the first language first."""
    return sorted(sample.prompts.items(), key=lambda pair: (pair[0] != FIRST_LANGUAGE, pair[0]))


def tags_of(sample: Sample) -> list[str]:
    """The tags of a sample as a reader sees them."""
    return [f"{wording.words(tag)}: {value}" for tag in sorted(sample.tags) for value in tag_values(sample, tag)]


def ratio_of(sample: Sample, outcomes: list[tuple[str, Outcome]]) -> str:
    """Width / height of the frames: that of the first output, else of the first input, within 1:2 and 2:1."""
    pictures: list[Picture] = [
        picture for _, outcome in outcomes if isinstance(outcome, Output) for picture in outcome.pictures
    ]
    pictures += sample.inputs
    if not pictures:
        return "1"
    first = sample.inputs[0] if sample.inputs else pictures[0]
    return f"{min(2.0, max(0.5, first.width / first.height)):.4f}"


def cards(facts: Facts, key: str) -> Iterator[dict[str, Any]]:
    """One card for each job of a sample, in the order of models that all pages share."""
    points = facts.points.get(key, {})
    asked_in = {outcome.language for _, outcome in facts.outcomes.get(key, ())}
    for outcome_key, outcome in facts.outcomes.get(key, ()):
        name = facts.name_of(outcome.endpoint)
        model = facts.models.get(name) or Model(name, wording.slug(name), None, None, 7, 0)
        card: dict[str, Any] = {
            "key": outcome_key,
            "model": model,
            "record": points.get(name),
            "pictures": (),
            "text": None,
            "full": None,
            "reason": "",
            "grades": [],
            "metrics": [],
            "evidence": [],
            "silent": [],
            "boxes": [],
            "structure": None,
            "histograms": None,
            "rewritten": outcome.rewritten_prompt if isinstance(outcome, Output) else None,
            "notes": [*_voted(facts, key, name), *_notes(outcome, asked_in, model)],
        }
        match outcome:
            case Output():
                shown = facts.snapshot.shown.get(outcome.pictures[0].digest) if outcome.pictures else None
                verdicts = facts.verdicts.get(outcome_key, ())
                measured = [each for _, each in facts.measured.get(outcome_key, ())]
                card |= {
                    "state": "output",
                    "pictures": outcome.pictures,
                    "text": outcome.text,
                    "full": None if shown is None else shown.file,
                    "grades": [grade for _, verdict in verdicts for grade in _grades(facts, verdict)],
                    "metrics": [_metric(each) for each in measured],
                    "boxes": output_boxes(measured),
                    "structure": next(filter(None, map(_structure, measured)), None),
                    "histograms": next(filter(None, map(_levels, measured)), None),
                    "silent": [each for each in measured if isinstance(each, NotApplicable)],
                    "evidence": [_evidence(verdict_key, verdict) for verdict_key, verdict in verdicts],
                }
            case Refusal(reason=reason, at=at):
                card |= {"state": "refused", "reason": reason if at is None else f"{reason} (at the {at})"}
            case Failure(what=what, reason=reason):
                card |= {"state": f"failed: {what}", "reason": reason}
        yield card


def output_boxes(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """Faces that a metric found in an output, in its pixels; the one nearest to a face of the input says how near."""
    for each in measured:
        if isinstance(each, Measurement) and "output_faces" in each.detail:
            found = each.detail
            return _boxes(found["output_faces"], found["matched"][1], f"{each.value:.2f}")
    return []


def input_boxes(facts: Facts, key: str) -> dict[int, list[dict[str, Any]]]:
    """By number of the input from 1, the faces that a metric found in it."""
    for outcome_key, _ in facts.outcomes.get(key, ()):
        for _, each in facts.measured.get(outcome_key, ()):
            if isinstance(each, Measurement) and "input_faces" in each.detail:
                faces = each.detail["input_faces"]
                places = {int(face["input"]) for face in faces}
                return {place: _boxes([face for face in faces if face["input"] == place]) for place in sorted(places)}
    return {}


def _boxes(faces: Sequence[Mapping[str, Any]], matched: int | None = None, said: str = "") -> list[dict[str, Any]]:
    boxes = []
    for place, face in enumerate(faces):
        x1, y1, x2, y2 = face["box"]
        shape = {"x": x1, "y": y1, "width": round(x2 - x1, 1), "height": round(y2 - y1, 1)}
        boxes.append(shape | {"said": said if place == matched else "", "size": max(12, round((x2 - x1) / 3))})
    return boxes


def _levels(measured: Measured) -> Markup | None:
    """The drawing of a colour measurement's histograms."""
    counts = measured.detail.get("histograms") if isinstance(measured, Measurement) else None
    return None if counts is None else figures.levels(counts["input"], counts["output"])


def _structure(measured: Measured) -> Markup | None:
    """The map of a structure measurement as a picture of its cells to lay over the output: the redder, the more a place
    is otherwise like the rest than it was in the input."""
    cells = measured.detail.get("map") if isinstance(measured, Measurement) else None
    return None if not isinstance(cells, list | tuple) else figures.heat([float(cell) for cell in cells])


def missing(facts: Facts, key: str) -> list[str]:
    """Models of the sample's task that have neither output nor refusal nor failure here."""
    there = {facts.name_of(outcome.endpoint) for _, outcome in facts.outcomes.get(key, ())}
    task = facts.samples[key].task
    return sorted(
        endpoint.name
        for endpoint in facts.snapshot.endpoints.values()
        if endpoint.name not in there and task in endpoint.tasks
    )


def origin(facts: Facts, sample: Sample) -> list[dict[str, Any]]:
    """The threads that the sample was made of, parents before children, with the posts that it took marked.

    Of a long thread only the posts it took and the way to them are listed.
    """
    used = set(sample.origins)
    lines: list[dict[str, Any]] = []
    told: set[str] = set()
    for thread in facts.snapshot.threads.values():
        if used.isdisjoint(thread.members):
            continue
        keep = _kept(thread, used)
        depths: list[int] = []
        for place, (key, parent) in enumerate(zip(thread.members, thread.parents, strict=True)):
            depths.append(0 if parent is None else depths[parent] + 1)
            if place in keep:
                lines.append({"post": facts.snapshot.posts.get(key), "key": key, "depth": depths[place]})
        told.update(thread.members)
    lines += [
        {"post": facts.snapshot.posts.get(key), "key": key, "depth": 0} for key in sample.origins if key not in told
    ]
    return [{**line, "used": line["key"] in used, "indent": min(line["depth"], DEEPEST)} for line in lines]


def _kept(thread: Thread, used: Collection[str]) -> set[int]:
    """Places in a thread to list: all of a short one, else those used and their ancestors."""
    if len(thread.members) <= LISTED:
        return set(range(len(thread.members)))
    keep: set[int] = set()
    for place, key in enumerate(thread.members):
        at: int | None = place if key in used else None
        while at is not None and at not in keep:
            keep.add(at)
            at = thread.parents[at]
    return keep


def comparisons(facts: Facts, key: str) -> list[dict[str, Any]]:
    """Who said which of two outputs is better, with the key of each; votes that were set aside say so."""
    aside = frozenset(facts.snapshot.beside.set_aside)
    signs = {Winner.LEFT: "better than", Winner.RIGHT: "worse than", Winner.TIE: "as good as"}
    rows = []
    for each_key, each in facts.of_sample.get(key, ()):
        vote = isinstance(each, Vote)
        rows.append(
            {
                "key": each_key,
                "names": (each.left, each.right),
                "said": signs.get(each.winner, "as bad as"),
                "by": each.by if not vote else None,
                "vote": "simulated voter" if vote and each.by.startswith(SIMULATED) else "person" if vote else None,
                "aside": each_key in aside,
            }
        )
    return rows


def _voted(facts: Facts, sample: str, model: str) -> Iterator[tuple[str, str]]:
    record = facts.votes.get(sample, {}).get(model)
    if record is not None:
        yield facts.voters, f"{record.wins}–{record.ties}–{record.losses}"


def _notes(outcome: Outcome, asked_in: Collection[str | None], model: Model) -> Iterator[tuple[str, str]]:
    """What a reader would be surprised not to be told: nothing that is as expected."""
    if outcome.draw:
        yield "draw", str(outcome.draw)
    if outcome.language and len(asked_in) > 1:
        yield "asked in", outcome.language
    if outcome.seconds is not None:
        yield "time", wording.seconds(outcome.seconds)
    if outcome.cost:
        yield "cost", f"${outcome.cost:.4f}"
    if isinstance(outcome, Output):
        asked = None if model.endpoint is None else model.endpoint.model
        if outcome.served_model and outcome.served_model != asked:
            yield "answered as", outcome.served_model


def _grades(facts: Facts, verdict: Verdict) -> Iterator[dict[str, Any]]:
    """One line for each score, or one that says why there is none."""
    if not isinstance(verdict, Judgment):
        yield {"label": verdict.judge, "text": type(verdict).__name__.lower(), "part": None, "hint": "no score"}
        return
    rubric = facts.snapshot.rubrics.get(verdict.rubric)
    scales = {dimension.name: dimension for dimension in rubric.dimensions} if rubric else {}
    for name, score in verdict.scores.items():
        scale = scales.get(name)
        part = None if scale is None or scale.high == scale.low else (score - scale.low) / (scale.high - scale.low)
        label = verdict.judge if len(verdict.scores) == 1 else f"{verdict.judge} · {wording.words(name)}"
        said = "" if scale is None else f" on {scale.low:g} to {scale.high:g}"
        yield {
            "label": label,
            "text": f"{score:g}",
            "part": None if part is None else min(1.0, max(0.0, part)),
            "hint": f"{wording.words(name)} by {verdict.judge}{said}",
        }


def _evidence(key: str, verdict: Verdict) -> dict[str, Any]:
    checks = _checks(verdict.reply)
    why = getattr(verdict, "why", "")
    if isinstance(verdict, Unread) and verdict.partial:
        why += f" (read, not scored: {', '.join(f'{name} {score:g}' for name, score in verdict.partial.items())})"
    return {
        "judge": verdict.judge,
        "state": type(verdict).__name__.lower(),
        "why": why,
        "checks": checks,
        "reply": None if verdict.reply is None else marked(verdict.reply),
        "key": key,
    }


def marked(reply: str) -> list[tuple[str, bool]]:
    """A reply in pieces; those that hold a score are marked."""
    return [(line, SCORE_LINE.search(line.strip()) is not None) for line in reply.splitlines(keepends=True)]


def _checks(reply: str | None) -> list[Mapping[str, Any]]:
    """Measured checks, where the reply is a list of them; else nothing."""
    if reply is None or not reply.lstrip().startswith("["):
        return []
    try:
        found = msgspec.json.decode(reply)
    except msgspec.DecodeError:
        return []
    if not all(isinstance(each, dict) and "check" in each for each in found):
        return []
    return [
        {
            "name": str(each["check"]),
            "score": f"{each['score']:.2f}" if isinstance(each.get("score"), int | float) else "not measured",
            "rest": {name: value for name, value in each.items() if name not in ("check", "score")},
        }
        for each in found
    ]


def _metric(measured: Measured) -> dict[str, Any]:
    label = f"{wording.words(measured.metric)}"
    made = f"{measured.metric} version {measured.version}, computed by {measured.backend}"
    match measured:
        case Measurement(value=value, detail=detail):
            return {"label": label, "text": wording.short(value), "hint": made, "swatches": _swatches(detail)}
        case NotApplicable(why=why):
            return {"label": label, "text": wording.NONE, "hint": f"{why} ({made})", "swatches": None}
        case _:
            raise TypeError(f"not a measurement: {type(measured).__name__}")


def _swatches(detail: Mapping[str, Any]) -> tuple[str, str] | None:
    """Mean colours of input and output as CSS colours, where a measurement holds them."""
    before, after = _colour(detail.get("input_mean")), _colour(detail.get("output_mean"))
    return None if before is None or after is None else (before, after)


def _colour(value: Any) -> str | None:
    if isinstance(value, list | tuple) and len(value) == 3 and all(isinstance(each, int | float) for each in value):
        return "#" + "".join(f"{min(255, max(0, round(each))):02x}" for each in value)
    return None
