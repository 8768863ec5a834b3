"""Files of strangers, read within bounds: documents, rows and archives of a size that a real one has.

A file that would fill the memory is refused before it does. What is in them is not known here.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from groundswell import files
from groundswell.errors import UserError

MOST_DOCUMENT = 2 << 30
"""Bytes of one JSON document; the largest published file of battles has 1.3 GB."""

MOST_MEMBER = 64 << 20
"""Bytes of one file in an archive, unpacked; a sample of inspect_ai with its transcript has some MB."""

MOST_UNPACKED = 2 << 30
"""Bytes of all the files that are read of one archive."""

MOST_MEMBERS = 1_000_000


def check_size(path: Path) -> None:
    """Raise UserError where a file is larger than any real one."""
    if path.is_file() and path.stat().st_size > MOST_DOCUMENT:
        raise UserError(f"a document of more than {MOST_DOCUMENT >> 30} GB; split it, or save it as JSONL", where=path)


def document_bytes(path: Path) -> bytes:
    """All bytes of a document of at most MOST_DOCUMENT."""
    check_size(path)
    return files.read_bytes(path)


def document(path: Path) -> Any:
    """The JSON value of a file of at most MOST_DOCUMENT bytes."""
    check_size(path)
    return files.read_document(path)


def is_archive(path: Path) -> bool:
    """Whether a file begins as a zip archive does."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return stream.read(4) == b"PK\x03\x04"


class Archive:
    """A zip archive whose files are unpacked one by one, each and all of them within bounds."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._spent = 0
        self._zip = _opened(path)
        self.names = self._zip.namelist()
        if len(self.names) > MOST_MEMBERS:
            raise UserError(f"an archive of more than {MOST_MEMBERS:,} files", where=path)

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self._zip.close()

    def read(self, name: str) -> bytes:
        """The bytes of one file. Raises UserError where they are damaged, or more than the bounds allow."""
        try:
            with self._zip.open(name) as stream:
                data = bytes(stream.read(MOST_MEMBER + 1))
        except NotImplementedError:
            raise UserError(
                f"{name} is packed by a method that needs a package: pip install 'groundswell[exchange]'",
                where=self.path,
            ) from None
        except Exception as error:  # each method of packing has exceptions of its own
            message = f"{name} cannot be unpacked ({error}); was it written completely?"
            raise UserError(message, where=self.path) from None
        self._spent += len(data)
        if len(data) > MOST_MEMBER or self._spent > MOST_UNPACKED:
            raise UserError(f"{name} unpacks to more than a real log has; is this a bomb?", where=self.path)
        return data


def _opened(path: Path) -> Any:
    """The archive, by the reader that knows Zstandard where there is one: Python's own does from 3.14 on."""
    reader: Any = zipfile
    with suppress(ImportError):
        reader = import_module("backports.zstd.zipfile")
    try:
        return reader.ZipFile(path)
    except (reader.BadZipFile, OSError, ValueError) as error:
        raise UserError(f"this archive is damaged ({error}); was it written completely?", where=path) from None


def members(archive: Archive, prefix: str) -> Iterator[str]:
    """Names of the JSON files below a prefix, in the order of the archive."""
    return (name for name in archive.names if name.startswith(prefix) and name.endswith(".json"))
