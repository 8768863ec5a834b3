"""Commands of the arena: serve, freeze, admit, retire, release."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from groundswell.cli.printing import Result, finish, record_rows, table
from groundswell.cli.workspace import FOLDER

RULED = ("subject", "what", "why")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
@FOLDER
@finish
def serve(host: str, port: int, folder: Path) -> Result:
    """Open the arena and the site: people vote in a browser.

    Example: groundswell serve --port 8000
    """
    from groundswell.flow.serving import serve as open_arena

    open_arena(folder, host, port, lambda text: click.echo(text, err=True))
    return Result(data={"served": f"http://{host}:{port}/"}, show=lambda: None)


@click.command()
@click.argument("suite")
@click.argument("label")
@click.option("--limit", type=click.IntRange(min=1), help="Draw so many, evenly over the cells of the taxonomy.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the draw.")
@FOLDER
@finish
def freeze(suite: str, label: str, limit: int | None, seed: int, folder: Path) -> Result:
    """Freeze the runnable samples of a suite as an edition that can be cited.

    Example: groundswell freeze arena 2026-12 --limit 500
    """
    from groundswell.flow.prompts import freeze as freeze_samples
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = freeze_samples(space, suite, label, limit, seed)
    said = f"{suite} {label}: {data['samples']} of {data['of']} samples, edition {data['edition']}"
    return Result(data=data, show=lambda: click.echo(said))


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option("--accept", multiple=True, metavar="KEY", help="A person admits this sample.")
@click.option("--reject", multiple=True, metavar="KEY", help="A person rejects this sample.")
@click.option("--tag", "tags", multiple=True, metavar="AXIS=WORD", help="With --accept: a tag that a person confirms.")
@click.option("--why", default="", help="The person's reason.")
@click.option("--most-in-cell", type=click.IntRange(min=1), help="Prompts that a cell of the taxonomy may have.")
@click.option("--queue", "show_queue", is_flag=True, help="Show what waits for a person.")
@FOLDER
@finish
def admit(
    files: tuple[Path, ...],
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    folder: Path,
    **options: Any,
) -> Result:
    """Check new prompts for the arena: rows of files, or the curated samples; every rule says why.

    Example: groundswell admit prompts.jsonl
    """
    from groundswell.flow import prompts
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        if accept or reject:
            prompts.tag(space, accept, options["tags"])
            made = prompts.rule(space, accept, "admit", options["why"])["rulings"]
            made += prompts.rule(space, reject, "reject", options["why"])["rulings"]
            return Result(data={"rulings": made}, show=lambda: table(record_rows(made, RULED), RULED))
        if options["show_queue"]:
            waiting = prompts.queue(space)
            columns = ("sample", "prompt", "why")
            return Result(data={"queue": waiting}, show=lambda: table(record_rows(waiting, columns), columns))
        data = prompts.admit(space, files, options["most_in_cell"])
    return Result(data=data, show=lambda: _show_admitted(data))


def _show_admitted(data: dict[str, Any]) -> None:
    rows = [
        [row["verdict"], row["prompt"][:60], "; ".join(f"{each['rule']}: {each['why']}" for each in row["reasons"])]
        for row in data["candidates"]
    ]
    table(rows, ("verdict", "prompt", "why"))
    click.echo(", ".join(f"{count} {verdict}" for verdict, count in data["counts"].items()) or "no candidates")


@click.command()
@click.option("--rule", "by_rule", type=click.Choice(["slope", "chance"]), default="slope", show_default=True)
@click.option("--apply", is_flag=True, help="Write the proposals to retire; they can be taken back.")
@click.option("--restore", multiple=True, metavar="KEY", help="Take a retirement back.")
@FOLDER
@finish
def retire(by_rule: Literal["slope", "chance"], apply: bool, restore: tuple[str, ...], folder: Path) -> Result:
    """Which prompts no longer tell models apart, with the evidence.

    Example: groundswell retire --rule slope
    """
    from groundswell.flow import prompts
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        if restore:
            data = prompts.rule(space, restore, "restore", "taken back by command")
            return Result(data=data, show=lambda: table(record_rows(data["rulings"], RULED), RULED))
        data = prompts.retire(space, by_rule, apply=apply)
    columns = ("sample", "verdict", "b", "low", "high", "n", "why")
    return Result(data=data, show=lambda: table(record_rows(data["prompts"], columns), columns))


@click.command()
@click.argument("suite", required=False)
@click.option("--out", type=click.Path(path_type=Path), help="The folder; by default releases/SUITE-LABEL.")
@FOLDER
@finish
def release(suite: str | None, out: Path | None, folder: Path) -> Result:
    """Write the newest edition of a suite as a folder: Parquet, pictures, JSON, data card, checksums.

    Example: groundswell release arena
    """
    from groundswell.flow.prompts import release as write
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = write(space, suite, out)
    said = f"{data['folder']}: {data['samples']} samples, {data['held_back']} pictures by digest only"
    return Result(data=data, show=lambda: click.echo(said))
