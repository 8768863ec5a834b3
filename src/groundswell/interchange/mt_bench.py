"""Judgments of MT-bench: one output graded (`*_single.jsonl`), or two compared in both orders (`*_pair.jsonl`).

The shapes are those of FastChat's `llm_judge`. Its marks for a reply that could not be read (score -1, winner "error")
are absences here. A sample is a question and its turn, as in `81/2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from groundswell import files
from groundswell.interchange.bounded import check_size
from groundswell.interchange.carried import Carried, Grade, Opinion, frame_of, grades_of, winner_named
from groundswell.records import Winner

SINGLE, PAIR = "mt-bench-single", "mt-bench-pair"

UNREAD_SCORE = -1
GAMES = {"model_1": Winner.LEFT, "model_2": Winner.RIGHT, "tie": Winner.TIE}
"""Who won, seen from the game in which model_1 stands first."""

ERROR = "error"

Judge = list[str] | str
"""The judge's model, with the name of its prompt."""


class Single(msgspec.Struct, frozen=True):
    """A row of grades of one output."""

    question_id: int | str
    model: str
    judge: Judge
    score: float | None
    turn: int = 1


class Pair(msgspec.Struct, frozen=True):
    """A row of two games, or of an older file the one winner of both."""

    question_id: int | str
    model_1: str
    model_2: str
    judge: Judge
    winner: str | None = None
    g1_winner: str | None = None
    g2_winner: str | None = None
    turn: int = 1


def fits(columns: set[str]) -> str | None:
    """Which of the two files has these columns, if either."""
    if columns >= {"question_id", "model_1", "model_2", "judge"}:
        return PAIR
    return SINGLE if columns >= {"question_id", "model", "judge", "score"} else None


def read(path: Path, columns: set[str]) -> Carried:
    """The judgments of a file. Raises UserError with file and line."""
    check_size(path)
    kind = Single if fits(columns) == SINGLE else Pair
    lost = [f"the column {name}" for name in sorted(columns - set(kind.__struct_fields__))]
    if kind is Single:
        grades = [_grade(row) for _, row in files.read_structs(path, Single)]
        return Carried(format=SINGLE, frame=grades_of(grades), graded=True, lost=dict.fromkeys(lost, len(grades)))
    opinions: list[Opinion] = []
    count = 0
    for line, row in files.read_structs(path, Pair):
        opinions += _games(row, path, line)
        count += 1
    return Carried(format=PAIR, frame=frame_of(opinions), both_orders=True, lost=dict.fromkeys(lost, count))


def _grade(row: Single) -> Grade:
    unread = row.score is None or row.score == UNREAD_SCORE
    return Grade(
        sample=f"{row.question_id}/{row.turn}",
        model=row.model,
        judge=_name(row.judge),
        grade=None if unread else row.score,
    )


def _games(row: Pair, path: Path, line: int) -> Iterator[Opinion]:
    """The two games as two opinions, the second with the sides as the judge saw them."""
    sample, by = f"{row.question_id}/{row.turn}", _name(row.judge)
    first = row.winner if row.g1_winner is None else row.g1_winner
    yield _game(sample, (row.model_1, row.model_2), _winner(first, path, line), by)
    if row.g1_winner is not None:
        second = _winner(row.g2_winner, path, line)
        yield _game(sample, (row.model_2, row.model_1), TURNED.get(second, second) if second else None, by)


TURNED = {Winner.LEFT: Winner.RIGHT, Winner.RIGHT: Winner.LEFT}


def _game(sample: str, sides: tuple[str, str], winner: Winner | None, by: str) -> Opinion:
    return Opinion(sample=sample, left=sides[0], right=sides[1], winner=winner, by=by, who="judge")


def _winner(word: str | None, path: Path, line: int) -> Winner | None:
    return winner_named(None if word == ERROR else word, GAMES, path, line)


def _name(judge: Judge) -> str:
    """The judge's model; which of its prompts was used follows from the question."""
    return judge if isinstance(judge, str) else next(iter(judge), "unknown")


def single_rows(grades: pl.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Grades as rows of `*_single.jsonl`; one that is missing is -1 there."""
    for row in grades.iter_rows(named=True):
        question, turn = _question(row["sample"])
        yield {
            "question_id": question,
            "model": row["model"],
            "judge": [row["judge"], row["dimension"] or "single"],
            "score": UNREAD_SCORE if row["grade"] is None else row["grade"],
            "turn": turn,
        }


def pair_rows(opinions: pl.DataFrame) -> Iterator[Mapping[str, Any]]:
    """Opinions as rows of `*_pair.jsonl`. Two in opposite orders are the games of one row; one alone has `winner`."""
    waiting: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in opinions.iter_rows(named=True):
        waiting.setdefault((row["sample"], row["by"], *sorted((row["left"], row["right"]))), []).append(row)
    for games in waiting.values():
        firsts = [game for game in games if game["left"] == games[0]["left"]]
        seconds = [game for game in games if game["left"] != games[0]["left"]]
        for place, first in enumerate(firsts):
            second = seconds[place] if place < len(seconds) else None
            yield _row(first, second)
        yield from (_row(alone, None) for alone in seconds[len(firsts) :])


def _row(first: Mapping[str, Any], second: Mapping[str, Any] | None) -> Mapping[str, Any]:
    question, turn = _question(first["sample"])
    row = {"question_id": question, "model_1": first["left"], "model_2": first["right"]}
    words = {"left": "model_1", "right": "model_2", "tie": "tie", "both_bad": "tie", None: ERROR}
    if second is None:
        games = {"winner": words[first["winner"]]}
    else:
        backwards = {**words, "left": "model_2", "right": "model_1"}
        games = {"g1_winner": words[first["winner"]], "g2_winner": backwards[second["winner"]]}
    return {**row, **games, "judge": [first["by"], "pair"], "turn": turn}


def _question(sample: str) -> tuple[int | str, int]:
    question, slash, turn = sample.rpartition("/")
    if not slash or not turn.isdecimal():
        question, turn = sample, "1"
    return int(question) if question.isdecimal() and str(int(question)) == question else question, int(turn)
