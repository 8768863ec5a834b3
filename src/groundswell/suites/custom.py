"""A person's own suite: JSONL rows {id, suite, task, prompts, inputs, reference, context, tags, checks}.

Paths of pictures are read from the folder of the file. What a check measures and what a tag means is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from groundswell import files
from groundswell.errors import UserError
from groundswell.records import Check, Json, Licence, Sample, Task
from groundswell.suites.sources import Keep, file_bytes, kept


class Tags(msgspec.Struct, kw_only=True, frozen=True):
    """The tags whose shape is fixed; a row may have others."""

    use_case: str | None = None
    capability: str | None = None
    style: list[str] = []


class Row(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """One row; a column that is not listed here is an error, because a misspelt one would be lost in silence."""

    id: int | str
    suite: str
    task: Task
    prompts: dict[str, str]
    inputs: list[str] = []
    reference: str | None = None
    context: str | None = None
    tags: dict[str, Json] = {}
    checks: list[dict[str, Json]] = []
    size: tuple[int, int] | None = None
    licence: Licence | None = None


def samples(source: Path, keep: Keep) -> Iterator[Sample]:
    """Samples of a file of rows, in its order. Raises UserError with file and line."""
    ids: dict[str, int] = {}
    keys: dict[str, int] = {}
    for line, row in files.read_structs(source, Row):
        label = str(row.id)
        if (first := ids.setdefault(label, line)) != line:
            raise UserError(f"the id {label} stands twice (first in line {first})", where=source, line=line)
        sample = _sample(row, label, source, line, keep)
        if (first := keys.setdefault(sample.key, line)) != line:
            raise UserError(f"this row asks the same as line {first}; remove one", where=source, line=line)
        yield sample


def _sample(row: Row, label: str, source: Path, line: int, keep: Keep) -> Sample:
    if fault := _fault(row):
        raise UserError(fault, where=source, line=line)
    inputs = (file_bytes(source.parent / name, source, line) for name in row.inputs)
    return Sample(
        suite=row.suite,
        task=row.task,
        prompts=row.prompts,
        label=label,
        inputs=tuple(kept(keep, data, row.licence, source, line) for data in inputs),
        context=row.context,
        reference=row.reference,
        tags=row.tags,
        checks=tuple(_check(check) for check in row.checks),
        size=row.size,
        licence=row.licence,
    )


def _fault(row: Row) -> str | None:
    if not row.prompts or not all(text.strip() for text in row.prompts.values()):
        return 'prompts needs a text for each language, as in {"en": "..."}'
    if row.task == "edit" and not row.inputs:
        return "an edit needs at least one path in inputs"
    if row.task == "t2i" and row.inputs:
        return "a t2i row takes no inputs; is its task edit?"
    if any(not isinstance(check.get("kind"), str) for check in row.checks):
        return "each of checks needs a kind"
    try:
        msgspec.convert(row.tags, Tags)
    except msgspec.ValidationError as error:
        return f"tags do not fit: {error}"
    return None


def _check(check: dict[str, Any]) -> Check:
    return Check(name=check["kind"], args={name: value for name, value in check.items() if name != "kind"})
