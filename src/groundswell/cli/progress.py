"""One line of progress on stderr for every running stage: bar, done / wanted, failed, rate, time left, money."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundswell.work.engine import Tally


@contextmanager
def watched() -> Iterator[Callable[[Tally], None] | None]:
    """An observer that draws while stages run; None where nobody looks, so that nothing is counted for a bar."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TextColumn("{task.fields[failed]}"),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[money]}"),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        lines: dict[int, Any] = {}

        def observe(tally: Tally) -> None:
            line = lines.get(id(tally))
            if line is None:
                line = lines[id(tally)] = progress.add_task(tally.stage, total=tally.wanted, **_words(tally, None))
            words: dict[str, Any] = _words(tally, progress.tasks[line].elapsed)
            progress.update(line, completed=tally.ended, **words)

        yield observe


def _words(tally: Tally, elapsed: float | None) -> dict[str, Any]:
    money = f"{tally.spent:.2f} USD" if tally.spent else ""
    if tally.unpriced:
        money += f" + {tally.unpriced} of unknown price"
    return {
        "failed": f"{tally.failed} failed" if tally.failed else "",
        "rate": f"{tally.ended / elapsed:.0f}/s" if elapsed and tally.ended else "",
        "money": money,
    }
