"""Commands of curation: curate, curate review, curate screenshot, curate corpus, forget."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import DONE, STOPPED, WITH_FAILURES, Result, cell, finish, record_rows, table, visible
from groundswell.cli.progress import watched
from groundswell.cli.workspace import FOLDER
from groundswell.errors import UserError

READER = click.option("--reader", metavar="local|JUDGE", help="Who answers; default: what [reader] says.")
SHOWN = 10
"""Pictures that could not be had are named one by one up to so many."""

ASKED = ("relevance", "prompt", "roles", "blanks", "feedback", "quality")
COUNTED = ("posts", "threads", "relevant", "samples", "t2i", "edit", "runnable")


@click.group(invoke_without_command=True)
@READER
@FOLDER
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout and nothing else.")
@click.pass_context
def curate(context: click.Context, /, **options: Any) -> None:
    """Make samples of the posts of a workspace: only what is new is read.

    Example: groundswell curate --reader local
    """
    if context.invoked_subcommand is None:
        stage(**options)


@finish
def stage(*, reader: str | None, folder: Path) -> Result:
    """Run the stages of curation."""
    from groundswell.flow.curation import curate as run
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space, watched() as observe:
        data = run(space, reader, observe)
    failed = any(counts["failed"] for counts in data["stages"].values())
    code = STOPPED if data["stopped"] else WITH_FAILURES if failed else DONE
    return Result(data=data, show=lambda: _show(data), exit=code)


def _show(data: dict[str, Any]) -> None:
    if data["nothing_to_do"]:
        click.echo("Nothing to do: every thread has been read.")
    table([[data[name] for name in COUNTED]], COUNTED)
    click.echo(", ".join(f"{count} {label}" for label, count in data["quality"].items()))
    if data["edition"]:
        click.echo(f"edition: {data['edition']['suite']} {data['edition']['label']}; run it with: groundswell run")
    for stage_name, why, count in data["failures"]:
        click.echo(f"failed: {count} in {stage_name}: {why}")
    for name, said in (("pictures_missing", "without a picture"), ("first_frame_only", "first frame of an animation")):
        for row in data[name][:SHOWN]:
            click.echo(f"{said}: {visible(str(row['url']))} {visible(row.get('why', ''))}")
        if len(data[name]) > SHOWN:
            click.echo(f"{said}: {len(data[name]) - SHOWN} more; --json lists all")
    if data["stopped"]:
        click.echo(f"stopped: {data['stopped']}; run it again to go on")


@curate.command()
@READER
@click.option("--url", help="Only the thread that this post stands in.")
@click.option("--question", type=click.Choice(ASKED), help="Only decisions about this.")
@click.option("--undecided", is_flag=True, help="Only those that the reader is not sure of.")
@click.option("--set", "words", nargs=3, metavar="SUBJECT QUESTION ANSWER", help="Overrule one, without a walk.")
@click.option("--page", is_flag=True, help="On a page in a browser of this machine instead of the terminal.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Of the page; default: any that is free.")
@click.option("--person", default=getpass.getuser, show_default="you", help="Who decides.")
@FOLDER
@finish
def review(*, reader: str | None, person: str, folder: Path, **options: Any) -> Result:
    """Walk through decisions, the least sure first: keep, overrule, skip. What a person says survives every run.

    Example: groundswell curate review --question quality
    """
    from groundswell.flow.reviewing import Review
    from groundswell.flow.workspace import workspace

    words, page, port = options.pop("words"), options.pop("page"), options.pop("port")
    with workspace(folder) as space:
        desk = Review(space, reader, person)
        if words:
            return _set(desk, *words)
        if page:
            return _on_page(desk, options, port)
        rows = desk.rows(**options)
        if not sys.stdin.isatty():
            columns = ("subject", "question", "reader", "in_words", "why", "reviewed")
            return Result(data={"decisions": rows}, show=lambda: table(record_rows(rows, columns), columns))
        from groundswell.cli.reviewing import walk

        data = walk(desk, rows)
    show = "{kept} kept, {overruled} overruled, {left} left; now: groundswell curate".format
    return Result(data=data, show=lambda: click.echo(show(**data)))


def _set(desk: Any, subject: str, question: str, words: str) -> Result:
    answer = desk.overrule(subject, question, words)
    data = {"overruled": [{"subject": subject, "question": question, "answer": answer}]}
    return Result(data=data, show=lambda: click.echo(f"kept; groundswell curate reads {subject[:8]} anew"))


def _on_page(desk: Any, which: dict[str, Any], port: int) -> Result:
    from groundswell.flow.reviewing import serve

    count = serve(desk, which, port, lambda text: click.echo(text, err=True))
    return Result(data={"overruled": count}, show=lambda: click.echo(f"{count} overruled; now: groundswell curate"))


@curate.command()
@click.argument("picture", type=click.Path(path_type=Path))
@finish
def screenshot(picture: Path) -> Result:
    """The instruction and the pictures that a screenshot or collage shows. Works without a workspace.

    Example: groundswell curate screenshot composer.png --json
    """
    from groundswell.curate.screenshots import read_file

    return Result(data=read_file(picture))


@curate.command()
@click.option(
    "--older",
    multiple=True,
    type=click.Path(path_type=Path),
    help="An older prompt set: a text with one a line, or .csv, .tsv, .jsonl, .parquet with a column prompt.",
)
@click.option("--release", "released", multiple=True, metavar="MODEL=YYYY-MM-DD", help="A day to mark.")
@FOLDER
@finish
def corpus(older: tuple[Path, ...], released: tuple[str, ...], folder: Path) -> Result:
    """What the posts say as a whole: copies, variety, days, complaints, task kinds, novelty, fluency.

    Example: groundswell curate corpus --older drawbench.csv
    """
    from groundswell.flow.corpus import corpus_report, older_prompts
    from groundswell.flow.workspace import workspace

    sets = {path.stem: older_prompts(path) for path in older}
    with workspace(folder) as space:
        data = corpus_report(space, sets, dict(map(_release, released)))
    return Result(data=data, show=lambda: _show_corpus(data))


def _show_corpus(data: dict[str, Any]) -> None:
    click.echo(
        f"{data['prompts']} prompts, {data['near_duplicates']} near-duplicates, {len(data['days'])} days of posts"
    )
    shares = data["leading_bigrams"]["at_equal_n"]
    click.echo(
        "different leading bigrams at equal n: " + ", ".join(f"{name} {cell(each)}" for name, each in shares.items())
    )
    complained = [[each["name"], len(each["posts"]), each["metric"]] for each in data["complaints"]]
    table(complained, ("complaint", "posts", "metric"))
    kinds, older = data["task_kinds"], list(data["task_kinds"]["older"])
    rows = []
    for row in kinds["kinds"]:
        if row["ours"]["n"]:
            theirs = [f"{row['older'][name]['n']} of {row['older'][name]['of']}" for name in older]
            example = row["examples"][0]["text"][:60]
            rows.append([row["kind"], row["ours"]["n"], *theirs, ", ".join(row["lacking_in"]) or None, example])
    table(rows, ("task kind", f"of {kinds['prompts']}", *older, "rarer in", "example"), title="What prompts ask for")
    if kinds["why"]:
        click.echo(f"not compared: {kinds['why']}")
    fluency = data["fluency"]
    click.echo(
        f"perplexity: {fluency['why']}"
        if "why" in fluency
        else f"median perplexity under {fluency['model']}: {cell(fluency['median_perplexity'])} "
        f"({fluency['measured']} of {fluency['wanted']} prompts)"
    )


def _release(text: str) -> tuple[str, Any]:
    from datetime import date

    name, _, day = text.rpartition("=")
    try:
        return name, date.fromisoformat(day)
    except ValueError:
        raise UserError(f"--release wants MODEL=YYYY-MM-DD, not {text}") from None


@click.command()
@click.argument("url")
@FOLDER
@finish
def forget(url: str, folder: Path) -> Result:
    """Remove a post and everything made of it. A tombstone stays, so that it never comes back, and verdicts without
    words, so that boards can be recomputed.

    Example: groundswell forget https://x.com/i/status/1
    """
    from groundswell.flow.forgetting import forget as remove
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = remove(space, url)

    def show() -> None:
        counts = [f"{count} {name}" for name, count in data.items() if type(count) is int]
        click.echo(f"gone: {', '.join(counts)}")
        if not data["scrubbed"]:
            click.echo("somebody else reads the store now; its free pages may hold the words until forget runs again")
        if data["write_again"]:
            click.echo(f"write again (publish, report), these may show it: {', '.join(data['write_again'])}")
        for path in data["exports"]:
            click.echo(f"a file of yours holds its words: {path}")

    return Result(data=data, show=show)
