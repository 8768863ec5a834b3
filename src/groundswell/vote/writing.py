"""Answers on their way to the disk: those that arrive while one transaction is written share the next.

A commit costs some milliseconds however many answers it holds, and nobody is told that a vote counts before it is on
disk. What an answer says is not known here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Protocol

from groundswell.records import Done, Unit

MOST_AT_ONCE = 500


class BallotBox(Protocol):
    """Where answers are kept: each unit once, with its records, in one transaction."""

    def finish(self, stage: str, results: Sequence[tuple[Unit, Done]]) -> set[str]:
        """Write what is new; gives the keys of that."""
        ...


class Writer:
    """One writer for all requests of this process."""

    def __init__(self, box: BallotBox, stage: str) -> None:
        self._box = box
        self._stage = stage
        self._waiting: list[tuple[Unit, Done, asyncio.Future[bool]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def write(self, unit: Unit, done: Done) -> bool:
        """Wait until the answer is on disk. False: this unit was answered before, and nothing was written."""
        written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((unit, done, written))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        return await written

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
            answers = [(unit, done) for unit, done, _ in batch]
            try:
                fresh = await asyncio.to_thread(self._box.finish, self._stage, answers)
            except Exception as error:
                for _, _, written in batch:
                    if not written.done():
                        written.set_exception(error)
                continue
            for unit, _, written in batch:
                if not written.done():
                    written.set_result(unit.key in fresh)
                fresh.discard(unit.key)  # of two answers with one key the first stands
