"""The stage that asks a model whether metrics apply to a sample: once a sample and metric, whatever is measured later.

The answer is a Decision with the raw reply, so that it is paid for once and the same for all models' outputs. A reply
that is not in the form is a failure, not an answer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from groundswell.ask.asking import PICTURE_TOKENS, Desk, cost_of, expected_cost_of_text
from groundswell.ask.rubrics import render
from groundswell.measure.applicability import ASKS, QUESTION, VERSION, Applies, is_asked
from groundswell.measure.unanswered import unanswered
from groundswell.ports import Store
from groundswell.records import Answer, Broken, Decision, Done, Request, Rubric, Sample, Unit, UnitState, Usage, key_of
from groundswell.wire.conversation import converse

ROOM: Final = 300
"""Tokens for a yes or no with a sentence."""


class AskApplies:
    """`ports.Stage`: one unit for every sample of an edition and metric that the question exists for."""

    name = "measure"

    def __init__(self, samples: Collection[str], metrics: Sequence[str], desk: Desk) -> None:
        self._samples = samples
        self._metrics = metrics
        self._desk = desk

    def units(self, store: Store) -> Iterator[Unit]:
        """In the order of the samples."""
        for sample in store.records(Sample):
            if (key := sample.key) not in self._samples:
                continue
            for metric in self._metrics:
                if is_asked(sample, metric):
                    unit = key_of("metric applies", VERSION, key, metric, self._desk.judge)
                    yield Unit(key=unit, payload=(sample, metric), price=self._price(sample, metric))

    def _price(self, sample: Sample, metric: str) -> float | None:
        price = self._desk.endpoint.price
        text = expected_cost_of_text(_text(sample, metric), ROOM, price)
        if text is None or price is None or price.tokens_in is None:
            return text
        seen = cost_of(price, Usage(tokens_in=len(sample.inputs) * PICTURE_TOKENS, tokens_out=0))
        return None if seen is None else text + seen

    async def do(self, unit: Unit) -> Done:
        """Ask; the host's failure, its refusal and an answer in no form fail the unit."""
        sample, metric = unit.payload
        desk = self._desk
        request = Request(
            model=desk.endpoint.model,
            want="text",
            parts=(_text(sample, metric), *sample.inputs),
            schema=msgspec.json.schema(Applies),
            max_tokens=ROOM,
            temperature=0.0,
        )
        end = (await converse(desk.wire, desk.provider, desk.endpoint, request, desk.line)).end
        if isinstance(end, Broken):
            return unanswered(end, end.cost)
        if not isinstance(end, Answer):
            return Done(state=UnitState.REFUSED, why=f"the reader's host refused: {end.reason}", cost=end.cost)
        cost = cost_of(desk.endpoint.price, end.usage) if end.cost is None else end.cost
        try:
            answer = answer_of(end.text or "")
        except msgspec.MsgspecError as error:
            return Done(state=UnitState.FAILED, why=f"the reader's reply cannot be read: {error}", cost=cost)
        decision = Decision(
            subject=sample.key,
            question=QUESTION + metric,
            reader=desk.judge,
            version=VERSION,
            answer=msgspec.to_builtins(answer),
            evidence={"reply": end.text},
        )
        return Done(state=UnitState.DONE, records=(decision,), cost=cost)


def answer_of(reply: str) -> Applies | None:
    """The one JSON object of a reply; None for `null`. Raises MsgspecError where there is no such answer."""
    start, end = reply.find("{"), reply.rfind("}")
    if start < 0 and reply.strip().strip("`").strip() == "null":
        return None
    return msgspec.json.decode(reply[start : end + 1].encode(), type=Applies)


def _text(sample: Sample, metric: str) -> str:
    prompt = next(iter(sample.prompts.values()), "")
    return f"{ASKS[metric]}\n\n{render(_rubric(), instruction=prompt)}"


@cache
def _rubric() -> Rubric:
    text = (files("groundswell.measure") / "rubrics" / "metric_applies.md").read_text(encoding="utf-8")
    return Rubric(name="metric-applies", text=text.strip())
