"""Suites by name, ours and those of plugins, and what a file of samples is by its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import get_args

from groundswell import files, plugins
from groundswell.errors import UserError
from groundswell.ports import Suite
from groundswell.records import Sample
from groundswell.suites import cpi_sets, custom, llava_sets, photographs, prompts, published
from groundswell.suites.cpi import Subset
from groundswell.suites.sources import NO_OPTIONS, Keep, Options
from groundswell.suites.tables import is_hub_id

Load = Callable[[str | Path, Keep, Options], Iterator[Sample]]


def names() -> tuple[str, ...]:
    """Names that `load` knows."""
    return (*_LOADERS, *(name for name in plugins.names("suite") if name not in _LOADERS))


def load(name: str, source: str | Path, keep: Keep, options: Options = NO_OPTIONS) -> Iterator[Sample]:
    """Samples of a suite from its source, in the order of the source.

    `source` is a file, a folder, or for CPI-Bench a data set of the Hub (`owner/name`). Raises UserError for a name
    that is not known and for every fault of the source.
    """
    if name not in names():
        raise UserError(f"there is no suite {name}; there are {', '.join(names())}")
    if name in _LOADERS:
        return _LOADERS[name](source, keep, options)
    suite: Suite = plugins.load("suite", name)()
    return suite.samples(Path(source), keep)


def detect(path: Path) -> str:
    """Name of the suite whose samples a file or folder holds. Raises UserError where it holds something else."""
    if path.is_dir() or path.suffix == ".parquet":
        if path.suffix == ".parquet":
            files.read_bytes(path)
        subset = cpi_sets.subset_of(path)
        if subset is not None:
            return f"cpi-{subset}"
        if path.is_dir() and any(llava_sets.is_questions(file) for file in path.glob("*.jsonl")):
            return "llava"
        if prompts.is_prompts(path):
            return "prompts"
        if (kind := published.kind_of(path)) is not None:
            return kind
        wanted = ", ".join(cpi_sets.COLUMNS)
        raise UserError(
            f"neither Parquet with the columns {wanted} or a column of prompts, nor questions of LLaVA-Bench, nor .txt "
            "files of prompts",
            where=path,
        )
    if prompts.is_prompts(path):
        files.read_bytes(path)
        return "prompts"
    if is_hub_id(path) and (kind := published.kind_of(path)) is not None:
        return kind
    if path.suffix.lower() in {".json", ".csv", ".tsv"}:
        files.read_bytes(path)
        if (kind := published.kind_of(path)) is not None:
            return kind
        raise UserError("these are no prompts: no column is called prompt, or as in a set that is known", where=path)
    if path.suffix not in {".jsonl", ".ndjson"}:
        files.read_bytes(path)
        raise UserError(
            "name a .jsonl, .json, .csv or .parquet file of samples, a .txt file of prompts, or a folder with them",
            where=path,
        )
    return _of_rows(path)


def _of_rows(path: Path) -> str:
    """The suite of a JSONL file, by the columns of its first row."""
    columns = set(next(files.read_rows(path))[1])
    if {"task", "prompts"} <= columns:
        return "custom"
    if llava_sets.is_questions(path):
        return "llava"
    other = _what_else(columns)
    if other is None and (kind := published.kind_of(path)) is not None:
        return kind
    said = other or f"the columns {', '.join(sorted(columns))} are none of a suite's"
    raise UserError(f"{said}; import a file of samples: questions, or rows with task and prompts", where=path)


def not_carried(name: str, source: Path) -> dict[str, int]:
    """What a source says and samples have no place for, with the number of rows that say it."""
    return published.not_carried(name, source) if name in published.KINDS else {}


def suite_of(path: Path) -> str:
    """Name of the suite in a file or folder: what its first row says, else what `detect` makes of it."""
    match detect(path):
        case "custom":
            return str(next(files.read_rows(path))[1].get("suite", path.stem))
        case "prompts":
            return prompts.suite_of(path)
        case published.TABLE:
            return published.suite_of(published.TABLE, path)
        case found:
            return found


def _what_else(columns: set[str]) -> str | None:
    """What a file is that holds no samples, where its columns tell."""
    if columns & {"tuple", "answer2_id", "review_id"}:
        return "these are reviews (see groundswell score llava)"
    if columns & {"answer_id", "model_id", "result"}:
        return "these are results (see groundswell suite results)"
    if columns & {"caption", "captions"}:
        return "these are contexts"
    return None


def _llava(source: str | Path, keep: Keep, options: Options) -> Iterator[Sample]:
    return llava_sets.samples(Path(source), keep, options)


def _custom(source: str | Path, keep: Keep, options: Options) -> Iterator[Sample]:
    return custom.samples(Path(source), keep, options)


def _prompts(source: str | Path, keep: Keep, options: Options) -> Iterator[Sample]:
    return prompts.samples(Path(source), keep, options)


def _cpi(subset: Subset, source: str | Path, keep: Keep, options: Options) -> Iterator[Sample]:
    if isinstance(source, str) and is_hub_id(source):
        return cpi_sets.hub_samples(source, subset, keep, options)
    return cpi_sets.samples(Path(source), subset, keep, options)


def _photographs(source: str | Path, keep: Keep, options: Options) -> Iterator[Sample]:
    return photographs.Photographs().samples(Path(source) if source else photographs.folder(), keep)


def _published(kind: str, source: str | Path, keep: Keep, options: Options) -> Iterator[Sample]:
    return published.samples(kind, source, keep, options)


_LOADERS: dict[str, Load] = {
    "llava": _llava,
    **{f"cpi-{subset}": partial(_cpi, subset) for subset in get_args(Subset)},
    "photographs": _photographs,
    "custom": _custom,
    "prompts": _prompts,
    **{kind: partial(_published, kind) for kind in published.KINDS},
}
