"""What a judge is asked about one output of LLaVA-Bench and CPI-Bench, and how a rubric's text is filled.

A `Question` is one call: a rubric, a system line, and text and pictures in order. Pure: asking, reading and storing
are others' work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from groundswell.ask import rubrics
from groundswell.errors import UserError
from groundswell.records import Part, Picture, Rubric, Sample
from groundswell.suites.templates import WORD_FOR_WORD, Templates

REFERENCE_SYSTEM = (
    "Answer questions about a picture that you cannot see. Its context, in sentences and sometimes with boxes "
    "[x1, y1, x2, y2] relative to its sides, is all you know. Answer as if you saw the picture; do not mention the "
    "context."
)

PLACE = re.compile(r"(?:\{|<)(?P<name>instruction|edit_prompt|rationale)(?:\}|>)")
"""How published templates mark where the instruction and the rationale go."""


class Question(Part, frozen=True, kw_only=True):
    """One call to a judge. The rubric says how the reply is read."""

    rubric: Rubric
    parts: tuple[str | Picture, ...]
    system: str | None = None


def llava_question(sample: Sample, answer: str, templates: Templates, *, reference: str | None = None) -> Question:
    """The question about one answer in visual chat, as text alone. `reference` replaces the answer that the set ships.

    Raises UserError where there is no reference answer to compare with.
    """
    reference = sample.reference if reference is None else reference
    if reference is None:
        raise UserError(
            f"question {sample.label} of {sample.suite} has no reference answer; name a file of them or make them first"
        )
    rubric = templates.llava(sample.tags.get("category", "default"))
    system, text = messages(sample, reference, answer, rubric)
    return Question(rubric=rubric, system=system, parts=(text,))


def messages(sample: Sample, reference: str, candidate: str, rubric: Rubric) -> tuple[str, str]:
    """System line and user message of the LLaVA judge, in the layout of the published runs (METHODS, section 1)."""
    role = rubric.rules["role"]
    blocks = [] if sample.context is None else [f"[Context]\n{sample.context}"]
    blocks.append(f"[Question]\n{_wording(sample)}")
    for number, answer in enumerate((reference, candidate), start=1):
        blocks.append(f"[{role} {number}]\n{answer}\n\n[End of {role} {number}]")
    blocks.append(f"[System]\n{rubric.text}")
    return rubric.rules["system"], "\n\n".join(blocks)


def reference_messages(sample: Sample) -> tuple[str | None, str]:
    """System line and user message with which a text-only model makes the reference answer of a sample."""
    if sample.context is None:
        return None, _wording(sample)
    return REFERENCE_SYSTEM, f"[Context]\n{sample.context}\n\n[Question]\n{_wording(sample)}"


def _wording(sample: Sample) -> str:
    """The question in English, which the published rules are in, else as the sample has it."""
    return sample.prompts.get("en") or next(iter(sample.prompts.values()))


def cpi_questions(
    sample: Sample, results: Sequence[Picture], language: str, templates: Templates
) -> tuple[Question, ...]:
    """The questions about one edited picture: one, or for the intelligent subset one a dimension.

    Pictures stand in the order [inputs..., results...] and before the text, which holds the instruction in `language`
    and, where the template has room for it, the rationale.
    """
    tags = sample.tags
    found = templates.cpi(tags["subset"], tags["task"] if "task" in tags else tags["expert_domain"])
    pictures = (*sample.inputs, *results)
    return tuple(
        Question(rubric=rubric, parts=(*pictures, asked(rubric, sample.prompts[language], sample.context)))
        for rubric in found
    )


def asked(rubric: Rubric, instruction: str, rationale: str | None = None) -> str:
    """The text of a rubric about this instruction, which goes first where the rubric has no place for it.

    In our rubrics the material is fenced, so that it cannot speak as the rubric; published texts stay word for word.
    """
    fields = {"instruction": instruction, "rationale": rationale or "none"}
    if rubric.rules.get("origin") == WORD_FOR_WORD:
        values = fields | {"edit_prompt": instruction}
        text = PLACE.sub(lambda place: values[place["name"]], rubric.text)
        placed = any(place["name"] != "rationale" for place in PLACE.finditer(rubric.text))
        return text if placed else f"{instruction}\n\n{text}"
    wanted = {name: value for name, value in fields.items() if f"{{{name}}}" in rubric.text}
    text = rubrics.render(rubric, **wanted)
    return text if "instruction" in wanted else f"{rubrics.fenced('instruction', instruction)}\n\n{text}"
