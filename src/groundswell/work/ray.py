"""The pool of a Ray cluster: units that need nothing but processors are done by its workers.

What may travel is said by the stage (`travels`). The rest, everything that speaks to a host, stays in this process:
one process keeps every host's limits and the budget, so they hold over the whole cluster. Results are settled here.
Pictures travel by digest; a worker reads them from the blobs, which must be reachable from it (a shared folder, s3://).
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import lru_cache
from typing import Any, Protocol, runtime_checkable

from groundswell.errors import UserError
from groundswell.ports import Stage, Store
from groundswell.records import Done, Unit
from groundswell.work.local import LocalPool

LOST_WORKERS = 3
"""How often a unit is begun again because its worker died; it bought nothing, so that costs only time."""


@runtime_checkable
class Travelling(Stage, Protocol):
    """A stage some of whose units can be done from their payload and the blobs alone. It can be pickled. One with a
    method `gpus(unit)` says which share of a GPU a unit fills."""

    def travels(self, unit: Unit) -> bool:
        """Whether this unit needs neither the network nor this process."""
        ...


def started() -> Any:
    """Ray, connected to the cluster that `RAY_ADDRESS` names, else to one of this machine's processors.

    Raises UserError where Ray is not installed.
    """
    try:
        import ray
    except ImportError:
        raise UserError("the pool ray needs Ray; install it with: pip install 'groundswell[scale]'") from None
    if not ray.is_initialized():
        ray.init(include_dashboard=None, configure_logging=False, log_to_driver=False)
    return ray


class RayPool:
    """Units on a Ray cluster: the one that `RAY_ADDRESS` names, else one of this machine's processors."""

    name = "ray"

    def __init__(self) -> None:
        self._ray = started()
        self._here = LocalPool()

    def place(self, stage: Stage) -> Stage:
        """The stage with the units that travel done by workers."""
        return Abroad(stage, self._ray) if isinstance(stage, Travelling) else stage

    def run(
        self, do: Callable[[Unit], Awaitable[Done]], units: AsyncIterator[Unit], width: int
    ) -> AsyncIterator[tuple[Unit, Done]]:
        """Results in the order in which they finish; `do` waits here for what is done elsewhere."""
        return self._here.run(do, units, width)


class Abroad:
    """A stage whose travelling units are done by Ray's workers."""

    def __init__(self, stage: Travelling, ray: Any) -> None:
        self.name: str = stage.name
        self._stage = stage
        self._ray = ray
        self._work = ray.remote(max_retries=LOST_WORKERS)(_do)
        self._has_gpus = ray.cluster_resources().get("GPU", 0) > 0
        # Pickled when the first unit travels: a stage may load what its units need after it was made.
        self._packed: Any = None

    def units(self, store: Store) -> Iterator[Unit]:
        return iter(self._stage.units(store))

    async def do(self, unit: Unit) -> Done:
        """Make one unit, where it is cheapest to make it."""
        if not self._stage.travels(unit):
            done: Done = await self._stage.do(unit)
            return done
        if self._packed is None:
            self._packed = self._ray.put(self._ray.cloudpickle.dumps(self._stage))
        made: Done = await self._work.options(num_gpus=self.gpus(unit)).remote(self._packed, unit)
        return made

    def gpus(self, unit: Unit) -> float:
        """Share of a GPU that is asked for; none where the cluster has none, for it would be waited for without end."""
        wants = getattr(self._stage, "gpus", None)
        return float(wants(unit)) if wants is not None and self._has_gpus else 0.0


def _do(packed: bytes, unit: Unit) -> Done:
    """What a worker does."""
    done: Done = asyncio.run(_unpacked(packed).do(unit))
    return done


@lru_cache(maxsize=4)
def _unpacked(packed: bytes) -> Any:
    """The stage, unpacked once in each worker, so that its networks are loaded once."""
    return pickle.loads(packed)
