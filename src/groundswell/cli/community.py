"""Commands on what people post: ingest, threads. Both work with a workspace and without one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import Result, finish, record_rows, table
from groundswell.cli.workspace import FOLDER

FILE = click.Path(path_type=Path)
FORMATS = (
    "auto", "x-v2", "x-v1", "x-graphql", "x-archive", "reddit", "pushshift", "bluesky", "mastodon", "hackernews",
    "discord", "telegram",
)  # fmt: skip
COUNTS = ("posts", "replies", "missing_parents", "pictures", "quotes", "duplicates", "deleted", "bad_lines")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--format", "form", type=click.Choice(FORMATS), default="auto", show_default=True)
@FOLDER
@finish
def ingest(paths: tuple[Path, ...], form: str, folder: Path) -> Result:
    """Read posts from exports; in a workspace they are kept. A file that holds no posts is named, not read as zero.

    Example: groundswell ingest exports/*.json
    """
    from groundswell.config import FILE_NAME
    from groundswell.ingest import read_files

    if not (folder / FILE_NAME).exists():
        # Without a workspace nothing is kept, so nobody needs the same hash for the same author tomorrow.
        data: dict[str, Any] = read_files(paths, format=form, salt=os.urandom(16)).report()
    else:
        from groundswell.flow.community import keep_posts
        from groundswell.flow.workspace import author_salt, workspace

        with workspace(folder) as space:
            found = read_files(paths, format=form, salt=author_salt(space), keep=space.keep)
            data = {**found.report(), "new": keep_posts(space, found)}
    return Result(data=data, show=lambda: _show_ingest(data))


def _show_ingest(data: dict[str, Any]) -> None:
    read = [row for row in data["files"] if row["format"]]
    table(record_rows(read, ("path", "format", *COUNTS)), ("file", "format", *COUNTS))
    for row in data["files"]:
        if not row["format"]:
            click.echo(f"no posts in {row['path']}: {row.get('what')}")
    click.echo(", ".join(f"{data[name]} {name.replace('_', ' ')}" for name in COUNTS))


@click.command()
@click.argument("url", required=False)
@FOLDER
@finish
def threads(url: str | None, folder: Path) -> Result:
    """Show the conversations among the posts of a workspace, or the one that a post stands in.

    Example: groundswell threads https://bsky.app/profile/example/post/1
    """
    import msgspec

    from groundswell.flow.community import conversations
    from groundswell.flow.workspace import workspace
    from groundswell.ingest.threads import encode, threads_report

    with workspace(folder) as space:
        woven, matched = conversations(space, url)
    report: Any = threads_report(woven, matched=matched)
    if matched:
        report["threads"] = [row for row in report["threads"] if row["main"] in matched]
    rows = [[row["main"], len(row["ancestors"]), len(row["replies"])] for row in report["threads"]]
    # Conversations may be deeper than a recursive encoder can go.
    data = msgspec.Raw("".join(encode(report)))
    return Result(data=data, show=lambda: table(rows, ("main", "ancestors", "direct replies")))
