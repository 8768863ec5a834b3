"""Prompt sets of published benchmarks, from a person's own copy: GenEval, ImgEdit, GEdit-Bench, RISEBench, DPG-Bench,
PartiPrompts, DrawBench, and any table with a column of prompts.

A set is told by its columns. What a set says and a sample has no place for is counted by `not_carried`, never dropped
in silence. Where the shapes come from stands in docs/interchange.md. How outputs are judged is not known here.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from groundswell import files
from groundswell.errors import UserError
from groundswell.records import Check, Licence, Picture, Sample, Task
from groundswell.suites.sources import NO_OPTIONS, Keep, Options, file_bytes, kept, named_file
from groundswell.suites.tables import (
    Row,
    dataset_rows,
    is_hub_id,
    is_saved,
    of_hub,
    parquet_columns,
    parquet_rows,
    picture_bytes,
    saved,
)

MOST_BYTES = 256 << 20
"""Of a JSON, JSONL or CSV file of prompts; the largest published one has less than 10 MB."""

PROMPTS = ("prompt", "Prompt", "instruction")
"""Columns that hold the instruction of a table of no known set, the surest first."""

OF_OWN_ROWS = frozenset({"suite", "task", "prompts"})
"""Columns of a person's own rows (`custom`): a row with some of them is a misspelt one and no table of prompts."""

PICTURES = ("input_image_raw", "input_image", "source_image", "image", "source")
"""Columns that hold input pictures of such a table, the surest first."""

LABELS = ("id", "key", "index", "item_id")


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A sample before its pictures are read. `lost` names what it has no place for, in words."""

    label: str
    prompts: Mapping[str, Any]
    """Cells of the row, which are to be texts."""
    pictures: tuple[Any, ...] = ()
    """Names of files, or cells of a table."""
    context: str | None = None
    reference: str | None = None
    tags: Mapping[str, Any] = msgspec.field(default_factory=dict)
    checks: tuple[Check, ...] = ()
    lost: tuple[str, ...] = ()


class Entry(msgspec.Struct, frozen=True):
    """A row with the file and the line, or the words, by which a fault names it; `number` counts from 0."""

    row: Row
    where: Path
    place: int | str
    number: int


class Set(msgspec.Struct, frozen=True, kw_only=True):
    """A published set: the columns that tell it, how a row is drafted, and its terms as far as they are known."""

    columns: frozenset[str]
    draft: Callable[[Entry], Draft]
    licence: Licence | None = None


def kind_of(source: str | Path) -> str | None:
    """The name of the set that a source holds, None where it is none that is known. A Hub id is looked up there."""
    columns = _columns(source)
    known = next((name for name, one in SETS.items() if one.columns <= columns), None)
    return known or (TABLE if columns & set(PROMPTS) and not columns & OF_OWN_ROWS else None)


def samples(kind: str, source: str | Path, keep: Keep, options: Options = NO_OPTIONS) -> Iterator[Sample]:
    """Samples of a set in the order of the source. Raises UserError with file and place."""
    suite = suite_of(kind, source)
    licence = None if kind == TABLE else SETS[kind].licence
    seen: dict[str, int | str] = {}
    for entry, draft in _drafts(kind, source):
        if draft.label in seen:
            raise _fault(entry, f"the id {draft.label} stands already in {seen[draft.label]}")
        seen[draft.label] = entry.place if isinstance(entry.place, str) else f"line {entry.place}"
        inputs, missing = _inputs(draft, entry, keep, options, licence)
        task: Task = "edit" if draft.pictures else "t2i"
        if wrong := next((text for text in draft.prompts.values() if not isinstance(text, str | None)), None):
            raise _fault(entry, f"a prompt is a text, not {wrong!r}")
        prompts = {code: text for code, text in draft.prompts.items() if text and text.strip()}
        if not prompts:
            raise _fault(entry, "this row has no prompt")
        yield Sample(
            suite=suite,
            task=task,
            prompts={code: prompts[code] for code in options.languages if code in prompts} or prompts,
            label=draft.label,
            inputs=inputs,
            context=draft.context,
            reference=draft.reference,
            tags=draft.tags,
            checks=draft.checks,
            not_runnable=missing,
            licence=licence,
        )


def not_carried(kind: str, source: str | Path) -> dict[str, int]:
    """What the rows of a set say and a sample has no place for, in words, with the number of rows that say it."""
    return dict(Counter(what for _, draft in _drafts(kind, source) for what in draft.lost).most_common())


def suite_of(kind: str, source: str | Path) -> str:
    """What the suite is called: as the set, or as the table."""
    return kind if kind != TABLE else Path(source).stem


# --- rows ---------------------------------------------------------------------------------------------------------


def _drafts(kind: str, source: str | Path) -> Iterator[tuple[Entry, Draft]]:
    draft = _table if kind == TABLE else SETS[kind].draft
    for entry in _entries(source):
        try:
            yield entry, draft(entry)
        except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
            raise _fault(entry, f"this row is not one of {kind} ({type(error).__name__}: {error})") from None


def _fault(entry: Entry, message: str) -> UserError:
    if isinstance(entry.place, int):
        return UserError(message, where=entry.where, line=entry.place)
    return UserError(f"{entry.place}: {message}", where=entry.where)


def _columns(source: str | Path) -> set[str]:
    """Columns of a source's first row; empty where it has no rows that can be read as such."""
    path = Path(source)
    if is_hub_id(source):
        return set(of_hub(str(source)).column_names)
    if path.is_dir():
        return set(saved(path).column_names if is_saved(path) else _first_parquet(path))
    if path.suffix == ".parquet":
        return set(parquet_columns(path))
    first = next(_entries(path), None)
    return set() if first is None else set(first.row)


def _first_parquet(folder: Path) -> dict[str, Any]:
    found = sorted(folder.rglob("*.parquet"))
    return parquet_columns(found[0]) if found else {}


def _entries(source: str | Path) -> Iterator[Entry]:
    for number, (where, place, row) in enumerate(_rows(source)):
        yield Entry(row, where, place, number)


def _rows(source: str | Path) -> Iterator[tuple[Path, int | str, Row]]:
    path = Path(source)
    if is_hub_id(source):
        table: Iterable[tuple[Path, int, Row]] = dataset_rows(path, of_hub(str(source)), ())
    elif path.is_dir():
        table = (
            dataset_rows(path, saved(path), ()) if is_saved(path) else parquet_rows(sorted(path.rglob("*.parquet")), ())
        )
    elif path.suffix == ".parquet":
        table = parquet_rows([path], ())
    else:
        yield from ((path, place, row) for place, row in _text_rows(path))
        return
    yield from ((where, f"row {place}", row) for where, place, row in table)


def _text_rows(path: Path) -> Iterator[tuple[int | str, Row]]:
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        raise UserError(f"a file of prompts of more than {MOST_BYTES >> 20} MB; is it something else?", where=path)
    suffix = path.suffix.lower()
    if suffix in {".jsonl", ".ndjson"}:
        yield from files.read_rows(path)
    elif suffix in {".csv", ".tsv"}:
        yield from _propositions(_csv_rows(path, tabs=suffix == ".tsv"))
    else:
        document = files.read_document(path)
        named = document.items() if isinstance(document, dict) else enumerate(document, start=1)
        for name, row in named:
            if not isinstance(row, dict):
                raise UserError(f"entry {name} is no object; is this a file of prompts?", where=path)
            yield f"entry {name}", row if isinstance(document, list) else {"entry": str(name), **row}


def _csv_rows(path: Path, *, tabs: bool) -> Iterator[tuple[int, Row]]:
    """Rows with the line where each ends. Between tabs a quotation mark is a letter: PartiPrompts has them so."""
    files.read_text(path)  # whatever is wrong with the file is said here
    with path.open(encoding="utf-8-sig", newline="") as stream:
        plain = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        rows = plain if tabs else csv.DictReader(stream)
        try:
            yield from ((rows.line_num, row) for row in rows)
        except csv.Error as error:
            raise UserError(f"this row cannot be read as CSV ({error})", where=path, line=rows.line_num) from None


def _propositions(rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """The rows as they are, but those of DPG-Bench, one a question, as one a prompt with its questions."""
    for item, group in groupby(rows, key=lambda one: one[1].get("item_id")):
        members = list(group)
        if item is None or "question_natural_language" not in members[0][1]:
            yield from members
        else:
            place, first = members[0]
            yield place, {**first, "questions": [row for _, row in members]}


def _inputs(
    draft: Draft, entry: Entry, keep: Keep, options: Options, licence: Licence | None
) -> tuple[tuple[Picture, ...], str | None]:
    """The pictures of a row, and why it cannot be run where one is not at hand."""
    found: list[Picture] = []
    for cell in draft.pictures:
        if not isinstance(cell, str):
            where = entry.place if isinstance(entry.place, str) else f"line {entry.place}"
            data = picture_bytes(cell, options, entry.where, where)
        else:
            folder = options.pictures or entry.where.parent
            path = named_file(cell, folder, options, entry.where, entry.place)
            if not path.exists():
                return (), f"the picture {cell} is not at hand"
            data = file_bytes(path, entry.where, entry.place)
        found.append(kept(keep, data, licence, entry.where, entry.place))
    return tuple(found), None


# --- the sets -----------------------------------------------------------------------------------------------------


def _geneval(entry: Entry) -> Draft:
    """A row of `evaluation_metadata.jsonl`. Exact numbers become checks; colours and positions stay as tags."""
    row = entry.row
    wanted, excluded = row["include"], row.get("exclude", [])
    exact = {thing["class"]: thing["count"] for thing in excluded}
    lost = []
    checks = []
    for thing in wanted:
        if exact.get(thing["class"]) == thing["count"] + 1:
            checks.append(Check(name="objects", args={"label": thing["class"], "count": thing["count"]}))
        else:
            lost.append("that a thing is there: no check measures presence (tags.include)")
        if "color" in thing:
            lost.append("the colour of a thing: no check measures it (tags.include)")
        if "position" in thing:
            lost.append("where a thing is: no check measures it (tags.include)")
    return Draft(
        label=f"{entry.number:05d}",
        prompts={"en": row["prompt"]},
        tags={"capability": row["tag"], "include": wanted, **({"exclude": excluded} if excluded else {})},
        checks=tuple(checks),
        lost=tuple(dict.fromkeys(lost)),
    )


def _imgedit(entry: Entry) -> Draft:
    """An entry of `basic_edit.json` or `UGE_edit.json`: its key, the picture's path, the instruction, the kind."""
    row = entry.row
    kind = {"capability": row["edit_type"]} if "edit_type" in row else {}
    return Draft(
        label=row["entry"],
        prompts={"en": row["prompt"]},
        pictures=(row["id"],),
        tags={**kind, "category": Path(row["id"]).parent.name} if "/" in row["id"] else kind,
        lost=_others(row, ("entry", "id", "prompt", "edit_type")),
    )


def _gedit(entry: Entry) -> Draft:
    row = entry.row
    language = "zh" if row["instruction_language"] == "cn" else str(row["instruction_language"])
    picture = row.get("input_image_raw") or row.get("input_image")
    second = ("the resized copy of the picture (input_image)",) if row.get("input_image_raw") else ()
    return Draft(
        label=f"{row['key']}-{language}",
        prompts={language: row["instruction"]},
        pictures=(picture,),
        tags={"capability": row["task_type"], "intersection": bool(row.get("Intersection_exist"))},
        lost=second,
    )


def _risebench(entry: Entry) -> Draft:
    row = entry.row
    names = row["image"] if isinstance(row["image"], list) else [row["image"]]
    known = ("subtask", "subcategory", "task_type")
    texts = {"en": str(row["instruction"]), "zh": str(row.get("instruction_chinese") or "")}
    carried = (
        "index",
        "category",
        "instruction",
        "instruction_chinese",
        "image",
        "reference",
        "reference_txt",
        "multi_img",
    )
    return Draft(
        label=row["index"],
        prompts={code: text for code, text in texts.items() if text},
        pictures=tuple(names),
        reference=row.get("reference") or row.get("reference_txt"),
        tags={"capability": row["category"], **{name: row[name] for name in known if row.get(name)}},
        lost=_others(row, (*carried, *known)),
    )


def _dpg(entry: Entry) -> Draft:
    """The rows of one prompt of `dpg_bench.csv`: its questions are what the judge may read and the model may not."""
    row = entry.row
    questions = row["questions"]
    kinds = sorted({one["category_broad"] for one in questions if one.get("category_broad")})
    carried = ("item_id", "text", "questions", "proposition_id", "question_natural_language", "category_broad")
    return Draft(
        label=str(row["item_id"]),
        prompts={"en": row["text"]},
        context="\n".join(one["question_natural_language"] for one in questions),
        tags={"capability": "dense prompt", "categories": kinds},
        lost=_others(row, carried),
    )


def _parti(entry: Entry) -> Draft:
    row = entry.row
    tags = {"capability": row.get("Challenge") or row["Category"], "category": row["Category"]}
    return Draft(
        label=f"{entry.number:05d}",
        prompts={"en": row["Prompt"]},
        tags=tags,
        lost=_others(row, ("Prompt", "Category", "Challenge")),
    )


def _table(entry: Entry) -> Draft:
    """A row of a table that is no known set: a prompt, perhaps a picture and an id; short cells become tags."""
    row = entry.row
    prompt = next(name for name in PROMPTS if row.get(name))
    picture = next((name for name in PICTURES if row.get(name) and name != prompt), None)
    label = next((name for name in LABELS if row.get(name) is not None), None)
    cells = () if picture is None else row[picture] if isinstance(row[picture], list) else (row[picture],)
    tags = {
        name: value
        for name, value in row.items()
        if name not in (prompt, picture, label) and isinstance(value, str | int | float | bool)
    }
    return Draft(
        label=f"{entry.number:05d}" if label is None else str(row[label]),
        prompts={"en": row[prompt]},
        pictures=tuple(cells),
        tags={"row": tags} if tags else {},
        lost=_others(row, (prompt, picture, label, *tags)),
    )


def _others(row: Row, carried: Iterable[str | None]) -> tuple[str, ...]:
    """The columns of a row that hold something and were not carried over."""
    return tuple(f"the column {name}" for name in row.keys() - set(carried) if row[name] not in (None, "", [], {}))


UNSTATED = "unstated"
TABLE = "table"
"""Kind of a table of prompts that is no known set."""

SETS: Mapping[str, Set] = {
    "geneval": Set(
        columns=frozenset({"tag", "include", "prompt"}),
        draft=_geneval,
        licence=Licence(id="MIT", source="GenEval (djghosh13/geneval)", redistribute=True, derivatives=True),
    ),
    "imgedit": Set(
        columns=frozenset({"entry", "id", "prompt"}),
        draft=_imgedit,
        licence=Licence(id=UNSTATED, source="ImgEdit (PKU-YuanGroup/ImgEdit); no licence comes with its pictures"),
    ),
    "gedit": Set(
        columns=frozenset({"key", "task_type", "instruction", "instruction_language", "input_image"}),
        draft=_gedit,
        licence=Licence(id=UNSTATED, source="GEdit-Bench (stepfun-ai/GEdit-Bench); see the card of your copy"),
    ),
    "risebench": Set(
        columns=frozenset({"index", "category", "instruction", "image"}),
        draft=_risebench,
        licence=Licence(id=UNSTATED, source="RISEBench (PhoenixZ810/RISEBench); see the card of your copy"),
    ),
    "dpg": Set(
        columns=frozenset({"item_id", "text", "question_natural_language", "questions"}),
        draft=_dpg,
        licence=Licence(id="Apache-2.0", source="DPG-Bench (TencentQQGYLab/ELLA)", redistribute=True, derivatives=True),
    ),
    "parti": Set(
        columns=frozenset({"Prompt", "Category", "Challenge"}),
        draft=_parti,
        licence=Licence(
            id="Apache-2.0", source="PartiPrompts (google-research/parti)", redistribute=True, derivatives=True
        ),
    ),
    "drawbench": Set(columns=frozenset({"Prompt", "Category"}), draft=_parti),
}

KINDS = (*SETS, TABLE)
"""Names that `samples` knows."""
