"""Commands on judges: the stage, and reading replies from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import Result, finish, table
from groundswell.cli.workspace import run_options, run_stages


@click.group(invoke_without_command=True)
@run_options
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
@click.pass_context
def judge(context: click.Context, /, **options: Any) -> None:
    """Run the stage judge alone, or read judges' replies from a file.

    Example: groundswell judge --dry-run
    """
    if context.invoked_subcommand is None:
        stage(**options)


@finish
def stage(**options: Any) -> Result:
    """Run the stage judge of the workspace."""
    return run_stages(("judge",), **options)


@judge.command()
@click.argument("file", type=click.Path(path_type=Path))
@finish
def parse(file: Path) -> Result:
    """Read judges' replies strictly: rows {"reply", "dimensions": [{name, low, high, step?}]}.

    Example: groundswell judge parse replies.jsonl
    """
    from groundswell.ask.reading.files import parse_file

    data = parse_file(file)
    rows = [[number, read["scores"], read["why"]] for number, read in enumerate(data, start=1)]
    return Result(data=data, show=lambda: table(rows, ("row", "scores", "why")))
