"""Commands on endpoints: how fast they are, and whether one works."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import DONE, STOPPED, WITH_FAILURES, Result, finish, record_rows, table
from groundswell.cli.progress import watched
from groundswell.cli.workspace import FOLDER

CRON = "*/10 * * * * cd WORKSPACE && groundswell probe --due"


@click.command(
    epilog=f"Four a day by cron: {CRON}",
)
@click.argument("names", nargs=-1, metavar="[ENDPOINT]...")
@click.option("--due", is_flag=True, help="Only what the schedule has due now; for cron.")
@click.option("--daemon", is_flag=True, help="Stay and measure at the random times of the schedule.")
@click.option("--budget", type=click.FloatRange(min=0), metavar="USD", help="The most that this may spend.")
@click.option("--allow-unknown-price", is_flag=True, help="Go on where a price is not known.")
@FOLDER
@finish
def probe(names: tuple[str, ...], due: bool, daemon: bool, folder: Path, **money: Any) -> Result:
    """Time one picture of each endpoint, never retried, and show the last 14 days.

    Example: groundswell probe --budget 1
    """
    import asyncio

    from groundswell.flow.probing import ProbeOptions, standing, watch
    from groundswell.flow.probing import probe as measure
    from groundswell.flow.workspace import workspace

    options = ProbeOptions(names=names, due=due, **money)
    with workspace(folder) as space, watched() as observe:
        if daemon:
            data = {**standing(space), "stopped": asyncio.run(watch(space, options))}
        else:
            data = measure(space, options, observe)
    failed = any(not timing["ok"] for timing in data["timings"])
    code = STOPPED if data["stopped"] else WITH_FAILURES if failed else DONE
    return Result(data=data, show=lambda: _show(data), exit=code)


def _show(data: dict[str, Any]) -> None:
    for timing in data["timings"]:
        if not timing["ok"]:
            click.echo(f"failed: {timing['endpoint']}: {timing['failure']}")
    timed = [timing for timing in data["timings"] if timing["ok"]]
    if timed:
        phases = ("endpoint", "seconds", "submit", "wait", "fetch")
        table(record_rows(timed, phases), phases, title="Now")
    columns = ("endpoint", "label", "median", "p05", "p25", "p75", "p95", "n", "failures", "usd_per_1000")
    table(record_rows(data["board"]["ranked"], columns), columns, title="Speed board, seconds")
    if listed := data["board"]["listed"]:
        names = ("endpoint", "why", "median", "n", "failures", "usd_per_1000")
        table(record_rows(listed, names), names, title="Not on the board")
    if data["stopped"]:
        click.echo(f"stopped: {data['stopped']}")


@click.group()
def endpoint() -> None:
    """Work on one endpoint.

    Example: groundswell endpoint test flux-dev@fal
    """


@endpoint.command(name="test")
@click.argument("name")
@click.option("--save", type=click.Path(path_type=Path), metavar="FILE", help="Keep the picture.")
@FOLDER
@finish
def try_one(name: str, save: Path | None, folder: Path) -> Result:
    """Make one picture (or answer) and say what works. It costs what one picture costs.

    Example: groundswell endpoint test flux-dev@fal
    """
    from groundswell.flow.trying import try_endpoint
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = try_endpoint(space, name, save)
    columns = ("what", "ok", "detail")
    return Result(
        data=data,
        show=lambda: table(record_rows(data["steps"], columns), columns, title=name),
        exit=DONE if data["ok"] else WITH_FAILURES,
    )
