"""The life of a workspace's prompts: admitted, frozen into editions, retired, released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from groundswell.config import SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.arena import DECOYS, drawable, flagged, rulings
from groundswell.flow.workspace import Workspace, editions
from groundswell.records import Edition, Picture, Post, Record, Ruling, Sample, Vote

ARENA = "arena"
"""Suite of the prompts that were admitted to the arena."""

OPERATOR = "operator"
RULES = "rules"


def now() -> datetime:
    return datetime.now(UTC)


# --- freezing -----------------------------------------------------------------------------------------------------


def freeze(space: Workspace, suite: str, label: str, limit: int | None, seed: int) -> dict[str, Any]:
    """Freeze the runnable, unretired samples of a suite under a label. Raises UserError where the label is taken."""
    from groundswell.editions.freezing import compared, frozen

    known = [edition for _, edition in editions(space) if edition.suite == suite]
    stored = [edition for edition in space.store.records(Edition) if edition.suite == suite]
    samples = [sample for sample in space.store.records(Sample) if _belongs(sample, suite, [*known, *stored])]
    gone = {key for key, ruling in rulings(space).items() if ruling.what in ("retire", "reject", "queue")}
    left = [sample for sample in samples if sample.key not in gone]
    edition = frozen(left, suite, label, limit=limit, seed=seed)
    taken = next((each for each in stored if each.label == label), None)
    if taken is not None and taken.key != edition.key:
        raise UserError(f"{suite} {label} is frozen already with {len(taken.samples)} other samples; take a new label")
    space.store.put([edition])
    previous = next((each for each in reversed(stored) if each.label != label), None)
    changed = compared(previous, edition) if previous else None
    return {
        "suite": suite,
        "label": label,
        "edition": edition.key,
        "samples": len(edition.samples),
        "of": len(samples),
        "not_runnable": Counter(str(sample.not_runnable) for sample in left if sample.not_runnable is not None),
        "retired_or_waiting": len(samples) - len(left),
        "inclusion": edition.inclusion,
        "since": None if previous is None else previous.label,
        "came": len(changed.came) if changed else len(edition.samples),
        "went": len(changed.went) if changed else 0,
    }


def _belongs(sample: Sample, suite: str, known: Sequence[Edition]) -> bool:
    return sample.suite == suite or any(sample.key in edition.samples for edition in known)


# --- admission ----------------------------------------------------------------------------------------------------


def admit(space: Workspace, paths: Sequence[Path], most_in_cell: int | None) -> dict[str, Any]:
    """Lint candidates: the rows of files, else the curated samples that nobody has looked at. Writes what was ruled."""
    from groundswell.editions.linting import findings, verdict

    ruled = rulings(space)
    candidates = list(_candidates(space, paths))
    members = [sample for sample in space.store.records(Sample) if _is_admitted(sample, ruled)]
    pool, alike = _pool(members, most_in_cell), _Alike(members)
    rows: list[dict[str, Any]] = []
    records: list[Record] = []
    for sample in candidates:
        if sample.key in ruled and not paths:
            continue
        found = findings(sample, pool, alike=alike.twin, faces=lambda picture: _faces(space, picture))
        decided = verdict(found)
        why = "; ".join(f"{finding.rule}: {finding.why}" for finding in found) or "no rule objects"
        records += [sample, Ruling(subject=sample.key, what=decided, by=RULES, why=why, time=now())]
        if decided == "admit":
            alike.add(sample)
        rows.append(_candidate(sample, decided, [msgspec.to_builtins(finding) for finding in found]))
    space.store.put(records)
    return {"candidates": rows, "counts": Counter(row["verdict"] for row in rows)}


def _candidate(sample: Sample, decided: str, reasons: list[Any]) -> dict[str, Any]:
    prompt = next(iter(sample.prompts.values()))
    return {"sample": sample.key, "label": sample.label, "prompt": prompt, "verdict": decided, "reasons": reasons}


def rule(space: Workspace, subjects: Iterable[str], what: str, why: str, by: str = OPERATOR) -> dict[str, Any]:
    """Write the operator's rulings. Raises UserError for a subject that is neither a record nor a session."""
    subjects = list(subjects)
    sessions = {vote.by for vote in space.store.records(Vote)} if what in ("exclude", "reinstate") else set()
    for subject in subjects:
        if subject not in sessions and space.store.get(subject) is None:
            raise UserError(f"there is no record {subject}; names are the keys that --json prints")
    made = [
        msgspec.convert({"subject": subject, "what": what, "by": by, "why": why, "time": now()}, Ruling)
        for subject in subjects
    ]
    space.store.put(made)
    return {"rulings": [{"subject": each.subject, "what": each.what, "why": each.why} for each in made]}


def tag(space: Workspace, keys: Sequence[str], tags: Sequence[str]) -> None:
    """Write tags that a person confirmed, as AXIS=WORD. Raises UserError for a word outside the taxonomy."""
    from groundswell.vote.taxonomy import taxonomy

    terms = taxonomy()
    axes = {"use_case": terms.use_case, "capability": terms.capability}
    confirmed = {}
    for each in tags:
        axis, _, word = each.partition("=")
        if word not in [term.id for term in axes.get(axis, ())]:
            known = "; ".join(f"{name}: {', '.join(term.id for term in words)}" for name, words in axes.items())
            raise UserError(f"{each} is no tag; write AXIS=WORD with one of {known}")
        confirmed[axis] = word
    samples = [sample for key in keys if isinstance(sample := space.store.get(key), Sample)]
    if confirmed:
        renewed = [msgspec.structs.replace(sample, tags={**sample.tags, **confirmed}) for sample in samples]
        space.store.put(renewed, renew=True)


def queue(space: Workspace) -> list[dict[str, Any]]:
    """Prompts that wait for a person, with what the rules objected to."""
    waiting = {key: ruling for key, ruling in rulings(space).items() if ruling.what == "queue"}
    found = {key: sample for sample in space.store.records(Sample) if (key := sample.key) in waiting}
    return [{**_candidate(sample, "queue", []), "why": waiting[key].why} for key, sample in found.items()]


def _candidates(space: Workspace, paths: Sequence[Path]) -> Iterable[Sample]:
    from groundswell.suites.custom import samples

    if not paths:
        return [sample for sample in space.store.records(Sample) if sample.origins and sample.quality == "Benchmark"]
    return [msgspec.structs.replace(sample, suite=ARENA) for path in paths for sample in samples(path, space.keep)]


def _is_admitted(sample: Sample, ruled: dict[str, Ruling]) -> bool:
    ruling = ruled.get(sample.key)
    return ruling is not None and ruling.what in ("admit", "restore")


def _pool(members: Sequence[Sample], most_in_cell: int | None) -> Any:
    from groundswell.editions.linting import Pool
    from groundswell.vote.taxonomy import taxonomy

    terms = taxonomy()
    return Pool(
        terms={
            "use_case": frozenset(term.id for term in terms.use_case),
            "capability": frozenset(term.id for term in terms.capability),
        },
        cells=Counter(
            (each.task, str(each.tags.get("use_case", "")), str(each.tags.get("capability", ""))) for each in members
        ),
        most_in_cell=most_in_cell,
    )


class _Alike:
    """Finds a prompt of the pool that says the same as a candidate about the same pictures."""

    def __init__(self, members: Sequence[Sample]) -> None:
        self._members = list(members)

    def add(self, sample: Sample) -> None:
        self._members.append(sample)

    def twin(self, sample: Sample) -> str | None:
        from groundswell.editions.likeness import NEAR_DUPLICATE, nearest, vectors

        inputs = {picture.digest for picture in sample.inputs}
        others = [
            each
            for each in self._members
            if each.key != sample.key and {picture.digest for picture in each.inputs} == inputs
        ]
        texts = [" ".join(each.prompts.values()) for each in (sample, *others)]
        found = vectors(texts)
        best = nearest(found[0], found[1:])
        return others[best[0]].key if best is not None and best[1] >= NEAR_DUPLICATE else None


def _faces(space: Workspace, picture: Picture) -> int | None:
    """How many faces a picture shows; None where no detector is installed."""
    from groundswell.perception.faces import SFACE
    from groundswell.perception.loading import NotInstalled
    from groundswell.pictures import pixels

    try:
        return len(SFACE.find(pixels(space.blobs.get(picture.digest))))
    except NotInstalled:
        return None


# --- retirement ---------------------------------------------------------------------------------------------------


def retire(space: Workspace, by_rule: Literal["slope", "chance"], *, apply: bool) -> dict[str, Any]:
    """What the rule proposes for every prompt with votes, and how far prompts are from how people prompt now.

    With `apply`, proposals to retire are written; `rule(..., "restore", ...)` takes one back.
    """
    from groundswell.editions.retirement import proposals

    votes = [vote for vote in space.store.records(Vote) if not DECOYS & {vote.left, vote.right}]
    flags = flagged(space, votes)
    kept = [vote for vote in votes if vote.key not in flags] if flags else votes
    alive = drawable(space)
    found = proposals((vote for vote in kept if vote.sample in alive), by_rule)
    rows = [msgspec.to_builtins(each) for each in found]
    unreal = _unreal(space, list(alive.values()))
    retired = {key: ruling for key, ruling in rulings(space).items() if ruling.what == "retire"}
    if apply:
        marked = [
            Ruling(
                subject=each.sample,
                what="retire",
                by=f"{RULES}:{by_rule}",
                why=each.why,
                evidence={"b": each.b, "low": each.low, "high": each.high, "n": each.n},
                time=now(),
            )
            for each in found
            if each.verdict == "retire"
        ]
        space.store.put(marked)
    return {
        "rule": by_rule,
        "prompts": rows,
        "unrealistic": unreal,
        "applied": apply,
        "retired": {key: ruling.why for key, ruling in retired.items()},
    }


def _unreal(space: Workspace, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Prompts that are less like recent community prompts than these are like each other."""
    from groundswell.editions.likeness import BACKEND, unlike, vectors

    corpus = [" ".join(each.prompts.values()) for each in space.store.records(Sample) if each.origins]
    if not corpus or not samples:
        return []
    found = vectors([*corpus, *(" ".join(sample.prompts.values()) for sample in samples)])
    judged = unlike(found[len(corpus) :], found[: len(corpus)])
    return [
        {"sample": sample.key, "likeness": each[0], "threshold": each[1], "backend": BACKEND}
        for sample, each in zip(samples, judged, strict=True)
        if each is not None
    ]


# --- releases -----------------------------------------------------------------------------------------------------


def release(space: Workspace, suite: str | None, out: Path | None) -> dict[str, Any]:
    """Write the newest edition of a suite as a folder. Raises UserError when there is none, or several suites."""
    from groundswell.editions.releases import Material, write

    found: dict[str, tuple[SuiteSettings, Edition]] = {each[1].suite: each for each in editions(space)}
    if suite is None and len(found) != 1:
        raise UserError(f"name a suite: {', '.join(sorted(found)) or 'there is none yet'}")
    name = suite or next(iter(found))
    if name not in found:
        raise UserError(f"there is no edition of {name}; there are: {', '.join(sorted(found)) or 'none'}")
    stored = [edition for edition in space.store.records(Edition) if edition.suite == name]
    edition = stored[-1] if stored else found[name][1]
    members = {key: sample for sample in space.store.records(Sample) if (key := sample.key) in set(edition.samples)}
    withdrawn = {key: "withdrawn at the wish of its author" for key in edition.samples if key not in members}
    posts = {post.key: post.url for post in space.store.records(Post) if post.url is not None}
    material = Material(
        edition=edition,
        samples=[members[key] for key in edition.samples if key in members],
        pointers=posts,
        withdrawn=withdrawn,
        yields={"posts": sum(1 for _ in space.store.records(Post)), "samples": len(edition.samples)},
    )
    return write(material, out or space.config.folder / "releases" / f"{name}-{edition.label}", space.blobs.get)
