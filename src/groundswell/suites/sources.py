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


def file_bytes(path: Path, where: Path, line: int) -> bytes:
    """Bytes of a file that a row names. Raises UserError at the row."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise UserError(
            f"{path} is not there; paths are read from the folder of this file", where=where, line=line
        ) from None
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL in it
        why = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"{str(path)!r} cannot be read ({why})", where=where, line=line) from None
