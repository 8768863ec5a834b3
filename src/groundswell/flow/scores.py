"""A suite's own scores of the models in a workspace, beside the published history: LLaVA's ratios, CPI's cases."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace
from groundswell.records import Endpoint, Judgment, Output, Rubric, Sample, Verdict

LANGUAGE = "en"
"""Of results that do not say in which language the model was asked."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """A sample with what a model made of it and what one judge said of that, rubric by rubric; None = no score could be
    read, or nothing came to be judged."""

    model: str
    judge: str
    sample: Sample
    language: str
    output: Output | None
    verdicts: tuple[tuple[Rubric, Mapping[str, float] | None], ...]


def suite_scores(space: Workspace, suite: str, write_to: Path | None = None) -> dict[str, Any]:
    """`{models: {model: {judge: scores}}, history}` of the newest edition of a suite.

    With `write_to`, CPI's `cases.jsonl` and `summary.json` are written there for each model and judge. Raises UserError
    for a suite whose scores are its boards alone.
    """
    from groundswell.editions.importing import newest
    from groundswell.suites.history import tables

    judged = list(_with_missing(list(_judged(space, suite)), newest(space.store, suite)[1]))
    if suite == "llava":
        scores = {key: _llava(found) for key, found in _by_model(judged).items()}
    elif suite.startswith("cpi-"):
        scores = {key: _cpi(found, key, write_to) for key, found in _by_model(judged).items()}
    else:
        raise UserError(f"the scores of {suite} are its boards; see groundswell boards")
    models: dict[str, dict[str, Any]] = defaultdict(dict)
    for (model, judge), found in scores.items():
        models[model][judge] = found
    return {"models": models, "history": [msgspec.to_builtins(table) for table in tables(suite.split("-")[0])]}


def _judged(space: Workspace, suite: str) -> Iterator[Judged]:
    from groundswell.editions.importing import newest
    from groundswell.generate.reference import is_reference
    from groundswell.measure import text_judge

    store, text_rendering = space.store, text_judge.rubric().key
    samples = {sample.key: sample for sample in newest(store, suite)[1]}
    models = {each.key: each.name for each in store.records(Endpoint) if not is_reference(each)}
    rubrics = {rubric.key: rubric for rubric in store.records(Rubric)}
    outputs = {
        output.key: output for output in store.records(Output) if output.sample in samples and output.endpoint in models
    }
    found: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for verdict in store.records(Verdict):
        if verdict.outputs[0] in outputs and verdict.judge != "checks" and verdict.rubric != text_rendering:
            found[verdict.outputs[0], verdict.judge].append(verdict)
    for (key, judge), verdicts in found.items():
        output = outputs[key]
        yield Judged(
            model=models[output.endpoint],
            judge=judge,
            sample=samples[output.sample],
            language=output.language or LANGUAGE,
            output=output,
            verdicts=tuple((rubrics[v.rubric], v.scores if isinstance(v, Judgment) else None) for v in verdicts),
        )


def _with_missing(judged: list[Judged], samples: Sequence[Sample]) -> Iterator[Judged]:
    """What was judged, and for every model, judge and language the samples that were not: they were wanted, too."""
    found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for each in judged:
        found[each.model, each.judge, each.language].add(each.sample.key)
        yield each
    for (model, judge, language), there in found.items():
        for sample in samples:
            if sample.key not in there and language in sample.prompts:
                yield Judged(model=model, judge=judge, sample=sample, language=language, output=None, verdicts=())


def _by_model(judged: list[Judged]) -> dict[tuple[str, str], list[Judged]]:
    found: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in judged:
        found[each.model, each.judge].append(each)
    return found


def _llava(judged: list[Judged]) -> dict[str, Any]:
    from groundswell.suites.declined import is_declined
    from groundswell.suites.llava import case_score, score_answers

    return score_answers(
        (
            each.sample.tags.get("category"),
            case_score(each.verdicts[0][1]) if each.verdicts else None,
            is_declined((each.output and each.output.text) or ""),
        )
        for each in judged
    )


def _cpi(judged: list[Judged], key: tuple[str, str], write_to: Path | None) -> dict[str, Any]:
    from groundswell.suites.cpi import case_of, summarise, write_report

    cases = [case_of(each.sample, each.language, each.verdicts) for each in judged]
    if write_to is not None:
        write_report(write_to / "-".join(key).replace("/", "_"), cases)
    return summarise(cases)
