"""Commands of the arena: serve, freeze, compare, admit, tag, retire, release."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import click

from groundswell.cli.printing import DONE, STOPPED, WITH_FAILURES, Result, finish, record_rows, table
from groundswell.cli.workspace import FOLDER

RULED = ("subject", "what", "why")


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 = every one.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0 = any that is free.")
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
@click.argument("suite")
@click.argument("before")
@click.argument("after")
@FOLDER
@finish
def compare(suite: str, before: str, after: str, folder: Path) -> Result:
    """Compare two editions of a suite by their labels: samples that came and went, and how the boards moved.

    Example: groundswell compare arena 2026-11 2026-12
    """
    from groundswell.flow.comparing import compare as compare_editions
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = compare_editions(space, suite, before, after)
    return Result(data=data, show=lambda: _show_compared(data))


def _show_compared(data: dict[str, Any]) -> None:
    change = f"{len(data['came'])} samples came, {len(data['went'])} went, {data['stayed']} stayed"
    click.echo(f"{data['suite']} {data['before']['label']} to {data['after']['label']}: {change}")
    slices = [board["board"] for board in data["boards"] if "/" in board["board"]]
    for board in data["boards"]:
        if board["board"] in slices:
            continue
        name = f"{board['board']} ({board['modality']})"
        if board["why_not"]:
            click.echo(f"\n{name}: not compared: {board['why_not']}")
            continue
        click.echo(f"\n{name}, counted from {board['about']}")
        table([_moved(row) for row in board["models"]], ("model", "before", "after", "difference", "moved"))
    if slices:
        click.echo(f"\nand {len(slices)} boards of slices, as {slices[0]}; they stand in --json")
    for when in ("before", "after"):
        if names := data[f"only_{when}"]:
            click.echo(f"boards only {when}: {', '.join(names)}")


def _moved(row: dict[str, Any]) -> list[str]:
    """A model on two boards as a row of a table."""

    def place(at: dict[str, Any] | None) -> str:
        if at is None:
            return "–"
        ends = "" if at["low"] is None else f" [{at['low']:.0f}, {at['high']:.0f}]"
        ranks = f"{at['rank_low']}" if at["rank_low"] == at["rank_high"] else f"{at['rank_low']}–{at['rank_high']}"
        return f"{at['rating']:.0f}{ends} rank {ranks}"

    ends = "" if row["low"] is None else f" [{row['low']:+.0f}, {row['high']:+.0f}]"
    difference = "–" if row["difference"] is None else f"{row['difference']:+.0f}{ends}"
    moved = {True: "beyond noise", False: "no", None: "not known"}[row["moved"]]
    return [row["model"], place(row["before"]), place(row["after"]), difference, row["why"] or moved]


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
    from groundswell.flow import prompts, tagging
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        if accept or reject:
            if options["tags"]:
                said = tagging.said_as(options["tags"])
                tagging.confirm(space, dict.fromkeys(accept, said), by=prompts.OPERATOR, why=options["why"])
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
@click.option("--reader", help="Who proposes: local, or a judge's name; by default the workspace's reader.")
@click.option("--confirm", multiple=True, metavar="KEY", help="A person confirms the tags proposed for this prompt.")
@click.option("--as", "said", multiple=True, metavar="AXIS=WORD", help="With --confirm: another word than proposed.")
@click.option("--by", default="operator", show_default=True, help="Who confirms.")
@click.option("--why", default="", help="The person's reason.")
@FOLDER
@finish
def tag(reader: str | None, confirm: tuple[str, ...], said: tuple[str, ...], folder: Path, **who: str) -> Result:
    """Have tags proposed for prompts that lack them, and confirm them; nothing uses a tag before that.

    Example: groundswell tag --confirm KEY --as capability="text rendering"
    """
    from groundswell.flow import tagging
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        if confirm:
            tags = tagging.offered(space, confirm, tagging.said_as(said))
            rows = tagging.confirm(space, tags, **who)
            told = [f"{row['sample']}: {row['tags']}" for row in rows]
            return Result(data={"confirmed": rows}, show=lambda: click.echo("\n".join(told)))
        data = tagging.propose(space, reader)
    ended = STOPPED if data["stopped"] else WITH_FAILURES if data["failed"] else DONE
    return Result(data=data, show=lambda: _show_proposed(data), exit=ended)


def _show_proposed(data: dict[str, Any]) -> None:
    columns = ("sample", "prompt", "use_case", "capability", "style", "why")
    table(record_rows([{**row, "style": ", ".join(row["style"])} for row in data["waiting"]], columns), columns)
    click.echo(f"{data['reader']} was asked about {data['asked']} prompts; {len(data['waiting'])} wait for a person")


@click.command()
@click.option(
    "--rule",
    "by_rule",
    type=click.Choice(["slope", "chance"]),
    default="slope",
    show_default=True,
    help="How discrimination is told: its slope, or a favourite that cannot be told from chance.",
)
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
    from groundswell.flow.releasing import release as write
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = write(space, suite, out)
    said = f"{data['folder']}: {data['samples']} samples, {data['held_back']} pictures by digest only"
    return Result(data=data, show=lambda: click.echo(said))
