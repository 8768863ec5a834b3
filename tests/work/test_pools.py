"""Both pools do what the suite that we ship asks; a Ray worker that is killed changes nothing."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from pathlib import Path

import pytest

from groundswell.records import Done, Judgment, Unit, UnitState
from groundswell.store.sql import open_store
from groundswell.testing import conformance
from groundswell.work.engine import Engine
from groundswell.work.local import LocalPool


@pytest.fixture(params=["local", "ray"])
def pool(request: pytest.FixtureRequest):
    """Each pool in turn."""
    if request.param == "local":
        return LocalPool()
    request.getfixturevalue("cluster")
    from groundswell.work.ray import RayPool

    return RayPool()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("check", conformance.POOL, ids=lambda check: check.__name__)
def test_a(check, pool) -> None:
    check(pool)


class Travelling:
    """A stage whose even units can be done anywhere, and say where they were; the odd ones stay."""

    name = "judge"

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def units(self, store):
        return (Unit(key=f"{number:032d}", payload=number, price=0.0) for number in range(40))

    def travels(self, unit: Unit) -> bool:
        return unit.payload % 2 == 0

    async def do(self, unit: Unit) -> Done:
        if unit.payload == 10:
            flag = Path(self.folder) / "killed"
            if not flag.exists():
                flag.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(0.01)
        record = Judgment(
            outputs=(unit.key,), judge="j", rubric="r", sample="s", scores={"n": unit.payload}, reply=str(os.getpid())
        )
        return Done(state=UnitState.DONE, records=(record,), cost=0.0)


@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_is_killed_changes_nothing(cluster, tmp_path: Path) -> None:
    from groundswell.work.ray import RayPool

    cluster.cloudpickle.register_pickle_by_value(__import__("sys").modules[__name__])
    store = open_store(str(tmp_path / "groundswell.sqlite"))

    async def whole():
        async with Engine(store, RayPool()) as engine:
            return await engine.run(Travelling(tmp_path), width=4)

    tally = asyncio.run(whole())
    assert (tally.done, tally.failed) == (40, 0)
    assert (tmp_path / "killed").exists()
    places = {int(judgment.scores["n"]): int(judgment.reply) for judgment in store.records(Judgment)}
    store.close()
    assert sorted(places) == list(range(40))
    here = Counter(place == os.getpid() for number, place in places.items() if number % 2)
    abroad = Counter(place == os.getpid() for number, place in places.items() if not number % 2)
    assert (here, abroad) == ({True: 20}, {False: 20})
