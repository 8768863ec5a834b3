"""A person's own suite: JSONL rows {id, suite, task, prompts, inputs, reference, context, tags, checks}.

Paths of pictures are read from the folder of the file and lie in it, unless the options allow others. What a check
measures and what a tag means is not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from groundswell import files
from groundswell.errors import UserError
from groundswell.records import Check, Json, Licence, Picture, Sample, Task
from groundswell.suites.sources import NO_OPTIONS, Keep, Options, file_bytes, kept, named_file


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


def samples(source: Path, keep: Keep, options: Options = NO_OPTIONS) -> Iterator[Sample]:
    """Samples of a file of rows, in its order. Raises UserError with file and line."""
    ids: dict[str, int] = {}
    keys: dict[str, int] = {}
    for line, row in files.read_structs(source, Row):
        label = str(row.id)
        if (first := ids.setdefault(label, line)) != line:
            raise UserError(f"the id {label} stands twice (first in line {first})", where=source, line=line)
        sample = _sample(row, _pictures(row, source, line, keep, options), source, line)
        if (first := keys.setdefault(sample.key, line)) != line:
            raise UserError(f"this row asks the same as line {first}; remove one", where=source, line=line)
        yield sample


def _pictures(row: Row, source: Path, line: int, keep: Keep, options: Options) -> Iterator[Picture]:
    """The inputs of a row, read when they are asked for."""
    folder = options.pictures or source.parent
    for name in row.inputs:
        # A whole path is written by somebody who knows this disk; one that climbs out may be a stranger's.
        path = Path(name) if Path(name).is_absolute() else named_file(name, folder, options, source, line)
        data = file_bytes(path, source, line)
        yield kept(keep, data, row.licence, source, line)


def _sample(row: Row, inputs: Iterator[Picture], source: Path, line: int) -> Sample:
    if fault := _fault(row):
        raise UserError(fault, where=source, line=line)
    return Sample(
        suite=row.suite,
        task=row.task,
        prompts=row.prompts,
        label=str(row.id),
        inputs=tuple(inputs),
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
