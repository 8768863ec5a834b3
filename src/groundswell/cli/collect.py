"""The command `collect`: posts from live platforms into a workspace."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from groundswell.cli.community import COUNTS
from groundswell.cli.printing import DONE, STOPPED, WITH_FAILURES, Result, finish, record_rows, table
from groundswell.cli.workspace import FOLDER

MOMENT = click.DateTime(("%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d %H:%M:%S"))
PLACES = ("query", "since", "until", "pages", "found", "complete")


def _utc(context: click.Context, parameter: click.Parameter, moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)


@click.command()
@click.argument("source")
@click.option(
    "--query", "queries", multiple=True, help="What to search for, in the platform's syntax; may be given again."
)
@click.option("--since", type=MOMENT, callback=_utc, help="From this time in UTC (inclusive).")
@click.option("--until", type=MOMENT, callback=_utc, help="To this time in UTC (exclusive); now by default.")
@click.option("--pictures", is_flag=True, help="Fetch the pictures that the platform's posts show, too.")
@click.option(
    "--revisit-days",
    type=click.IntRange(0),
    default=7,
    show_default=True,
    help="For so long after it was found, a conversation is looked at again once a day for later replies; 0 = never.",
)
@click.option(
    "--revisits", type=click.IntRange(0), default=200, show_default=True, help="Conversations looked at again in a run."
)
@click.option("--allow-unknown-price", is_flag=True, help="Go on under a budget where posts have no known price.")
@FOLDER
@finish
def collect(folder: Path, **asked: Any) -> Result:
    """Collect posts from SOURCE: x, x-all, reddit, bluesky, mastodon, hackernews, or a [[source]] of the workspace.

    Without --query, the words of the workspace's [[collect]] tables are searched for. What was fetched is not fetched
    again: run it again to go on, or to get what is new.

    Example: groundswell collect hackernews --query "gpt-image" --since 2026-11-01
    """
    from groundswell.cli.progress import watched
    from groundswell.flow.collecting import Asked, collect
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space, watched() as observe:
        data = collect(space, Asked(**asked), observe)
    failed = data["failed"] or data.get("pictures_failed")
    ended = STOPPED if data["stopped"] else WITH_FAILURES if failed else DONE
    return Result(data=data, show=lambda: _show(data), exit=ended)


def _show(data: dict[str, Any]) -> None:
    table(record_rows(data["queries"], PLACES), PLACES)
    click.echo(", ".join(f"{data[name]} {name.replace('_', ' ')}" for name in (*COUNTS, "new", "requests")))
    if data["revisited"]:
        click.echo(f"{data['revisited']} conversations looked at again for later replies")
    if "fetched" in data:
        click.echo(f"{data['fetched']} pictures fetched, {data['not_fetched']} are not to be had")
    for cut in data["out_of_reach"]:
        click.echo(
            f"out of the platform's reach: {cut['query']}, {cut['since']:%Y-%m-%d} to {cut['until']:%Y-%m-%d %H:%M}"
        )
    for why in data["why"]:
        click.echo(f"failed: {why}")
