"""What every reader of samples shares: its options, and how a picture file becomes a `Picture` with its licence.

Bytes are stored by an injected `keep`, which also says whether they are a picture. What a row means is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from groundswell.errors import UserError
from groundswell.records import Licence, Picture

Keep = Callable[[bytes], Picture]
"""Stores the bytes of a picture and describes it. Raises ValueError where they are not one."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may add to the name of a suite and its source."""

    pictures: Path | None = None
    """Folder of the pictures, where it does not lie beside the rows."""
    references: Path | None = None
    """File of reference answers (LLaVA), where it does not lie beside the questions."""
    contexts: Path | None = None
    """File of contexts (LLaVA), where it does not lie beside the questions."""
    languages: tuple[str, ...] = ()
    """Only prompts in these languages; none named = all that the rows have."""
    outside: bool = False
    """Rows may name picture files outside the folder of the rows. A suite of a stranger must not: it could bring any
    picture of this disk onto a page."""


NO_OPTIONS = Options()


def kept(keep: Keep, data: bytes, licence: Licence | None, where: Path, place: str | int) -> Picture:
    """Store picture bytes under a licence. `place` is a line, or words for a row that has none."""
    try:
        picture = keep(data)
    except ValueError as error:
        line = place if isinstance(place, int) else None
        prefix = "" if isinstance(place, int) else f"{place}: "
        raise UserError(f"{prefix}its picture cannot be read ({error})", where=where, line=line) from None
    return picture if licence is None else msgspec.structs.replace(picture, licence=licence)


def named_file(name: str, folder: Path, options: Options, where: Path, place: str | int) -> Path:
    """The file that a row names, read from `folder`: it lies in there, through every link, or `options` allow others.

    `place` is a line, or words for a row that has none. Raises UserError at the row.
    """
    path = folder / name
    try:
        real = path.resolve()
        if options.outside or real.is_relative_to(folder.resolve()):
            return real
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name with a NUL: reading it will tell
        return path
    line = place if isinstance(place, int) else None
    prefix = "" if isinstance(place, int) else f"{place}: "
    raise UserError(
        f"{prefix}{name!r} is a file outside {folder}; move it there, or allow such files (--allow-outside) if this "
        "suite is your own",
        where=where,
        line=line,
    )


def file_bytes(path: Path, where: Path, place: str | int) -> bytes:
    """Bytes of a file that a row names. `place` is a line, or words for a row that has none. Raises UserError there."""
    line = place if isinstance(place, int) else None
    prefix = "" if isinstance(place, int) else f"{place}: "
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UserError(
            f"{prefix}{path} is not there; paths are read from the folder of this file", where=where, line=line
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{prefix}{str(path)!r} cannot be read ({why})", where=where, line=line) from None
