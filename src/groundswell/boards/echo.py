"""ECHO's score: judges' grades become the panel's pairs, and pairs become win rates (METHODS, section 3).

For every sample and two models, each judge's higher grade wins; the panel's verdict is what more than half of its
judges say, else a tie. A pair that fewer than the quorum judged is left out and counted. What the pictures show is not
known here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np

from groundswell.errors import UserError
from groundswell.files import misfit, read_rows
from groundswell.records import Json
from groundswell.stats.agreement import DRAWS, Estimate, estimates
from groundswell.stats.votes import Votes
from groundswell.stats.win_rate import WinRates, majority, resampled, separation, verdict, win_rate

QUORUM = 2
SEED = 0
LOWEST, HIGHEST = 1.0, 10.0


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's grade of one model's output; None = there is none that could be read."""

    sample: str | int
    model: str
    judge: str
    grade: float | None


def score_echo_file(path: str | Path) -> dict[str, Json]:
    """The answer of `groundswell score echo` for a file of grades."""
    return _score(((line, _grade(row, path, line)) for line, row in read_rows(path)), path)


def score_echo(rows: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Win rates of the models in rows {sample, model, judge, grade}, and the separation of the best two."""
    return _score(((number, _grade(row, None, number)) for number, row in enumerate(rows, start=1)), "grades")


def _grade(row: Mapping[str, Json], path: str | Path | None, line: int) -> Grade:
    try:
        grade = msgspec.convert(row, Grade)
    except msgspec.ValidationError as error:
        raise misfit(error, Grade, path or "grades", line) from None
    if grade.grade is not None and not LOWEST <= grade.grade <= HIGHEST:
        raise UserError(
            f"grade {grade.grade:g} is outside {LOWEST:g} to {HIGHEST:g}; a grade that is missing is null",
            where=path or "grades",
            line=line,
        )
    return grade


def _score(grades: Iterable[tuple[int, Grade]], path: str | Path) -> dict[str, Json]:
    by_sample: dict[str, dict[str, dict[str, float]]] = defaultdict(lambda: defaultdict(dict))
    seen: dict[tuple[str, str, str], tuple[int, float | None]] = {}
    missing = repeated = 0
    for line, grade in grades:
        place = (str(grade.sample), grade.model, grade.judge)
        before, given = seen.setdefault(place, (line, grade.grade))
        if before != line:
            if given != grade.grade:
                raise UserError(_contradiction(grade, given, before), where=path, line=line)
            repeated += 1
            continue
        by_model = by_sample[place[0]][grade.model]
        if grade.grade is None:
            missing += 1
        else:
            by_model[grade.judge] = grade.grade
    names = sorted({model for models in by_sample.values() for model in models})
    if len(names) < 2:
        raise UserError("there are grades of fewer than two models, so that nobody can win")
    pairs = panel_pairs(by_sample, names)
    wanted = len(by_sample) * len(names) * (len(names) - 1) // 2
    rates = win_rate(pairs)
    spread = {names[number]: resampled(pairs, number) for number in range(len(names)) if rates.games[number]}
    intervals = estimates(spread, len(by_sample), SEED)
    models = [_model(name, number, rates, len(by_sample), intervals.get(name)) for number, name in enumerate(names)]
    models.sort(key=lambda model: (model["win_rate"] is None, -(model["win_rate"] or 0), model["model"]))
    return {
        "models": models,
        "separation": separation(model["win_rate"] for model in models if model["win_rate"] is not None),
        "pairs": {"scored": pairs.total, "wanted": wanted},
        "left_out": {"below the quorum": wanted - pairs.total, "repeated grade": repeated},
        "grades_missing": missing,
        "method": {
            "quorum": QUORUM,
            "verdict": "majority of judges, else tie",
            "win_rate": "mean over opponents",
            "interval": f"95 %, bootstrap over samples, {DRAWS} draws, seed {SEED}",
        },
    }


def _contradiction(grade: Grade, given: float | None, before: int) -> str:
    said, now = ("null" if value is None else f"{value:g}" for value in (given, grade.grade))
    return (
        f"{grade.judge} grades {grade.model} on {grade.sample} with {now} here and with {said} in line {before}; "
        "keep one of them"
    )


def panel_pairs(grades: Mapping[str, Mapping[str, Mapping[str, float]]], names: list[str]) -> Votes:
    """The panel's verdicts from grades by sample, model and judge, as votes clustered by sample."""
    found: list[tuple[int, int, int, int]] = []
    for cluster, by_model in enumerate(grades.values()):
        for (left, name), (right, other) in combinations(enumerate(names), 2):
            one, two = by_model.get(name, {}), by_model.get(other, {})
            verdicts = [verdict(grade, two[judge]) for judge, grade in one.items() if judge in two]
            outcome = majority(verdicts, QUORUM)
            if outcome is not None:
                found.append((left, right, outcome, cluster))
    columns = np.array(found, dtype=np.int64).reshape(-1, 4).T
    return Votes(models=len(names), left=columns[0], right=columns[1], outcome=columns[2], cluster=columns[3])


def _model(name: str, number: int, rates: WinRates, samples: int, found: Estimate | None) -> dict[str, Json]:
    """A model's row: win rate with interval and coverage, and the bounds if every missing pair were won or lost."""
    games, wanted = int(rates.games[number]), samples * (len(rates.games) - 1)
    points = float(rates.points[number])
    return {
        "model": name,
        "win_rate": float(rates.over_opponents[number]) if games else None,
        "low": None if found is None else found.low,
        "high": None if found is None else found.high,
        "pooled": points / games if games else None,
        "games": games,
        "wanted": wanted,
        "opponents": int(rates.opponents[number]),
        "worst": points / wanted,
        "best": (points + wanted - games) / wanted,
    }
