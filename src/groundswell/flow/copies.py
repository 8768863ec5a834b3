"""Near-duplicates among the texts of files, in this memory or on a cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from groundswell.corpus.duplicates_on_disk import Groups, Search, blocks_of
from groundswell.corpus.near_duplicates import groups
from groundswell.files import write_rows


def duplicates(
    paths: Sequence[Path], *, column: str, threshold: float, pool: str, out: Path | None = None
) -> dict[str, Any]:
    """Which texts of Parquet files or JSON lines are near-duplicates of an earlier one; the JSON object of `groundswell
    duplicates`. `out` gets a row for each.

    The pools give the same groups: `local` holds all texts in memory, `ray` none of them.
    """
    blocks = blocks_of(path.absolute() for path in paths)
    search = Search(blocks=blocks, column=column, threshold=threshold)
    found = _on_a_cluster(search) if pool == "ray" else _in_memory(search)
    copies = found.texts != found.of
    if out is not None:
        write_rows(out, _rows(search, found.texts[copies].tolist(), found.of[copies].tolist()))
    return {
        "files": len(paths),
        "rows": sum(block.rows for block in search.blocks),
        "near_duplicates": int(copies.sum()),
        "groups": len(np.unique(found.of)),
        "threshold": threshold,
        "out": None if out is None else str(out),
    }


def _in_memory(search: Search) -> Groups:
    numbers, texts = search.everything()
    first = groups(texts, search.threshold)
    found = Groups()
    copies = first != np.arange(len(first))
    found.add({"text": numbers[copies], "of": numbers[first[copies]]})
    found.fold()
    return found


def _on_a_cluster(search: Search) -> Groups:
    from groundswell.work.ray_data import exchanged

    found, blocks = Groups(), range(len(search.blocks))
    for rows in exchanged(blocks, search.bands, [search.shared, search.fetched, search.joined]):
        if len(rows["part"]):
            found.add(rows)
    found.fold()
    return found


def _rows(search: Search, texts: Sequence[int], of: Sequence[int]) -> Iterator[dict[str, Any]]:
    for text, first in zip(texts, of, strict=True):
        (path, row), (of_path, of_row) = search.place(text), search.place(first)
        yield {"file": str(path), "row": row, "of_file": str(of_path), "of_row": of_row}
