"""What stands beside the boards on the site: gathered from the rooms that know it, in the form that `publish` shows.

It computes nothing of its own. What cannot be said here (no posts, no small model, one edition only) is left out, and
the pages say so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from groundswell.errors import PluginError, UserError
from groundswell.flow.panelling import CARD
from groundswell.flow.workspace import Workspace
from groundswell.publish.sidelights import (
    BoardMove,
    Card,
    Change,
    Community,
    Complaint,
    Finding,
    Judge,
    NoveltyMap,
    Older,
    Prompt,
    Published,
    Scored,
    Sidelights,
    Spot,
    TaskKind,
    Withdrawal,
)
from groundswell.records import Decision, Edition, Json, Post, Ruling, Sample, Vote

STEPS = 6
"""Steps from edition to edition that are shown; each costs a fit of both boards."""

RELEVANT = 4
"""Score of relevance from which a conversation is kept."""

POINTS = 600
"""Prompts on the novelty map, ours and older ones each; of more, so many spread over all (a page stays light)."""


def sidelights(space: Workspace, suites: Collection[str]) -> Sidelights:
    """Everything beside the boards of these suites."""
    return Sidelights(
        community=_community(space),
        judges=_judges(space),
        changes=tuple(change for suite in sorted(suites) for change in _changes(space, suite)),
        withdrawn=tuple(_withdrawn(space)),
        published=tuple(_published(suites)),
        scores=tuple(score for suite in sorted(suites) for score in _scores(space, suite)),
        set_aside=tuple(sorted(_set_aside(space))),
    )


# --- the community ------------------------------------------------------------------------------------------------


def _community(space: Workspace) -> Community | None:
    if not any(True for _ in space.store.records(Post)):
        return None
    answers = _answers(space)
    scores = [answer["score"] for answer in answers["relevance"].values()]
    found = Community(
        judged=len(scores) or None,
        relevant=sum(score >= RELEVANT for score in scores) if scores else None,
        qualities=dict(sorted(Counter(answer["label"] for answer in answers["quality"].values()).items())),
        releases=_releases(space),
        complaints=tuple(_complaints(answers["feedback"])),
        metrics=_metrics(),
    )
    return _with_report(space, found)


def _answers(space: Workspace) -> Mapping[str, Mapping[str, Any]]:
    """By question and subject, the answer that stands for the workspace's reader; a person's word wins."""
    from groundswell.flow.curation import decisions, reader_of

    found: dict[str, dict[str, Any]] = defaultdict(dict)
    try:
        standing = decisions(space, *reader_of(space, None))
    except PluginError:  # the reader's small models are not installed here, so its work cannot be told from others'
        return found
    for (subject, question), decision in standing.by_place.items():
        if decision.answer:
            found[str(question)][subject] = decision.answer
    return found


def _releases(space: Workspace) -> dict[str, tuple[str, ...]]:
    found: dict[str, set[str]] = defaultdict(set)
    for wanted in space.config.file.collect:
        found[wanted.released.isoformat()].add(wanted.model)
    for endpoint in space.config.file.endpoint:
        if endpoint.public_from is not None:
            found[endpoint.public_from[:10]].add(endpoint.name)
    return {day: tuple(sorted(names)) for day, names in sorted(found.items())}


def _complaints(told: Mapping[str, Any]) -> Iterator[Complaint]:
    for answer in told.values():
        for each in answer["comments"]:
            if each["verdict"] == "failure":
                kind = each.get("complaint") or "other"
                yield Complaint(post=each["post"], kind=kind, keywords=tuple(each.get("keywords", ())))


def _metrics() -> dict[str, str]:
    from groundswell.corpus.complaints import PROPOSED

    return dict(PROPOSED)


def _with_report(space: Workspace, found: Community) -> Community:
    """What `groundswell curate corpus` kept, where it ran."""
    from groundswell.flow.corpus import last_report

    report = last_report(space)
    if report is None:
        return found
    by_text = {text: sample.key for sample in space.store.records(Sample) for text in sample.prompts.values()}
    kinds = report.get("task_kinds") or {}
    return msgspec.structs.replace(
        found,
        novelty=_novelty(report.get("novelty") or {}, by_text),
        task_kinds=tuple(_task_kind(row) for row in kinds.get("kinds", ()) if row["ours"]["n"] or row["lacking_in"]),
        task_kinds_why=kinds.get("why"),
        wording={name: report[name] for name in ("near_duplicates", "leading_bigrams", "fluency") if name in report},
    )


def _novelty(told: Mapping[str, Any], by_text: Mapping[str, str]) -> NoveltyMap:
    spots = [
        Spot(sample=key, x=row["x"], y=row["y"], nearest=row.get("nearest"), novel=bool(row.get("novel")))
        for row in told.get("prompts", ())
        if (key := row.get("sample") or by_text.get(row["prompt"])) is not None
    ]
    names = told.get("older_sets") or ["older prompts"] * len(told.get("older", ()))
    older: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for name, (x, y) in _spread(list(zip(names, told.get("older", ()), strict=True))):
        older[name].append((x, y))
    return NoveltyMap(
        spots=tuple(_spread(spots)),
        older=tuple(Older(name=name, points=tuple(points)) for name, points in older.items()),
        explained=_number(told.get("explained")),
        why=told.get("why"),
    )


def _number(value: Json) -> float | None:
    """A number, or the sum of the shares of several dimensions."""
    return sum(value) if isinstance(value, list) else None if value is None else float(value)


def _spread(many: Sequence[Any]) -> Sequence[Any]:
    """At most POINTS, spread over all."""
    return many[:: max(1, -(-len(many) // POINTS))]


def _task_kind(row: Mapping[str, Any]) -> TaskKind:
    examples = [example["sample"] for example in row.get("examples", ())]
    return msgspec.convert({**row, "examples": examples}, TaskKind)


# --- judges -------------------------------------------------------------------------------------------------------


def _judges(space: Workspace) -> dict[str, Judge]:
    """By name as verdicts bear it: family and newest report card."""
    families = {judge.name: judge.family for judge in space.config.file.judge}
    cards = {each.subject: each for each in space.store.records(Decision) if each.question == CARD}
    names = sorted({*families, *cards})
    return {
        name: Judge(family=families.get(name.partition("@")[0]), card=_card(cards[name]) if name in cards else None)
        for name in names
    }


def _card(decision: Decision) -> Card:
    from groundswell.judge.card import NOISE_MAY, Plant

    told: Any = decision.evidence["card"]
    findings = tuple(
        msgspec.convert({**row, "may": NOISE_MAY.get(Plant(row["plant"]))}, Finding) for row in told["findings"]
    )
    kept = {name: told[name] for name in ("mark", "not_tried", "suite", "edition", "outputs")}
    answer: Any = decision.answer
    return msgspec.structs.replace(msgspec.convert(kept, Card), findings=findings, time=answer.get("time"))


# --- changes and withdrawals --------------------------------------------------------------------------------------


def _changes(space: Workspace, suite: str) -> Iterator[Change]:
    """From each edition of a suite to the next, the newest first, at most STEPS."""
    from groundswell.flow.comparing import compare

    stored = [edition for edition in space.store.records(Edition) if edition.suite == suite]
    for before, after in list(reversed(list(pairwise(stored))))[:STEPS]:
        try:
            told = compare(space, suite, before.label, after.label)
        except UserError:  # labels that stand twice cannot be told apart by name
            continue
        yield Change(
            suite=suite,
            before=before.label,
            after=after.label,
            before_key=before.key,
            after_key=after.key,
            stayed=told["stayed"],
            came=tuple(_prompts(space, told["came"])),
            went=tuple(_prompts(space, told["went"])),
            boards=msgspec.convert(told["boards"], tuple[BoardMove, ...]),
        )


def _prompts(space: Workspace, keys: Sequence[str]) -> Iterator[Prompt]:
    """Samples by key with their words where these may be passed on, and why they went."""
    from groundswell.publish.licensing import without_held_back
    from groundswell.publish.sample_view import title_of

    ruled = {each.subject: each for each in space.store.records(Ruling) if each.what in ("retire", "reject")}
    for key in keys:
        sample = space.store.get(key)
        if not isinstance(sample, Sample):
            yield Prompt(key=key, why="withdrawn")
            continue
        ruling = ruled.get(key)
        why = None if ruling is None else f"{ruling.what}d: {ruling.why}".rstrip(": ")
        yield Prompt(key=key, title=title_of(without_held_back(sample), 80), why=why)


def _withdrawn(space: Workspace) -> Iterator[Withdrawal]:
    """What was taken back, without its address."""
    for row in space.store.tombstones():
        yield Withdrawal(key=row["key"], kind=row["kind"], day=row["time"][:10])


def _set_aside(space: Workspace) -> set[str]:
    """Votes that count on no board: planted pairs, flagged ones, and those of another methodology or cohort."""
    from groundswell.flow.arena import kept_votes

    cast = {vote.key for vote in space.store.records(Vote)}
    if not cast:
        return cast
    return cast - {vote.key for task in ("t2i", "edit", "chat") for vote in kept_votes(space, task)}


# --- published results --------------------------------------------------------------------------------------------


def _published(suites: Collection[str]) -> Iterator[Published]:
    from groundswell.suites.history import tables

    names = {suite.split("-")[0] for suite in suites}
    for table in tables():
        if table.suite in names or (table.suite == "echo" and "community" in names):
            yield msgspec.convert(msgspec.to_builtins(table), Published)


def _scores(space: Workspace, suite: str) -> Iterator[Scored]:
    """The suite's own scores, for the suites that have their own: LLaVA's ratios, CPI's means."""
    from groundswell.flow.scores import suite_scores

    if suite != "llava" and not suite.startswith("cpi-"):
        return
    for model, by_judge in sorted(suite_scores(space, suite)["models"].items()):
        for judge, told in sorted(by_judge.items()):
            groups: Mapping[str, Any] = told if suite == "llava" else {group["name"]: group for group in told["groups"]}
            value = "ratio" if suite == "llava" else "mean"
            yield Scored(
                suite=suite,
                model=model,
                judge=judge,
                groups={name: group[value] for name, group in groups.items()},
                scored={name: group["scored"] for name, group in groups.items()},
                wanted={name: group["wanted"] for name, group in groups.items()},
                unit="per cent of the reference" if suite == "llava" else "mean grade",
            )
