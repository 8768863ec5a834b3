"""Two models as one endpoint: a writer that sees the inputs and writes a prompt, and a painter that paints it.

This is the "LLM + diffusion" column of ECHO. The written prompt is kept, and so are both costs, and which half refused
or failed. What was written for an output is not bought again when only the painter failed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from groundswell.generate.prices import cost_after, expected
from groundswell.generate.stage import Wanted
from groundswell.ports import Provider
from groundswell.records import Answer, Broken, Declined, Endpoint, Json, Request, Sample
from groundswell.stats.prices import of_tokens
from groundswell.wire.conversation import converse
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line

ROOM = 1024
"""Tokens for the written prompt."""

INSTRUCTION = (
    "You write prompts for a text-to-image model that sees nothing but your words. Look at the pictures, if there are "
    "any, and at the request. Describe in one paragraph the picture that fulfils the request: everything that must "
    "stay as it is in the input, everything that changes, style, composition, light, and any text word for word. "
    "Answer with the prompt alone."
)


@dataclass(frozen=True, slots=True)
class Writer:
    """The model that writes: its endpoint, its dialect and the way there."""

    endpoint: Endpoint
    provider: Provider
    line: Line


@dataclass(frozen=True, slots=True)
class _Written:
    prompt: str
    cost: float | None
    model: str | None


class Chain:
    """Asks the writer, then the painter. `paint` asks one endpoint for one output."""

    def __init__(
        self,
        wire: Wire,
        writer: Writer,
        painter: Endpoint,
        paint: Callable[[Wanted], Awaitable[Answer | Declined | Broken]],
        *,
        instruction: str = INSTRUCTION,
    ) -> None:
        self._wire = wire
        self._writer = writer
        self._painter = painter
        self._paint = paint
        self._instruction = instruction
        self._written: dict[str, _Written] = {}

    def price(self, sample: Sample) -> float | None:
        """USD that both halves are expected to cost; None where either is not known."""
        writing = expected(self._writer.endpoint, structs.replace(sample, task="chat"))
        painting = expected(self._painter, _bare(sample))
        return None if writing is None or painting is None else writing + painting

    async def __call__(self, wanted: Wanted) -> Answer | Declined | Broken:
        """What came of both halves; `observed` says what each of them did."""
        key = wanted.job.key
        written = self._written.get(key) or await self._write(wanted)
        if not isinstance(written, _Written):
            return written
        self._written[key] = written
        sample = _bare(wanted.sample)
        painted = await self._paint(
            structs.replace(wanted, sample=sample, endpoint=self._painter, prompt=written.prompt)
        )
        cost = cost_after(painted, self._painter, expected(self._painter, sample))
        observed: dict[str, Json] = {
            **painted.observed,
            "writer": _half(self._writer.endpoint, written.model, written.cost),
            "painter": _half(self._painter, getattr(painted, "served_model", None), cost),
            "written": written.prompt,
        }
        both = None if written.cost is None or cost is None else written.cost + cost
        if isinstance(painted, Answer):
            del self._written[key]
            return structs.replace(painted, rewritten_prompt=written.prompt, cost=both, observed=observed)
        return structs.replace(painted, reason=f"painter: {painted.reason}", cost=both, observed=observed)

    async def _write(self, wanted: Wanted) -> _Written | Declined | Broken:
        writer = self._writer
        request = Request(
            model=writer.endpoint.model,
            want="text",
            parts=(*wanted.sample.inputs, wanted.prompt),
            system=self._instruction,
            max_tokens=ROOM,
        )
        end = (await converse(self._wire, writer.provider, writer.endpoint, request, writer.line)).end
        if not isinstance(end, Answer):
            half = {"writer": _half(writer.endpoint, None, None)}
            return structs.replace(end, reason=f"writer: {end.reason}", observed=half)
        cost = cost_after(end, writer.endpoint, _stated(writer.endpoint, end))
        if not (text := (end.text or "").strip()):
            return Broken(what="provider", reason="writer: wrote nothing", transient=True, cost=cost)
        return _Written(text, cost, end.served_model)


def _stated(writer: Endpoint, answer: Answer) -> float | None:
    """Price of one answer: by its tokens, else by the call."""
    if writer.price is None:
        return None
    counted = of_tokens(writer.price, answer.usage)
    return writer.price.per_call if counted is None else counted


def _bare(sample: Sample) -> Sample:
    """The sample as the painter gets it: words alone."""
    return structs.replace(sample, task="t2i", inputs=())


def _half(endpoint: Endpoint, served: str | None, cost: float | None) -> dict[str, Any]:
    said = {"endpoint": endpoint.name, "model": served, "cost": cost}
    return {name: value for name, value in said.items() if value is not None}
