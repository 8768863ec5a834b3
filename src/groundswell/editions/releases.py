"""A release: an edition as a folder that anybody can load, check and cite.

    README.md          the data card; its head makes `datasets.load_dataset(FOLDER)` find the samples
    samples.parquet    one row a sample
    pictures/          inputs that may be passed on, named by their digest
    edition.json       the edition, sources, yields, what was withdrawn
    checksums.txt      sha256 of every other file

What may not be redistributed stands there as digest and pointer only, and an unknown licence counts as no. A release is
written from the store as it is: what was withdrawn since is not in it, and is listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from groundswell.errors import UserError
from groundswell.files import write_bytes, write_text
from groundswell.records import Edition, Picture, Sample

METHODS_VERSION = "2026-11"
SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/webp": "webp", "image/gif": "gif", "image/avif": "avif"}


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """What a release is made of. `pointers` are the addresses of posts by key; `withdrawn` are the samples of this
    edition and of those before it that are gone, by key the labels of the editions that held them."""

    edition: Edition
    samples: Sequence[Sample]
    pointers: Mapping[str, str]
    withdrawn: Mapping[str, Sequence[str]] = msgspec.field(default_factory=dict)
    yields: Mapping[str, int] = msgspec.field(default_factory=dict)


def write(material: Material, out: Path, load: Callable[[str], bytes]) -> dict[str, Any]:
    """Write the folder and give what `--json` prints; pictures of an earlier release in it that are no part of this one
    are removed. Raises UserError when something else is there already."""
    import polars as pl

    if out.exists() and any(out.iterdir()) and not (out / "edition.json").exists():
        raise UserError("this folder holds something else; name an empty one", where=out)
    rows = [_row(sample, material) for sample in material.samples]
    shown = [picture for sample in material.samples for picture in sample.inputs]
    free = {_name(picture): picture for picture in shown if may_pass_on(picture)}
    held_back = sum(not may_pass_on(picture) for picture in shown)
    for name, picture in free.items():
        write_bytes(out / "pictures" / name, load(picture.digest))
    for path in (out / "pictures").glob("*"):
        if path.name not in free:
            path.unlink()
    out.mkdir(parents=True, exist_ok=True)
    kinds: dict[str, Any] = {"inclusion": pl.Float64, **dict.fromkeys(LISTS, pl.List(pl.String))}
    schema = {name: kinds.get(name, pl.String) for name in COLUMNS}
    pl.DataFrame(rows, schema=schema, orient="row").write_parquet(out / "samples.parquet")
    facts = _facts(material, held_back)
    write_bytes(out / "edition.json", msgspec.json.format(msgspec.json.encode(facts), indent=2))
    write_text(out / "README.md", card(facts))
    written = sorted(path for path in out.rglob("*") if path.is_file() and path.name != "checksums.txt")
    sums = [f"{sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out).as_posix()}" for path in written]
    write_text(out / "checksums.txt", "\n".join(sums) + "\n")
    return {**facts, "folder": str(out), "files": len(written) + 1}


def may_pass_on(picture: Picture) -> bool:
    """Whether a picture's bytes may stand in a release."""
    return picture.licence is not None and picture.licence.redistribute


def _name(picture: Picture) -> str:
    return f"{picture.digest}.{SUFFIXES.get(picture.media_type, 'bin')}"


COLUMNS = (
    *("key", "suite", "label", "task", "prompts", "inputs", "input_files", "tags", "checks", "reference", "context"),
    *("licence", "origins", "about", "inclusion"),
)
LISTS = ("input_files", "origins")


def _row(sample: Sample, material: Material) -> list[Any]:
    """A sample as a row; what has a shape of its own is JSON text, so that every reader of Parquet can have it."""

    def text(value: object) -> str:
        return msgspec.json.encode(value).decode()

    inclusion = (material.edition.inclusion or {}).get(sample.key)
    return [
        sample.key,
        sample.suite,
        sample.label,
        sample.task,
        text(sample.prompts),
        text(sample.inputs),
        [f"pictures/{_name(picture)}" for picture in sample.inputs if may_pass_on(picture)],
        text(sample.tags),
        text(sample.checks),
        sample.reference,
        sample.context,
        text(sample.licence),
        [material.pointers[key] for key in sample.origins if key in material.pointers],
        sample.about,
        inclusion,
    ]


def _facts(material: Material, held_back: int) -> dict[str, Any]:
    edition, samples = material.edition, material.samples
    pictures = [picture for sample in samples for picture in sample.inputs]
    licences = Counter(picture.licence.id if picture.licence else "unknown" for picture in pictures)
    return {
        "suite": edition.suite,
        "label": edition.label,
        "edition": edition.key,
        "methods": METHODS_VERSION,
        "samples": len(samples),
        "tasks": Counter(sample.task for sample in samples),
        "languages": list(edition.languages),
        "pictures": len(pictures),
        "held_back": held_back,
        "licences": licences,
        "sources": sorted({str(picture.licence.source) for picture in pictures if picture.licence}),
        "drawn": edition.inclusion is not None and any(p < 1 for p in edition.inclusion.values()),
        "yields": dict(material.yields),
        "withdrawn": {key: list(labels) for key, labels in material.withdrawn.items()},
        "withdrawn_count": len(material.withdrawn),
        "order": list(edition.samples),
    }


def card(facts: Mapping[str, Any]) -> str:
    """The data card, with the head that dataset loaders read."""
    drawn = (
        "A stratified draw over the cells of the taxonomy; `inclusion` is each sample's probability of being drawn."
        if facts["drawn"]
        else "Every runnable sample."
    )
    licences = "\n".join(f"| {name} | {count} |" for name, count in sorted(facts["licences"].items()))
    yields = "\n".join(f"* {name}: {count}" for name, count in facts["yields"].items()) or "* not recorded"
    withdrawn = "\n".join(f"* `{key}`, of {', '.join(labels)}" for key, labels in facts["withdrawn"].items()) or "none"
    sources = "\n".join(f"* {source}" for source in facts["sources"]) or "* none named"
    return f"""---
configs:
- config_name: default
  data_files:
  - split: test
    path: samples.parquet
language: [{", ".join(facts["languages"])}]
---

# {facts["suite"]} {facts["label"]}

{facts["samples"]} samples ({", ".join(f"{count} {task}" for task, count in facts["tasks"].items())}), edition \
`{facts["edition"]}`, methods {facts["methods"]}. {drawn}

```python
from datasets import load_dataset
samples = load_dataset("FOLDER", split="test")
```

`prompts`, `inputs`, `tags`, `checks` and `licence` hold JSON. `input_files` names the pictures that are here;
{facts["held_back"]} of {facts["pictures"]} pictures may not be passed on: they stand in `inputs` by digest and source
only. `origins` points to the posts that a sample was made of. sha256 sums of all files: `checksums.txt`.

## Licences of the pictures

| licence | pictures |
|---|---|
{licences or "| none | 0 |"}

## Sources

{sources}

## Yields

{yields}

## Withdrawn: {facts["withdrawn_count"]}

Samples of this edition, or of one before it, that were removed at the wish of somebody whose post they were made of.
Whoever holds an older copy is asked to remove them, too.

{withdrawn}
"""
