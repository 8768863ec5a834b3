"""Export files to posts: what each file is, what stands in it, and what all of them hold together.

Posts that occur more than once are merged: of several sightings of one version the fullest is kept, whatever the order
of the files. Nothing is dropped in silence: what is no post is counted by name in the report. It does not fetch.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import msgspec

from groundswell import plugins
from groundswell.errors import UserError
from groundswell.ingest.formats import FORMATS, Format, format_of, what_it_is
from groundswell.ingest.rows import Foreign, Piece, Torn, pieces
from groundswell.ingest.sightings import UNCOUNTED, Keep, Scribe, Sighting
from groundswell.ports import Source
from groundswell.records import Json, Post, PostState

GLANCE = 100
"""Values that are looked into for the server that gave them."""

_Name = tuple[str, str]
"""Platform and id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detected:
    """What a file is: a format's name, or why it is none."""

    format: str | None
    what: str


OF_THE_POST = ("posts", "replies", "quotes", "retweets", "gone", "blocked")
"""What is counted by the name of the post itself; the rest is counted by other names."""


def marks(sighting: Sighting) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a sighting adds to the counts: which count, and the name under which it is counted once."""
    post = sighting.post
    name = (post.platform, post.id)
    if post.state is PostState.BLOCKED:
        yield "blocked", name
    if sighting.gone or (sighting.stub and post.state is PostState.DELETED):
        yield "gone", name
    if sighting.stub:
        return
    yield "posts", name
    if post.reply_to is not None:
        yield "replies", name
        yield "parents", (post.platform, post.reply_to)
    if post.quote_of is not None:
        yield "quotes", name
    if sighting.repost:
        yield "retweets", name
    if post.author is not None:
        yield "authors", (post.author,)
    for place, shown in enumerate(post.pictures):
        same = (shown.url,) if shown.url else (post.platform, post.id, str(place))
        if shown.missing is not None:
            yield "pictures_missing", same
        if shown.missing not in UNCOUNTED and (shown.media == "picture" or post.platform == "reddit"):
            yield "pictures", same


class Tally:
    """Counts over distinct posts, as in the report (DESIGN, section 7)."""

    def __init__(self) -> None:
        self.seen = 0
        self._marked: dict[str, set[Hashable]] = defaultdict(set)

    def add(self, sighting: Sighting) -> None:
        """Count one sighting."""
        self.seen += not sighting.stub
        for count, name in marks(sighting):
            self._marked[count].add(name)

    def mark(self, count: str, name: Hashable) -> None:
        """Count one name."""
        self._marked[count].add(name)

    def counts(self) -> dict[str, int]:
        """The numbers, by the names of the report."""
        of = {name: len(members) for name, members in self._marked.items()}
        return {
            "posts": of.get("posts", 0),
            "replies": of.get("replies", 0),
            "missing_parents": len(self._marked["parents"] - self._marked["posts"]),
            "pictures": of.get("pictures", 0),
            "pictures_missing": of.get("pictures_missing", 0),
            "quotes": of.get("quotes", 0),
            "retweets": of.get("retweets", 0),
            "duplicates": self.seen - of.get("posts", 0),
            "seen": self.seen,
            "deleted": of.get("gone", 0),
            "blocked": of.get("blocked", 0),
            "authors": of.get("authors", 0),
        }


class Counted:
    """Counts that were made elsewhere, in several parts."""

    def __init__(self) -> None:
        self._sum: Counter[str] = Counter()

    def add(self, counts: Mapping[str, int]) -> None:
        """Add the counts of one part."""
        self._sum.update(counts)

    def counts(self) -> dict[str, int]:
        """The numbers, by the names of the report."""
        return {name: self._sum[name] for name in Tally().counts()}


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
    tally: Tally | Counted = field(default_factory=Tally)

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
    tally: Tally | Counted
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
    files: list[FileReport] = []
    _format(format), _salt(salt)  # said before the first file is opened

    def everything() -> Iterator[Sighting]:
        for path in files_of(paths):
            report, found = sightings_of(path, format, salt=salt, keep=keep)
            tally = report.tally = Tally()
            for sighting in found:
                tally.add(sighting)
                yield sighting
            files.append(report)

    result = merge(everything())
    return finished(result, files)


def finished(result: IngestResult, files: list[FileReport]) -> IngestResult:
    """The result with its files. Posts share an id only where one was rounded: else they are versions of one post."""
    result.files = files
    if not any(file.notes["unsafe_ids"] for file in files):
        result.shared_ids = 0
    return result


def sightings_of(
    path: Path, format: str = "auto", *, salt: str | bytes, keep: Keep | None = None
) -> tuple[FileReport, Iterator[Sighting]]:
    """The sightings of one file, and its report (without counts), which is complete when they are at their end.

    `format` may name an installed `Source`, too.
    """
    report = FileReport(path=path)
    scribe = Scribe(salt=_salt(salt), folder=path.parent, keep=keep)
    form = _format(format)
    if form is None or isinstance(form, Format):
        return report, _sightings(report, scribe, form)
    return report, _told(report, scribe, form)


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
    report, found = sightings_of(path, format, salt=salt, keep=keep)
    yield from (sighting.post for sighting in found if not sighting.stub)
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
        if not path.is_dir() and not path.is_file():
            raise UserError("this is a pipe or a device; write it to a file first", where=path)
        inside = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
        for each in inside:
            found.setdefault(each.resolve(), each)
    return list(found.values())


def _format(name: str) -> Format | Source | None:
    """A format that is known here, or a source that is installed; None = each value decides.

    Raises UserError for an unknown name, and for a source that reads no files.
    """
    if name == "auto" or name in FORMATS:
        return FORMATS.get(name)
    if name not in plugins.names("source"):
        raise UserError(f"unknown format {name!r}; known are auto, {', '.join(FORMATS)}")
    made = plugins.load("source", name)()
    if not hasattr(made, "posts"):
        raise UserError(
            f"{name} is a live platform: use groundswell collect {name}; its pages in files are {made.format}"
        )
    source: Source = made
    return source


def _told(report: FileReport, scribe: Scribe, source: Source) -> Iterator[Sighting]:
    """The posts that an installed source finds in a file. It names authors as they are; here they become hashes, and
    private contacts in texts are masked."""
    try:
        for post in source.posts(report.path):
            report.format = source.name
            yield Sighting(
                post=msgspec.structs.replace(
                    post,
                    author=scribe.author(post.platform, post.author),
                    text=scribe.words(post.text),
                    title=scribe.words(post.title) or None,
                )
            )
    except UserError as error:
        report.what, report.not_posts = error.message, True


def _salt(salt: str | bytes) -> bytes:
    if not salt:
        raise UserError("the salt for authors' hashes is empty; `groundswell init` writes one into the workspace")
    return salt.encode() if isinstance(salt, str) else salt


def _sightings(report: FileReport, scribe: Scribe, forced: Format | None) -> Iterator[Sighting]:
    """The sightings of one file; the report is filled on the way."""
    formats: Counter[str] = Counter()
    likely = forced
    try:
        for piece in _looked_into(pieces(report.path), scribe):
            found = _owner(piece, report, likely, forced)
            if found is not None:
                likely = found
                formats[found.name] += 1
                yield from found.read(piece.value, scribe)
    except Foreign as error:
        report.what, report.not_posts = str(error), not formats
    report.format = formats.most_common(1)[0][0] if formats else None
    report.notes = +scribe.notes
    report.notes.update(+Counter(unsafe_ids=scribe.unsafe_ids))
    if report.format is None and report.what is None:
        report.not_posts = bool(report.others)
        report.what = _nothing(report)


def _looked_into(stream: Iterator[Piece], scribe: Scribe) -> Iterator[Piece]:
    """The pieces themselves. Before a file's first post is read, it is known which server gave it: the first pieces are
    looked into where the platform's ids are a server's own."""
    ahead: list[Piece] = []
    try:
        for piece in islice(stream, GLANCE):
            ahead.append(piece)
            if isinstance(piece.value, Torn) or (found := format_of(piece.value, assigned=piece.assigned)) is None:
                continue
            if found.instance_of is not None:
                scribe.instance = found.instance_of(piece.value)
            if found.instance_of is None or scribe.instance is not None:
                break
    except Foreign:
        yield from ahead
        raise
    yield from ahead
    yield from stream


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
