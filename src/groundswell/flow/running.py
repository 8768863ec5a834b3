"""The stages of a workspace in their order: what there is to do, what it would take, and doing it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from statistics import fmean
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.config import IN_PROCESS
from groundswell.errors import UserError
from groundswell.flow.crew import IMAGINED, Crew
from groundswell.flow.judging import judging
from groundswell.flow.measuring import measuring
from groundswell.flow.workspace import Workspace, editions
from groundswell.generate.stage import Generate, Wanted
from groundswell.judge.stage import AskJudges
from groundswell.ports import Stage
from groundswell.records import (
    Blocked,
    Edition,
    Endpoint,
    Failure,
    Output,
    Picture,
    Refusal,
    Timing,
    UnitState,
    Verdict,
)
from groundswell.wire.budget import Budget
from groundswell.wire.door import Wire
from groundswell.work.engine import RUNS_THAT_TRY, Engine, Tally, missing

STAGES = ("generate", "reference", "judge", "measure")
"""Stages that do units, in order; boards and pages are computed from what they leave."""

VOTE = "vote"
"""What people do: it is counted with the stages and cannot be run."""

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
    retry_failed: bool = False
    """Try again whatever failed, for good or not: the key, the account or the model is mended now."""


def stages(crew: Crew, only: Sequence[str] = ()) -> Iterator[tuple[Stage, int]]:
    """The stages of every edition, each with how many units may be under way at once."""
    for suite, edition in editions(crew.space):
        if _wanted("generate", only):
            yield _generating(crew, edition, suite.draws)
        if suite.reference and _wanted(REFERENCE, only):
            yield _referring(crew, suite.reference, edition)
        if _wanted("judge", only):
            yield from judging(crew, suite, edition)
        if _wanted("measure", only):
            yield from measuring(crew, edition)


def _wanted(name: str, only: Sequence[str]) -> bool:
    return not only or name in only


def _generating(crew: Crew, edition: Edition, draws: int) -> tuple[Stage, int]:
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


def run(space: Workspace, options: RunOptions, observe: Callable[[Tally], None] | None = None) -> list[Tally]:
    """Do what is missing in every stage, in order. A first Ctrl-C ends it cleanly, a second at once."""
    unknown = set(options.only) - set(STAGES)
    if unknown:
        raise UserError(f"there is no stage {', '.join(sorted(unknown))}; stages are {', '.join(STAGES)}")
    try:
        return asyncio.run(_run(space, options, observe))
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None  # the second Ctrl-C


async def _run(space: Workspace, options: RunOptions, observe: Callable[[Tally], None] | None) -> list[Tally]:
    tallies: list[Tally] = []
    async with session(space, options, observe) as (crew, engine):
        for stage, width in stages(crew, options.only):
            runs = None if options.retry_failed else RUNS_THAT_TRY
            tallies.append(await engine.run(stage, width=options.workers or width, runs=runs))
            if stage.name == "generate" and tallies[-1].done:
                _withdraw_error_pictures(space, tallies[-1])
            if tallies[-1].stopped:
                break
    return tallies


@asynccontextmanager
async def session(
    space: Workspace, options: RunOptions, observe: Callable[[Tally], None] | None
) -> AsyncIterator[tuple[Crew, Engine]]:
    """Everything that doing units needs: the crew, and an engine that keeps to the budget and stops on Ctrl-C."""
    limit = space.config.file.budget.usd if options.budget is None else options.budget
    budget = Budget(limit, options.allow_unknown_price)
    pool = plugins.load("pool", options.pool)()
    async with Wire(space.blobs.get) as wire, Engine(space.store, pool, purse=budget, observe=observe) as engine:
        _stop_on_interrupt(engine, wire)
        crew = Crew(space, wire)
        judges: list[Endpoint] = [judge.record() for judge in space.config.file.judge]
        # A judge may be the very model that stands on the board: there it has the endpoint's name.
        space.store.put([*judges, *crew.endpoints], renew=True)
        yield crew, engine


def _withdraw_error_pictures(space: Workspace, tally: Tally) -> None:
    """Outputs that turn out to be a host's error picture are failures, in the facts and in what is reported."""
    from groundswell.generate.repeats import withdraw_repeated

    withdrawn = withdraw_repeated(space.store, IN_PROCESS)
    tally.done = max(0, tally.done - withdrawn)
    tally.failed += withdrawn


def _stop_on_interrupt(engine: Engine, wire: Wire) -> None:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()

    def interrupt() -> None:
        engine.stop()
        wire.hurry()
        if task is not None:
            _on_interrupt(loop, task.cancel)

    _on_interrupt(loop, interrupt)


def _on_interrupt(loop: asyncio.AbstractEventLoop, act: Callable[[], object]) -> None:
    try:
        loop.add_signal_handler(signal.SIGINT, act)
    except NotImplementedError:  # the loops of Windows have no handlers of their own
        signal.signal(signal.SIGINT, lambda number, frame: loop.call_soon_threadsafe(act))


def plan(space: Workspace, options: RunOptions) -> dict[str, Any]:
    """`--dry-run`: by stage how many units are missing, what they cost and how long they take. Nothing is asked.

    Judges' questions about outputs that do not exist yet are counted, with an output as it may be. `seconds` is None
    where nothing of that stage was done before, `unpriced` are units whose price nobody knows. `settings` are what
    each endpoint at a host is asked with, and whose word that is.
    """
    rows: dict[str, dict[str, Any]] = {}
    expected: list[Output] = []
    pace = _pace(space)
    for stage, width in stages(Crew(space, Wire(space.blobs.get), asks=False), options.only):
        units = list(space.store.unfinished(stage.name, stage.units(space.store), RUNS_THAT_TRY))
        if isinstance(stage, Generate):
            expected += [_imagined(unit.payload) for unit in units]
        elif isinstance(stage, AskJudges):
            units += stage.about(expected, space.store)
        at_once = options.workers or width
        row = rows.setdefault(
            stage.name,
            {"stage": stage.name, "missing": 0, "usd": 0.0, "unpriced": 0, "at_once": at_once, "seconds": None},
        )
        row["missing"] += len(units)
        row["usd"] += sum(unit.price for unit in units if unit.price is not None)
        row["unpriced"] += sum(unit.price is None for unit in units)
        if (each := pace.get(stage.name)) is not None:
            row["seconds"] = round((row["seconds"] or 0.0) + len(units) * each / at_once, 1)
    asked = [] if options.only and "generate" not in options.only else space.config.file.endpoint
    return {
        "plan": list(rows.values()),
        "settings": [space.settings_of(endpoint) for endpoint in asked if endpoint.host not in IN_PROCESS],
    }


def _imagined(wanted: Wanted) -> Output:
    """An output as it may come, of which judges' questions can be counted and priced."""
    job, sample = wanted.job, wanted.sample
    picture = Picture(digest="0" * 64, media_type="image/png", width=1024, height=1024)
    chat = sample.task == "chat"
    return Output(
        job=job.key,
        sample=job.sample,
        endpoint=job.endpoint,
        draw=job.draw,
        language=wanted.language,
        text=IMAGINED if chat else None,
        pictures=() if chat else (picture,),
    )


def _pace(space: Workspace) -> dict[str, float]:
    """Mean seconds of one unit by stage, where any was done."""
    seconds = {
        "generate": [each.seconds for each in space.store.records(Output) if each.seconds is not None],
        "judge": [each.seconds for each in space.store.records(Verdict) if each.seconds is not None],
    }
    return {stage: fmean(values) for stage, values in seconds.items() if values}


def totals(space: Workspace) -> dict[str, Any]:
    """`status`: by stage what is done, failed, refused and missing; why things failed; the money spent."""
    from groundswell.flow.curated import curation_totals

    states = space.store.states()
    counts = {
        name: {state: states.get(name, {}).get(UnitState(state), 0) for state in ("done", "failed", "refused")}
        for name in (*STAGES, VOTE)
    }
    for count in counts.values():
        count["missing"] = 0
    for stage, _ in stages(Crew(space, Wire(space.blobs.get), asks=False)):
        counts[stage.name]["missing"] += missing(space.store, stage)
    spent, unpriced = space.store.spent()
    return {
        "stages": {**curation_totals(space), **counts},
        "spent_usd": spent,
        "attempts_of_unknown_price": unpriced,
        "failures": space.store.reasons(UnitState.FAILED),
        "refusals": space.store.reasons(UnitState.REFUSED),
        "outcomes": _outcomes(space),
        "failures_by_endpoint": _failures(space),
        "verdicts": _verdicts(space),
    }


def _failures(space: Workspace) -> list[dict[str, Any]]:
    """What went wrong by endpoint, stage and kind: counts, first and last time, the latest reason."""
    from groundswell.stats.failures import failure_rows

    names = {endpoint.key: endpoint.name for endpoint in space.store.records(Endpoint)}
    rows = failure_rows(space.store.records(Refusal, Failure, Output, Blocked, Timing), names)
    return [{**msgspec.structs.asdict(row)} for row in rows]


def _verdicts(space: Workspace) -> dict[str, int]:
    """What came of asking judges: a judge that is never read leaves no failure, and no board either."""
    kinds = space.store.kinds()
    return {kind: kinds[kind] for kind in ("judgment", "unread", "blocked", "truncated") if kind in kinds}


def _outcomes(space: Workspace) -> dict[str, dict[str, int]]:
    """By endpoint what came of its jobs: done, refused, failures by kind, and how many outputs are not as asked."""
    from groundswell.generate.outcomes import tally_of

    return tally_of(space.store)
