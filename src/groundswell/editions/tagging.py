"""Tags that a reader proposes for prompts: a use case, a capability, styles; a person confirms them.

A proposal is a decision about a sample under the question `tags`, and changes no sample. Any `ports.Reader` may be
asked; the local one is in `tags_by_words`, the model one in `tags_by_model`. The words of the taxonomy are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundswell.ask.hearing import hear, price_of, version_of
from groundswell.errors import HostError
from groundswell.ports import Reader, Store
from groundswell.records import Decision, Done, Json, Part, Ruling, Sample, Unit, UnitState, key_of

QUESTION = "tags"
AXES = ("use_case", "capability")
"""Axes of which a prompt has one word each; `style` may have several."""

Terms = Mapping[str, Mapping[str, str]]
"""By axis (use_case, capability, style) the words of the taxonomy, each with its name and hint in English."""


class Proposal(Part, frozen=True, kw_only=True):
    """What a reader proposes. None: it is unsure. `why` by axis, in words."""

    use_case: str | None = None
    capability: str | None = None
    style: tuple[str, ...] = ()
    why: Mapping[str, str] = msgspec.field(default_factory=dict)

    def tags(self) -> dict[str, Any]:
        """The proposal as tags of a sample."""
        named = {axis: word for axis in AXES if (word := getattr(self, axis)) is not None}
        return {**named, "style": list(self.style)} if self.style else named


def schema(terms: Terms) -> Json:
    """JSON schema of an answer: the one form that every reader answers in."""
    axis = {name: {"anyOf": [{"enum": list(terms[name])}, {"type": "null"}]} for name in AXES}
    words = {"type": "object", "additionalProperties": {"type": "string"}}
    style = {"type": "array", "items": {"enum": list(terms["style"])}}
    return {
        "type": "object",
        "properties": {**axis, "style": style, "why": words},
        "required": [*AXES, "style", "why"],
        "additionalProperties": False,
    }


def checked(answer: Json, terms: Terms) -> Proposal:
    """An answer as a proposal. Raises HostError for one that is not in the form or says a word of no taxonomy."""
    try:
        found = msgspec.convert(answer, Proposal)
    except msgspec.ValidationError as error:
        raise HostError(f"the reader's tags cannot be read: {error}", transient=False) from None
    said = [(axis, word) for axis in AXES if (word := getattr(found, axis)) is not None]
    strange = [word for axis, word in (*said, *(("style", word) for word in found.style)) if word not in terms[axis]]
    if strange:
        raise HostError(f"the reader's tags are not of the taxonomy: {', '.join(strange)}", transient=False)
    return found


def material_of(sample: Sample) -> dict[str, Json]:
    """What a reader is told of a sample."""
    return {"task": sample.task, "prompts": dict(sample.prompts), "pictures": len(sample.inputs)}


class ProposeTags:
    """`ports.Stage`: tags of every sample that lacks a use case or a capability."""

    name = "tags"

    def __init__(self, samples: Sequence[Sample], reader: Reader, terms: Terms) -> None:
        self._samples = samples
        self._reader = reader
        self._terms = terms
        self._version = version_of(reader)

    def units(self, store: Store) -> Iterator[Unit]:
        for sample in self._samples:
            if any(axis not in sample.tags for axis in AXES):
                material = material_of(sample)
                key = key_of("tags", 1, self._reader.name, self._version, sample.key)
                price = price_of(self._reader, QUESTION, material)
                yield Unit(key=key, payload=(sample.key, material, frozenset(sample.tags)), price=price)

    async def do(self, unit: Unit) -> Done:
        subject, material, known = unit.payload
        heard = await hear(self._reader, QUESTION, material)
        found = None if heard.answer is None else checked(heard.answer, self._terms)
        evidence = {} if found is None else dict(found.why)
        decision = Decision(
            subject=subject,
            question=QUESTION,
            reader=self._reader.name,
            version=self._version,
            # what the author has said is not proposed anew
            answer=None if found is None else {axis: word for axis, word in found.tags().items() if axis not in known},
            evidence=evidence if heard.raw is None else {**evidence, "reply": heard.raw},
        )
        return Done(state=UnitState.DONE, records=(decision,), cost=heard.cost)


def proposals(decisions: Iterable[Decision]) -> dict[str, Decision]:
    """The newest proposal for every sample that has one, by its key."""
    return {each.subject: each for each in decisions if each.question == QUESTION and each.answer}


def confirmations(rulings: Iterable[Ruling]) -> dict[str, Mapping[str, Any]]:
    """The tags that a person confirmed last, by the key of the sample."""
    told = sorted((each for each in rulings if each.what == "tag"), key=lambda each: each.time)
    return {each.subject: each.evidence["tags"] for each in told}


def confirmed(samples: Iterable[Sample], tags: Mapping[str, Mapping[str, Any]]) -> list[Sample]:
    """Samples as they come from elsewhere, with the tags that a person confirmed on them."""
    return [
        msgspec.structs.replace(sample, tags={**sample.tags, **tags[key]}) if (key := sample.key) in tags else sample
        for sample in samples
    ]
