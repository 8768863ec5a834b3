"""Commands that turn comparisons, grades and boxes into the formats of others, and theirs into ours."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import Result, finish, visible

FILE = click.Path(path_type=Path)
FORMATS = "lmarena, mt-bench-pair, mt-bench-single, label-studio, argilla or coco."


@click.group()
def exchange() -> None:
    """Import and export the field's formats: LMArena, MT-bench, inspect_ai, Label Studio, Argilla, COCO boxes.

    Example: groundswell exchange import battles.json votes.jsonl
    """


@exchange.command("import")
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@click.option("--by", default=getpass.getuser, help="Who drew the boxes that overrule; default: your name here.")
@finish
def bring(source: Path, target: Path, by: str) -> Result:
    """Write what a foreign file says as rows of ours: comparisons, grades, or boxes in pictures. Boxes whose TARGET is
    a workspace overrule those of its reader.

    Example: groundswell exchange import battles.json votes.jsonl
    """
    from groundswell.flow.exchange import bring_in

    data = bring_in(source, target, by)
    return Result(data=data, show=lambda: _show(data))


@exchange.command("export")
@click.argument("source", type=FILE)
@click.argument("target", type=FILE)
@click.option("--to", "form", required=True, metavar="FORMAT", help=FORMATS)
@finish
def export(source: Path, target: Path, form: str) -> Result:
    """Write rows of ours, or the votes of a workspace that SOURCE names, in a foreign format; for coco the boxes in the
    workspace's combined pictures, or those that are found in a folder of screenshots.

    Example: groundswell exchange export votes.jsonl battles.json --to lmarena
    """
    from groundswell.flow.exchange import write_out

    data = write_out(source, target, form)
    return Result(data=data, show=lambda: _show(data))


def _show(data: dict[str, Any]) -> None:
    click.echo(f"wrote {data['rows']} {data['what']} to {data['target']} ({data['format']})")
    for reason, count in data["left_out"].items():
        click.echo(f"left out: {count} {visible(reason)}")
    for what, rows in data["not_carried"].items():
        click.echo(f"not carried over: {visible(what)} ({rows} rows)")
