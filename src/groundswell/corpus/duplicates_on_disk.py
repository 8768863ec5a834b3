"""Near-duplicates of a corpus that no memory holds: the buckets of `near_duplicates`, sharded by their names.

A corpus is cut into blocks. A block gives the names of its texts' bands; names that no two texts share are dropped;
the texts of the others travel to the shard of each name, and are compared there as they would be in one memory. Same
rules, same order, same groups. Who carries the rows from step to step is another's work.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from groundswell.corpus.near_duplicates import (
    BANDS,
    BINS,
    THRESHOLD,
    band_names,
    join,
    letters_of,
    marks_of,
    roots,
    sketch,
)
from groundswell.errors import UserError
from groundswell.files import BOM

BLOCK_BYTES = 8_000_000
"""Of a file of lines: about 50,000 prompts."""

BLOCK_ROWS = 50_000
"""Of a Parquet file."""

SHARD_BYTES = 4_000_000
"""Of the corpus, for one shard of names."""

Rows = dict[str, NDArray[Any]]

_ROW = np.int64(32)
"""Bits of a text's number that are its row in its block; those above are the block's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A piece of a file: bytes of a file of lines, or rows of a Parquet file."""

    path: Path
    start: int
    stop: int
    first: int
    """Number of its first line (from 1), or of its first row (from 0)."""
    rows: int
    size: int
    """Bytes, about."""

    @property
    def is_table(self) -> bool:
        return self.path.suffix == ".parquet"


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is searched: the blocks of a corpus and the column that holds its texts."""

    blocks: Sequence[Block]
    column: str
    threshold: float = THRESHOLD

    @property
    def shards(self) -> int:
        return max(1, sum(block.size for block in self.blocks) // SHARD_BYTES)

    def bands(self, number: int) -> Iterator[Rows]:
        """The names of every text's bands, {part: shard, name, text}. `number`: of the block."""
        rows, texts = self._texts(number)
        if not texts:
            return
        sketches = sketch(*letters_of(texts))
        for band in range(BANDS):
            names = band_names(sketches, band)
            yield {"part": self._shard(names), "name": names, "text": _numbers(number, rows)}

    def shared(self, rows: Rows) -> Rows:
        """Those of a shard's names that two texts or more have, {part: block, name, text}."""
        _, back, counts = np.unique(rows["name"], return_inverse=True, return_counts=True)
        kept = counts[back] > 1
        text = rows["text"][kept]
        return {"part": text >> _ROW, "name": rows["name"][kept], "text": text}

    def fetched(self, rows: Rows) -> Rows:
        """A block's shared names with the texts, {part: shard, name, text, marks, words}; marks and words are given
        once for a shard."""
        number = int(rows["part"][0])
        at, texts = self._texts(number)
        numbers = _numbers(number, at)
        wanted = np.isin(numbers, rows["text"])
        chosen = [text for text, is_wanted in zip(texts, wanted.tolist(), strict=True) if is_wanted]
        marks = marks_of(sketch(*letters_of(chosen)))
        shard = self._shard(rows["name"])
        order = np.lexsort((rows["text"], shard))
        shard, text = shard[order], rows["text"][order]
        first = np.ones(len(order), bool)
        first[1:] = (shard[1:] != shard[:-1]) | (text[1:] != text[:-1])
        places = np.searchsorted(numbers[wanted], text)
        return {
            "part": shard,
            "name": rows["name"][order],
            "text": text,
            "marks": _objects(marks[place].tobytes() if new else b"" for place, new in zip(places, first, strict=True)),
            "words": _objects(
                chosen[place].encode("utf-8", "surrogatepass") if new else b""
                for place, new in zip(places.tolist(), first.tolist(), strict=True)
            ),
        }

    def joined(self, rows: Rows) -> Rows:
        """The texts of a shard that are near-duplicates of an earlier one, {part: 0, text, of}."""
        carries = np.array([len(mark) > 0 for mark in rows["marks"]], bool)
        order = np.argsort(rows["text"][carries])
        numbers = rows["text"][carries][order]
        words = [each.decode("utf-8", "surrogatepass") for each in rows["words"][carries][order]]
        marks = np.frombuffer(b"".join(rows["marks"][carries][order]), np.uint8).reshape(-1, BINS)
        letters, starts = letters_of(words)
        root = np.arange(len(numbers))
        by_name = np.argsort(rows["name"])
        members = np.searchsorted(numbers, rows["text"][by_name])
        join(members, rows["name"][by_name], marks, letters, starts, self.threshold, root)
        root = roots(root)
        later = np.flatnonzero(root != np.arange(len(root)))
        return {"part": np.zeros(len(later), np.int64), "text": numbers[later], "of": numbers[root[later]]}

    def place(self, text: int) -> tuple[Path, int]:
        """The file of a text, and its line or row there."""
        block = self.blocks[text >> int(_ROW)]
        return block.path, block.first + (text & 0xFFFFFFFF)

    def _shard(self, names: NDArray[np.uint64]) -> NDArray[np.int64]:
        return (names % np.uint64(self.shards)).astype(np.int64)

    def everything(self) -> tuple[NDArray[np.int64], list[str]]:
        """All texts of the corpus in memory, (n,), and their numbers."""
        numbers: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        every: list[str] = []
        for number in range(len(self.blocks)):
            rows, texts = self._texts(number)
            numbers.append(_numbers(number, rows))
            every += texts
        return np.concatenate(numbers), every

    def _texts(self, number: int) -> tuple[NDArray[np.int64], list[str]]:
        """Rows of a block that have a text, and the texts."""
        block = self.blocks[number]
        found = list(_from_table(block, self.column) if block.is_table else _from_lines(block, self.column))
        return np.array([row for row, _ in found], np.int64), [text for _, text in found]


class Groups:
    """Joins what the shards found: 16 bytes for each text that has a near-duplicate, whatever the corpus."""

    BATCH = 4_000_000
    """Pairs kept before they are folded in."""

    def __init__(self) -> None:
        self._pairs: list[Rows] = []
        self._waiting = 0
        self.texts: NDArray[np.int64] = np.empty(0, np.int64)
        """Those that have a near-duplicate, the first of each group included, ascending."""
        self.of: NDArray[np.int64] = np.empty(0, np.int64)
        """The first text of the group of each."""

    def add(self, rows: Rows) -> None:
        """Add pairs {text, of}."""
        self._pairs.append(rows)
        self._waiting += len(rows["text"])
        if self._waiting >= self.BATCH:
            self.fold()

    def fold(self) -> None:
        """Bring `texts` and `of` up to date."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        text = np.concatenate([self.texts, *(rows["text"] for rows in self._pairs)])
        of = np.concatenate([self.of, *(rows["of"] for rows in self._pairs)])
        self._pairs, self._waiting = [], 0
        nodes = np.unique(np.concatenate((text, of)))
        edges = (np.ones(len(text), np.int8), (np.searchsorted(nodes, text), np.searchsorted(nodes, of)))
        _, group = connected_components(coo_array(edges, shape=(len(nodes), len(nodes))), directed=False)
        _, first = np.unique(group, return_index=True)  # nodes ascend, so the first of a group is its least
        self.texts, self.of = nodes, nodes[first[group]]


def blocks_of(paths: Iterable[Path]) -> list[Block]:
    """The blocks of Parquet files and of files with one JSON object a line. Raises UserError for others."""
    return [block for path in paths for block in _blocks(path)]


def _blocks(path: Path) -> Iterator[Block]:
    if path.suffix == ".parquet":
        rows = _rows_of(path)
        size = path.stat().st_size * BLOCK_ROWS // max(rows, 1)
        for start in range(0, rows, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, rows)
            yield Block(path=path, start=start, stop=stop, first=start, rows=stop - start, size=size)
    elif path.suffix in (".jsonl", ".ndjson", ".json"):
        line, start = 1, 0
        with path.open("rb") as file:
            while data := file.read(BLOCK_BYTES) + file.readline():
                rows = data.count(b"\n") + (not data.endswith(b"\n"))
                yield Block(path=path, start=start, stop=start + len(data), first=line, rows=rows, size=len(data))
                start, line = start + len(data), line + rows
    else:
        raise UserError("a corpus on disk is Parquet or JSON lines (.parquet, .jsonl)", where=path)


def _rows_of(path: Path) -> int:
    try:
        return int(pl.scan_parquet(path).select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(f"this is no Parquet file: {error}", where=path) from None


def _from_table(block: Block, column: str) -> Iterator[tuple[int, str]]:
    table = pl.scan_parquet(block.path)
    if table.collect_schema().get(column) != pl.String:
        raise UserError(f"there is no column {column} of texts; name it with --column", where=block.path)
    texts = table.select(column).slice(block.start, block.stop - block.start).collect()[column]
    return ((row, text) for row, text in enumerate(texts) if text is not None)


def _from_lines(block: Block, column: str) -> Iterator[tuple[int, str]]:
    shape = msgspec.defstruct("Row", [("text", str | None, msgspec.field(name=column))])
    decode = msgspec.json.Decoder(shape).decode
    with block.path.open("rb") as file:
        file.seek(block.start)
        data = file.read(block.stop - block.start)
    for row, line in enumerate(data.split(b"\n")):
        if not line.strip():
            continue
        try:
            text: str | None = decode(line.removeprefix(BOM)).text  # type: ignore[attr-defined]
        except (msgspec.DecodeError, RecursionError) as error:
            why = f"no text in the column {column}: {error}; name the column with --column"
            raise UserError(why, where=block.path, line=block.first + row) from None
        if text is not None:
            yield row, text


def _numbers(block: int, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return (np.int64(block) << _ROW) | rows


def _objects(values: Iterable[bytes]) -> NDArray[Any]:
    listed = list(values)
    found = np.empty(len(listed), object)
    found[:] = listed
    return found
