"""Reading exports in many places at once: what one file gives, and what a part of all posts holds together.

Every sighting goes to the part that its post's name falls into, and so does every name that is counted once (parents,
pictures, authors): a part can be merged and counted alone, and the counts of all parts add up to those of one reading.
It knows no cluster: who carries the rows from `Reading.rows` to `joined` is another's work.
"""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from groundswell.ingest.reading import (
    OF_THE_POST,
    Counted,
    FileReport,
    IngestResult,
    Tally,
    finished,
    marks,
    merge,
    sightings_of,
)
from groundswell.ingest.sightings import Keep, Sighting
from groundswell.records import Post

BATCH = 2_000
"""Sightings that are sent on together."""

PART_BYTES = 16_000_000
"""Of export files for one part."""

PACKED = (".gz", ".zst")
"""Endings of files that hold about ten times their size."""

EVERYTHING = -1
"""Stands in place of a file's number with counts over all files."""

Rows = dict[str, NDArray[Any]]


class Kind(IntEnum):
    """What a row holds; `MARK` and what follows are names to be counted, in the order of `ELSEWHERE`."""

    SIGHTING = 0
    REPORT = 1
    POST = 2
    TOMBSTONE = 3
    COUNTS = 4
    SHARED = 5
    MARK = 6


ELSEWHERE = ("parents", "pictures", "pictures_missing", "authors")
"""What is counted under other names than the post's own."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Sighting).decode
_post = msgspec.msgpack.Decoder(Post).decode
_counts = msgspec.msgpack.Decoder(dict[str, int]).decode


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How files are read; it can be pickled where `keep` can."""

    salt: bytes
    parts: int
    format: str = "auto"
    keep: Keep | None = None

    def rows(self, source: tuple[int, Path]) -> Iterator[Rows]:
        """The rows of one file, told by its number. Raises UserError where it cannot be opened."""
        number, path = source
        rows = _Rows()
        report, found = sightings_of(path, self.format, salt=self.salt, keep=self.keep)
        for count, sighting in enumerate(found, 1):
            self._add(rows, number, sighting)
            if count % BATCH == 0:
                yield rows.taken()
        rows.add(0, number, Kind.REPORT, pickle.dumps(report))
        yield rows.taken()

    def _add(self, rows: _Rows, number: int, sighting: Sighting) -> None:
        post = sighting.post
        rows.add(self._part(_encode((post.platform, post.id))), number, Kind.SIGHTING, _encode(sighting))
        for count, name in marks(sighting):
            if count in ELSEWHERE:
                told = _encode(name)
                rows.add(self._part(told), number, Kind.MARK + ELSEWHERE.index(count), told)

    def _part(self, name: bytes) -> int:
        return crc32(name) % self.parts


def parts_for(files: Sequence[Path]) -> int:
    """How many parts the posts of these files make, so that each fits into memory."""
    size = sum(path.stat().st_size * (10 if path.suffix in PACKED else 1) for path in files)
    return max(1, -(-size // PART_BYTES))


def joined(rows: Rows) -> Rows:
    """The posts of one part, each version once, and the part's counts, by file and over all files."""
    total, by_file = Tally(), defaultdict[int, Tally](Tally)
    made = _Rows()

    def sightings() -> Iterator[Sighting]:
        for file, kind, body in zip(rows["file"].tolist(), rows["kind"].tolist(), rows["body"], strict=True):
            if kind == Kind.SIGHTING:
                sighting = _decode(body)
                for tally in (total, by_file[file]):
                    tally.seen += not sighting.stub
                    for count, name in marks(sighting):
                        if count in OF_THE_POST:
                            tally.mark(count, _encode(name))
                yield sighting
            elif kind >= Kind.MARK:
                for tally in (total, by_file[file]):
                    tally.mark(ELSEWHERE[kind - Kind.MARK], body)
            else:
                made.add(0, file, kind, body)

    result = merge(sightings())
    for kind, posts in ((Kind.POST, result.posts), (Kind.TOMBSTONE, result.tombstones)):
        for post in posts:
            made.add(0, EVERYTHING, kind, _encode(post))
    for file, tally in [*by_file.items(), (EVERYTHING, total)]:
        made.add(0, file, Kind.COUNTS, _encode(tally.counts()))
    made.add(0, EVERYTHING, Kind.SHARED, _encode({"shared": result.shared_ids}))
    return made.taken()


class Gathering:
    """The results of all parts as they come: posts to be kept, and the report of it all."""

    def __init__(self) -> None:
        self._files: dict[int, FileReport] = {}
        self._counted: defaultdict[int, Counted] = defaultdict(Counted)
        self._shared = 0

    def take(self, rows: Rows) -> IngestResult:
        """The posts and tombstones of some rows."""
        posts: list[Post] = []
        tombstones: list[Post] = []
        for file, kind, body in zip(rows["file"].tolist(), rows["kind"].tolist(), rows["body"], strict=True):
            match Kind(kind):
                case Kind.POST:
                    posts.append(_post(body))
                case Kind.TOMBSTONE:
                    tombstones.append(_post(body))
                case Kind.COUNTS:
                    self._counted[file].add(_counts(body))
                case Kind.SHARED:
                    self._shared += _counts(body)["shared"]
                case Kind.REPORT:
                    self._files[file] = pickle.loads(body)
        return IngestResult(posts=posts, tombstones=tombstones, files=[], tally=Counted())

    def report(self, paths: Sequence[Path]) -> dict[str, Any]:
        """The JSON object of `groundswell ingest`, the same as of one reading. `paths`: the files by number, as the
        person named them."""
        files = []
        for number, path in enumerate(paths):
            file = self._files[number]
            file.path, file.tally = path, self._counted[number]
            files.append(file)
        whole = IngestResult(
            posts=[], tombstones=[], files=[], tally=self._counted[EVERYTHING], shared_ids=self._shared
        )
        return finished(whole, files).report()


class _Rows:
    """Rows under way."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, bytes]] = []

    def add(self, part: int, file: int, kind: int, body: bytes) -> None:
        self._rows.append((part, file, kind, body))

    def taken(self) -> Rows:
        """What was added since the last time."""
        part, file, kind, body = zip(*self._rows, strict=True) if self._rows else ((), (), (), ())
        self._rows.clear()
        bodies = np.empty(len(body), object)
        bodies[:] = body
        numbers = {
            name: np.array(column, np.int32) for name, column in (("part", part), ("file", file), ("kind", kind))
        }
        return {**numbers, "body": bodies}
