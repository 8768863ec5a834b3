"""Commands on judges: the stage, report cards, reading stored replies again, and reading replies from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import DONE, STOPPED, Result, finish, record_rows, table
from groundswell.cli.workspace import FOLDER, run_options, run_stages

ENDS = frozenset({"separated", "every sample is used"})
"""How adaptive judging ends by itself."""

SHOWN = 20
"""Changes that are printed; `--json` gives them all."""


@click.group(invoke_without_command=True)
@run_options
@click.option("--adaptive", is_flag=True, help="Choose the gradings that narrow the board most, and stop early.")
@click.option("--tiers", type=click.IntRange(min=2), help="With --adaptive: stop when so many tiers have parted.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
@click.pass_context
def judge(context: click.Context, /, **options: Any) -> None:
    """Run the stage judge alone, examine a judge, or read judges' replies.

    Example: groundswell judge --dry-run
    """
    if context.invoked_subcommand is None:
        stage(**options)


@finish
def stage(*, adaptive: bool, tiers: int | None, dry_run: bool, **options: Any) -> Result:
    """Run the stage judge of the workspace."""
    _warn(options["folder"])
    if adaptive and not dry_run:
        return _adaptive(tiers, **options)
    return run_stages(("judge",), dry_run=dry_run, **options)


def _adaptive(tiers: int | None, *, folder: Path, **options: Any) -> Result:
    """Buy gradings where they tell most. Exit 3 when the budget ended it."""
    from groundswell.cli.progress import watched
    from groundswell.flow.adaptive import judge_adaptively
    from groundswell.flow.running import RunOptions, totals
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space, watched() as observe:
        found = judge_adaptively(space, RunOptions(only=("judge",), **options), tiers, observe)
        data = {**totals(space), "adaptive": found}
    early = any(each["stopped"] not in ENDS for each in found)
    return Result(data=data, show=lambda: _show_adaptive(found), exit=STOPPED if early else DONE)


def _show_adaptive(found: list[dict[str, Any]]) -> None:
    for each in found:
        click.echo(
            f"{each['suite']} · {each['task']}: {each['calls']} calls in {each['rounds']} rounds; {each['stopped']}"
        )
        for place, tier in enumerate(each["tiers"] or (), start=1):
            click.echo(f"  {place}. {', '.join(tier)}")


def _warn(folder: Path) -> None:
    """Say on stderr what a person should know of the judges before they are paid."""
    from groundswell.flow.judging import warnings
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        for warning in warnings(space, space.config.file.panel.judges):
            click.echo(f"warning: {warning}", err=True)


@judge.command()
@click.argument("name")
@click.option("--suite", help="Plant among outputs of this suite; otherwise of the newest edition that has some.")
@click.option(
    "--outputs", type=click.IntRange(min=1), default=40, show_default=True, help="Real outputs to plant among."
)
@click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="The most that the card may cost.")
@click.option("--allow-unknown-price", is_flag=True, help="Go on where a price is not known.")
@FOLDER
@finish
def card(name: str, folder: Path, **options: Any) -> Result:
    """The report card of a judge (`checks`, or the name of a [[judge]]), on planted cases that need no person.

    Example: groundswell judge card judge-a --budget 2
    """
    from groundswell.flow.cards import CardOptions, judge_card
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = judge_card(space, name, CardOptions(**options))
    return Result(data=data, show=lambda: _show_card(data))


def _show_card(data: dict[str, Any]) -> None:
    columns = ("plant", "mark", "cases", "against", "rate", "low", "high", "unread")
    title = f"{data['judge']}: {data['mark']} · {data['suite']} {data['edition']} · {data['outputs']} outputs"
    table(record_rows(data["findings"], columns), columns, title=title)
    if data["not_tried"]:
        click.echo(f"not tried: {', '.join(data['not_tried'])}")
    click.echo(f"cost: {data['cost_usd']:.4f} USD")


@judge.command()
@click.option("--dry-run", is_flag=True, help="Say what would be taken otherwise; write nothing.")
@FOLDER
@finish
def reread(folder: Path, dry_run: bool) -> Result:
    """Read the stored raw replies again with today's reader. Nobody is asked and nothing is paid.

    Example: groundswell judge reread --dry-run
    """
    from groundswell.flow.judging import reread as read_again
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = read_again(space, dry_run=dry_run)
    return Result(data=data, show=lambda: _show_changes(data))


def _show_changes(data: dict[str, Any]) -> None:
    columns = ("judge", "sample", "was", "now")
    if data["changes"]:
        table(record_rows(data["changes"][:SHOWN], columns), columns)
    click.echo(f"{data['replies']} replies read again, {len(data['changes'])} of them taken otherwise")


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
