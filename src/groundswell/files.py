"""Rows and documents on disk: read with the place of every fault, written whole or not at all.

A JSONL file is split at line feeds only (U+2028 and U+0085 may stand inside strings), may begin with a byte-order mark
and may use CRLF. A fault is a `UserError` that names the file, the line and the remedy. Tables (CSV, JSONL, Parquet)
come back as polars frames. What the rows mean is not known here.
"""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from groundswell.errors import UserError

if TYPE_CHECKING:
    import polars

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""How a file begins that some editors and spreadsheets write where UTF-8 is wanted."""


LONGEST_LINE = 256 << 20
"""Bytes of one line: more is no row, and would be held in memory whole."""


def read_bytes(path: str | Path) -> bytes:
    """All bytes of a file that must exist and hold something."""
    path = Path(path)
    if path.is_dir():
        raise UserError("this is a folder; name a file", where=path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise UserError("there is no such file; check the path", where=path) from None
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror}); check its permissions", where=path) from None
    if not data.strip():
        raise UserError("the file is empty; was it written completely?", where=path)
    return data.removeprefix(BOM)


def read_text(path: str | Path) -> str:
    """Text of a UTF-8 file."""
    data = _utf_8(path, read_bytes(path))
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError("this is not UTF-8 text; save the file as UTF-8", where=path, line=line) from None


def lines(path: str | Path) -> Iterator[tuple[int, bytes]]:
    """Lines of a file that are not blank, with their number from 1, streamed."""
    path = Path(path)
    if path.is_dir() or not path.exists() or path.stat().st_size == 0:
        read_bytes(path)
    found = False
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(iter(partial(stream.readline, LONGEST_LINE + 1), b""), start=1):
                if len(line) > LONGEST_LINE:
                    message = f"a line of more than {LONGEST_LINE >> 20} MB; is this JSONL, one row a line?"
                    raise UserError(message, where=path, line=number)
                text = _utf_8(path, line).removeprefix(BOM) if number == 1 else line
                if stripped := text.strip():
                    found = True
                    yield number, stripped
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror}); check its permissions", where=path) from None
    if not found:
        raise UserError("the file is empty; was it written completely?", where=path)


def read_rows(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects of a JSONL file with their line numbers, streamed. A torn or foreign line is a UserError."""
    yield from read_structs(path, dict[str, Any])


def read_structs(path: str | Path, kind: type[T]) -> Iterator[tuple[int, T]]:
    """Rows of a JSONL file decoded to `kind` (a msgspec Struct or a builtin type), streamed."""
    decode = msgspec.json.Decoder(kind).decode
    for number, line in lines(path):
        try:
            yield number, decode(line)
        except msgspec.ValidationError as error:
            raise misfit(error, kind, path, number) from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise UserError(
                "this line is not a whole JSON object (a torn last line?); remove or complete it"
                if line.lstrip()[:1] in (b"{", b"[")
                else "this line is no JSON object; the file is read as JSONL, one {...} a line",
                where=path,
                line=number,
            ) from None


def misfit(error: msgspec.ValidationError, kind: type, path: str | Path, line: int) -> UserError:
    """The error for a row that is not of a kind: what is wrong with it, and the columns that it should have."""
    return UserError(f"this row does not fit: {error}{_columns(kind)}", where=path, line=line)


def _columns(kind: type) -> str:
    """`; a row has sample, model and may have note`, nothing for a type without fields."""
    if not issubclass(kind, msgspec.Struct):
        return ""
    fields = msgspec.structs.fields(kind)
    needed = [field.encode_name for field in fields if field.required]
    others = [field.encode_name for field in fields if not field.required]
    has = [f"needs {', '.join(needed)}"] if needed else []
    may = [f"may have {', '.join(others)}"] if others else []
    return f"; a row {' and '.join(has + may)}"


def _utf_8(path: str | Path, start: bytes) -> bytes:
    if start.startswith(UTF_16):
        raise UserError("this is UTF-16; save the file as UTF-8", where=path)
    return start


def read_document(path: str | Path) -> Any:
    """The one JSON value that a file holds."""
    data = _utf_8(path, read_bytes(path))
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise UserError(f"this is not JSON ({error}); was it written completely?", where=path) from None


@contextmanager
def reading_table(path: str | Path) -> Iterator[None]:
    """Turn faults of a table that come out only while it is streamed into a UserError that names the file."""
    import polars as pl

    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        kind = Path(path).suffix.lower().lstrip(".")
        raise UserError(f"cannot be read as {kind} ({str(error).splitlines()[0]})", where=path) from None


def read_table(path: str | Path, columns: Mapping[str, bool]) -> polars.DataFrame:
    """A CSV, JSONL or Parquet file as a frame that has every column that `columns` requires (name -> required).

    CSV values stay text. Raises UserError naming the missing columns and the nearest ones that are there.
    """
    import polars as pl

    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in {".csv", ".tsv", ".jsonl", ".ndjson", ".parquet"}:
        raise UserError("name a .csv, .tsv, .jsonl or .parquet file", where=path)
    if path.is_dir() or not path.exists() or path.stat().st_size < 16:
        read_bytes(path)
    try:
        if suffix == ".parquet":
            frame = pl.read_parquet(path)
        elif suffix in {".csv", ".tsv"}:
            with path.open("rb") as stream:
                _utf_8(path, stream.read(2))
            separator = "\t" if suffix == ".tsv" else ","
            frame = pl.read_csv(path, infer_schema=False, separator=separator)
        else:
            frame = pl.DataFrame([row for _, row in read_rows(path)], infer_schema_length=None)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        line = _longer_row(path, "\t" if suffix == ".tsv" else ",") if suffix in {".csv", ".tsv"} else None
        if line is not None:
            message = "this row has more fields than the header; quote values that hold the separator"
            raise UserError(message, where=path, line=line) from None
        raise UserError(f"cannot be read as {suffix[1:]} ({str(error).splitlines()[0]})", where=path) from None
    require_columns(path, frame.columns, [name for name, required in columns.items() if required])
    return frame


def _longer_row(path: Path, separator: str) -> int | None:
    """The line of the first row with more fields than the header, which polars does not tell."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as stream:
        rows = csv.reader(stream, delimiter=separator)
        try:
            header = next(rows, [])
            return next((rows.line_num for row in rows if len(row) > len(header)), None)
        except csv.Error:
            return None


def require_columns(
    path: str | Path, present: Iterable[str], wanted: Iterable[str], *, line: int | None = None
) -> None:
    """Raise UserError when columns are missing, with the nearest names that are there."""
    present = list(present)
    missing = [name for name in wanted if name not in present]
    if not missing:
        return
    near = {name: get_close_matches(name, present, n=1) for name in missing}
    has = "the file has" if line is None else "this row has"
    hints = [f"{name} (is it {match[0]}?)" if match else name for name, match in near.items()]
    raise UserError(f"missing columns: {', '.join(hints)}; {has} {', '.join(present) or 'none'}", where=path, line=line)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file whole or not at all: to a temporary name beside it, flushed, then renamed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text whole or not at all."""
    write_bytes(path, text.encode())


def write_rows(path: str | Path, rows: Iterable[Any]) -> None:
    """Write rows (structs or mappings) as JSONL, whole or not at all."""
    encode = msgspec.json.Encoder().encode
    write_bytes(path, b"".join(encode(row) + b"\n" for row in rows))
