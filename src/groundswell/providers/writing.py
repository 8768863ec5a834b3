"""Request bodies with places for pictures: JSON documents and multipart forms.

A picture is never copied into a body here: its place is a `Splice`, and the wire puts the bytes in. Bodies are a pure
function of what they say, so the same request is the same bytes on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from groundswell.records import Json, Picture, Splice

Body = tuple[bytes | Splice, ...]

JSON = "application/json"

_MARK = b"\0"
"""Stands around a place while a document is written; JSON escapes it everywhere else, so nothing can imitate it."""


class Encoded:
    """A value of a JSON document that is a picture's bytes as base64, after a prefix.

    A plain class, because the encoder would write a record or a dataclass out by itself.
    """

    __slots__ = ("picture", "prefix")

    def __init__(self, picture: Picture, prefix: str = "") -> None:
        self.picture = picture
        self.prefix = prefix


@dataclass(frozen=True, slots=True)
class FilePart:
    """A file of a form: the picture's bytes as they are."""

    field: str
    picture: Picture
    name: str


def data_url(picture: Picture) -> Encoded:
    """A picture as a `data:` URL."""
    return Encoded(picture, f"data:{picture.media_type};base64,")


def json_body(document: Json) -> Body:
    """A document, with `Encoded` anywhere in it, as pieces of a body."""
    places: list[Picture] = []

    def place(value: Any) -> msgspec.Raw:
        if not isinstance(value, Encoded):
            raise TypeError(f"{type(value).__name__} cannot stand in a request")
        places.append(value.picture)
        return msgspec.Raw(b'"' + value.prefix.encode() + _MARK + b'"')

    pieces = msgspec.json.encode(document, enc_hook=place).split(_MARK)
    body: list[bytes | Splice] = [pieces[0]]
    for picture, piece in zip(places, pieces[1:], strict=True):
        body += [Splice(picture=picture), piece]
    return tuple(body)


def form_body(fields: Mapping[str, Json], files: Sequence[FilePart] = ()) -> tuple[str, Body]:
    """A multipart form (RFC 7578): its content type with the boundary, and its pieces.

    Fields that are lists are sent once for each value; a value that is no text is written as JSON writes it.
    """
    parts = [(name, text) for name, value in fields.items() for text in _texts(value)]
    boundary = f"groundswell-{_digest(parts, files)}"
    pieces: list[bytes | Splice] = []
    for name, text in parts:
        pieces.append(_head(boundary, f'name="{_quoted(name)}"') + text.encode() + b"\r\n")
    for file in files:
        head = _head(
            boundary,
            f'name="{_quoted(file.field)}"; filename="{_quoted(file.name)}"',
            f"Content-Type: {file.picture.media_type}\r\n",
        )
        pieces += [head, Splice(picture=file.picture, encoding="raw"), b"\r\n"]
    pieces.append(f"--{boundary}--\r\n".encode())
    return f"multipart/form-data; boundary={boundary}", merged(pieces)


def merged(pieces: Iterable[bytes | Splice]) -> Body:
    """The same body with neighbouring bytes joined, so that it goes out in few writes."""
    joined: list[bytes | Splice] = []
    for piece in pieces:
        if joined and isinstance(piece, bytes) and isinstance(joined[-1], bytes):
            joined[-1] += piece
        else:
            joined.append(piece)
    return tuple(joined)


def file_name(picture: Picture, number: int) -> str:
    """A name for a picture in a form; hosts look at its ending."""
    return f"input-{number}.{picture.media_type.rpartition('/')[2]}"


def _texts(value: Json) -> list[str]:
    if isinstance(value, list | tuple):
        return [text for item in value for text in _texts(item)]
    return [value if isinstance(value, str) else msgspec.json.encode(value).decode()]


def _digest(parts: Sequence[tuple[str, str]], files: Sequence[FilePart]) -> str:
    """Of everything that the form says, so that the boundary cannot stand in it by accident."""
    said = (parts, [(file.field, file.picture.digest) for file in files])
    return sha256(msgspec.json.encode(said)).hexdigest()[:32]


def _head(boundary: str, disposition: str, more: str = "") -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n{more}\r\n".encode()


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
