"""Samples of CPI-Bench, from its Parquet files or from a data set of the Hub (METHODS, section 2).

`sample_index` is the 0-based row over all files of the source in the order of their names, as the published toolkit
counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, get_args

from groundswell.errors import UserError
from groundswell.records import Licence, Picture, Sample
from groundswell.suites.cpi import Subset, domain_parts
from groundswell.suites.sources import NO_OPTIONS, Keep, Options, kept
from groundswell.suites.tables import (
    Placed,
    Row,
    dataset_rows,
    is_saved,
    of_hub,
    parquet_columns,
    parquet_rows,
    picture_bytes,
    saved,
)

LICENCE = Licence(id="CC-BY-NC-ND-4.0", source="CPI-Bench (zqyzzz/CPI-benchmark)")
"""No redistribution by us, no derivatives: its pictures are published as digest and pointer only."""

INSTRUCTIONS = {"zh": "a_to_b_instructions", "en": "a_to_b_instructions_eng"}
COLUMNS = ("id", *INSTRUCTIONS.values(), "source")


def samples(source: Path, subset: Subset, keep: Keep, options: Options = NO_OPTIONS) -> Iterator[Sample]:
    """Samples of one subset from a Parquet file, a folder of them, or a data set that `datasets` saved to disk.

    In a folder with files of several subsets those are read whose path names this one. Raises UserError with file and
    row, also for an id that stands twice.
    """
    if is_saved(source):
        rows = dataset_rows(source, saved(source), COLUMNS)
    else:
        rows = parquet_rows(parquet_files(source, subset), COLUMNS)
    yield from _samples(rows, subset, keep, options)


def hub_samples(name: str, subset: Subset, keep: Keep, options: Options = NO_OPTIONS) -> Iterator[Sample]:
    """Samples of one subset from the Hub (`owner/name`), its configuration being the subset's name."""
    yield from _samples(dataset_rows(Path(name), of_hub(name, subset), COLUMNS), subset, keep, options)


def parquet_files(source: Path, subset: Subset) -> list[Path]:
    """The Parquet files of one subset, in order."""
    if not source.is_dir():
        return [source]
    found = sorted(source.rglob("*.parquet"))
    named = [path for path in found if subset in path.relative_to(source).as_posix().lower()]
    chosen = named or [path for path in found if not _other_subset(path.relative_to(source), subset)]
    if not chosen:
        raise UserError(f"no Parquet file of the subset {subset} in this folder", where=source)
    return chosen


def subset_of(source: Path) -> Subset | None:
    """The subset that a source's name and columns tell; None where it is not CPI-shaped."""
    found = sorted(source.rglob("*.parquet")) if source.is_dir() else [source]
    if not found:
        return None
    columns = parquet_columns(found[0])
    if not set(COLUMNS) <= set(columns):
        return None
    if "expert_domain" in columns:
        return "intelligent"
    return "practical" if "practical" in source.as_posix().lower() else "general"


def _other_subset(path: Path, subset: Subset) -> bool:
    return any(name in path.as_posix().lower() for name in get_args(Subset) if name != subset)


def _samples(rows: Iterable[Placed], subset: Subset, keep: Keep, options: Options) -> Iterator[Sample]:
    seen: dict[str, str] = {}
    for index, (path, place, row) in enumerate(rows):
        where = f"row {place}"
        label = "" if row["id"] is None else str(row["id"]).strip()
        if not label:
            raise UserError(f"{where} has no id", where=path)
        if label in seen:
            raise UserError(f"{where}: the id {label} stands already in {seen[label]}", where=path)
        seen[label] = where
        prompts = _prompts(row, path, where, options.languages)
        inputs = _pictures(row["source"], path, where, keep, options)
        rationale = row.get("rationale")
        yield Sample(
            suite=f"cpi-{subset}",
            task="edit",
            prompts=prompts,
            label=label,
            inputs=inputs,
            context=rationale.strip() or None if isinstance(rationale, str) else None,
            tags=_tags(row, subset, index, path, where),
            size=resolution(row.get("target_resolution")),
            not_runnable=None if inputs else "it has no source picture",
            licence=LICENCE,
        )


def _prompts(row: Row, path: Path, where: str, languages: Sequence[str]) -> dict[str, str]:
    texts = {language: row[column] for language, column in INSTRUCTIONS.items()}
    prompts = {
        language: text
        for language, text in texts.items()
        if isinstance(text, str) and text.strip() and (not languages or language in languages)
    }
    if not prompts:
        raise UserError(f"{where} has no instruction in {', '.join(languages or INSTRUCTIONS)}", where=path)
    return prompts


def _tags(row: Row, subset: Subset, index: int, path: Path, where: str) -> dict[str, Any]:
    column = "expert_domain" if subset == "intelligent" else "task"
    value = row.get(column)
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"{where} has no {column}, which {subset} needs", where=path)
    tags = {"subset": subset, "sample_index": index, column: value.strip()}
    if subset == "intelligent":
        domain, subtask = domain_parts(value)
        tags |= {"domain": domain} if subtask is None else {"domain": domain, "subtask": subtask}
    return tags


def _pictures(cell: Any, path: Path, where: str, keep: Keep, options: Options) -> tuple[Picture, ...]:
    cells = cell if isinstance(cell, list) else [cell]
    found = []
    for place, one in enumerate(cells):
        if one is not None:
            data = picture_bytes(one, options, path, where)
            found.append(kept(keep, data, LICENCE, path, f"{where}, picture {place}"))
    return tuple(found)


def resolution(value: Any) -> tuple[int, int] | None:
    """Width and height in pixels of `1024x768`, `1024*768`, `[1024, 768]`; None where it says no size."""
    numbers = re.findall(r"\d+", value) if isinstance(value, str) else value
    if not isinstance(numbers, list) or len(numbers) != 2:
        return None
    try:
        width, height = (int(number) for number in numbers)
    except (TypeError, ValueError):
        return None
    # A ratio such as 16:9 has two numbers as well, but names no size.
    return (width, height) if min(width, height) >= 64 else None
