"""The model reader of tags: one prompt put to a model with the taxonomy, the answer read by one schema.

What somebody wrote goes inside a fence that it cannot end (`ask.rubrics`), so a prompt that speaks to its reader stays
a prompt. A reply that is not in the form is no answer.
"""

from __future__ import annotations

from importlib.resources import files

import msgspec

from groundswell.ask import rubrics
from groundswell.ask.asking import Desk, cost_of, expected_cost_of_text
from groundswell.ask.hearing import Heard
from groundswell.editions.tagging import Terms, checked, schema
from groundswell.errors import HostError
from groundswell.records import Answer, Broken, Json, Request, Rubric
from groundswell.wire.conversation import converse

ROOM = 1024
"""Tokens for an answer: some words, and room for a model that thinks first."""


class TagsByModel:
    """`ports.Reader` for the question `tags`: the answers of a model at a desk."""

    version = 1
    """Of the question's words; raised with every change."""

    def __init__(self, desk: Desk, terms: Terms) -> None:
        self.name = desk.judge
        self._desk = desk
        self._terms = terms
        self._rubric = Rubric(name="tags", text=_asked(terms))

    def price(self, question: str, material: Json) -> float | None:
        """USD that an answer is expected to cost, with the whole room used; None where the price is unknown."""
        return expected_cost_of_text(self._put(material), ROOM, self._desk.endpoint.price)

    async def read(self, question: str, material: Json) -> Json:
        """The proposal. Raises HostError."""
        return (await self.hear(question, material)).answer

    async def hear(self, question: str, material: Json) -> Heard:
        """The proposal with its raw reply and cost. Raises HostError: transient when the host failed, else not."""
        request = Request(
            model=self._desk.endpoint.model,
            want="text",
            parts=(self._put(material),),
            max_tokens=ROOM,
            temperature=0.0,
            schema=schema(self._terms),
        )
        talk = await converse(self._desk.wire, self._desk.provider, self._desk.endpoint, request, self._desk.line)
        end = talk.end
        if isinstance(end, Broken):
            raise HostError(f"{end.what}: {end.reason}", transient=end.transient, status=end.status)
        if not isinstance(end, Answer):
            raise HostError(f"the reader's host refused: {end.reason}", transient=False)
        cost = cost_of(self._desk.endpoint.price, end.usage) if end.cost is None else end.cost
        return Heard(answer_of(end.text or "", self._terms), cost=cost, raw=end.text)

    def _put(self, material: Json) -> str:
        pictures = material["pictures"]
        beside = f"(an instruction to edit {pictures} picture{'s' if pictures > 1 else ''})\n" if pictures else ""
        return rubrics.render(self._rubric, prompt=beside + "\n".join(material["prompts"].values()))


def _asked(terms: Terms) -> str:
    """The question with the taxonomy in it."""
    text = files(__package__).joinpath("asked/tags.md").read_text(encoding="utf-8").strip()
    for axis, words in terms.items():
        listed = "\n".join(f"{word}: {hint}" if hint else word for word, hint in words.items())
        text = text.replace(f"[{axis}]", listed)
    return text


def answer_of(reply: str, terms: Terms) -> Json:
    """The proposal that a reply holds. Raises HostError when it is in no form."""
    start, end = reply.find("{"), reply.rfind("}")
    try:
        answer = msgspec.json.decode(reply[start : end + 1])
    except msgspec.DecodeError as error:
        raise HostError(f"the reader's reply about tags cannot be read: {error}", transient=False) from None
    checked(answer, terms)
    return answer
