"""A rubric put to a judge: the question sent, the reply read strictly, the verdict recorded with the raw reply.

A cut reply is asked again once with twice the room; dimensions that are missing, off their scale or said in two ways,
beside others that were read, are asked for again once, and only these. It does not know any host's dialect, nor how a
score is read: the first is the provider's, the second is `reading`'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from groundswell.ask.reading import Read, Why, read
from groundswell.ports import Provider
from groundswell.records import (
    Answer,
    Blocked,
    Broken,
    Declined,
    Dimension,
    Endpoint,
    Json,
    Judgment,
    Picture,
    Price,
    Request,
    Rubric,
    Truncated,
    Unread,
    Usage,
)
from groundswell.wire.conversation import Talk, converse
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line

ERROR = 400
"""Statuses from here on are errors, which no host we know bills."""

ROOM = 1024
"""Tokens for an answer where the rubric's rules do not say."""

TEMPERATURE = 0.0
"""Where the rubric's rules do not say."""

PICTURE_TOKENS = 1500
"""What a host counts for one picture at most in ordinary settings; for estimates only."""

BETWEEN = "\n\n--- asked again ---\n\n"
"""Stands between the raw replies of one question."""

BYTES_PER_TOKEN = 3
"""Of UTF-8 text, on the safe side; for estimates only."""


ASKED_AGAIN = frozenset({Why.MISSING, Why.RANGE, Why.CONFLICT, Why.AMBIGUOUS})
"""Why some dimensions of an answer whose others were read may lack a number, so that asking for these helps."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture with the role under which the judge is shown it: `input picture 1`, `result`."""

    role: str
    picture: Picture


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A rubric about outputs of one sample. `rules` of the rubric may say `max_tokens`, `temperature`, `system`."""

    rubric: Rubric
    sample: str
    outputs: tuple[str, ...]
    """Keys of the outputs, in the order in which the judge sees them."""
    parts: tuple[str | Shown, ...] = ()
    """Texts and pictures in order, after the rubric's text."""
    text: str | None = None
    """The rubric's text with its blanks filled; None = as it is; "" = it stands among the parts."""
    system: str | None = None
    """None = what the rubric's rules say."""
    repeat: int = 0
    flags: tuple[str, ...] = ()
    """What a judgment of this is marked with, e.g. `declined`."""
    by_schema: bool = False
    """Ask hosts that can for JSON by the schema of the dimensions."""

    @property
    def room(self) -> int:
        """Tokens allowed for the answer."""
        return int(self.rubric.rules.get("max_tokens", ROOM))


@dataclass(frozen=True, slots=True)
class Desk:
    """Where questions go: a judge's endpoint, the dialect of its host, and the way there."""

    wire: Wire
    provider: Provider
    endpoint: Endpoint
    line: Line

    @property
    def judge(self) -> str:
        """Name of the judge with the start of its endpoint's key: another model under the same name is another
        judge."""
        return f"{self.endpoint.name}@{self.endpoint.key[:8]}"


@dataclass(frozen=True, slots=True)
class Unanswered:
    """No verdict: the host did not answer. `cost` is what earlier answers to the same question have cost."""

    broken: Broken
    cost: float | None


Asked = Judgment | Unread | Blocked | Truncated | Unanswered


@dataclass(frozen=True, slots=True)
class _Bill:
    """What the answers so far have brought: joined replies, tokens, money. Unknown plus anything is unknown."""

    reply: str | None = None
    usage: Usage | None = None
    cost: float | None = 0.0
    seconds: float | None = None
    served_model: str | None = None


async def put(question: Question, desk: Desk) -> Asked:
    """Put a question to a judge and read the answer. Raises StoreError when a picture's bytes are not there."""
    answer, bill, room = await _ask(question, desk, question.rubric.dimensions, _Bill())
    if not isinstance(answer, Answer):
        return _without_answer(answer, question, desk, bill)
    if answer.finish == "length":
        return Truncated(room=room, **_common(question, desk, bill))
    found = read(answer.text or "", question.rubric.dimensions)
    if found.why in ASKED_AGAIN and found.scores:
        return await _ask_for_missing(question, desk, found, bill)
    return _verdict(question, desk, found, bill)


def answer_schema(dimensions: Sequence[Dimension]) -> Json:
    """JSON schema of an answer: an object with one number a dimension, on its scale."""
    return {
        "type": "object",
        "properties": {d.name: _scale(d) for d in dimensions},
        "required": [d.name for d in dimensions],
        "additionalProperties": False,
    }


def _scale(dimension: Dimension) -> Json:
    """Schema of a number on a scale. Steps of a fraction are listed, because few hosts know `multipleOf`."""
    low, high, step = dimension.low, dimension.high, dimension.step
    if step is None:
        return {"type": "number", "minimum": low, "maximum": high}
    if float(low).is_integer() and step == 1:
        return {"type": "integer", "minimum": int(low), "maximum": int(high)}
    return {"enum": [low + step * n for n in range(int((high - low) / step + 1e-9) + 1)]}


def expected_cost(question: Question, price: Price | None) -> float | None:
    """USD that one asking is expected to cost, with the whole room used; None where the price is unknown."""
    texts = [
        question.text or question.rubric.text,
        *(part if isinstance(part, str) else part.role for part in question.parts),
    ]
    pictures = sum(isinstance(part, Shown) for part in question.parts)
    read_tokens = sum(len(text.encode()) for text in texts) // BYTES_PER_TOKEN + pictures * PICTURE_TOKENS
    return cost_of(price, Usage(tokens_in=read_tokens, tokens_out=question.room))


def expected_cost_of_text(text: str, room: int, price: Price | None) -> float | None:
    """USD that an answer to a text is expected to cost, with the whole room used; None where the price is unknown."""
    return cost_of(price, Usage(tokens_in=len(text.encode()) // BYTES_PER_TOKEN, tokens_out=room))


def cost_of(price: Price | None, usage: Usage | None) -> float | None:
    """USD for one answer: tokens times their prices, else the price of a call; None where anything is unknown."""
    if price is None:
        return None
    if price.tokens_in is None and price.tokens_out is None:
        return price.per_call
    if usage is None or usage.tokens_in is None or usage.tokens_out is None:
        return None
    if price.tokens_in is None or price.tokens_out is None:
        return None
    return (usage.tokens_in * price.tokens_in + usage.tokens_out * price.tokens_out) / 1_000_000


async def _ask(
    question: Question, desk: Desk, dimensions: Sequence[Dimension], bill: _Bill, missing: bool = False
) -> tuple[Answer | Declined | Broken, _Bill, int]:
    """Ask for dimensions, with twice the room if the answer is cut; gives the end, the bill and the last room."""
    request = _request(question, desk, dimensions, missing)
    room = question.room
    for _ in range(2):
        talk = await converse(
            desk.wire, desk.provider, desk.endpoint, structs.replace(request, max_tokens=room), desk.line
        )
        bill = _billed(bill, talk, desk.endpoint.price)
        if not (isinstance(talk.end, Answer) and talk.end.finish == "length"):
            return talk.end, bill, room
        room *= 2
    return talk.end, bill, room // 2


async def _ask_for_missing(question: Question, desk: Desk, found: Read, bill: _Bill) -> Asked:
    wanted = [d for d in question.rubric.dimensions if d.name in found.missing]
    answer, bill, _ = await _ask(question, desk, wanted, bill, missing=True)
    if isinstance(answer, Broken):
        return Unanswered(answer, bill.cost)
    scores = dict(found.scores)
    if isinstance(answer, Answer) and answer.finish != "length":
        scores |= read(answer.text or "", wanted).scores
    ordered = {d.name: scores[d.name] for d in question.rubric.dimensions if d.name in scores}
    if len(ordered) < len(question.rubric.dimensions):
        return Unread(why=str(found.why), partial=ordered, **_common(question, desk, bill))
    return Judgment(scores=ordered, flags=question.flags, **_common(question, desk, bill))


def _request(question: Question, desk: Desk, dimensions: Sequence[Dimension], missing: bool) -> Request:
    rules = question.rubric.rules
    text = question.rubric.text if question.text is None else question.text
    parts: list[str | Picture] = [text] if text else []
    for part in question.parts:
        parts += [f"{part.role}:", part.picture] if isinstance(part, Shown) else [part]
    if missing:
        lines = "\n".join(f"{d.name}: a number from {d.low:g} to {d.high:g}" for d in dimensions)
        parts.append(f"An earlier answer left some scores unclear. Give these, one a line, and nothing else:\n{lines}")
    return Request(
        model=desk.endpoint.model,
        want="text",
        parts=tuple(parts),
        system=rules.get("system") if question.system is None else question.system,
        temperature=rules.get("temperature", TEMPERATURE),
        schema=answer_schema(dimensions) if question.by_schema else None,
    )


def _billed(bill: _Bill, talk: Talk, price: Price | None) -> _Bill:
    """The bill with one more conversation on it; the seconds are those of the first answer."""
    end = talk.end
    if isinstance(end, Broken):
        return bill
    if isinstance(end, Answer):
        said, usage, served = end.text, end.usage, end.served_model
        cost = cost_of(price, usage) if end.cost is None else end.cost
    else:
        said, usage, served, cost = end.raw, None, None, None
    replies = [reply for reply in (bill.reply, said) if reply is not None]
    return _Bill(
        reply=BETWEEN.join(replies) if replies else None,
        usage=usage if bill.usage is None else _sum(bill.usage, usage),
        cost=None if cost is None or bill.cost is None else bill.cost + cost,
        seconds=talk.seconds if bill.seconds is None else bill.seconds,
        served_model=served or bill.served_model,
    )


def _sum(one: Usage, other: Usage | None) -> Usage | None:
    if other is None:
        return None
    return Usage(tokens_in=_plus(one.tokens_in, other.tokens_in), tokens_out=_plus(one.tokens_out, other.tokens_out))


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def _common(question: Question, desk: Desk, bill: _Bill) -> dict[str, Any]:
    """The fields that every verdict has."""
    return {
        "outputs": question.outputs,
        "judge": desk.judge,
        "rubric": question.rubric.key,
        "sample": question.sample,
        "repeat": question.repeat,
        "reply": bill.reply,
        "served_model": bill.served_model,
        "usage": bill.usage,
        "cost": bill.cost,
        "seconds": bill.seconds,
    }


def _verdict(question: Question, desk: Desk, found: Read, bill: _Bill) -> Judgment | Unread:
    if found.why is None:
        return Judgment(scores=found.scores, flags=question.flags, **_common(question, desk, bill))
    return Unread(why=str(found.why), partial=found.scores, **_common(question, desk, bill))


def _without_answer(end: Declined | Broken, question: Question, desk: Desk, bill: _Bill) -> Blocked | Unanswered:
    if isinstance(end, Declined):
        return Blocked(why=end.reason, **_common(question, desk, bill))
    # A good status without anything usable may well be billed.
    return Unanswered(end, bill.cost if (end.status or ERROR) >= ERROR else None)
