"""Scores of finished LLaVA-Bench review files (METHODS, section 1).

The score of a category is a ratio of means, 100 * mean(candidate) / mean(reference), over the rows in which both
scores were read. `compat` repeats the released summary script instead: means rounded before the ratio, and the pair
[-1, -1] that it wrote for an unreadable reply averaged in. Who wrote the reviews, and when, is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from groundswell import files
from groundswell.ask.reading import read
from groundswell.errors import UserError
from groundswell.records import Dimension

T = TypeVar("T")

LOW, HIGH = 1.0, 10.0
"""Scale of both scores, as every rule of the suite states it."""

DIMENSIONS = tuple(Dimension(name=name, low=LOW, high=HIGH) for name in ("assistant1", "assistant2"))
"""What every judge of the suite is asked for: the reference's score, then the candidate's."""

UNREADABLE = (-1.0, -1.0)
"""What the released script wrote for a reply that it could not read."""

Pair = tuple[float, float]
"""Reference score and candidate score of one review."""


class Review(msgspec.Struct, kw_only=True):
    """One row of a review file, of either generation of the script."""

    question_id: int | str | None = None
    category: str | None = None
    pair: tuple[float | None, float | None] | None = msgspec.field(default=None, name="tuple")
    score: tuple[float | None, float | None] | None = None
    content: str | None = None
    text: str | None = None
    answer_id: str | None = None

    @property
    def reply(self) -> str | None:
        """The judge's words."""
        return self.text if self.content is None else self.content

    @property
    def recorded(self) -> tuple[float | None, float | None] | None:
        """The pair that the file itself states."""
        return self.score if self.pair is None else self.pair


def score_reviews(paths: Sequence[Path], *, compat: bool = False, without_ids: Path | None = None) -> dict[str, Any]:
    """Scores by category of one review file; of several files, `{"files": {path: scores by category}}`.

    Each category, and `all` over every row, gives `ratio`, `reference` and `candidate` on a scale of 100, `scored` and
    `wanted` in rows; by default also `ratio_unrounded`, and `worst`/`best` where a row has no scores. Raises UserError
    with file and line.
    """
    left_out = question_ids(without_ids) if without_ids is not None else frozenset()
    summaries = {str(path): _summary(path, compat, left_out) for path in paths}
    if len(summaries) == 1:
        return next(iter(summaries.values()))
    return {"files": summaries}


def summarise(pairs: Sequence[Pair | None]) -> dict[str, Any]:
    """The score of one category; None stands for a review without readable scores."""
    read = [pair for pair in pairs if pair is not None]
    missing = len(pairs) - len(read)
    reference, candidate = sum(pair[0] for pair in read), sum(pair[1] for pair in read)
    ratio = 100 * candidate / reference if read else None
    summary: dict[str, Any] = {
        "ratio": _rounded(ratio),
        "reference": _rounded(10 * reference / len(read)) if read else None,
        "candidate": _rounded(10 * candidate / len(read)) if read else None,
        "scored": len(read),
        "wanted": len(pairs),
        "ratio_unrounded": ratio,
    }
    if missing:
        summary["worst"] = _rounded(100 * (candidate + missing * LOW) / (reference + missing * HIGH))
        summary["best"] = _rounded(100 * (candidate + missing * HIGH) / (reference + missing * LOW))
    return summary


def score_answers(graded: Iterable[tuple[str | None, Pair | None, bool]]) -> dict[str, Any]:
    """Scores by category of graded answers: category, pair of scores, and whether the answer is a written refusal.

    A category with refusals also gives their number as `declined`, and its score `without_declined` answers.
    """
    by_category = _by_category((category, (pair, declined)) for category, pair, declined in graded)
    return {name: _with_declined(answers) for name, answers in by_category.items()}


def _with_declined(answers: Sequence[tuple[Pair | None, bool]]) -> dict[str, Any]:
    summary = summarise([pair for pair, _ in answers])
    answered = [pair for pair, declined in answers if not declined]
    if len(answered) < len(answers):
        summary |= {"declined": len(answers) - len(answered), "without_declined": summarise(answered)}
    return summary


def case_score(scores: Mapping[str, float] | None) -> Pair | None:
    """Both scores of one judgment by a rubric of this suite, None where either is missing."""
    if scores is None or any(dimension.name not in scores for dimension in DIMENSIONS):
        return None
    return scores["assistant1"], scores["assistant2"]


def question_ids(path: Path) -> frozenset[str]:
    """Ids of the questions that a file lists: numbers or names apart by space or comma, a JSON list, or JSONL rows."""
    text = files.read_text(path)
    if "{" in text:
        return frozenset(_row_id(path, line, row) for line, row in files.read_rows(path))
    return frozenset(word.strip("\"'") for word in re.split(r"[\s,\[\]]+", text) if word)


def _row_id(path: Path, line: int, row: dict[str, Any]) -> str:
    if "question_id" not in row:
        raise UserError("this row has no question_id", where=path, line=line)
    return str(row["question_id"])


def unknown_ids(paths: Sequence[Path], without_ids: Path) -> list[str]:
    """Ids of a file of questions to leave out that no review of any of the files is of, in order."""
    there = {str(row.question_id) for path in paths for _, row in _reviews(path)}
    return sorted(question_ids(without_ids) - there)


def _summary(path: Path, compat: bool, left_out: frozenset[str]) -> dict[str, Any]:
    rows = [(line, row) for line, row in _one_spelling(_reviews(path)) if str(row.question_id) not in left_out]
    if not rows:
        raise UserError("no review is left after taking out the listed questions", where=path)
    if not compat:
        _refuse_twice(path, rows)
    if compat:
        released = _by_category((row.category, _released_pair(path, line, row)) for line, row in rows)
        return {name: _released(pairs) for name, pairs in released.items()}
    return {
        name: summarise(pairs) for name, pairs in _by_category((row.category, _pair(row)) for _, row in rows).items()
    }


def _one_spelling(rows: Iterable[tuple[int, Review]]) -> Iterator[tuple[int, Review]]:
    """The rows with `conv` and `llava_bench_conv` as one category, spelled as the file spells it first."""
    spelled: dict[str, str] = {}
    for line, row in rows:
        if row.category is not None:
            short = row.category.strip().casefold().removeprefix("llava_bench_")
            row.category = spelled.setdefault(short, row.category)
        yield line, row


def _by_category(rows: Iterable[tuple[str | None, T]]) -> dict[str, list[T]]:
    """`all`, then each category by name; a row without a category counts in `all` alone."""
    found: dict[str, list[T]] = {}
    everything: list[T] = []
    for category, value in rows:
        everything.append(value)
        if category is not None:
            found.setdefault(category, []).append(value)
    return {"all": everything} | dict(sorted(found.items()))


def _reviews(path: Path) -> Iterator[tuple[int, Review]]:
    for line, row in files.read_structs(path, Review):
        if row.answer_id is not None:
            raise UserError("this is a file of answers; name the file of their reviews", where=path, line=line)
        if row.question_id is None:
            raise UserError(
                "this review has no question_id, so that nobody can tell which question it is of; name the column so",
                where=path,
                line=line,
            )
        if row.recorded is None and row.reply is None:
            raise UserError("a review needs tuple, score, content or text", where=path, line=line)
        yield line, row


def _refuse_twice(path: Path, rows: Iterable[tuple[int, Review]]) -> None:
    seen: dict[tuple[str, str | None], int] = {}
    for line, row in rows:
        first = seen.setdefault((str(row.question_id), row.category), line)
        if first != line:
            raise UserError(
                f"question {row.question_id} is reviewed twice (first in line {first}); give each run its own file",
                where=path,
                line=line,
            )


def _pair(row: Review) -> Pair | None:
    """Both scores of a review, or None where they were not read or lie outside the scale.

    The pair [-1, -1] says that the released script could not read the reply, so the strict reader reads it again.
    """
    if row.recorded is None or row.recorded == UNREADABLE:
        return case_score(read(row.reply or "", DIMENSIONS).scores)
    reference, candidate = row.recorded
    if reference is None or candidate is None:
        return None
    inside = LOW <= reference <= HIGH and LOW <= candidate <= HIGH
    return (reference, candidate) if inside else None


def _released_pair(path: Path, line: int, row: Review) -> Pair:
    if row.recorded is None:
        return _first_line(row.reply or "")
    reference, candidate = row.recorded
    if reference is None or candidate is None:
        raise UserError("the released script cannot average a missing score; leave --compat out", where=path, line=line)
    return reference, candidate


def _first_line(reply: str) -> Pair:
    """The pair as the released script read it: two numbers in the first line, one space or comma between them."""
    parts = reply.split("\n")[0].replace(",", " ").split(" ")
    try:
        reference, candidate = (float(part) for part in parts)
    except ValueError:
        return UNREADABLE
    return reference, candidate


def _released(pairs: Sequence[Pair]) -> dict[str, Any]:
    """A category as the released script prints it: each mean rounded to three decimals, then the ratio to one."""
    reference, candidate = (round(sum(pair[side] for pair in pairs) / len(pairs), 3) for side in (0, 1))
    return {
        "ratio": round(candidate / reference * 100, 1) if reference else None,
        "reference": round(reference * 10, 1),
        "candidate": round(candidate * 10, 1),
        "scored": len(pairs),
        "wanted": len(pairs),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)
