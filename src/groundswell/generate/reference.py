"""The stage `reference`: answers of a text-only model, made from question and context, that others are compared with.

They are outputs of an endpoint of its own, so that a new judge snapshot makes new references and a model that also
stands on the board keeps its answers apart. What the messages say belongs to the suite.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import msgspec

from groundswell.ask.asking import Desk, cost_of, expected_cost_of_text
from groundswell.ports import Store
from groundswell.records import (
    Answer,
    Declined,
    Done,
    Edition,
    Endpoint,
    Job,
    Output,
    Refusal,
    Request,
    Sample,
    Unit,
    UnitState,
)
from groundswell.wire.conversation import converse

ROOM = 1024
"""Tokens for a reference answer."""

MARK = "answers_as"
"""Setting that tells a reference's endpoint from the judge's own."""

Messages = Callable[[Sample], tuple[str | None, str]]


def reference_endpoint(judge: Endpoint) -> Endpoint:
    """The endpoint under which a judge's reference answers are kept."""
    settings = {**judge.settings, MARK: "reference"}
    return msgspec.structs.replace(judge, name=f"reference by {judge.name}", settings=settings)


def is_reference(endpoint: Endpoint) -> bool:
    """Whether an endpoint's answers are references, which stand on no board."""
    return MARK in endpoint.settings


class MakeReferences:
    """`ports.Stage` of one edition: one reference answer for every sample that ships none."""

    name = "reference"

    def __init__(self, edition: Edition, desk: Desk, messages: Messages) -> None:
        self._edition = edition
        self._desk = desk
        self._messages = messages
        self._endpoint = reference_endpoint(desk.endpoint)

    def units(self, store: Store) -> Iterator[Unit]:
        members = set(self._edition.samples)
        endpoint = self._endpoint.key
        for sample in store.records(Sample):
            if sample.task == "chat" and (key := sample.key) in members:
                job = Job(sample=key, endpoint=endpoint)
                _, text = self._messages(sample)
                price = expected_cost_of_text(text, ROOM, self._desk.endpoint.price)
                yield Unit(key=job.key, payload=(job, sample), price=price)

    async def do(self, unit: Unit) -> Done:
        """Ask for one reference answer."""
        job, sample = unit.payload
        system, text = self._messages(sample)
        desk, started = self._desk, datetime.now(UTC)
        request = Request(
            model=desk.endpoint.model, want="text", parts=(text,), system=system, max_tokens=ROOM, temperature=0.2
        )
        talk = await converse(desk.wire, desk.provider, desk.endpoint, request, desk.line)
        facts = {"job": unit.key, "sample": job.sample, "endpoint": job.endpoint, "started": started}
        came = talk.end
        if isinstance(came, Answer) and came.text:
            cost = cost_of(desk.endpoint.price, came.usage) if came.cost is None else came.cost
            output = Output(**facts, text=came.text, served_model=came.served_model, seconds=talk.seconds, cost=cost)
            return Done(state=UnitState.DONE, records=(output, self._endpoint), cost=cost)
        if isinstance(came, Answer):
            return Done(state=UnitState.FAILED, why="the answer was empty", transient=True, cost=None)
        if isinstance(came, Declined):
            refusal = Refusal(**facts, reason=came.reason, at=came.at)
            return Done(state=UnitState.REFUSED, records=(refusal,), why=came.reason, cost=None)
        why = f"{came.what}: {came.reason}"
        return Done(state=UnitState.FAILED, why=why, transient=came.transient, retry_after=came.retry_after, cost=0.0)
