"""From the bytes of an export to its JSON values: one document, one value a line, or values one after the other.

Handles a byte order mark, UTF-16, CRLF, U+2028 inside a line, blank lines, gzip and Zstandard, the assignment at the
head of X's archive files, lone surrogates, and nesting of any depth. A value that cannot be read is given as a `Torn`,
never raised. Files with one value a line are streamed. It does not know what the values mean.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from json.decoder import scanstring  # type: ignore[attr-defined]
from pathlib import Path
from typing import Any, BinaryIO, cast

import msgspec
import zstandard

from groundswell.errors import UserError
from groundswell.records import Json

_BOM = b"\xef\xbb\xbf"
_HEAD = 1 << 16
_GLANCE = 20
"""Lines looked at to tell lines with a torn first one from a torn document."""
_ASSIGNMENT = re.compile(rb"\s*([A-Za-z_$]\w*\.[\w.$]*)\s*=(?=\s*(?:[\[{]|$))")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_YAML = re.compile(r"\s*(?:- )?[\w ]+:(?:\s|$)|\s*- |#")
_SPACE = re.compile(r"[ \t\r\n]*")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u(?P<half>[dD][89a-fA-F][\da-fA-F]{2})|.)", re.DOTALL
)
_WORDS = {"true": True, "false": False, "null": None}
_BINARY = (
    (b"PK\x03\x04", "a ZIP archive: unpack it first"),
    (b"BZh", "bzip2-compressed: unpack it first"),
    (b"\xfd7zXZ", "xz-compressed: unpack it first"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"RIFF", "a picture or sound"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF document"),
    (b"SQLite format 3", "an SQLite database"),
    (b"PAR1", "a Parquet table"),
)

_WIDE = (
    ((b"\xff\xfe\0\0", b"\0\0\xfe\xff"), "utf-32"),
    ((b"\xff\xfe", b"\xfe\xff"), "utf-16"),
    ((b"{\0", b"[\0"), "utf-16-le"),
    ((b"\0{", b"\0["), "utf-16-be"),
)
"""How texts in wider letters begin, with a mark or without."""
_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_WINDOW = 2**31
"""Bytes that a Zstandard file may refer back to: large dumps are packed with a window of this size."""
_FREE = 1 << 26
"""Bytes that any compressed file may unpack to."""
_MOST_RATIO = 200
"""Beyond them it is a bomb if it unpacks to so many times its own size; posts pack ten to fifty times."""

_strict = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True)
class Torn:
    """A piece of the file that is not JSON."""

    why: str


@dataclass(frozen=True, slots=True)
class Piece:
    """One value of a file, with the line it starts on and, in X's archives, the name it is assigned to."""

    line: int
    value: Json | Torn
    assigned: str | None = None


class Foreign(Exception):
    """The bytes are of another kind altogether; the text says which."""


def pieces(path: Path) -> Iterator[Piece]:
    """The values of a file in order. Raises UserError where it cannot be opened, Foreign where it is no JSON at all."""
    line = 0
    try:
        with path.open("rb") as raw:
            for piece in _values(_unpacked(raw)):
                line = piece.line
                yield piece
    except (EOFError, zlib.error, zstandard.ZstdError, gzip.BadGzipFile) as error:
        why = f"a damaged compressed file: {error}"
        if not line:
            raise Foreign(why) from error
        yield Piece(line + 1, Torn(why))
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror or error}", where=path) from error


def decode(data: bytes) -> Json:
    """One JSON value of any depth from bytes. Raises ValueError where there is none, or more than one."""
    try:
        return _strict.decode(data)
    except msgspec.DecodeError:
        text = _sound(data)
    except RecursionError:
        return _deep(_sound(data))
    try:
        return json.loads(text)
    except RecursionError:
        return _deep(text)


def _sound(data: bytes) -> str:
    """Text that can be written again: wrong bytes and escaped halves of surrogate pairs become U+FFFD."""
    return _ESCAPE.sub(lambda match: r"\ufffd" if match["half"] else match[0], data.decode("utf-8", "replace"))


def _unpacked(raw: BinaryIO) -> BinaryIO:
    head = raw.read(16)
    raw.seek(0)
    for mark, what in _BINARY:
        if head.startswith(mark):
            raise Foreign(what)
    if head.startswith(_GZIP):
        return cast(BinaryIO, io.BufferedReader(_Unpacked(gzip.GzipFile(fileobj=raw), raw), 1 << 20))
    if head.startswith(_ZSTANDARD):
        packed = zstandard.ZstdDecompressor(max_window_size=_WINDOW).stream_reader(raw, read_across_frames=True)
        return cast(BinaryIO, io.BufferedReader(_Unpacked(packed, raw), 1 << 20))
    for starts, name in _WIDE:
        if head.startswith(starts):
            return io.BytesIO(raw.read().decode(name, "replace").encode("utf-8", "replace"))
    return raw


class _Unpacked(io.RawIOBase):
    """What a compressed file holds, as long as it is no bomb."""

    def __init__(self, packed: Any, raw: BinaryIO) -> None:
        self._packed = packed
        self._raw = raw
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._packed.read1(len(buffer))  # what there is: of a damaged file all that stands before the damage
        count = len(data)
        buffer[:count] = data
        self._given += count
        if self._given > max(_FREE, _MOST_RATIO * self._raw.tell()):
            raise Foreign(f"a compressed file that unpacks to more than {_MOST_RATIO} times its size: unpack it first")
        return count


def _values(file: BinaryIO) -> Iterator[Piece]:
    start, first = 1, file.readline().removeprefix(_BOM)
    while first and not first.strip():
        start, first = start + 1, file.readline()
    if not first.strip():
        return
    if (assignment := _ASSIGNMENT.match(first)) is not None:
        name = assignment[1].decode("ascii", "replace")
        yield from (
            Piece(piece.line, piece.value, name) for piece in _document(first[assignment.end() :] + file.read())
        )
        return
    try:
        value = decode(first)
    except ValueError as error:
        rest = file.read()
        yield from _not_by_line(first + rest, start, str(error))
    else:
        yield Piece(start, value)
        yield from _lines(enumerate(file, start + 1))


def _not_by_line(data: bytes, start: int, why: str) -> Iterator[Piece]:
    """A file whose first line is no value: a document over several lines, else lines of which the first is torn."""
    whole = list(_document(data, start)) if data.lstrip()[:1] in (b"[", b"{") else []
    if whole and not isinstance(whole[0].value, Torn):
        yield from whole
        return
    lines = data.split(b"\n")
    if any(isinstance(piece.value, dict) for piece in _lines(enumerate(lines[1 : 1 + _GLANCE]))):
        yield Piece(start, Torn(why))
        yield from _lines(enumerate(lines[1:], start + 1))
    elif whole:
        yield from whole
    else:
        raise Foreign(_kind_of_text(data[:_HEAD]))


def _lines(lines: Iterable[tuple[int, bytes]]) -> Iterator[Piece]:
    for number, line in lines:
        if not line.strip():
            continue
        try:
            yield Piece(number, decode(line.removeprefix(_BOM)))  # files with a mark may have been put together
        except ValueError as error:
            yield Piece(number, Torn(str(error)))


def _document(data: bytes, start: int = 1) -> Iterator[Piece]:
    """One value, or several one after the other as jq prints them. A torn tail is given as such."""
    data = data.strip().removesuffix(b";")
    try:
        yield Piece(start, decode(data))
        return
    except ValueError:
        text = _sound(data)
    at, line, decoder = 0, start, json.JSONDecoder()
    while at < len(text):
        begin = cast(re.Match[str], _SPACE.match(text, at)).end()
        line, at = line + text.count("\n", at, begin), begin
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield Piece(line, Torn(str(error)))
            return
        yield Piece(line, value)
        line, at = line + text.count("\n", at, end), end


def _kind_of_text(head: bytes) -> str:
    """What a text that is no JSON looks like."""
    if b"\0" in head:
        return "binary data"
    text = head.decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip()][:20]
    if text.lstrip()[:1] == "<":
        return "HTML or XML"
    if lines and (lines[0].startswith("---") or 2 * sum(bool(_YAML.match(line)) for line in lines) > len(lines)):
        return "YAML"
    if lines and any(mark in lines[0] for mark in ",;\t"):
        return "a CSV table"
    return "text without JSON (perhaps a CSV table of one column)"


def _deep(text: str) -> Json:
    """Read one JSON value without recursion: slower than the usual decoder, for what is nested deeper than it goes."""
    reader = _Deep(text)
    value = reader.value()
    if reader.skip() != len(text):
        raise ValueError(f"Extra data: char {reader.at}")
    return value


class _Deep:
    """A JSON reader with its own stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def skip(self) -> int:
        self.at = cast(re.Match[str], _SPACE.match(self.text, self.at)).end()
        return self.at

    def value(self) -> Json:
        """The next value. Containers stay on a stack until their closing mark comes."""
        holders: list[tuple[Json, str | None]] = []
        while True:
            opened, value = self._next()
            if opened and not self._take("]}"[isinstance(value, dict)]):
                holders.append((value, self._key() if isinstance(value, dict) else None))
                continue
            while holders:
                holder, key = holders.pop()
                if isinstance(holder, dict):
                    holder[key] = value
                else:
                    holder.append(value)
                if self._take(","):
                    holders.append((holder, self._key() if isinstance(holder, dict) else None))
                    break
                self._expect("]}"[isinstance(holder, dict)])
                value = holder
            else:
                return value

    def _next(self) -> tuple[bool, Json]:
        """Whether a container opens here, and it or the plain value."""
        mark = self.text[self.skip() : self.at + 1]
        if mark and mark in "[{":
            self.at += 1
            return True, [] if mark == "[" else {}
        if mark == '"':
            return False, self._string()
        for word, value in _WORDS.items():
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return False, value
        if (number := _NUMBER.match(self.text, self.at)) is None:
            raise ValueError(f"Expecting value: char {self.at}")
        self.at = number.end()
        return False, json.loads(number[0])

    def _string(self) -> str:
        value, self.at = scanstring(self.text, self.at + 1, False)
        return cast(str, value)

    def _key(self) -> str:
        if self.text[self.skip() : self.at + 1] != '"':
            raise ValueError(f"Expecting property name: char {self.at}")
        key = self._string()
        self._expect(":")
        return key

    def _take(self, mark: str) -> bool:
        found = self.text.startswith(mark, self.skip())
        self.at += found
        return found

    def _expect(self, mark: str) -> None:
        if not self._take(mark):
            raise ValueError(f"Expecting {mark!r}: char {self.at}")
