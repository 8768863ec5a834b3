"""Which keys may be used now: ok, cooling, exhausted or dead. It knows states and names, never a secret.

Keys of one account form a group: they cool and run dry together, but die one by one. State belongs to a host: the same
variable used at two hosts is two keys.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from typing import Literal

from groundswell.records import Broken
from groundswell.wire.clock import Clock
from groundswell.wire.keys import Key
from groundswell.wire.lines import Line

State = Literal["ok", "cooling", "exhausted", "dead"]

_SAID = {"ok": "usable", "cooling": "cooling", "exhausted": "no quota left", "dead": "refused by the host"}


class KeyRing:
    """The state of all keys of a run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._dead: set[tuple[object, str]] = set()
        self._exhausted: set[tuple[object, str]] = set()
        self._until: dict[tuple[object, str], float] = {}
        self._turns: dict[str, Iterator[int]] = defaultdict(itertools.count)

    def state(self, line: Line, key: Key) -> State:
        """The state of a key at the host of a line."""
        if (line.origin, key.variable) in self._dead:
            return "dead"
        if (line.origin, key.group) in self._exhausted:
            return "exhausted"
        return "cooling" if self._remaining(line, key) > 0 else "ok"

    def pick(self, line: Line, held: Key | None = None) -> Key | float | Broken | None:
        """A key to use now, in turn; the seconds until one cools down; Broken when none is left; None = keyless.

        `held`: the only key that will do, because a job was submitted with it.
        """
        if not line.keys:
            return None
        start = next(self._turns[line.name]) % len(line.keys)
        pauses = []
        keys = (held,) if held is not None else line.keys[start:] + line.keys[:start]
        for key in keys:
            state = self.state(line, key)
            if state == "ok":
                return key
            if state == "cooling":
                pauses.append(self._remaining(line, key))
        return min(pauses) if pauses else self._none_left(line, keys)

    def cool(self, line: Line, key: Key, seconds: float) -> None:
        """Let the key's whole group rest; a longer rest that is already on stays."""
        place = (line.origin, key.group)
        self._until[place] = max(self._until.get(place, 0.0), self._clock.monotonic() + seconds)

    def exhaust(self, line: Line, key: Key) -> None:
        """The account of the key has no quota left in this run."""
        self._exhausted.add((line.origin, key.group))

    def kill(self, line: Line, key: Key) -> None:
        """The host does not accept this key; its group goes on."""
        self._dead.add((line.origin, key.variable))

    def _remaining(self, line: Line, key: Key) -> float:
        return self._until.get((line.origin, key.group), 0.0) - self._clock.monotonic()

    def _none_left(self, line: Line, keys: tuple[Key, ...]) -> Broken:
        states = {key.variable: self.state(line, key) for key in keys}
        said = ", ".join(f"{name} ({_SAID[state]})" for name, state in states.items())
        dead = all(state == "dead" for state in states.values())
        return Broken(
            what="provider", reason=f"no usable key: {said}", transient=True, key_dead=dead, exhausted=not dead
        )
