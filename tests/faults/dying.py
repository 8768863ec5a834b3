"""Run as a process that dies by kill -9 in the middle of writing: before a commit reaches the disk, or just after."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import sqlalchemy as sa

from groundswell.records import Done, Judgment, Unit, UnitState
from groundswell.store.sql import SqlStore, open_store
from groundswell.work.engine import Engine, Tally
from groundswell.work.local import LocalPool

SIZE, WIDTH, DIES_AT = 200, 8, 7
"""Units, how many are under way at once, and at which commit of results the process dies."""


class Logging:
    """A stage that logs each purchase to a file, which outlives the process."""

    name = "judge"

    def __init__(self, log: Path) -> None:
        self._log = log

    def units(self, store):
        return (Unit(key=f"{number:032d}", payload=number, price=0.0) for number in range(SIZE))

    async def do(self, unit: Unit) -> Done:
        with self._log.open("a") as log:
            log.write(f"{unit.payload}\n")
        await asyncio.sleep(0.005)
        record = Judgment(outputs=(unit.key,), judge="j", rubric="r", sample="s", scores={"grade": 7.0})
        return Done(state=UnitState.DONE, records=(record,), cost=0.001)


def run(store: SqlStore, log: Path) -> Tally:
    async def whole() -> Tally:
        async with Engine(store, LocalPool()) as engine:
            return await engine.run(Logging(log), width=WIDTH)

    return asyncio.run(whole())


def at_commit_of_results(store: SqlStore, act) -> None:
    """Call `act(connection)` at each commit in which results are written, before it."""
    engine, writing = store._engine, set()

    @sa.event.listens_for(engine, "before_cursor_execute")
    def notice(connection, cursor, statement, *_) -> None:
        if statement.startswith("UPDATE unit SET state"):
            writing.add(id(connection.connection.dbapi_connection))

    @sa.event.listens_for(engine, "commit")
    def commits(connection) -> None:
        if (place := id(connection.connection.dbapi_connection)) in writing:
            writing.discard(place)
            act(connection)


def die(folder: Path, *, after: bool) -> None:
    store, commits = open_store(str(folder / "groundswell.sqlite")), 0

    def act(connection) -> None:
        nonlocal commits
        commits += 1
        if commits == DIES_AT:
            if after:
                connection.connection.dbapi_connection.commit()
            os.kill(os.getpid(), signal.SIGKILL)

    at_commit_of_results(store, act)
    run(store, folder / "bought")


if __name__ == "__main__":
    die(Path(sys.argv[1]), after=sys.argv[2] == "after")
