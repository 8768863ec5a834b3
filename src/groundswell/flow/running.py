"""The stages of a workspace in their order: what there is to do, what it would take, and doing it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.config import IN_PROCESS, SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.crew import Crew
from groundswell.flow.workspace import Workspace, editions
from groundswell.ports import Stage
from groundswell.records import Edition, Endpoint, UnitState
from groundswell.wire.budget import Budget
from groundswell.wire.door import Wire
from groundswell.work.engine import RUNS_THAT_TRY, Engine, Tally, missing

STAGES = ("generate", "reference", "judge", "measure")
"""Stages that do units, in order; boards and pages are computed from what they leave."""

CPU_WIDTH = 4
"""Units under way at once where the work is done in this process."""

SLACK = 4
"""Units beyond what hosts are asked at once: they wait for the disk while the hosts stay busy."""

REFERENCE = "reference"
"""What tells the answers that others are compared with from a model's own."""


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may say about one run."""

    only: tuple[str, ...] = ()
    budget: float | None = None
    """USD; None = what the workspace file says."""
    allow_unknown_price: bool = False
    workers: int | None = None
    """Units under way at once; None = as the hosts' limits allow."""
    pool: str = "local"


def stages(crew: Crew, only: Sequence[str] = ()) -> Iterator[tuple[Stage, int]]:
    """The stages of every edition, each with how many units may be under way at once."""
    for suite, edition in editions(crew.space):
        if _wanted("generate", only):
            yield _generating(crew, edition, suite.draws)
        if suite.reference and _wanted(REFERENCE, only):
            yield _referring(crew, suite.reference, edition)
        if _wanted("judge", only):
            yield from _judging(crew, suite, edition)
        if _wanted("measure", only):
            yield from _measuring(crew, edition)


def _wanted(name: str, only: Sequence[str]) -> bool:
    return not only or name in only


def _generating(crew: Crew, edition: Edition, draws: int) -> tuple[Stage, int]:
    from groundswell.generate.stage import Generate

    hosts = [host.limits.concurrency for host in crew.space.config.file.endpoint if host.host not in IN_PROCESS]
    width = sum(hosts) + CPU_WIDTH * any(endpoint.host in IN_PROCESS for endpoint in crew.endpoints)
    makers = crew.makers(edition)
    stage = Generate(edition, crew.endpoints, makers, crew.space.blobs, draws=draws, price=makers.price)
    return stage, width + SLACK


def _referring(crew: Crew, judge: str, edition: Edition) -> tuple[Stage, int]:
    from groundswell.generate.reference import MakeReferences
    from groundswell.suites.asking import reference_messages

    desk = crew.judge(judge)
    return MakeReferences(edition, desk, reference_messages), desk.line.limits.concurrency + SLACK


def _judging(crew: Crew, suite: SuiteSettings, edition: Edition) -> Iterator[tuple[Stage, int]]:
    from groundswell.judge.checks import ChecksJudge
    from groundswell.judge.stage import AskJudges, MeasureChecks

    space = crew.space
    if space.config.file.panel.checks:
        yield MeasureChecks(edition, ChecksJudge(space.blobs.get)), CPU_WIDTH
    if desks := crew.desks():
        width = sum(desk.line.limits.concurrency for desk in desks)
        yield AskJudges(edition, desks, crew.questions(suite)), width + SLACK


def _measuring(crew: Crew, edition: Edition) -> Iterator[tuple[Stage, int]]:
    from groundswell.measure.stage import MeasureStage

    chosen = crew.space.config.file.measure.metrics
    if metrics := [plugins.load("metric", name)() for name in chosen]:
        yield MeasureStage(metrics, crew.space.blobs.get, only=frozenset(edition.samples)), CPU_WIDTH


def run(space: Workspace, options: RunOptions, observe: Callable[[Tally], None] | None = None) -> list[Tally]:
    """Do what is missing in every stage, in order. A first Ctrl-C ends it cleanly, a second at once."""
    unknown = set(options.only) - set(STAGES)
    if unknown:
        raise UserError(f"there is no stage {', '.join(sorted(unknown))}; stages are {', '.join(STAGES)}")
    return asyncio.run(_run(space, options, observe))


async def _run(space: Workspace, options: RunOptions, observe: Callable[[Tally], None] | None) -> list[Tally]:
    limit = space.config.file.budget.usd if options.budget is None else options.budget
    budget = Budget(limit, options.allow_unknown_price)
    pool = plugins.load("pool", options.pool)()
    tallies: list[Tally] = []
    async with Wire(space.blobs.get) as wire, Engine(space.store, pool, purse=budget, observe=observe) as engine:
        _stop_on_interrupt(engine)
        crew = Crew(space, wire)
        judges: list[Endpoint] = [judge.record() for judge in space.config.file.judge]
        space.store.put([*crew.endpoints, *judges], renew=True)
        for stage, width in stages(crew, options.only):
            tallies.append(await engine.run(stage, width=options.workers or width))
            if tallies[-1].stopped:
                break
    return tallies


def _stop_on_interrupt(engine: Engine) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def interrupt() -> None:
        engine.stop()
        if task is not None:
            loop.add_signal_handler(signal.SIGINT, task.cancel)

    loop.add_signal_handler(signal.SIGINT, interrupt)


def plan(space: Workspace, options: RunOptions) -> dict[str, Any]:
    """`--dry-run`: by stage how many units are missing and what they cost. Nothing is asked and nothing bought.

    A stage that waits for another (judges for outputs) counts what can be seen now.
    """
    rows = []
    for stage, width in stages(Crew(space, Wire(space.blobs.get)), options.only):
        units = list(space.store.unfinished(stage.name, stage.units(space.store), RUNS_THAT_TRY))
        prices = [unit.price for unit in units if unit.price is not None]
        rows.append(
            {
                "stage": stage.name,
                "missing": len(units),
                "usd": sum(prices),
                "unpriced": len(units) - len(prices),
                "at_once": options.workers or width,
            }
        )
    return {"plan": rows}


def totals(space: Workspace) -> dict[str, Any]:
    """`status`: by stage what is done, failed, refused and missing; why things failed; the money spent."""
    states = space.store.states()
    counts = {
        name: {state: states.get(name, {}).get(UnitState(state), 0) for state in ("done", "failed", "refused")}
        for name in STAGES
    }
    for count in counts.values():
        count["missing"] = 0
    for stage, _ in stages(Crew(space, Wire(space.blobs.get))):
        counts[stage.name]["missing"] += missing(space.store, stage)
    spent, unpriced = space.store.spent()
    return {
        "stages": counts,
        "spent_usd": spent,
        "attempts_of_unknown_price": unpriced,
        "failures": space.store.reasons(UnitState.FAILED),
        "refusals": space.store.reasons(UnitState.REFUSED),
    }
