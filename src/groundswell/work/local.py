"""The pool of this process: units are done by coroutines, at most `width` of them at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from groundswell.ports import Stage
from groundswell.records import Done, Unit


class LocalPool:
    """Runs units in this process; work that burns CPU goes to threads inside the stage that knows it."""

    name = "local"

    def place(self, stage: Stage) -> Stage:
        """The stage itself."""
        return stage

    async def run(
        self, do: Callable[[Unit], Awaitable[Done]], units: AsyncIterator[Unit], width: int
    ) -> AsyncIterator[tuple[Unit, Done]]:
        """Results in the order in which they finish. An error of `do` or of `units` ends the run and is raised."""
        results: asyncio.Queue[tuple[Unit, Done] | None] = asyncio.Queue(maxsize=width)
        turn = asyncio.Lock()

        async def labour() -> None:
            while True:
                async with turn:  # an async iterator may be advanced by one task at a time
                    unit = await anext(units, None)
                if unit is None:
                    return
                await results.put((unit, await do(unit)))

        async def everybody() -> None:
            try:
                async with asyncio.TaskGroup() as group:
                    for _ in range(width):
                        group.create_task(labour())
            finally:
                await results.put(None)

        running = asyncio.create_task(everybody())
        try:
            while (result := await results.get()) is not None:
                yield result
            await running
        except ExceptionGroup as group:
            raise group.exceptions[0] from None
        finally:
            running.cancel()
