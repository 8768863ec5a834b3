"""Export files to posts: what each file is, what stands in it, and what all of them hold together.

Posts that occur more than once are merged: of several sightings of one version the fullest is kept, whatever the order
of the files. Nothing is dropped in silence: what is no post is counted by name in the report. It does not fetch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from groundswell.errors import UserError
from groundswell.ingest.formats import FORMATS, Format, format_of, what_it_is
from groundswell.ingest.rows import Foreign, Piece, Torn, pieces
from groundswell.ingest.sightings import UNCOUNTED, Keep, Scribe, Sighting
from groundswell.records import Json, Post, PostState

_Name = tuple[str, str]
"""Platform and id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """What a file is: a format's name, or why it is none."""

    format: str | None
    what: str


@dataclass(slots=True)
class Tally:
    """Counts over distinct posts, as in the report (DESIGN, section 7)."""

    seen: int = 0
    posts: set[_Name] = field(default_factory=set)
    replies: set[_Name] = field(default_factory=set)
    parents: set[_Name] = field(default_factory=set)
    quotes: set[_Name] = field(default_factory=set)
    retweets: set[_Name] = field(default_factory=set)
    gone: set[_Name] = field(default_factory=set)
    blocked: set[_Name] = field(default_factory=set)
    pictures: set[tuple[str, ...]] = field(default_factory=set)
    missing_pictures: set[tuple[str, ...]] = field(default_factory=set)
    authors: set[str] = field(default_factory=set)

    def add(self, sighting: Sighting) -> None:
        """Count one sighting."""
        post = sighting.post
        name = (post.platform, post.id)
        if post.state is PostState.BLOCKED:
            self.blocked.add(name)
        if sighting.gone or (sighting.stub and post.state is PostState.DELETED):
            self.gone.add(name)
        if sighting.stub:
            return
        self.seen += 1
        self.posts.add(name)
        if post.reply_to is not None:
            self.replies.add(name)
            self.parents.add((post.platform, post.reply_to))
        if post.quote_of is not None:
            self.quotes.add(name)
        if sighting.repost:
            self.retweets.add(name)
        if post.author is not None:
            self.authors.add(post.author)
        self._count_pictures(post)

    def _count_pictures(self, post: Post) -> None:
        for place, shown in enumerate(post.pictures):
            same = (shown.url,) if shown.url else (post.platform, post.id, str(place))
            if shown.missing is not None:
                self.missing_pictures.add(same)
            if shown.missing not in UNCOUNTED and (shown.media == "picture" or post.platform == "reddit"):
                self.pictures.add(same)

    def counts(self) -> dict[str, int]:
        """The numbers, by the names of the report."""
        return {
            "posts": len(self.posts),
            "replies": len(self.replies),
            "missing_parents": len(self.parents - self.posts),
            "pictures": len(self.pictures),
            "pictures_missing": len(self.missing_pictures),
            "quotes": len(self.quotes),
            "retweets": len(self.retweets),
            "duplicates": self.seen - len(self.posts),
            "seen": self.seen,
            "deleted": len(self.gone),
            "blocked": len(self.blocked),
            "authors": len(self.authors),
        }


@dataclass(slots=True, kw_only=True)
class FileReport:
    """What one file held."""

    path: Path
    format: str | None = None
    what: str | None = None
    """Why there is nothing to read, where there is nothing."""
    not_posts: bool = False
    """The file is of a kind that holds no posts, and was refused."""
    bad_lines: list[int] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)
    """Values between the posts that are none, by what they are."""
    notes: Counter[str] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)

    def report(self) -> dict[str, Json]:
        """The row of this file."""
        row: dict[str, Json] = {"path": str(self.path), "format": self.format, **self.tally.counts()}
        row |= {"bad_lines": len(self.bad_lines), "not_posts": self.not_posts, **self.notes}
        if self.bad_lines:
            row["bad_line_numbers"] = self.bad_lines[:20]
        if self.what is not None:
            row["what"] = self.what
        if self.others:
            row["unread"] = dict(self.others)
        return row


@dataclass(slots=True, kw_only=True)
class IngestResult:
    """What a set of files holds together."""

    posts: list[Post]
    """Every version of every post once, in the order first seen."""
    tombstones: list[Post]
    """Posts that a platform names as deleted or blocked, and that no file carries."""
    files: list[FileReport]
    tally: Tally
    shared_ids: int = 0
    """Posts whose id, known only as a rounded number, also belongs to a post with another text."""

    def report(self) -> dict[str, Json]:
        """The JSON object of `groundswell ingest`. `missing_parents` and all other counts are after merging."""
        return {
            **self.tally.counts(),
            "bad_lines": sum(len(file.bad_lines) for file in self.files),
            "not_posts": sum(file.not_posts for file in self.files),
            "rounded_ids": sum(file.notes["rounded_ids"] for file in self.files),
            "unsafe_ids": sum(file.notes["unsafe_ids"] for file in self.files),
            "shared_ids": self.shared_ids,
            "files": [file.report() for file in self.files],
        }


def detect(path: Path) -> Detected:
    """What a file is, told by its content. Raises UserError where it cannot be opened."""
    what = "an empty file"
    try:
        for piece in pieces(path):
            if isinstance(piece.value, Torn):
                what = f"broken JSON ({piece.value.why})"
                continue
            if (found := format_of(piece.value, assigned=piece.assigned)) is not None:
                return Detected(format=found.name, what=found.name)
            what = what_it_is(piece.value, piece.assigned)
    except Foreign as error:
        what = str(error)
    return Detected(format=None, what=what)


def read_files(
    paths: Iterable[Path | str], *, format: str = "auto", salt: str | bytes, keep: Keep | None = None
) -> IngestResult:
    """Read exports and merge what they hold. Folders are read through, each file once.

    `format` names one of `FORMATS`, or lets each value decide. `salt` makes the authors' hashes the workspace's own.
    `keep` stores the bytes of pictures that lie beside an export. Raises UserError for a path that is not there, an
    unknown format, or an empty salt; a file without posts is refused in the report.
    """
    forced = _format(format)
    files: list[FileReport] = []

    def everything() -> Iterator[Sighting]:
        for path in files_of(paths):
            report = FileReport(path=path)
            scribe = Scribe(salt=_salt(salt), folder=path.parent, keep=keep)
            for sighting in _sightings(report, scribe, forced):
                report.tally.add(sighting)
                yield sighting
            files.append(report)

    result = merge(everything())
    result.files = files
    if not any(file.notes["unsafe_ids"] for file in files):
        result.shared_ids = 0
    return result


def merge(sightings: Iterable[Sighting]) -> IngestResult:
    """What sightings hold together, wherever they come from; `files` of the result is empty."""
    total, merged = Tally(), _Merged()
    stubs: dict[_Name, Post] = {}
    for sighting in sightings:
        total.add(sighting)
        if sighting.stub:
            stone = sighting.post
            name = (stone.platform, stone.id)
            stubs[name] = max(stubs.get(name, stone), stone, key=_fullness_of_stub)
        else:
            merged.add(sighting)
    carried = {(post.platform, post.id) for post in merged.posts()}
    return IngestResult(
        posts=merged.posts(),
        tombstones=[post for name, post in stubs.items() if name not in carried],
        files=[],
        tally=total,
        shared_ids=len(merged.shared),
    )


def stream(path: Path, *, format: str = "auto", salt: str | bytes, keep: Keep | None = None) -> Iterator[Post]:
    """The posts of one file in its order, repeats included, with memory for one value at a time.

    Raises UserError where the file holds no posts.
    """
    report = FileReport(path=path)
    scribe = Scribe(salt=_salt(salt), folder=path.parent, keep=keep)
    yield from (sighting.post for sighting in _sightings(report, scribe, _format(format)) if not sighting.stub)
    if report.format is None:
        raise UserError(f"holds no posts: it is {report.what}", where=path)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """A `Source` of the files of one format."""

    name: str
    salt: str | bytes

    def posts(self, where: Path) -> Iterator[Post]:
        """Posts in the order of the file. Raises UserError when it holds none."""
        return stream(where, format=self.name, salt=self.salt)


def files_of(paths: Iterable[Path | str]) -> list[Path]:
    """The files that the paths name, folders read through in the order of names, each file once.

    Raises UserError for a path that is not there.
    """
    found: dict[Path, Path] = {}
    for path in map(Path, paths):
        if not path.exists():
            raise UserError("no such file; check the path", where=path)
        inside = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        for each in inside:
            found.setdefault(each.resolve(), each)
    return list(found.values())


def _format(name: str) -> Format | None:
    if name != "auto" and name not in FORMATS:
        raise UserError(f"unknown format {name!r}; known are auto, {', '.join(FORMATS)}")
    return FORMATS.get(name)


def _salt(salt: str | bytes) -> bytes:
    if not salt:
        raise UserError("the salt for authors' hashes is empty; `groundswell init` writes one into the workspace")
    return salt.encode() if isinstance(salt, str) else salt


def _sightings(report: FileReport, scribe: Scribe, forced: Format | None) -> Iterator[Sighting]:
    """The sightings of one file; the report is filled on the way."""
    formats: Counter[str] = Counter()
    likely = forced
    try:
        for piece in pieces(report.path):
            found = _owner(piece, report, likely, forced)
            if found is not None:
                likely = found
                formats[found.name] += 1
                yield from found.read(piece.value, scribe)
    except Foreign as error:
        report.what, report.not_posts = str(error), True
    report.format = formats.most_common(1)[0][0] if formats else None
    report.notes = +scribe.notes
    report.notes.update(+Counter(unsafe_ids=scribe.unsafe_ids))
    if report.format is None and report.what is None:
        report.not_posts = bool(report.others)
        report.what = _nothing(report)


def _owner(piece: Piece, report: FileReport, likely: Format | None, forced: Format | None) -> Format | None:
    if isinstance(piece.value, Torn):
        report.bad_lines.append(piece.line)
        return None
    found = forced if forced is not None and forced.owns(piece.value) else None
    if forced is None:
        found = format_of(piece.value, likely=likely, assigned=piece.assigned)
    if found is None:
        report.others[what_it_is(piece.value, piece.assigned)] += 1
    return found


def _nothing(report: FileReport) -> str:
    if report.others:
        return report.others.most_common(1)[0][0]
    return f"broken JSON, from line {report.bad_lines[0]} on" if report.bad_lines else "an empty file"


class _Merged:
    """Versions of posts, the fullest sighting of each."""

    def __init__(self) -> None:
        self._best: dict[tuple[str, str, int], Sighting] = {}
        self.shared: set[_Name] = set()

    def add(self, sighting: Sighting) -> None:
        post = sighting.post
        name = (post.platform, post.id, post.revision)
        best = self._best.get(name)
        if best is None:
            self._best[name] = sighting
        elif best != sighting:
            if best.post.text != post.text:
                self.shared.add(name[:2])
            self._best[name] = max(best, sighting, key=_fullness)

    def posts(self) -> list[Post]:
        return [sighting.post for sighting in self._best.values()]


def fuller(one: Post, other: Post) -> Post:
    """Of two sightings of one version of a post the one that is kept, as when files are merged."""
    return max(one, other, key=lambda post: _fullness(Sighting(post=post)))


def _fullness_of_stub(stone: Post) -> tuple[bool, bytes]:
    return stone.reply_to is not None, msgspec.json.encode(stone)


def _fullness(sighting: Sighting) -> tuple[object, ...]:
    """Order of sightings of one version: a deletion is believed, then what says more; at last the bytes decide."""
    post = sighting.post
    pictures: Sequence[object] = [shown for shown in post.pictures if shown.missing is None]
    named = (post.author, post.time, post.reply_to, post.root, post.quote_of, post.language, post.url, post.title)
    return (
        sighting.gone,
        post.state is PostState.DELETED,
        len(pictures),
        len(post.text),
        sum(value is not None for value in named),
        sum(post.engagement.values()),
        msgspec.json.encode(post),
    )
