"""Votes and judgments from Argilla 2, and records for it: what `dataset.records.to_json` writes.

A record says in its `metadata` (or `fields`) whose outputs stand left and right and of which `sample`. A response is a
person's, a suggestion with an agent a judge's. An answer is one of the words that Label Studio's reader knows, or a
ranking: names best first, or `{value, rank}` with equal ranks for ties. Discarded and draft responses are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from groundswell.errors import UserError
from groundswell.interchange.bounded import document
from groundswell.interchange.carried import SIDES, WORDS, Carried, Opinion, Who, frame_of, winner_named
from groundswell.records import Winner

FORMAT = "argilla"
QUESTION = "winner"
"""Name of the question in the records that are written here."""


class Response(msgspec.Struct, frozen=True):
    """One person's answer to one question."""

    value: Any = None
    user_id: str | None = None
    status: str | None = None


class Suggestion(msgspec.Struct, frozen=True):
    """A machine's answer to one question."""

    value: Any = None
    agent: str | None = None


class Record(msgspec.Struct, frozen=True):
    """A record as it is exported."""

    id: str | int | None = None
    fields: dict[str, Any] = {}
    metadata: dict[str, Any] = {}
    responses: dict[str, list[Response]] = {}
    suggestions: dict[str, Suggestion] = {}


def fits(columns: set[str]) -> bool:
    """Whether rows with these keys are records."""
    return columns >= {"fields", "responses"}


def read(path: Path) -> Carried:
    """Votes and judgments of an export. Raises UserError naming the record that cannot be understood."""
    try:
        records = msgspec.convert(document(path), list[Record])
    except msgspec.ValidationError as error:
        raise UserError(f"these are no records of Argilla 2: {error}", where=path) from None
    opinions: list[Opinion] = []
    left_out: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for number, record in enumerate(records, start=1):
        place = f"record {number if record.id is None else record.id}"
        for question, value, by, who in _answers(record, left_out):
            if not _compares(value):
                lost[f"answers to {question}"] += 1
                continue
            opinions += _opinions(record, value, by, who, path, place)
    return Carried(format=FORMAT, frame=frame_of(opinions), left_out=dict(left_out), lost=dict(lost))


def _answers(record: Record, left_out: Counter[str]) -> Iterator[tuple[str, Any, str, Who]]:
    for question, responses in record.responses.items():
        for response in responses:
            if response.status in {"draft", "discarded"} or response.value is None:
                left_out[f"a response that is {response.status or 'empty'}"] += 1
            else:
                yield question, response.value, response.user_id or "unknown", "person"
    for question, suggestion in record.suggestions.items():
        if suggestion.agent is not None and suggestion.value is not None:
            yield question, suggestion.value, suggestion.agent, "judge"


def _compares(value: Any) -> bool:
    """Whether an answer says who is better: a known word, or a ranking."""
    return isinstance(value, list) or (isinstance(value, str) and value.strip().lower() in WORDS)


def _opinions(record: Record, value: Any, by: str, who: Who, path: Path, place: str) -> Iterator[Opinion]:
    told = {**record.fields, **record.metadata}
    sample = str(told.get("sample") or told.get("question_id") or record.id or place)
    if isinstance(value, list):
        for better, worse, winner in _ordered(value, path, place):
            yield Opinion(sample=sample, left=better, right=worse, winner=winner, by=by, who=who)
        return
    for left, right in SIDES:
        names = (told.get(left), told.get(right))
        if all(isinstance(name, str) and name for name in names):
            decided = winner_named(value, WORDS, path, place)
            yield Opinion(sample=sample, left=str(names[0]), right=str(names[1]), winner=decided, by=by, who=who)
            return
    raise UserError(f"{place}: its metadata does not say whose outputs these are; name them left and right", where=path)


def _ordered(value: Sequence[Any], path: Path, place: str) -> Iterator[tuple[str, str, Winner]]:
    """The pairs of a ranking, each with the better one first."""
    ranks: dict[str, int] = {}
    for number, each in enumerate(value, start=1):
        name, rank = (each.get("value"), each.get("rank", number)) if isinstance(each, dict) else (each, number)
        if not isinstance(name, str) or not isinstance(rank, int) or name in ranks:
            raise UserError(f"{place}: a ranking is names, best first, or {{value, rank}}, each name once", where=path)
        ranks[name] = rank
    for one, other in combinations(sorted(ranks, key=lambda name: (ranks[name], name)), 2):
        yield one, other, Winner.TIE if ranks[one] == ranks[other] else Winner.LEFT


def records(opinions: pl.DataFrame) -> list[Mapping[str, Any]]:
    """Records with the answers that these opinions are, one record a pair; people's are responses, judges' suggestions.

    A record has room for one suggestion: of several judges of a pair each gets a record of its own.
    """
    found: list[dict[str, Any]] = []
    open_records: dict[tuple[str, str, str], dict[str, Any]] = {}
    for row in opinions.filter(pl.col("winner").is_not_null()).iter_rows(named=True):
        key = (row["sample"], row["left"], row["right"])
        record = open_records.get(key)
        if record is None or (row["who"] == "judge" and record["suggestions"]):
            record = {
                "id": str(len(found) + 1),
                "fields": {"sample": key[0]},
                "metadata": {"sample": key[0], "left": key[1], "right": key[2]},
                "suggestions": {},
                "responses": {},
                "vectors": {},
            }
            open_records[key] = record
            found.append(record)
        if row["who"] == "judge":
            record["suggestions"][QUESTION] = {"value": row["winner"], "agent": row["by"], "score": None}
        else:
            answer = {"value": row["winner"], "user_id": row["by"]}
            record["responses"].setdefault(QUESTION, []).append(answer)
    return list(found)
