"""Scores of finished files, and what a judge's reply says: the commands `score` and `judge parse`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from groundswell.ask.reading.replies import Read, read
from groundswell.boards import score_echo as echo_rows
from groundswell.boards import score_echo_file
from groundswell.errors import UserError
from groundswell.notebook.frames import frame_of, path_of
from groundswell.notebook.results import Scores
from groundswell.records import Dimension
from groundswell.suites.cpi import score_cases
from groundswell.suites.llava import score_reviews

Scale = tuple[float, float]
"""Least and greatest score."""


def score_llava(*reviews: str | Path, compat: bool = False, without_ids: str | Path | None = None) -> Scores:
    """Relative scores of LLaVA-Bench review files by category: 100 x mean(candidate) / mean(reference).

    `compat` gives the released script's numbers; `without_ids` is a file of question ids to leave out. Raises UserError
    with file and line. See docs/suites.md.
    """
    if not reviews:
        raise UserError("name a file of reviews")
    left_out = None if without_ids is None else Path(without_ids)
    data = score_reviews([Path(path) for path in reviews], compat=compat, without_ids=left_out)
    files = data.get("files", {None: data})
    several = {} if len(files) == 1 else {"file": ""}
    rows = [
        {**{name: str(path) for name in several}, "category": category, **scores}
        for path, categories in files.items()
        for category, scores in categories.items()
    ]
    return Scores(data, rows, "LLaVA-Bench")


def score_cpi(cases: str | Path, *, compat: bool = False) -> Scores:
    """Scores of CPI-Bench cases by task, domain, dimension and language, of a JSONL file of cases.

    `compat` averages a case over the dimensions that came, as the released code did. Raises UserError with file and
    line. See docs/suites.md.
    """
    data = score_cases(Path(cases), compat=compat)
    return Scores(data, data["groups"], "CPI-Bench")


def score_echo(grades: Any) -> Scores:
    """Win rates by ECHO's panel rule: of rows `sample, model, judge, grade` (1 to 10, null = not read), or their file.

    For every sample and two models each judge's higher grade wins, more than half of the judges decide. Raises
    UserError, naming the row.
    """
    path = path_of(grades)
    data = echo_rows(frame_of(grades).iter_rows(named=True)) if path is None else score_echo_file(path)
    return Scores(data, data["models"], "ECHO")


def read_reply(text: str, dimensions: Sequence[Dimension] | Mapping[str, Scale]) -> Read:
    """The scores that a judge's reply gives for these dimensions, each within its scale, or the reason why none.

    `dimensions` are `Dimension`s, or scales by name as in `{"quality": (1, 10)}`. Of the answer, `scores` may be used
    only where `why` is None; `missing` are the dimensions without a number that can be trusted. Nothing is guessed.
    Raises UserError for a scale that no number could lie on.
    """
    asked = (
        [Dimension(name=name, low=low, high=high) for name, (low, high) in dimensions.items()]
        if isinstance(dimensions, Mapping)
        else list(dimensions)
    )
    if wrong := next((one for one in asked if not one.low < one.high), None):
        raise UserError(f"the scale of {wrong.name} goes from {wrong.low:g} to {wrong.high:g}; low must be below high")
    return read(text, asked)
