"""What a suite asks judges about an output, and how their scores become one grade: one door for every suite.

Suites with rubrics of their own (llava, cpi) are asked by them, and so is every chat that has a reference answer to
compare with; all else is graded by ECHO's rubric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from statistics import fmean

from groundswell.ask import rubrics
from groundswell.records import Output, Rubric, Sample
from groundswell.suites import templates as kept_templates
from groundswell.suites.cpi import case_score
from groundswell.suites.questions import Question, asked, cpi_questions, llava_question, reference_messages
from groundswell.suites.templates import OURS, Templates

__all__ = ["arithmetic_of", "questions", "reference_messages", "templates_of"]

Arithmetic = Callable[[Sample, Mapping[str, float]], float | None]

CANDIDATE = "assistant2"
"""The dimension of a LLaVA rubric that is the candidate's score; the other is the reference's."""


def templates_of(suite: str, *, rules: Path | None = None, folder: Path | None = None) -> Templates:
    """The rubrics of a suite: a person's own rule.json or folder of templates, word for word, or ours."""
    if rules is not None:
        return kept_templates.rule_file(rules)
    if folder is not None:
        return kept_templates.template_folder(folder)
    return kept_templates.ours()


def questions(
    suite: str, sample: Sample, output: Output, templates: Templates, reference: str | None = None
) -> tuple[Question, ...]:
    """The questions about one output. `reference` replaces the answer that a visual-chat sample ships."""
    language = output.language or next(iter(sample.prompts))
    if sample.task == "chat":
        if output.text is None:
            return ()
        if suite == "llava" or reference is not None or sample.reference is not None:
            return (llava_question(sample, output.text, templates, reference=reference),)
        rubric = _echo_rubric("echo-chat")
        text = rubrics.render(rubric, instruction=sample.prompts[language], answer=output.text)
        return (Question(rubric=rubric, parts=(*sample.inputs, text)),)
    if suite.startswith("cpi-"):
        return cpi_questions(sample, output.pictures, language, templates)
    rubric = _echo_rubric("echo-grade")
    pictures = (*sample.inputs, *output.pictures)
    return (Question(rubric=rubric, parts=(*pictures, asked(rubric, sample.prompts[language]))),)


@cache
def _echo_rubric(name: str) -> Rubric:
    return rubrics.load(OURS / f"{name}.md")


def arithmetic_of(suite: str) -> Arithmetic:
    """How scores by dimension become the grade by which a judge prefers one output to another."""
    if suite.startswith("cpi-"):
        return lambda sample, scores: case_score(sample.tags["subset"], scores)
    return _grade


def _grade(sample: Sample, scores: Mapping[str, float]) -> float | None:
    if CANDIDATE in scores:
        return scores[CANDIDATE]
    return fmean(scores.values()) if scores else None
