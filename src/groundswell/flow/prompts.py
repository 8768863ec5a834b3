"""The life of a workspace's prompts: admitted, frozen into editions, retired."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from groundswell.errors import UserError
from groundswell.flow.arena import DECOYS, drawable, flagged, rulings
from groundswell.flow.workspace import Workspace, editions, with_confirmed_tags
from groundswell.records import Edition, Picture, Record, Ruling, Sample, Vote

if TYPE_CHECKING:
    from groundswell.editions.likeness import Twin
    from groundswell.editions.retirement import Proposal

ARENA = "arena"
"""Suite of the prompts that were admitted to the arena."""

RECENT = 2_000
"""Community prompts, the latest, by which it is told how people prompt now."""

OPERATOR = "operator"
RULES = "rules"


def now() -> datetime:
    """This moment in UTC: when a person ruled."""
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
    candidates = with_confirmed_tags(space, list(_candidates(space, paths)))
    reviewed = {key: ruling.what == "admit" for key, ruling in ruled.items() if ruling.what in ("admit", "reject")}
    members = [sample for sample in space.store.records(Sample) if _is_admitted(sample, ruled)]
    pool, alike = _pool(members, most_in_cell), _Alike(members)
    rows: list[dict[str, Any]] = []
    records: list[Record] = []
    for sample in candidates:
        if sample.key in ruled and not paths:
            continue
        found = findings(
            sample, pool, alike=alike.twin, faces=lambda picture: _faces(space, picture), reviewed=reviewed
        )
        decided = verdict(found)
        why = "; ".join(f"{finding.rule}: {finding.why}" for finding in found) or "no rule objects"
        records += [sample, Ruling(subject=sample.key, what=decided, by=RULES, why=why, time=now())]
        if decided == "admit":
            alike.add(sample)
            records += _pictures_admitted([sample], RULES, now())
        rows.append(_candidate(sample, decided, [msgspec.to_builtins(finding) for finding in found]))
    space.store.put(records)
    return {"candidates": rows, "counts": Counter(row["verdict"] for row in rows)}


def _candidate(sample: Sample, decided: str, reasons: list[Any]) -> dict[str, Any]:
    prompt = next(iter(sample.prompts.values()))
    return {"sample": sample.key, "label": sample.label, "prompt": prompt, "verdict": decided, "reasons": reasons}


def rule(space: Workspace, subjects: Iterable[str], what: str, why: str, by: str = OPERATOR) -> dict[str, Any]:
    """Write the operator's rulings. Who admits a prompt admits its pictures; these can be rejected by their digest.

    Raises UserError for a subject that is neither a record, a picture of a prompt nor a session.
    """
    subjects, time = list(subjects), now()
    sessions = {vote.by for vote in space.store.records(Vote)} if what in ("exclude", "reinstate") else set()
    found = {subject: space.store.get(subject) for subject in subjects}
    digests = {picture.digest for sample in space.store.records(Sample) for picture in sample.inputs}
    for subject in subjects:
        if found[subject] is None and subject not in sessions | digests:
            raise UserError(f"there is no record {subject}; names are the keys that --json prints")
    made = [
        msgspec.convert({"subject": subject, "what": what, "by": by, "why": why, "time": time}, Ruling)
        for subject in subjects
    ]
    shown = [each for each in found.values() if isinstance(each, Sample)] if what == "admit" else []
    space.store.put([*made, *_pictures_admitted(shown, by, time)])
    return {"rulings": [{"subject": each.subject, "what": each.what, "why": each.why} for each in made]}


def _pictures_admitted(samples: Iterable[Sample], by: str, time: datetime) -> Iterator[Ruling]:
    """The rulings by which the reference pictures of admitted prompts are admitted themselves, for all prompts. They do
    not name the source, which may be a post that is forgotten one day."""
    pictures = {picture.digest: picture for sample in samples for picture in sample.inputs}
    for digest, picture in pictures.items():
        terms = picture.licence.id if picture.licence else "licence unknown"
        evidence = {"width": picture.width, "height": picture.height, "licence": terms}
        why = f"reference picture, {terms}"
        yield Ruling(subject=digest, what="admit", by=by, why=why, evidence=evidence, time=time)


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
        from groundswell.editions.likeness import readings

        self._readings = readings()
        self._members: dict[frozenset[str], dict[str, str]] = defaultdict(dict)
        for sample in members:
            self.add(sample)

    def add(self, sample: Sample) -> None:
        self._members[_shown(sample)][sample.key] = _text(sample)

    def twin(self, sample: Sample) -> Twin | None:
        from groundswell.editions.likeness import twin_of

        key = sample.key
        pool = {other: text for other, text in self._members[_shown(sample)].items() if other != key}
        return twin_of(_text(sample), pool, self._readings)


def _shown(sample: Sample) -> frozenset[str]:
    return frozenset(picture.digest for picture in sample.inputs)


def _text(sample: Sample) -> str:
    return " ".join(sample.prompts.values())


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
    found, alive = proposed(space, by_rule), drawable(space)
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
        "prompts": [msgspec.to_builtins(each) for each in found],
        "unrealistic": _unreal(space, list(alive.values())),
        "applied": apply,
        "retired": {key: ruling.why for key, ruling in retired.items()},
    }


def proposed(
    space: Workspace, by_rule: Literal["slope", "chance"], flags: Mapping[str, str] | None = None
) -> list[Proposal]:
    """What a rule says of every prompt with votes. `flags`: those of `flagged`, where they are known."""
    from groundswell.editions.retirement import proposals
    from groundswell.vote.voters import is_expert

    votes = [vote for vote in space.store.records(Vote) if not is_expert(vote)]
    flags = flagged(space, votes) if flags is None else flags
    real = [vote for vote in votes if not DECOYS & {vote.left, vote.right}]
    kept = [vote for vote in real if vote.key not in flags] if flags else real
    alive = drawable(space)
    return proposals((vote for vote in kept if vote.sample in alive), by_rule)


def _unreal(space: Workspace, samples: Sequence[Sample]) -> list[dict[str, Any]]:
    """Prompts that are less like recent community prompts than these are like each other, by the best reading here."""
    from groundswell.editions.likeness import readings, unlike

    corpus = [_text(each) for each in space.store.records(Sample) if each.origins][-RECENT:]
    if not corpus or not samples:
        return []
    reading = readings()[-1]
    found = reading.among([*corpus, *(_text(sample) for sample in samples)])
    judged = unlike(found[len(corpus) :], found[: len(corpus)])
    return [
        {"sample": sample.key, "likeness": each[0], "threshold": each[1], "backend": reading.backend}
        for sample, each in zip(samples, judged, strict=True)
        if each is not None
    ]
