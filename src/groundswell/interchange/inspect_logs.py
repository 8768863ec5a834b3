"""Logs of inspect_ai as grades: what each scorer gave the model's output of each sample.

Read is version 2 of the schema (inspect_ai 0.3, checked with 0.3.285), as `.json` or as `.eval`, whose files are packed
with Zstandard; a newer one is refused. Of every sample only its id, epoch, scores and error are kept; the transcript is
not looked at. A score that is no number (NaN, text) is missing; C, P, I and N are 1, 0.5, 0 and 0, as inspect_ai
itself counts them.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from groundswell.errors import UserError
from groundswell.interchange.bounded import Archive, document_bytes, is_archive, members
from groundswell.interchange.carried import Carried, Grade, grades_of

FORMAT = "inspect_ai"
NEWEST = 2
"""Version of the schema of logs (`LOG_SCHEMA_VERSION`); 3 is the chunked one that its own reader refuses, too."""

HEADER, STARTED = "header.json", "_journal/start.json"
SAMPLES = "samples/"

LETTERS = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Values that inspect_ai's `value_to_float` counts."""

Value = Any


class Score(msgspec.Struct, frozen=True):
    """What one scorer said: a number, a letter, or several by name."""

    value: Value = None


class Sample(msgspec.Struct, frozen=True):
    """A sample of a log, without its transcript."""

    id: int | str
    epoch: int = 1
    scores: dict[str, Score] | None = None
    error: Any = None


class Spec(msgspec.Struct, frozen=True):
    """What was evaluated, and by which scorers."""

    task: str
    model: str
    scorers: list[Any] | None = None


class Log(msgspec.Struct, frozen=True):
    """A log, or its header."""

    version: int
    eval: Spec
    status: str = "started"
    samples: list[Sample] | None = None


def fits(keys: set[str]) -> bool:
    """Whether an object with these keys is a log."""
    return keys >= {"version", "eval"} and bool(keys & {"plan", "samples", "results", "status"})


def read(path: Path) -> Carried:
    """Grades of a log. The judge is the scorer, with the model that it asked where it names one.

    Raises UserError for a log of a newer schema, a damaged archive, and a file within it that unpacks without bounds.
    """
    if is_archive(path):
        with Archive(path) as archive:
            log, samples = _header(archive), _samples(archive)
            return _carried(log, samples)
    log = _decoded(document_bytes(path), Log, path, path.name)
    _check_version(log.version, path)
    return _carried(log, iter(log.samples or ()))


def _header(archive: Archive) -> Log:
    name = HEADER if HEADER in archive.names else STARTED
    if name not in archive.names:
        raise UserError("this archive is no log of inspect_ai: it has no header.json", where=archive.path)
    log: Log = _decoded(archive.read(name), Log, archive.path, name)
    _check_version(log.version, archive.path)
    return log


def _samples(archive: Archive) -> Iterator[Sample]:
    for name in members(archive, SAMPLES):
        yield _decoded(archive.read(name), Sample, archive.path, name)


def _check_version(version: int, path: Path) -> None:
    if version > NEWEST:
        raise UserError(f"a log of schema {version}; the newest that can be read is {NEWEST}", where=path)


def _decoded(data: bytes, kind: type[Any], path: Path, name: str) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise UserError(f"{name} is not as a log of inspect_ai: {error}", where=path) from None
    except (msgspec.DecodeError, RecursionError):
        pass
    try:  # NaN and Infinity stand in these logs, which JSON does not know
        return msgspec.convert(json.loads(data), kind)
    except (msgspec.ValidationError, ValueError, RecursionError) as error:
        raise UserError(f"{name} cannot be read ({error}); was it written completely?", where=path) from None


def _carried(log: Log, samples: Iterator[Sample]) -> Carried:
    judges = _judges(log.eval)
    grades: list[Grade] = []
    left_out: Counter[str] = Counter()
    for sample in samples:
        if sample.error is not None:
            left_out["the sample ended in an error"] += 1
            continue
        if not sample.scores:
            left_out["the sample has no score"] += 1
            continue
        for scorer, score in sample.scores.items():
            for dimension, value in _values(score.value):
                grades.append(
                    Grade(
                        sample=f"{log.eval.task}/{sample.id}",
                        model=log.eval.model,
                        judge=judges.get(scorer, scorer),
                        dimension=dimension,
                        grade=_number(value),
                    )
                )
    lost = {"the transcript, its events and the scorers' explanations": len(grades)} if grades else {}
    return Carried(format=FORMAT, frame=grades_of(grades), graded=True, left_out=dict(left_out), lost=lost)


def _judges(spec: Spec) -> Mapping[str, str]:
    """By scorer, its name with the model that it asked."""
    found = {}
    for scorer in spec.scorers or ():
        if not isinstance(scorer, dict) or not isinstance(scorer.get("name"), str):
            continue
        options = scorer.get("options")
        model = options.get("model") if isinstance(options, dict) else None
        asked = model.get("model") if isinstance(model, dict) else model
        name = scorer["name"].rpartition("/")[2]
        found[name] = f"{name}@{asked}" if isinstance(asked, str) else name
    return found


def _values(value: Value) -> Iterator[tuple[str, Value]]:
    if isinstance(value, dict):
        yield from ((str(name), each) for name, each in value.items())
    elif isinstance(value, list):
        yield from ((str(place), each) for place, each in enumerate(value))
    else:
        yield "", value


def _number(value: Value) -> float | None:
    """The value as inspect_ai counts it; None where it is none."""
    if isinstance(value, bool | int | float):
        return float(value) if math.isfinite(value) else None
    if not isinstance(value, str):
        return None
    if value in LETTERS or value.lower() in LETTERS:
        return LETTERS.get(value, LETTERS.get(value.lower()))
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
