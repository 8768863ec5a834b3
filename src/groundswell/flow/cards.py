"""The report card of a workspace's judge: cases planted among real outputs, put to the judge, marked and kept."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from groundswell.config import SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.crew import Crew
from groundswell.flow.judging import protocol, questions
from groundswell.flow.panelling import CARD
from groundswell.flow.verdicts import CHECKS
from groundswell.flow.workspace import Workspace, editions
from groundswell.generate.reference import is_reference
from groundswell.records import Decision, Done, Edition, Endpoint, Output, Sample, Unit, UnitState, key_of
from groundswell.wire.budget import Budget
from groundswell.wire.door import Wire

if TYPE_CHECKING:
    from groundswell.judge.card import Card
    from groundswell.judge.planting import Real

STAGE = "judge card"
"""Under which the money is counted."""

OUTPUTS = 40
"""Real outputs that cases are planted among: enough to pass a judge that is wrong in one case of twenty."""

AT_ONCE = 8


class CardOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may say about one card."""

    suite: str | None = None
    """None = the newest edition that has outputs."""
    outputs: int = OUTPUTS
    budget: float | None = None
    """USD; None = what the workspace file says."""
    allow_unknown_price: bool = False


def judge_card(space: Workspace, name: str, options: CardOptions) -> dict[str, Any]:
    """The card of a judge as `judge card` prints it; it is kept in the store, so that boards can say who failed.

    Raises UserError where there is nothing to plant among, BudgetExceeded where asking would cost too much.
    """
    return asyncio.run(_examine(space, name, options))


async def _examine(space: Workspace, name: str, options: CardOptions) -> dict[str, Any]:
    limit = space.config.file.budget.usd if options.budget is None else options.budget
    purse = Budget(limit, options.allow_unknown_price)
    suite, edition, candidates = _material(space, name, options.suite)
    async with Wire(space.blobs.get) as wire:
        if name == CHECKS:
            made, reals = await _checked(space, candidates, options.outputs)
        else:
            made, reals = await _asked(Crew(space, wire), name, suite, candidates, options.outputs, purse)
    card = msgspec.to_builtins(made)
    data = {
        **card,
        "failures": [str(plant) for plant in made.failures],
        "suite": edition.suite,
        "edition": edition.label,
        "outputs": len(reals),
        "cost_usd": purse.spent,
        "unpriced": purse.unknown,
    }
    _keep(space, data, reals)
    return data


def _material(space: Workspace, name: str, wanted: str | None) -> tuple[SuiteSettings, Edition, list[Real]]:
    """The newest edition with real outputs that the judge can be asked about, and these outputs."""
    age = {edition.key: number for number, edition in enumerate(space.store.records(Edition))}
    found = [each for each in editions(space) if wanted in (None, each[0].name)]
    for suite, edition in sorted(found, key=lambda each: age[each[1].key], reverse=True):
        if reals := list(_reals(space, edition, name)):
            return suite, edition, reals
    where = "" if wanted is None else f" of {wanted}"
    raise UserError(
        f"there are no outputs{where} to plant cases among for {name}; make some with: groundswell generate"
    )


def _reals(space: Workspace, edition: Edition, judge: str) -> Iterator[Real]:
    """Outputs of an edition that models made, no baselines, in the order of their keys, which is chance."""
    from groundswell.judge.planting import Real
    from groundswell.judge.stage import samples_of

    samples = samples_of(edition, space.store)
    endpoints = {each.key: each for each in space.store.records(Endpoint)}
    outputs = [each for each in space.store.records(Output) if each.sample in samples and each.draw == 0]
    for output in sorted(outputs, key=lambda each: each.key):
        endpoint, sample = endpoints.get(output.endpoint), samples[output.sample]
        real = endpoint is not None and endpoint.family != "baseline" and not is_reference(endpoint)
        if real and (judge != CHECKS or sample.checks):
            yield Real(sample=sample, output=output)


def _chosen(candidates: Sequence[Real], most: int, *, a_sample: int) -> list[Real]:
    """At most `most` outputs, `a_sample` of each sample, of models in turn."""
    shelves: dict[str, list[Real]] = defaultdict(list)
    for real in candidates:
        shelf = shelves[real.sample.key]
        if real.output.endpoint not in {each.output.endpoint for each in shelf}:
            shelf.append(real)
    chosen: list[Real] = []
    for number, shelf in enumerate(shelves.values()):
        turn = number % len(shelf)
        chosen += [*shelf[turn:], *shelf[:turn]][:a_sample]
    return chosen[:most]


async def _checked(space: Workspace, candidates: Sequence[Real], most: int) -> tuple[Card, list[Real]]:
    from groundswell.judge.card import card
    from groundswell.judge.checks import HIGH_GRADE, LOW_GRADE, ChecksJudge
    from groundswell.judge.planting import examine, kinds, plant

    reals = _chosen(candidates, most, a_sample=1)
    judge = ChecksJudge(space.blobs.get)
    tried = await examine(judge, list(plant(reals, space.blobs)))
    return card(judge.name, tried, (LOW_GRADE, HIGH_GRADE), expected=kinds(reals, pairs=False)), reals


async def _asked(
    crew: Crew, name: str, suite: SuiteSettings, candidates: Sequence[Real], most: int, purse: Budget
) -> tuple[Card, list[Real]]:
    """The card of a model judge, which is asked as the suite has it judged: one output at a time, or two."""
    from groundswell.judge.card import card
    from groundswell.judge.desk import DeskJudge
    from groundswell.judge.pairs import pair_question
    from groundswell.judge.planting import both_orders, examine, examine_pairs, kinds, plant

    desk = crew.judge(name)
    how = protocol(crew.space, suite)
    mode = next(judge.mode for judge in crew.space.config.file.judge if judge.name == name)
    pair = how.pair if how.compares(mode) else None
    ask = questions(crew, suite)
    asked = [real for real in candidates if pair is not None or ask(real.sample, real.output)]
    if not asked:
        raise UserError(f"nothing is asked about the outputs of {suite.name} yet; make its references first")
    reals = _chosen(asked, most, a_sample=1 if pair is None else 2)
    cases = list(plant(reals, crew.space.blobs))
    if pair is not None:
        judge = DeskJudge(desk, ask, pair=lambda sample, one, two: pair_question(sample, one, two, pair), purse=purse)
        tried = await examine_pairs(judge, [*cases, *both_orders(reals)], width=AT_ONCE)
        first = pair.dimensions[0]
        return card(judge.name, tried, (first.low, first.high), expected=kinds(reals, pairs=True)), reals
    arithmetic = how.arithmetic(suite.name)
    judge = DeskJudge(desk, ask, purse=purse)
    tried = await examine(
        judge, cases, graded=lambda sample, judgment: arithmetic(sample, judgment.scores), width=AT_ONCE
    )
    scale = _scale(reals[0].sample, [each.rubric for each in ask(reals[0].sample, reals[0].output)], arithmetic)
    return card(judge.name, tried, scale, expected=kinds(reals, pairs=False)), reals


def _scale(sample: Sample, rubrics: Sequence[Any], arithmetic: Any) -> tuple[float, float]:
    """The grades that the lowest and the highest scores make."""
    dimensions = [dimension for rubric in rubrics for dimension in rubric.dimensions]
    low = arithmetic(sample, {dimension.name: dimension.low for dimension in dimensions})
    high = arithmetic(sample, {dimension.name: dimension.high for dimension in dimensions})
    return float(low), float(high)


def _keep(space: Workspace, data: dict[str, Any], reals: Sequence[Real]) -> None:
    """Keep the card, and count its money, in one transaction. Every examination is a fact of its own."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    decision = Decision(
        subject=data["judge"],
        question=CARD,
        reader="planted cases",
        material=key_of(now, [real.output.key for real in reals]),
        answer={"mark": data["mark"], "failures": data["failures"], "time": now},
        evidence={"card": data},
    )
    cost = None if data["unpriced"] else data["cost_usd"]
    unit = Unit(key=decision.key, payload=None)
    space.store.finish(STAGE, [(unit, Done(state=UnitState.DONE, records=(decision,), cost=cost))])
