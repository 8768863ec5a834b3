"""The stages of curation: every post is asked for its relevance, every relevant thread all its questions.

What a person has said is taken instead of asking, and the questions that rest on it are asked anew. Where posts, bytes
and readers come from is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundswell.ask.hearing import Heard, hear, price_of, version_of
from groundswell.curate.conversation import Conversation
from groundswell.curate.questions import KEPT, OF_THREADS, Question, checked
from groundswell.errors import HostError, PluginError
from groundswell.ports import Reader, Store
from groundswell.records import Decision, Done, Json, Unit, UnitState, key_of

PERSON = "person:"

BILLED_BELOW = 400
"""Statuses from here on are errors, which no host we know bills."""

Overruled = Mapping[tuple[str, str], Json]
"""A person's answers by subject and question."""


def words_of_people(store: Store) -> dict[tuple[str, str], Json]:
    """The last answer of a person to every question that a person has answered."""
    found: dict[tuple[str, str], tuple[str, Json]] = {}
    for decision in store.records(Decision):
        if decision.reader.startswith(PERSON):
            time = str(decision.evidence.get("time", ""))
            place = (decision.subject, decision.question)
            if place not in found or time >= found[place][0]:
                found[place] = (time, decision.answer)
    return {place: answer for place, (_, answer) in found.items()}


class JudgeRelevance:
    """`ports.Stage`: the relevance of every post, each with the post that it answers."""

    name = "relevance"

    def __init__(self, conversations: Sequence[Conversation], reader: Reader) -> None:
        self._conversations = conversations
        self._reader = reader

    def units(self, store: Store) -> Iterator[Unit]:
        """Main posts; a reply is read with its thread."""
        for talk in self._conversations:
            alone = Conversation(posts=(msgspec.structs.replace(talk.opening, reply_to=None),))
            material = {"conversation": msgspec.to_builtins(alone)}
            key = key_of("relevance", 1, self._reader.name, version_of(self._reader), alone.digest())
            yield Unit(key=key, payload=(alone, material), price=price_of(self._reader, Question.RELEVANCE, material))

    async def do(self, unit: Unit) -> Done:
        alone, material = unit.payload
        heard = await _hear(self._reader, Question.RELEVANCE, material)
        decision = _decision(alone.opening.key, Question.RELEVANCE, self._reader, alone.digest(), heard)
        state = UnitState.DONE if heard.unread is None else UnitState.FAILED
        return Done(state=state, records=(decision,), cost=heard.cost, why=heard.unread)


class ReadThreads:
    """`ports.Stage`: prompt, roles, blanks, feedback and quality of every thread whose main post is relevant."""

    name = "curate"

    def __init__(self, conversations: Sequence[Conversation], reader: Reader) -> None:
        self._conversations = conversations
        self._reader = reader
        self._begun: dict[str, list[Decision]] = {}
        """Of units that failed half-way in this run: what was answered, so that it is not bought again."""

    def units(self, store: Store) -> Iterator[Unit]:
        """Relevant threads, in order; one that has grown, or of which a person has spoken, is another unit."""
        said = words_of_people(store)
        scores = relevance_by_post(store, self._reader, said)
        heard = self._heard(store)
        for talk in self._conversations:
            main = talk.opening.key
            if scores.get(main, 0) < KEPT:
                continue
            theirs = {str(question): said[main, question] for question in OF_THREADS if (main, question) in said}
            key = key_of("thread", 1, self._reader.name, version_of(self._reader), talk.digest(), theirs)
            known = heard.get((main, _material(talk, theirs)), {}) | theirs
            yield Unit(key=key, payload=(talk, theirs, known), price=self._price_of(talk, known))

    def _heard(self, store: Store) -> dict[tuple[str, str], dict[str, Json]]:
        """What this reader has answered already, by main post and material: a thread that failed half-way goes on."""
        found: dict[tuple[str, str], dict[str, Json]] = {}
        for each in store.records(Decision):
            if (each.reader, each.version) == (self._reader.name, version_of(self._reader)) and not is_unread(each):
                found.setdefault((each.subject, each.material), {})[each.question] = each.answer
        return found

    def _price_of(self, talk: Conversation, known: Mapping[str, Json]) -> float | None:
        material = {"conversation": msgspec.to_builtins(talk)}
        prices = [price_of(self._reader, question, material) for question in OF_THREADS if question not in known]
        told = [price for price in prices if price is not None]
        return sum(told) if len(told) == len(prices) else None

    async def do(self, unit: Unit) -> Done:
        """All questions about a thread, each with the answers before it. What was answered, and what a reply that
        cannot be read has cost, is kept when a later question fails."""
        talk, theirs, known = unit.payload
        digest = _material(talk, theirs)
        material: dict[str, Any] = {"conversation": msgspec.to_builtins(talk)}
        decisions = self._begun.setdefault(unit.key, [])
        answered = known | {each.question: each.answer for each in decisions if not is_unread(each)}
        bill = Bill()
        for question in OF_THREADS:
            if question in answered:
                material[str(question)] = answered[question]
                continue
            if question is Question.BLANKS and material.get("prompt") is None:
                continue
            try:
                heard = await _hear(self._reader, question, material)
            except HostError as error:
                bill.add(0.0 if error.status is not None and error.status >= BILLED_BELOW else None)
                return bill.failed(decisions, str(error), transient=error.transient)
            bill.add(heard.cost)
            decisions.append(_decision(talk.opening.key, question, self._reader, digest, heard))
            if heard.unread is not None:
                return bill.failed(decisions, heard.unread)
            material[str(question)] = heard.answer
        del self._begun[unit.key]
        return Done(state=UnitState.DONE, records=tuple(decisions), cost=bill.total)


class Bill:
    """What answers have cost so far; unknown plus anything is unknown."""

    def __init__(self) -> None:
        self.total: float | None = 0.0

    def add(self, cost: float | None) -> None:
        self.total = None if cost is None or self.total is None else self.total + cost

    def failed(self, decisions: Sequence[Decision], why: str, *, transient: bool = False) -> Done:
        """The end of a thread that could not be read to its end."""
        state = UnitState.FAILED
        return Done(state=state, records=tuple(decisions), cost=self.total, why=why, transient=transient)


def _material(talk: Conversation, theirs: Mapping[str, Json]) -> str:
    """Names what a reader was given: the thread, and what people have said about it."""
    return key_of("material", talk.digest(), theirs)


def is_unread(decision: Decision) -> bool:
    """Whether it only keeps a reply that was no answer."""
    return "unread" in decision.evidence


def relevance_by_post(store: Store, reader: Reader, said: Overruled) -> dict[str, int]:
    """The relevance of every post that a reader has scored; a person's word wins."""
    scores: dict[str, int] = {}
    for decision in store.records(Decision):
        by_reader = (decision.reader, decision.version) == (reader.name, version_of(reader))
        if by_reader and decision.question == Question.RELEVANCE and decision.answer is not None:
            scores[decision.subject] = decision.answer["score"]
    scores |= {subject: answer["score"] for (subject, asked), answer in said.items() if asked == Question.RELEVANCE}
    return scores


async def _hear(reader: Reader, question: Question, material: Json) -> Heard:
    heard = await hear(reader, question, material)
    if heard.answer is not None:
        checked(question, heard.answer)
    return heard


def _decision(subject: str, question: Question, reader: Reader, material: str, heard: Heard) -> Decision:
    why = heard.answer.get("why", "") if heard.answer is not None else "unsure"
    evidence = {"why": why} if heard.raw is None else {"why": why, "reply": heard.raw}
    if heard.unread is not None:
        evidence |= {"why": "its reply cannot be read", "unread": heard.unread}
        material = key_of("unread", material)  # an answer to the same may still come
    return Decision(
        subject=subject,
        question=str(question),
        reader=reader.name,
        version=version_of(reader),
        material=material,
        answer=heard.answer,
        evidence=evidence,
    )


def check_answer(question: str, answer: Json) -> None:
    """Whether a person's answer has the question's form; None about the prompt says that there is no instruction.
    Raises PluginError with the reason."""
    if question not in {str(each) for each in Question}:
        raise PluginError(f"there is no question {question}; there are {', '.join(Question)}")
    if answer is not None or question != Question.PROMPT:
        checked(Question(question), answer)
