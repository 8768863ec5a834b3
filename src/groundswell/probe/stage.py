"""The stage `probe`: one timed request for each endpoint and moment that is wanted.

A measurement that failed is a measurement, so a unit is done in either case and nothing is ever asked twice. How the
time is taken stands in `shot`, when in `schedule`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from groundswell.ports import Store
from groundswell.probe.prompts import fresh_prompt
from groundswell.probe.shot import Target, shoot
from groundswell.records import FIRST_SEED, Done, Request, Unit, UnitState, key_of
from groundswell.wire.door import Wire

SIZE = (1024, 1024)


@dataclass(frozen=True, slots=True)
class Slot:
    """An endpoint that is to be timed at a moment, and USD that it is expected to cost."""

    target: Target
    moment: datetime
    price: float | None

    @property
    def key(self) -> str:
        return key_of("timing", 1, self.target.endpoint.key, self.moment.isoformat())


class Probe:
    """`ports.Stage` over slots."""

    name = "probe"

    def __init__(self, wire: Wire, slots: Sequence[Slot], *, region: str | None = None) -> None:
        self._wire = wire
        self._slots = slots
        self._region = region

    def units(self, store: Store) -> Iterator[Unit]:
        for slot in self._slots:
            yield Unit(key=slot.key, payload=slot, price=slot.price)

    async def do(self, unit: Unit) -> Done:
        """Take one time."""
        slot: Slot = unit.payload
        request = Request(
            model=slot.target.endpoint.model,
            want="picture",
            parts=(fresh_prompt(unit.key),),
            settings=slot.target.settings,
            seed=FIRST_SEED,
            size=SIZE,
        )
        timing = await shoot(self._wire, slot.target, request, region=self._region)
        cost = timing.cost if timing.cost is not None else slot.price if timing.failure is None else None
        return Done(state=UnitState.DONE, records=(msgspec.structs.replace(timing, cost=cost),), cost=cost)
