"""Votes from Label Studio, and tasks for it: its JSON export, pairwise comparisons, choices and rankings.

A task says in its `data` whose outputs stand left and right (`left`/`right` or `model_a`/`model_b`) and of which
`sample`. An annotation is a `pairwise` selection, a `choices` of one of `carried.WORDS`, or a `ranker` without
buckets, best first. A skipped or cancelled annotation is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from groundswell.errors import UserError
from groundswell.interchange.bounded import document
from groundswell.interchange.carried import SIDES, WORDS, Carried, Opinion, frame_of, winner_named
from groundswell.records import Winner

FORMAT = "label-studio"

CONFIG = """<View>
  <Text name="prompt" value="$prompt"/>
  <View style="display: flex">
    <Image name="left_image" value="$left_image"/>
    <Image name="right_image" value="$right_image"/>
  </View>
  <Choices name="winner" toName="prompt" choice="single-radio" required="true">
    <Choice value="left"/><Choice value="right"/><Choice value="tie"/><Choice value="both_bad"/>
  </Choices>
</View>
"""
"""The labelling interface for the tasks that are written here."""


class Annotation(msgspec.Struct, frozen=True):
    """What one person made of a task."""

    result: list[dict[str, Any]] = []
    completed_by: Any = None
    was_cancelled: bool = False
    created_at: str | None = None


class Task(msgspec.Struct, frozen=True):
    """A task with its annotations."""

    data: dict[str, Any]
    id: int | str | None = None
    annotations: list[Annotation] = []


def fits(columns: set[str]) -> bool:
    """Whether rows with these keys are tasks."""
    return columns >= {"data", "annotations"}


def read(path: Path) -> Carried:
    """Votes of an export. Raises UserError naming the task that cannot be understood."""
    try:
        tasks = msgspec.convert(document(path), list[Task])
    except msgspec.ValidationError as error:
        raise UserError(f"this is no JSON export of Label Studio: {error}", where=path) from None
    opinions: list[Opinion] = []
    left_out: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for number, task in enumerate(tasks, start=1):
        place = f"task {number if task.id is None else task.id}"
        for annotation in task.annotations:
            if annotation.was_cancelled:
                left_out["a skipped task"] += 1
                continue
            found = list(_opinions(task, annotation, path, place))
            opinions += found
            if not found:
                left_out["an annotation without a comparison"] += 1
            lost.update(f"results of the type {each.get('type')}" for each in annotation.result if not _known(each))
    return Carried(format=FORMAT, frame=frame_of(opinions), left_out=dict(left_out), lost=dict(lost))


def _known(result: Mapping[str, Any]) -> bool:
    return result.get("type") in {"pairwise", "choices", "ranker"}


def _opinions(task: Task, annotation: Annotation, path: Path, place: str) -> Iterator[Opinion]:
    sample = str(task.data.get("sample") or task.data.get("question_id") or task.id or place)
    by = _person(annotation.completed_by)
    time = _seconds(annotation.created_at)
    for result in annotation.result:
        value = result.get("value")
        if not isinstance(value, dict):
            continue
        match result.get("type"):
            case "ranker":
                yield from _of_order(value.get("ranker"), sample, by, time, place, path)
            case "pairwise" | "choices":
                word = value.get("selected") or _only(value.get("choices"), place, path)
                left, right = _sides(task, path, place)
                if (winner := winner_named(word, WORDS, path, place)) is not None:
                    yield _opinion(sample, left, right, winner, by, time)


def _only(choices: Any, place: str, path: Path) -> Any:
    """The one choice of a result, None where there is none."""
    if not isinstance(choices, list | None) or len(choices or ()) > 1:
        raise UserError(f"{place}: a comparison is a list of one choice, not {choices!r}", where=path)
    return choices[0] if choices else None


def _opinion(sample: str, left: str, right: str, winner: Winner, by: str, time: float | None) -> Opinion:
    return Opinion(sample=sample, left=left, right=right, winner=winner, by=by, who="person", time=time)


def _of_order(order: Any, sample: str, by: str, time: float | None, place: str, path: Path) -> Iterator[Opinion]:
    if not isinstance(order, list) or not all(isinstance(each, str | int) for each in order):
        raise UserError(f"{place}: a ranking in buckets has no order; export one without buckets", where=path)
    if len(set(map(str, order))) != len(order):
        raise UserError(f"{place}: a model stands twice in this ranking", where=path)
    for better, worse in combinations(map(str, order), 2):
        yield _opinion(sample, better, worse, Winner.LEFT, by, time)


def _sides(task: Task, path: Path, place: str) -> tuple[str, str]:
    for left, right in SIDES:
        names = (task.data.get(left), task.data.get(right))
        if all(isinstance(name, str) and name for name in names):
            if names[0] == names[1]:
                raise UserError(f"{place}: {names[0]} is compared with itself", where=path)
            return str(names[0]), str(names[1])
    raise UserError(f"{place}: its data does not say whose outputs these are; name them left and right", where=path)


def _person(completed_by: Any) -> str:
    """Who annotated: Label Studio gives a number, or an object with one. An address is not taken."""
    person = completed_by.get("id") if isinstance(completed_by, dict) else completed_by
    return "unknown" if person is None else str(person)


def _seconds(text: str | None) -> float | None:
    try:
        return None if text is None else datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None


def tasks(opinions: pl.DataFrame) -> list[Mapping[str, Any]]:
    """Tasks with the annotations that these opinions are, one task a pair; `CONFIG` is their labelling interface."""
    found: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in opinions.iter_rows(named=True):
        key = (row["sample"], row["left"], row["right"])
        data = {"sample": key[0], "left": key[1], "right": key[2]}
        task = found.setdefault(key, {"id": len(found) + 1, "data": data, "annotations": []})
        if row["winner"] is None:
            continue
        choice = {"from_name": "winner", "to_name": "prompt", "type": "choices", "value": {"choices": [row["winner"]]}}
        annotation: dict[str, Any] = {"completed_by": row["by"], "result": [choice], "was_cancelled": False}
        if row["time"] is not None:
            annotation["created_at"] = datetime.fromtimestamp(row["time"], UTC).isoformat()
        task["annotations"].append(annotation)
    return list(found.values())
