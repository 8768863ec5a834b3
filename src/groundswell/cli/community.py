"""Commands on what people post: ingest, threads. Both work with a workspace and without one."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import DONE, WITH_FAILURES, Result, finish, record_rows, table, visible
from groundswell.cli.workspace import FOLDER
from groundswell.errors import UserError

FILE = click.Path(path_type=Path)
COUNTS = ("posts", "replies", "missing_parents", "pictures", "quotes", "duplicates", "deleted", "bad_lines")

FORMAT = """auto: each value is told by its content; or x-v2, x-v1, x-graphql, x-archive, reddit, pushshift, bluesky,
mastodon, hackernews, discord, telegram, or an installed source."""

POOL = click.option(
    "--pool",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="ray: files are read by its workers, in memory that does not grow with them.",
)


@click.command()
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--format", "form", default="auto", show_default=True, help=FORMAT)
@POOL
@FOLDER
@finish
def ingest(paths: tuple[Path, ...], form: str, pool: str, folder: Path) -> Result:
    """Read posts from exports; in a workspace they are kept. A file that holds no posts is named, not read as zero.

    Example: groundswell ingest exports/*.json
    """
    from groundswell.config import FILE_NAME
    from groundswell.flow.community import ingest
    from groundswell.flow.workspace import workspace

    if kept := (folder / FILE_NAME).exists():
        with workspace(folder) as space:
            data = ingest(space, paths, format=form, pool=pool)
    else:
        data = ingest(None, paths, format=form, pool=pool)
    read = any(row["format"] for row in data["files"])
    return Result(data=data, show=lambda: _show_ingest(data, kept), exit=DONE if read else WITH_FAILURES)


def _show_ingest(data: dict[str, Any], kept: bool) -> None:
    read = [{**row, "path": Path(row["path"]).name} for row in data["files"] if row["format"]]
    if read:
        table(record_rows(read, ("path", "format", *COUNTS)), ("file", "format", *COUNTS))
    for row in data["files"]:
        if not row["format"]:
            click.echo(f"no posts in {visible(row['path'])}: {row.get('what')}")
    click.echo(", ".join(f"{data[name]} {name.replace('_', ' ')}" for name in COUNTS))
    if read and not kept:
        click.echo("nothing was kept, for there is no workspace here; name one with --dir, or: groundswell init DIR")


@click.command()
@click.argument("paths", nargs=-1, required=True, type=FILE, metavar="FILE...")
@click.option("--column", default="prompt", show_default=True, help="Where the texts stand.")
@click.option("--threshold", type=click.FloatRange(0.5, 1.0), default=0.8, show_default=True, help="Jaccard likeness.")
@click.option("--out", type=FILE, help="Write a row for each near-duplicate: file, row, of_file, of_row.")
@POOL
@finish
def duplicates(paths: tuple[Path, ...], column: str, threshold: float, out: Path | None, pool: str) -> Result:
    """Find texts that are near-duplicates of an earlier one, in Parquet files or files with a JSON object a line.

    Rows of JSON lines are told by their line (from 1), those of Parquet files by their place (from 0).

    Example: groundswell duplicates prompts/*.parquet --out copies.jsonl
    """
    from groundswell.flow.copies import duplicates
    from groundswell.ingest.reading import files_of

    found = files_of(paths)
    if isnan(threshold):  # it is in every range
        raise UserError("--threshold is a likeness from 0.5 to 1")
    if out is not None and out.resolve() in {Path(path).resolve() for path in found}:
        raise UserError("--out is one of the files that are read; name another", where=out)
    data = duplicates(found, column=column, threshold=threshold, pool=pool, out=out)
    return Result(data=data, show=lambda: _show_duplicates(data))


def _show_duplicates(data: dict[str, Any]) -> None:
    copies, rows, groups = data["near_duplicates"], data["rows"], data["groups"]
    click.echo(f"{copies} of {rows} rows are near-duplicates of an earlier one, in {groups} groups")


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
    from groundswell.ingest.threads import counts, text_of, thread_rows

    with workspace(folder) as space:
        woven, matched = conversations(space, url)
    shown, written = [], []
    for row in thread_rows(woven, matched):
        if row["matched"] or not matched:
            shown.append([row["main"], len(row["ancestors"]), len(row["replies"])])
            written.append(text_of(row))
    # Conversations may be deeper than a recursive encoder can go.
    data = {"threads": msgspec.Raw(f"[{','.join(written)}]"), **counts(woven)}
    return Result(data=data, show=lambda: table(shown, ("main", "ancestors", "direct replies")))
