"""Scores of CPI-Bench cases (METHODS, section 2).

General and practical cases score the mean of their dimensions; intelligent cases a weighted sum with a penalty where
the knowledge is wrong. A case with a dimension missing has no score. Where the scores come from is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from groundswell import files
from groundswell.errors import UserError
from groundswell.records import Rubric, Sample

LOW, HIGH = 1.0, 5.0
"""Scale of every dimension, unless a template's head says otherwise."""

WEIGHTS = {"knowledge": 0.45, "visual_quality": 0.30, "input_consistency": 0.25}
"""Dimensions of the intelligent subset with their share of the score."""

PENALTY, PENALTY_UP_TO = 0.6, 2.0
"""An intelligent score is multiplied by 0.6 where knowledge is at most 2."""

DECIMALS = 6
"""To which a score is rounded, so that 3.65 * 0.6 is 2.19 and not 2.1899999999999995."""

Subset = Literal["general", "practical", "intelligent"]
Scores = Mapping[str, float | None]
"""Score by dimension; None = it could not be read."""


class Case(msgspec.Struct, kw_only=True, frozen=True, omit_defaults=True):
    """One judged result: a row of a file of cases."""

    sample_index: int
    subset: Subset
    scores: dict[str, float | None]
    id: int | str | None = None
    lang: Literal["zh", "en"] | None = None
    task: str | None = None
    expert_domain: str | None = None
    scale: tuple[float, float] = (LOW, HIGH)
    """Of all dimensions, where the template has another."""

    @property
    def place(self) -> tuple[Subset, int]:
        """The sample, whatever its language."""
        return (self.subset, self.sample_index)


class Scored(msgspec.Struct, kw_only=True, frozen=True):
    """A case with the dimensions that it should have, its score, and the least and most that the score can be."""

    case: Case
    scores: dict[str, float | None]
    score: float | None
    worst: float
    best: float


def score_cases(path: Path, *, compat: bool = False) -> dict[str, Any]:
    """Scores of a file of cases: `cases` in the order of the file and `groups` with their means.

    A group is `{by, name, mean, scored, wanted}`; `worst` and `best` are given where cases lack a score, and where a
    group holds both languages also `zh`, `en` and the paired `gap` zh - en. With `compat` a general or practical case
    is averaged over the dimensions that came, as the released code did. Raises UserError with file and line.
    """
    return summarise(list(_cases(path)), compat=compat)


def summarise(cases: Sequence[Case], *, compat: bool = False) -> dict[str, Any]:
    """`cases` and `groups` of cases that are at hand, as `score_cases` gives them for a file."""
    wanted = _wanted_dimensions(cases)
    scored = [_scored(case, wanted[_template(case)], compat) for case in cases]
    return {
        "cases": [
            {"sample_index": one.case.sample_index, "id": one.case.id, "lang": one.case.lang, "score": one.score}
            for one in scored
        ],
        "groups": groups(scored),
    }


def case_of(sample: Sample, language: str, verdicts: Iterable[tuple[Rubric, Scores | None]]) -> Case:
    """The case of one output from what each of its rubrics gave; None = that reply could not be read, or never came.

    A dimension that a rubric wants and its verdict lacks is null in the case.
    """
    subset: Subset = sample.tags["subset"]
    scores: dict[str, float | None] = {}
    scale = (LOW, HIGH)
    for rubric, given in verdicts:
        for dimension in rubric.dimensions:
            name = (dimension_name(dimension.name) if subset == "intelligent" else None) or dimension.name
            scores[name] = (given or {}).get(dimension.name)
            scale = (dimension.low, dimension.high)
    return Case(
        sample_index=sample.tags["sample_index"],
        id=sample.label,
        subset=subset,
        lang="zh" if language == "zh" else "en",
        task=sample.tags.get("task"),
        expert_domain=sample.tags.get("expert_domain"),
        scores=scores,
        scale=scale,
    )


def write_report(folder: Path, cases: Sequence[Case], *, compat: bool = False) -> None:
    """Write `cases.jsonl` (which `score_cases` reads again) and `summary.json` with the groups."""
    files.write_rows(folder / "cases.jsonl", cases)
    summary = msgspec.json.format(msgspec.json.encode(summarise(cases, compat=compat)), indent=2)
    files.write_bytes(folder / "summary.json", summary + b"\n")


def case_score(subset: Subset, scores: Scores, *, compat: bool = False) -> float | None:
    """Score of one case on the scale of its dimensions, None where a dimension is missing.

    `scores` names every dimension that is wanted. With `compat` a missing dimension of a general or practical case is
    left out of the mean instead.
    """
    known: dict[str, float | None]
    if subset == "intelligent":
        named = {dimension_name(label): score for label, score in scores.items()}
        known = {name: named.get(name) for name in WEIGHTS}
    else:
        known = {name: score for name, score in scores.items() if score is not None or not compat}
    values = {name: score for name, score in known.items() if score is not None}
    if not values or len(values) < len(known):
        return None
    if subset != "intelligent":
        return round(sum(values.values()) / len(values), DECIMALS)
    total = sum(weight * values[name] for name, weight in WEIGHTS.items())
    return round(total * PENALTY if values["knowledge"] <= PENALTY_UP_TO else total, DECIMALS)


def domain_parts(expert_domain: str) -> tuple[str, str | None]:
    """Domain and subtask of "<domain>-<subtask>"; the subtask is None where there is no hyphen."""
    domain, hyphen, subtask = expert_domain.partition("-")
    return domain.strip(), subtask.strip() if hyphen else None


def dimension_name(label: str) -> str | None:
    """The intelligent dimension that a label names (`Knowledge Reasoning` is knowledge), None if it is none of them."""
    return next((name for name in WEIGHTS if name.split("_")[-1] in label.lower()), None)


def groups(scored: Sequence[Scored]) -> list[dict[str, Any]]:
    """Means over all cases, by subset, task, domain, subtask, dimension and language."""
    found: dict[tuple[str, str], list[Scored]] = {}
    for one in scored:
        for label in _labels(one.case):
            found.setdefault(label, []).append(one)
    dimensions: dict[str, list[Scored]] = {}
    for one in scored:
        for name in one.scores:
            dimensions.setdefault(name, []).append(one)
    rows = [_group(by, name, members, _whole) for (by, name), members in found.items()]
    rows += [_group("dimension", name, members, _of_dimension(name)) for name, members in dimensions.items()]
    order = ("all", "subset", "lang", "task", "domain", "subtask", "dimension")
    return sorted(rows, key=lambda row: (order.index(row["by"]), row["name"]))


Bounded = tuple[float | None, float, float]
"""A value, and the least and the most that it can be."""


def _whole(one: Scored) -> Bounded:
    return one.score, one.worst, one.best


def _of_dimension(name: str) -> Callable[[Scored], Bounded]:
    def values(one: Scored) -> Bounded:
        score = one.scores[name]
        return (score, *one.case.scale) if score is None else (score, score, score)

    return values


def _group(by: str, name: str, members: Sequence[Scored], values: Callable[[Scored], Bounded]) -> dict[str, Any]:
    row: dict[str, Any] = {"by": by, "name": name} | _mean([values(one) for one in members])
    languages = {lang: [one for one in members if one.case.lang == lang] for lang in ("zh", "en")}
    if by != "lang" and all(languages.values()):
        row |= {lang: _mean([values(one) for one in part]) for lang, part in languages.items()}
        row["gap"] = _gap(languages["zh"], languages["en"], values)
    return row


def _mean(values: Sequence[Bounded]) -> dict[str, Any]:
    read = [value for value, _, _ in values if value is not None]
    row: dict[str, Any] = {"mean": _average(read), "scored": len(read), "wanted": len(values)}
    if len(read) < len(values):
        row["worst"] = _average([worst if value is None else value for value, worst, _ in values])
        row["best"] = _average([best if value is None else value for value, _, best in values])
    return row


def _gap(zh: Sequence[Scored], en: Sequence[Scored], values: Callable[[Scored], Bounded]) -> dict[str, Any]:
    """zh - en over the samples that have a score in both languages, so that absence in one cannot make a gap."""
    english = {one.case.place: values(one)[0] for one in en}
    pairs = [(values(one)[0], english[one.case.place]) for one in zh if one.case.place in english]
    gaps = [left - right for left, right in pairs if left is not None and right is not None]
    return {"mean": _average(gaps), "scored": len(gaps), "wanted": len({one.case.place for one in (*zh, *en)})}


def _average(values: Sequence[float]) -> float | None:
    return round(sum(values) / len(values), DECIMALS) if values else None


def _labels(case: Case) -> Iterator[tuple[str, str]]:
    yield "all", "all"
    yield "subset", case.subset
    if case.lang is not None:
        yield "lang", case.lang
    if case.task is not None:
        yield "task", case.task
    if case.expert_domain is not None:
        domain, subtask = domain_parts(case.expert_domain)
        yield "domain", domain
        if subtask is not None:
            yield "subtask", case.expert_domain


def _template(case: Case) -> tuple[Subset, str | None]:
    return (case.subset, case.task or case.expert_domain)


def _wanted_dimensions(cases: Iterable[Case]) -> dict[tuple[Subset, str | None], list[str]]:
    """Dimensions that each task should have: a template asks every case for the same ones, so the union of them."""
    wanted: dict[tuple[Subset, str | None], dict[str, None]] = {}
    for case in cases:
        names = WEIGHTS if case.subset == "intelligent" else case.scores
        wanted.setdefault(_template(case), {}).update(dict.fromkeys(names))
    return {template: list(names) for template, names in wanted.items()}


def _scored(case: Case, wanted: Sequence[str], compat: bool) -> Scored:
    scores = {name: case.scores.get(name) for name in wanted}
    worst, best = (
        case_score(case.subset, {name: end if score is None else score for name, score in scores.items()})
        for end in case.scale
    )
    score = case_score(case.subset, scores, compat=compat)
    return Scored(
        case=case,
        scores=scores,
        score=score,
        worst=case.scale[0] if worst is None else worst,
        best=case.scale[1] if best is None else best,
    )


def _cases(path: Path) -> Iterator[Case]:
    seen: dict[tuple[Subset, int, str | None], int] = {}
    named: dict[tuple[Subset, str, str | None], tuple[int, int]] = {}
    for line, case in files.read_structs(path, Case):
        first = seen.setdefault((*case.place, case.lang), line)
        if first != line:
            raise UserError(
                f"sample_index {case.sample_index} stands twice for this subset and language (first in line {first})",
                where=path,
                line=line,
            )
        if case.id is not None:
            index, before = named.setdefault((case.subset, str(case.id), case.lang), (case.sample_index, line))
            if index != case.sample_index:
                raise UserError(
                    f"id {case.id} has sample_index {case.sample_index} here and {index} in line {before}; "
                    "an id is of one sample",
                    where=path,
                    line=line,
                )
        _check(path, line, case)
        yield case


def _check(path: Path, line: int, case: Case) -> None:
    for name, score in case.scores.items():
        low, high = case.scale
        if score is not None and not low <= score <= high:
            raise UserError(
                f"{name} is {score:g}; a score lies between {low:g} and {high:g}, or is null", where=path, line=line
            )
        if case.subset == "intelligent" and name not in WEIGHTS:
            raise UserError(
                f"{name} is not a dimension of intelligent; use {', '.join(WEIGHTS)}", where=path, line=line
            )
