"""What is measured in a workspace: the metrics of its file, the model that says where they apply, and the results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from groundswell import plugins
from groundswell.errors import PluginError, UserError
from groundswell.flow.crew import Crew
from groundswell.flow.workspace import Workspace, editions
from groundswell.ports import Stage
from groundswell.records import Edition, Endpoint, Measured, Output

if TYPE_CHECKING:
    from groundswell.measure.metric import About

WIDTH = 4
"""Units under way at once where networks run in this process."""

SLACK = 4
"""Questions beyond what a host is asked at once."""


def measuring(crew: Crew, edition: Edition) -> Iterator[tuple[Stage, int]]:
    """The stages that measure an edition. Raises UserError where text is to be judged and nobody is on the panel."""
    from groundswell.measure import text_judge
    from groundswell.measure.applicability_by_model import AskApplies
    from groundswell.measure.stage import MeasureStage

    file, samples = crew.space.config.file, frozenset(edition.samples)
    chosen, reader = file.measure.metrics, None
    if any(judge.name == file.reader.use for judge in file.judge):
        desk = crew.judge(file.reader.use)
        reader = desk.judge
        yield AskApplies(samples, chosen, desk), desk.line.limits.concurrency + SLACK
    if metrics := [plugins.load("metric", name)() for name in chosen if name != text_judge.METRIC]:
        yield MeasureStage(metrics, crew.space.blobs.get, only=samples, reader=reader), WIDTH
    if text_judge.METRIC in chosen:
        desks = crew.desks()
        if not desks:
            raise UserError(
                "the metric text is a judge's, and the panel has none; name judges in [panel], or measure ocr",
                where=crew.space.config.path,
            )
        width = sum(desk.line.limits.concurrency for desk in desks)
        yield text_judge.AskText(samples, desks, reader), width + SLACK


def measured(space: Workspace) -> list[dict[str, Any]]:
    """What was measured in every edition: a row for each metric, backend and model, as `measured_of` gives them."""
    return [
        {"board": suite.name, "edition": edition.label, **row}
        for suite, edition in editions(space)
        for row in measured_of(space, edition.samples)
    ]


def measured_of(space: Workspace, samples: Collection[str]) -> list[dict[str, Any]]:
    """A row for each metric, backend and model: the mean with its interval, coverage, why there is no number elsewhere,
    and the worst and best outputs; for colour the set level beside it.
    """
    from groundswell.measure.results import results

    members = frozenset(samples)
    names = {each.key: each.name for each in space.store.records(Endpoint)}
    model_of = {
        output.key: names[output.endpoint]
        for output in space.store.records(Output)
        if output.sample in members and output.endpoint in names
    }
    facts = [each for each in space.store.records(Measured) if each.sample in members]
    rows: list[dict[str, Any]] = []
    for result in results(facts, model_of, _abouts({each.metric for each in facts})):
        row = msgspec.to_builtins(result)
        if row["set_level"] is not None:
            del row["set_level"]["histograms"]
        rows.append(row)
    return rows


def _abouts(metrics: set[str]) -> Mapping[str, About]:
    """How the metrics that are installed are to be read; a plugin that is gone or broken leaves its direction open."""
    from groundswell.measure import text_judge

    found = {text_judge.METRIC: text_judge.ABOUT}
    for name in sorted(metrics & set(plugins.names("metric"))):
        with suppress(PluginError, AttributeError):
            found[name] = plugins.load("metric", name).about
    return found
