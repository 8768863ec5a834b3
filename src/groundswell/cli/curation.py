"""Commands of curation: curate, curate review, curate screenshot, curate corpus, forget."""

from __future__ import annotations

import getpass
import sys
from pathlib import Path
from typing import Any

import click

from groundswell.cli.printing import DONE, STOPPED, WITH_FAILURES, Result, finish, record_rows, table
from groundswell.cli.progress import watched
from groundswell.cli.workspace import FOLDER
from groundswell.errors import UserError

READER = click.option("--reader", metavar="local|JUDGE", help="Who answers; default: what [reader] says.")
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
    if data["stopped"]:
        click.echo(f"stopped: {data['stopped']}; run it again to go on")


@curate.command()
@READER
@click.option("--url", help="Only the thread that this post stands in.")
@click.option("--question", help="Only decisions about this: relevance, prompt, roles, blanks, feedback, quality.")
@click.option("--set", "said", nargs=3, metavar="SUBJECT QUESTION ANSWER", help="Overrule one; ANSWER is JSON.")
@click.option("--page", type=click.Path(path_type=Path), help="Write the decisions as a page instead.")
@click.option("--person", default=getpass.getuser, show_default="you", help="Who overrules.")
@FOLDER
@finish
def review(
    said: tuple[str, str, str] | None, page: Path | None, person: str, question: str | None, folder: Path, **which: Any
) -> Result:
    """Walk through decisions, the least sure first, and overrule them; what a person says survives every run.

    Example: groundswell curate review --question quality
    """
    from groundswell.flow import curation
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        if said:
            subject, asked, text = said
            kept = curation.overrule(space, subject, asked, _json(text), person)
            data = {"overruled": [{"subject": subject, "question": asked, "answer": kept.answer}]}
            return Result(data=data, show=lambda: click.echo(f"kept; groundswell curate reads {subject[:8]} anew"))
        rows = [row for row in curation.to_review(space, **which) if question in (None, row["question"])]
        if page is not None:
            from groundswell.curate.review import write_page

            write_page(page, rows)
            return Result(data={"page": str(page)}, show=lambda: click.echo(f"page: {page}"))
        if not sys.stdin.isatty():
            columns = ("subject", "question", "reader", "answer", "why")
            return Result(data={"decisions": rows}, show=lambda: table(record_rows(rows, columns), columns))
        changed = [
            curation.overrule(space, row["subject"], row["question"], answer, person) for row, answer in _walk(rows)
        ]
    data = {"overruled": [{"subject": each.subject, "question": each.question} for each in changed]}
    return Result(data=data, show=lambda: click.echo(f"{len(changed)} overruled; now: groundswell curate"))


def _walk(rows: list[dict[str, Any]]) -> Any:
    """Show decisions one by one and give those that a person answers, with the answer."""
    import msgspec

    for row in rows:
        click.echo(f"\n{row['text'][:600]}\n{row['url'] or row['subject']}")
        click.echo(f"{row['question']} ({row['reader']}): {msgspec.json.encode(row['answer']).decode()}")
        click.echo(f"because: {row['why']}")
        while text := click.prompt("Enter keeps it; JSON overrules; q ends", default="", show_default=False).strip():
            if text == "q":
                return
            try:
                yield row, _json(text)
                break
            except UserError as error:
                click.echo(str(error))


def _json(text: str) -> Any:
    import msgspec

    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise UserError(f'this is not JSON ({error}); an answer to relevance is {{"score": 5}}') from None


@curate.command()
@click.argument("picture", type=click.Path(path_type=Path))
@finish
def screenshot(picture: Path) -> Result:
    """The instruction and the pictures that a screenshot or collage shows. Works without a workspace.

    Example: groundswell curate screenshot composer.png --json
    """
    from groundswell.flow.curation import screenshot as look

    data = look(picture)
    return Result(data=data)


@curate.command()
@click.option("--older", multiple=True, type=click.Path(path_type=Path), help="Prompts of an older set, one a line.")
@click.option("--release", "released", multiple=True, metavar="MODEL=YYYY-MM-DD", help="A day to mark.")
@FOLDER
@finish
def corpus(older: tuple[Path, ...], released: tuple[str, ...], folder: Path) -> Result:
    """What the posts say as a whole: copies, variety, days, kinds of complaints, novelty, fluency.

    Example: groundswell curate corpus --older drawbench.txt
    """
    from groundswell.files import read_text
    from groundswell.flow.corpus import corpus_report
    from groundswell.flow.workspace import workspace

    sets = {path.stem: [line for line in read_text(path).splitlines() if line.strip()] for path in older}
    with workspace(folder) as space:
        data = corpus_report(space, sets, dict(map(_release, released)))
    return Result(data=data)


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
    """Remove a post and everything made of it; a tombstone stays, so that it never comes back.

    Example: groundswell forget https://x.com/i/status/1
    """
    from groundswell.flow.curation import forget as remove
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        data = remove(space, url)
    return Result(data=data, show=lambda: click.echo(", ".join(f"{count} {name}" for name, count in data.items())))
