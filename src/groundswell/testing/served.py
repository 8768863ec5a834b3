"""The scripted host in a thread of its own, for what runs its own event loop: commands, and whole runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

from groundswell.testing.host import Act, ScriptedHost, Seen


class Served:
    """A context manager that gives the running host."""

    def __init__(self, script: Callable[[Seen], Act] | None = None) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.host = ScriptedHost(script)

    def __enter__(self) -> ScriptedHost:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.host.__aenter__(), self._loop).result(10)
        return self.host

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self.host.__aexit__(None, None, None), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
