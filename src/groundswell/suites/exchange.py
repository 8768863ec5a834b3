"""Samples out to inference elsewhere, and its results back in.

`export` writes a folder that any program can work through; `read_results` takes the filled template, or an answer file
in LLaVA's format, and gives each result its sample. What a result is worth is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groundswell import files
from groundswell.errors import UserError
from groundswell.records import Sample

ENDINGS = {"image/jpeg": "jpg", "image/png": "png", "image/webp": "webp", "image/gif": "gif"}


class Result(msgspec.Struct, kw_only=True, frozen=True):
    """A row of a file of results (`result`) or of answers (`text`)."""

    sample_index: int | None = None
    id: int | str | None = None
    question_id: int | str | None = None
    result: str | msgspec.UnsetType | None = msgspec.UNSET
    text: str | msgspec.UnsetType | None = msgspec.UNSET
    prompt: str | None = None


class Results(msgspec.Struct, frozen=True):
    """Results by sample, in the order of the samples, and the samples that got none."""

    texts: list[tuple[Sample, str]]
    pictures: list[tuple[Sample, Path]]
    missing: list[Sample]
    lines: dict[str, int]
    """Line of the file by the key of the sample."""


def export(samples: Iterable[Sample], folder: Path, read: Callable[[str], bytes], language: str) -> int:
    """Write `source_images/`, `samples.jsonl` and `result_template.jsonl`; gives the number of samples.

    `read` gives the bytes of a picture by its digest. Samples that cannot be run are left out, keeping the others'
    index. Raises UserError where a sample has no prompt in `language`, or none can be run.
    """
    runnable = _runnable(samples, language)
    rows = [_row(sample, index, language) for index, sample in runnable]
    for (_, sample), row in zip(runnable, rows, strict=True):
        for picture, name in zip(sample.inputs, row["source_images"], strict=True):
            files.write_bytes(folder / name, read(picture.digest))
    licences = {f"{one.id} ({one.source})" for _, sample in runnable if (one := sample.licence) is not None}
    files.write_text(folder / "LICENCE.txt", "\n".join(sorted(licences) or ["no licence is stated"]) + "\n")
    files.write_rows(folder / "samples.jsonl", rows)
    template = ({"sample_index": index, "result": ""} for index, _ in runnable)
    files.write_rows(folder / "result_template.jsonl", template)
    return len(rows)


def _runnable(samples: Iterable[Sample], language: str) -> list[tuple[int, Sample]]:
    """Samples that can be run, with their index. Raises UserError before anything is written."""
    everything = list(samples)
    found = [
        (index_of(sample, place), sample) for place, sample in enumerate(everything) if sample.not_runnable is None
    ]
    if not found:
        why = everything[0].not_runnable if everything else "there is none"
        raise UserError(f"no sample of this suite can be run: {why}")
    for _, sample in found:
        if language not in sample.prompts:
            raise UserError(f"sample {sample.label} has no prompt in {language}; it has {', '.join(sample.prompts)}")
    return found


def _row(sample: Sample, index: int, language: str) -> dict[str, Any]:
    row: dict[str, Any] = {
        "sample_index": index,
        "id": sample.label,
        "task": task_of(sample),
        "instruction": sample.prompts[language],
    }
    if sample.context is not None and sample.task == "edit":
        row["rationale"] = sample.context
    names = (
        f"source_images/{index:06d}_{place}.{ENDINGS.get(picture.media_type, 'img')}"
        for place, picture in enumerate(sample.inputs)
    )
    return row | {"source_images": list(names)}


def read_results(path: Path, samples: Sequence[Sample]) -> Results:
    """Results with the samples they belong to: of a file `{sample_index|id, result}` or `{question_id, text}`, or of a
    folder whose files are named by id or sample_index (`000012.png`, `kite-1.txt`).

    A result that is empty or null is missing. Picture paths are read from the folder of the file and must exist.
    Raises UserError with file and line: an unknown or doubled sample, a foreign prompt, a file that is not there.
    """
    by_index = {index_of(sample, position): sample for position, sample in enumerate(samples)}
    by_label = {sample.label: sample for sample in samples if sample.label is not None}
    seen: dict[str, int] = {}
    found = _in_folder(path, by_index, by_label) if path.is_dir() else _in_file(path, by_index, by_label, seen)
    pairs = [(sample, found.get(sample.key)) for sample in samples]
    return Results(
        texts=[(sample, result) for sample, result in pairs if isinstance(result, str)],
        pictures=[(sample, result) for sample, result in pairs if isinstance(result, Path)],
        missing=[sample for sample, result in pairs if result is None],
        lines=seen,
    )


Found = dict[str, str | Path]
"""Results by the key of their sample: a text, or the file of a picture."""


def _in_file(path: Path, by_index: dict[int, Sample], by_label: dict[str, Sample], seen: dict[str, int]) -> Found:
    found: Found = {}
    for line, row in files.read_structs(path, Result):
        sample = _sample_of(row, by_index, by_label, path, line)
        first = seen.setdefault(sample.key, line)
        if first != line:
            raise UserError(f"sample {sample.label} has a result already in line {first}", where=path, line=line)
        if row.result is msgspec.UNSET and row.text is msgspec.UNSET:
            raise UserError(
                "this row has neither result nor text; is the column named otherwise?", where=path, line=line
            )
        result = row.result or row.text
        if not isinstance(result, str) or not result.strip():
            continue
        found[sample.key] = result if sample.task == "chat" else _picture(result, path, line)
    if not found:
        raise UserError("no row of this file has a result; fill in result (a path) or text", where=path)
    return found


def _in_folder(folder: Path, by_index: dict[int, Sample], by_label: dict[str, Sample]) -> Found:
    """Files named by id, or by index; where a name could be either, nobody may guess."""
    paths = sorted(one for one in folder.iterdir() if one.is_file() and not one.name.startswith("."))
    if not paths:
        raise UserError("there is no result in this folder", where=folder)
    by_id = [by_label.get(path.stem) for path in paths]
    by_row = [by_index.get(int(path.stem)) if path.stem.isdecimal() else None for path in paths]
    if None not in by_id and None not in by_row and by_id != by_row:
        raise UserError(
            "these names are ids and rows of the suite, too; write a file {id, result} instead", where=folder
        )
    samples = by_id if None not in by_id else by_row
    found: Found = {}
    for path, sample in zip(paths, samples, strict=True):
        if sample is None:
            raise UserError("no sample has this id or index; name results by them, as 000012.png", where=path)
        if sample.key in found:
            raise UserError(f"sample {sample.label} has two results in this folder; remove one", where=path)
        found[sample.key] = files.read_text(path) if sample.task == "chat" else path
    return found


def require_language(samples: Sequence[Sample], language: str) -> None:
    """Raise UserError where no sample has a prompt in a language."""
    known = sorted({each for sample in samples for each in sample.prompts})
    if language not in known:
        raise UserError(f"no prompt of this suite is in {language}; it has {', '.join(known)}")


def index_of(sample: Sample, position: int) -> int:
    """The row of a sample in its published set, else its position here."""
    return int(sample.tags.get("sample_index", position))


def task_of(sample: Sample) -> str:
    """The task as the sample's own set names it."""
    return str(
        sample.tags.get("task") or sample.tags.get("expert_domain") or sample.tags.get("category") or sample.task
    )


def _sample_of(row: Result, by_index: dict[int, Sample], by_label: dict[str, Sample], path: Path, line: int) -> Sample:
    label = row.id if row.question_id is None else row.question_id
    if row.sample_index is not None:
        named, sample = f"sample_index {row.sample_index}", by_index.get(row.sample_index)
    elif label is not None:
        named, sample = f"id {label}", by_label.get(str(label))
    else:
        raise UserError("a result needs sample_index, id or question_id", where=path, line=line)
    if sample is None:
        raise UserError(f"{named} is not in this suite, which has {len(by_index)} samples", where=path, line=line)
    if row.prompt is not None and not any(prompt.strip() in row.prompt for prompt in sample.prompts.values()):
        raise UserError(
            f"the prompt of {named} is not this suite's; is it an answer to another set?", where=path, line=line
        )
    return sample


def _picture(result: str, path: Path, line: int) -> Path:
    picture = path.parent / result
    if not picture.is_file():
        raise UserError(f"{picture} is not there; paths are read from the folder of this file", where=path, line=line)
    return picture
