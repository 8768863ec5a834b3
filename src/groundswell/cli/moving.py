"""Commands that move a workspace, look whether it is whole, and recompute what was published."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import DONE, WITH_FAILURES, Result, finish, table
from groundswell.cli.workspace import FOLDER


@click.group()
def workspace() -> None:
    """Move a workspace to other services, or check that its bytes are whole.

    Example: groundswell workspace check
    """


@workspace.command()
@click.argument("places", metavar="URL...", nargs=-1, required=True)
@FOLDER
@finish
def move(places: tuple[str, ...], folder: Path) -> Result:
    """Copy the facts to a postgresql:// URL or an .sqlite file, the pictures to s3://, gs:// or a folder, and prove
    the copies equal. The first place is left as it is.

    Example: groundswell workspace move postgresql://bench@db/bench s3://bucket/bench
    """
    from groundswell.flow.moving import move as copy
    from groundswell.flow.workspace import workspace as opened

    with opened(folder) as space:
        data = copy(space, places, lambda what, count: None)
    return Result(data=data, show=lambda: _show_move(data), exit=WITH_FAILURES if data["damaged"] else DONE)


def _show_move(data: dict[str, object]) -> None:
    tables, damaged, settings = data.get("tables"), data["damaged"], data["settings"]
    if isinstance(tables, dict):
        table([[name, rows] for name, rows in tables.items()], ("copied, and equal", "rows"))
    if "copied" in data:
        click.echo(f"blobs copied and read back: {data['copied']}")
    if isinstance(damaged, dict):
        for why in damaged.values():
            click.echo(f"not copied: {why}")
    if isinstance(settings, list):
        click.echo("To work there, write under [workspace] in groundswell.toml:")
        for line in settings:
            click.echo(f"    {line}")


@workspace.command()
@click.option(
    "--mend", is_flag=True, help="Get lost and damaged pictures again: from posts' addresses, from suites' sources."
)
@FOLDER
@finish
def check(folder: Path, mend: bool) -> Result:
    """Read every picture that a record names and compare it with its digest.

    Example: groundswell workspace check --mend
    """
    from groundswell.flow.mending import check as look
    from groundswell.flow.workspace import workspace as opened

    with opened(folder) as space:
        data = look(space, mend=mend)
    return Result(data=data, show=lambda: _show_check(data), exit=WITH_FAILURES if data["damaged"] else DONE)


def _show_check(data: dict[str, Any]) -> None:
    click.echo(f"{data['pictures']} pictures of {data['records']} records, {len(data['damaged'])} not as they were")
    for digest, origin in data["mended"].items():
        click.echo(f"mended {digest[:12]} from {origin}")
    for why in data["damaged"].values():
        click.echo(why)
    rows = [
        [each["digest"][:12], each["kind"], each["name"] or each["key"], each["verdicts"], each["comparisons"]]
        for each in data["depends"]
    ]
    if rows:
        table(rows, ("picture", "shown by", "", "verdicts", "votes"), title="What depends on them")


@click.command()
@click.argument("edition")
@FOLDER
@finish
def replay(edition: str, folder: Path) -> Result:
    """Recompute every published board of an edition from the facts of then, and compare all numbers.

    Example: groundswell replay 2026-11
    """
    from groundswell.flow.moving import replay as again
    from groundswell.flow.workspace import workspace as opened

    with opened(folder) as space:
        data = again(space, edition)

    def show() -> None:
        rows = [
            [
                f"{each['name']} · {each['modality']}",
                "yes" if each["equal"] else "no",
                each["withdrawn"].get("samples", 0),
            ]
            for each in data["boards"]
        ]
        table(rows, ("board", "same numbers", "withdrawn samples in it"))
        for board in data["boards"]:
            for difference in board["differences"]:
                click.echo(f"{board['name']} · {board['modality']}: {difference}")
        for kind, count in data["withdrawn"].items():
            click.echo(f"withdrawn since: {count} {kind}")

    equal = all(board["equal"] for board in data["boards"])
    return Result(data=data, show=show, exit=DONE if equal else WITH_FAILURES)
