"""Commands on a workspace: demo, init, run and its stages, status, doctor, boards, explain, publish, plugins."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import DONE, STOPPED, WITH_FAILURES, Result, counted, finish, record_rows, table
from groundswell.cli.progress import watched
from groundswell.cli.score import ranks
from groundswell.errors import UserError

FOLDER = click.option(
    "--dir", "folder", type=click.Path(path_type=Path), default=".", show_default=True, help="The workspace."
)
STAGE_COLUMNS = ("stage", "done", "failed", "refused", "missing")


@click.command()
@click.option(
    "--dir", "folder", type=click.Path(path_type=Path), default="demo", show_default=True, help="Where to make it."
)
@finish
def demo(folder: Path) -> Result:
    """The whole loop on real photographs, offline: classical editors, measured checks, a board, a site.

    Example: groundswell demo --dir demo
    """
    from groundswell.flow.demo import demo as run_demo

    with watched() as observe:
        data = run_demo(folder, observe)
    return Result(data=data, show=lambda: show_demo(data))


def show_demo(data: dict[str, Any]) -> None:
    """Print what the demo made."""
    if data["nothing_to_do"]:
        click.echo(f"Nothing to do: all {data['units']} units are done.")
    show_boards(data["boards"])
    click.echo(f"site: {data['site']}")


def show_boards(boards: list[dict[str, Any]]) -> None:
    """Print boards one under another."""
    slices = [board for board in boards if "/" in board["name"]]
    for board in boards:
        if board not in slices:
            show_board(board)
    if slices:
        there = f"{counted(len(slices), 'more board')}, of slices, as {slices[0]['name']}"
        click.echo(f"and {there}: in --json and on the site")
    if not boards:
        click.echo("There is no board yet; groundswell status says what is missing.")


def show_board(board: dict[str, Any]) -> None:
    """Print one board: rank range, rating with interval, win rate, coverage; then who is unranked and why."""
    coverage = board["coverage"]
    if not board["ratings"] and not board["unranked"]:
        counts = ", ".join(f"{model} {seen['scored']}/{seen['wanted']}" for model, seen in coverage.items())
        why = board["method"].get("why")
        click.echo(f"{board['name']} · {board['modality']}: nobody is ranked, {why} ({counts})\n")
        return
    rows = []
    for row in board["ratings"]:
        seen = coverage.get(row["model"], {})
        scored = f"{seen['scored']}/{seen['wanted']}" if seen else None
        refused = seen.get("refused")
        rows.append([ranks(row), row["model"], row["rating"], interval(row), row["win_rate"], scored, refused])
    columns = ("rank", "model", "rating", "95 % interval", "win rate", "coverage", "refused")
    table(rows, columns, title=f"{board['name']} · {board['modality']}")
    if board["unranked"]:
        names = ("model", "side", "bound", "why")
        table(record_rows(board["unranked"], names), names, title="Not ranked")
    for reason, count in board["left_out"].items():
        click.echo(f"left out: {count} {reason}")
    if simulated := board["method"].get("simulated"):
        click.echo(simulated)
    for warning in board["method"].get("warnings", ()):
        click.echo(f"note: {warning}")
    if judged := board["method"].get("calibration"):
        click.echo(judged)


def interval(row: dict[str, Any]) -> str | None:
    """`[980.6, 1338.9]`; None where there is none."""
    return None if row["low"] is None else f"[{row['low']:.1f}, {row['high']:.1f}]"


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@finish
def init(folder: Path) -> Result:
    """Make a workspace: a folder with a commented groundswell.toml.

    Example: groundswell init bench
    """
    from groundswell.flow.workspace import initialise

    path = str(initialise(folder))
    return Result(data={"workspace": path}, show=lambda: click.echo(f"wrote {path}; edit it, then: groundswell run"))


def run_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of a run."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Print counts, price and time per stage; buy nothing."),
        click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="The most that this run may spend."),
        click.option("--allow-unknown-price", is_flag=True, help="Go on where a price is not known."),
        click.option("--workers", type=click.IntRange(min=1), help="Units under way at once."),
        click.option("--retry-failed", is_flag=True, help="Try again whatever failed: the key or the model is mended."),
        click.option(
            "--pool",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help="Where units are done: in this process, or on a Ray cluster.",
        ),
        FOLDER,
    ):
        command = option(command)
    return command


@click.command()
@click.option("--only", multiple=True, metavar="STAGE", help="Only this stage; may be given several times.")
@run_options
@finish
def run(only: tuple[str, ...], **options: Any) -> Result:
    """Do what is missing in every stage of the workspace.

    Example: groundswell run --budget 5
    """
    return run_stages(only, **options)


def run_stages(only: tuple[str, ...], *, folder: Path, dry_run: bool, **options: Any) -> Result:
    """Run stages of a workspace, or say what running them would take."""
    from groundswell.flow.running import RunOptions, plan, run, totals
    from groundswell.flow.workspace import workspace

    if options["budget"] is not None and not math.isfinite(options["budget"]):
        raise UserError("--budget takes an amount of USD, such as 5")
    with workspace(folder) as space:
        wanted = RunOptions(only=only, **options)
        if dry_run:
            planned = plan(space, wanted)
            return Result(data=planned, show=lambda: show_plan(planned))
        with watched() as observe:
            tallies = run(space, wanted, observe)
        data = totals(space)
    stopped = next((tally.stopped for tally in tallies if tally.stopped), None)
    data["stopped"] = stopped
    data["held_by_another_run"] = sum(tally.held for tally in tallies)
    failed = sum(stage["failed"] for stage in data["stages"].values())
    return Result(
        data=data,
        show=lambda: show_totals(data, tallies),
        exit=STOPPED if stopped else WITH_FAILURES if failed else DONE,
    )


def show_plan(planned: dict[str, Any]) -> None:
    """Print what a run would take, and with which settings each endpoint is asked."""
    import msgspec

    columns = ("stage", "missing", "usd", "unpriced", "at_once", "seconds")
    table(record_rows(planned["plan"], columns), columns)
    if planned["settings"]:
        rows = [
            (
                row["endpoint"],
                msgspec.json.encode(row["settings"]).decode(),
                row["source"] or "the host decides",
                row["date"],
            )
            for row in planned["settings"]
        ]
        table(rows, ("endpoint", "settings", "source", "date"), title="Asked with")


OUTCOMES = ("done", "refused", "provider", "download", "decode", "timeout", "not_as_asked")


def show_outcomes(outcomes: dict[str, dict[str, int]]) -> None:
    """Print by endpoint what came of its jobs, where anything went otherwise than wanted; failures by their step."""
    rows = [[name, *map(counts.get, OUTCOMES)] for name, counts in outcomes.items() if set(counts) - {"done"}]
    if rows:
        table(rows, ("endpoint", *OUTCOMES))


FAILURES = ("endpoint", "stage", "kind", "count", "mended", "first", "last", "example")

EXAMPLE_WIDTH = 80


def show_failures(rows: list[dict[str, Any]]) -> None:
    """Print what went wrong by endpoint and kind; `mended` are those that a later try did bring."""
    if not rows:
        return
    times = ({name: row[name] and f"{row[name]:%m-%d %H:%M}" for name in ("first", "last")} for row in rows)
    shown = [{**row, **time, "example": row["example"][:EXAMPLE_WIDTH]} for row, time in zip(rows, times, strict=True)]
    table(record_rows(shown, FAILURES), FAILURES, title="Failures by endpoint and kind")


def show_totals(data: dict[str, Any], tallies: list[Any] | None = None) -> None:
    """Print the stages, the money, and why the run ended early if it did."""
    rows = [[name, *stage.values()] for name, stage in data["stages"].items() if any(stage.values())]
    if rows:
        table(rows, STAGE_COLUMNS)
    else:
        click.echo("There is nothing to do: name an [[endpoint]] and a [[suite]] of its tasks, or suite import FILE.")
    left = any(stage["missing"] for stage in data["stages"].values())
    if rows and not left and tallies is not None and not data["stopped"] and not any(each.ended for each in tallies):
        click.echo("Nothing was missing.")
    for stage, why, count in data.get("failures", ()):
        click.echo(f"failed: {count} in {stage}: {why}")
    show_outcomes(data.get("outcomes", {}))
    show_failures(data.get("failures_by_endpoint", []))
    for kind, count in data.get("verdicts", {}).items():
        if kind != "judgment":
            click.echo(f"{kind}: {count} replies of judges gave no score")
    if data.get("held_by_another_run"):
        click.echo(f"held: {data['held_by_another_run']} units are another run's to finish")
    money = f"spent: {data['spent_usd']:.4f} USD"
    if data["attempts_of_unknown_price"]:
        money += f", and {counted(data['attempts_of_unknown_price'], 'attempt')} whose price nobody knows"
    click.echo(money)
    if data.get("stopped"):
        click.echo(f"stopped: {data['stopped']}; run it again to go on")


def _stage_command(name: str, text: str) -> click.Command:
    @click.command(name=name, help=text)
    @run_options
    @finish
    def stage(**options: Any) -> Result:
        return run_stages((name,), **options)

    return stage


generate = _stage_command("generate", "Run the stage generate alone.\n\nExample: groundswell generate --dry-run")
measure = _stage_command("measure", "Run the stage measure alone.\n\nExample: groundswell measure")


@click.command()
@FOLDER
@finish
def status(folder: Path) -> Result:
    """What exists, what is missing, what failed and why.

    Example: groundswell status
    """
    from groundswell.flow.running import totals
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = totals(space)
    return Result(data=data, show=lambda: show_totals(data))


@click.command()
@click.option("--offline", is_flag=True, help="Reach no host and ask no judge.")
@FOLDER
@finish
def doctor(folder: Path, offline: bool) -> Result:
    """Check configuration, keys, parts, hosts, clocks, store and disk, and ask every judge one short question.

    Example: groundswell doctor
    """
    from groundswell.flow.doctor import examine

    checks = examine(folder, offline=offline)
    columns = ("check", "ok", "remedy")
    bad = any(not check["ok"] for check in checks)
    return Result(
        data={"checks": checks},
        show=lambda: table(record_rows(checks, columns), columns),
        exit=WITH_FAILURES if bad else DONE,
    )


@click.command()
@FOLDER
@finish
def boards(folder: Path) -> Result:
    """Compute and print the boards of the workspace.

    Example: groundswell boards --json
    """
    from groundswell.flow.measuring import measured
    from groundswell.flow.standing import board_data, standings
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = {
            "boards": [board_data(standing.board) for standing in standings(space)],
            "metrics": measured(space),
        }
    return Result(data=data, show=lambda: show_boards(data["boards"]))


@click.command()
@click.argument("board")
@click.argument("model")
@click.option("--sample", metavar="KEY", help="Only this sample.")
@FOLDER
@finish
def explain(board: str, model: str, sample: str | None, folder: Path) -> Result:
    """Follow a model's number home: comparisons, grades, raw replies, outputs, samples, posts.

    In place of a board, the name of a metric follows its mean home.

    Example: groundswell explain photographs opencv-careful
    """
    from groundswell.flow.standing import explain as follow
    from groundswell.flow.workspace import workspace
    from groundswell.publish.explain import story

    with workspace(folder) as space:
        data = follow(space, board, model, sample)
    return Result(data=data, show=lambda: click.echo(story(data)))


@click.command()
@FOLDER
@finish
def publish(folder: Path) -> Result:
    """Write the snapshot and the static site.

    Example: groundswell publish
    """
    from groundswell.flow.standing import publish as write
    from groundswell.flow.standing import standings
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        site = write(space, standings(space))
    return Result(data={"site": str(site)}, show=lambda: click.echo(f"site: {site / 'index.html'}"))


@click.command()
@FOLDER
@finish
def report(folder: Path) -> Result:
    """Write one self-contained page and a Markdown table about the workspace, for a pull request or an e-mail.

    Example: groundswell report
    """
    from groundswell.flow.standing import report as write
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        html, markdown = write(space)
    data = {"html": str(html), "markdown": str(markdown)}
    return Result(data=data, show=lambda: click.echo(f"report: {html}\ntable:  {markdown}"))


@click.command()
@finish
def plugins() -> Result:
    """List the parts that are installed, by seam. Nothing is loaded.

    Example: groundswell plugins
    """
    import msgspec

    from groundswell.plugins import listing

    rows = [msgspec.to_builtins(part) for part in listing()]
    columns = ("seam", "name", "package", "version")
    return Result(data={"plugins": rows}, show=lambda: table(record_rows(rows, columns), columns))
