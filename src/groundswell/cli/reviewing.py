"""The walk through decisions in the terminal: one key each, and every answer is on disk before the next is shown."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from typing import Any, Protocol

import click

from groundswell.cli.printing import visible
from groundswell.errors import UserError

KEYS = "[k]eep  [o]verrule  [s]kip  [t]hread  [q]uit"
MOST_LETTERS = 600


class Desk(Protocol):
    """Where answers go."""

    def thread(self, subject: str) -> list[dict[str, Any]]: ...

    def keep(self, subject: str, question: str) -> None: ...

    def overrule(self, subject: str, question: str, text: str) -> Any:
        """Raises UserError where the text is no answer."""
        ...


def walk(desk: Desk, rows: Sequence[dict[str, Any]]) -> dict[str, int]:
    """Show what nobody has looked at, one by one; gives how many were kept, overruled and left. What was skipped, and
    what comes after quitting, is there the next time."""
    # A native package has put its own handler before Python's, with which a prompt cannot be interrupted.
    signal.signal(signal.SIGINT, signal.getsignal(signal.SIGINT))
    waiting = [row for row in rows if not row["reviewed"]]
    kept = overruled = 0
    for number, row in enumerate(waiting, start=1):
        _show(row, f"{number} of {len(waiting)}")
        match _key(desk, row):
            case "q":
                break
            case "k":
                desk.keep(row["subject"], row["question"])
                kept += 1
            case "o":
                overruled += _overrule(desk, row)
    return {"kept": kept, "overruled": overruled, "left": len(waiting) - kept - overruled}


def _show(row: dict[str, Any], place: str) -> None:
    click.echo(f"\n--- {row['question']}, {place} " + "-" * 40)
    _lines(row["text"][:MOST_LETTERS])
    click.echo(visible(row["url"] or row["subject"]))
    click.echo(f"{visible(row['reader'])} says, because {visible(row['why'] or '(no reason)')}:")
    _lines(row["in_words"], "    ")


def _lines(text: str, indent: str = "") -> None:
    for line in text.splitlines():
        click.echo(indent + visible(line))


def _key(desk: Desk, row: dict[str, Any]) -> str:
    while True:
        click.echo(KEYS, nl=False)
        key = click.getchar().lower()
        click.echo()
        if key in ("k", "o", "s", "q"):
            return key
        if key == "t":
            for post in desk.thread(row["subject"]):
                pictures = f", {len(post['pictures'])} pictures" if post["pictures"] else ""
                click.echo(f"* {post['by']}{pictures} {visible(post['url'] or '')}")
                _lines(post["text"][:MOST_LETTERS], "  ")


def _overrule(desk: Desk, row: dict[str, Any]) -> bool:
    """Ask for the answer until it is one; an empty line leaves the decision as it is."""
    while True:
        text = click.prompt(row["hint"], default="", show_default=False).strip()
        if not text:
            return False
        try:
            desk.overrule(row["subject"], row["question"], text)
        except UserError as error:
            click.echo(visible(str(error)))
        else:
            return True
