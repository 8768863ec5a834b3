"""How commands end: one JSON object or a small table on stdout, errors on stderr, and the exit code of the contract.

0 done, 1 done with failures, 2 usage or configuration, 3 budget or interrupt.
"""

from __future__ import annotations

import errno
import functools
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

import click
import msgspec

from groundswell.errors import BudgetExceeded, GroundswellError, PluginError, StoreError, UserError

_STEERING = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")

LONG_WORD, GAP = 20, 3
"""Letters of a word that a table may break, and columns between two cells."""

DONE, WITH_FAILURES, USAGE, STOPPED = 0, 1, 2, 3


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a command found: the JSON of the contract, and how a person is shown it."""

    data: Any
    show: Callable[[], None] | None = None
    """Prints for a person; None = the JSON is indented and printed."""
    exit: int = DONE


def finish(function: Callable[..., Result]) -> Callable[..., None]:
    """Give a command its `--json` option, print what it returns, and turn errors into one line and an exit code."""

    @click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
    @functools.wraps(function)
    def command(*args: Any, as_json: bool, **options: Any) -> None:
        try:
            result = function(*args, **options)
        except GroundswellError as error:
            if as_json:
                click.echo(_json({"error": str(error)}))
            click.echo(f"groundswell: {visible(str(error))}", err=True)
            sys.exit(_exit_of(error))
        except OSError as error:
            where = "" if error.filename is None else f"{error.filename}: "
            _fail(f"{where}{error.strerror or error}; check that the place exists, is writable and has room", as_json)
        except (KeyboardInterrupt, EOFError, click.Abort):  # a prompt makes an Abort of Ctrl-C and of Ctrl-D
            if as_json:
                click.echo(_json({"error": "interrupted"}))
            click.echo("groundswell: interrupted; what was done is kept, run it again to go on", err=True)
            sys.exit(STOPPED)
        try:
            _print(result, as_json)
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader has seen enough; click ends without a word
                raise
            _fail(f"what was found cannot be written: {error.strerror}; give stdout a place that has room", False)
        sys.exit(result.exit)

    return command


def _print(result: Result, as_json: bool) -> None:
    if as_json:
        click.echo(_json(result.data))
    elif result.show is not None:
        result.show()
    else:
        click.echo(msgspec.json.format(_json(result.data), indent=2))


def tell_usage(error: click.UsageError, words: Sequence[str]) -> None:
    """Print a wrong use of the command line as the contract's object, where `--json` is among its words."""
    if "--json" in words:
        click.echo(_json({"error": error.format_message()}))


def _fail(message: str, as_json: bool) -> NoReturn:
    """End with what the machine would not do: a folder that cannot be written, a full disk."""
    if as_json:
        click.echo(_json({"error": message}))
    click.echo(f"groundswell: {visible(message)}", err=True)
    sys.exit(USAGE)


def _exit_of(error: GroundswellError) -> int:
    match error:
        case UserError() | PluginError() | StoreError():
            return USAGE
        case BudgetExceeded():
            return STOPPED
        case _:
            return WITH_FAILURES


def _json(data: Any) -> str:
    return msgspec.json.encode(data).decode()


def table(rows: Iterable[Sequence[Any]], columns: Sequence[str], *, title: str | None = None) -> None:
    """Print a small table; a column whose cells are numbers is set flush right. None is shown as a dash.

    On a terminal too narrow for its words, each row is a block with a line for each column.
    """
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rows = [list(row) for row in rows]
    shown_title = None if title is None else Text(visible(title))
    drawn = Table(box=SIMPLE_HEAD, title=shown_title, title_justify="left", pad_edge=False)
    for index, name in enumerate(columns):
        numeric = all(isinstance(row[index], int | float | None) for row in rows)
        drawn.add_column(Text(visible(name)), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(Text(cell(value)) for value in row))
    console = Console(width=None if sys.stdout.isatty() else 120)
    if sys.stdout.isatty() and _narrowest(rows, columns) > console.width:
        _print_blocks(rows, columns, title)
    else:
        console.print(drawn)


def _narrowest(rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> int:
    """The width below which a table breaks words; of a long one (a path, a key) it may."""
    drawn = [columns, *([cell(value) for value in row] for row in rows)]
    words = [[len(word) for row in drawn for word in row[index].split()] for index in range(len(columns))]
    return sum(min(max(lengths, default=0), LONG_WORD) + GAP for lengths in words)


def _print_blocks(rows: Sequence[Sequence[Any]], columns: Sequence[str], title: str | None) -> None:
    if title is not None:
        click.echo(visible(title))
    wide = max(len(name) for name in columns)
    for row in rows:
        click.echo()
        for name, value in zip(columns, row, strict=True):
            click.echo(f" {visible(name):{wide}}  {cell(value)}")
    click.echo()


def cell(value: Any) -> str:
    """A value as a cell shows it."""
    match value:
        case None:
            return "–"
        case float():
            return f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 10 else f"{value:.1f}"
        case _:
            return visible(str(value))


def counted(number: int, noun: str) -> str:
    """`1 board`, `3 boards`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def visible(text: str) -> str:
    """The text with signs that would steer the terminal written out: a name must not colour, move or erase anything."""
    return _STEERING.sub(lambda match: match.group().encode("unicode_escape").decode(), text)


def record_rows(records: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> list[list[Any]]:
    """Values of some columns of mappings, in order."""
    return [[record.get(column) for column in columns] for record in records]
