"""The engine: only what is missing is done, and only what is on disk is counted."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path

import pytest

from groundswell.errors import BudgetExceeded, StoreError
from groundswell.records import Done, Unit, UnitState
from groundswell.store.sql import SqlStore, open_store
from groundswell.work.engine import Engine, Tally, missing
from groundswell.work.local import LocalPool


class Counting:
    """A stage of `size` units that counts how often each was done and does what `script` says for it."""

    name = "counting"

    def __init__(self, size: int, script=None) -> None:
        self.size = size
        self.bought: Counter[str] = Counter()
        self.under_way = self.most_under_way = 0
        self.script = script or {}

    def units(self, store):
        return (Unit(key=f"{n:032d}", payload=n, price=1.0) for n in range(self.size))

    async def do(self, unit: Unit) -> Done:
        self.bought[unit.key] += 1
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        await asyncio.sleep(0.002)
        self.under_way -= 1
        result = self.script.get(unit.payload, Done(state=UnitState.DONE, cost=1.0))
        if isinstance(result, Exception):
            raise result
        return result


class Purse:
    def __init__(self, usd: float) -> None:
        self.left = usd

    def reserve(self, price):
        if price > self.left:
            raise BudgetExceeded("nothing left")
        self.left -= price
        return 0

    def settle(self, reservation, cost):
        pass


@pytest.fixture
def store(tmp_path: Path) -> SqlStore:
    opened = open_store(str(tmp_path / "groundswell.sqlite"))
    yield opened
    opened.close()


def run(store, stage, *, width: int = 8, **options) -> Tally:
    async def whole() -> Tally:
        async with Engine(store, LocalPool(), **options) as engine:
            return await engine.run(stage, width=width)

    return asyncio.run(whole())


def test_a_second_run_does_nothing(store: SqlStore) -> None:
    assert run(store, Counting(1000)).done == 1000
    again = Counting(1000)
    assert run(store, again).ended == 0
    assert not again.bought


def test_only_what_is_new_is_done(store: SqlStore) -> None:
    run(store, Counting(10))
    grown = Counting(13)
    assert run(store, grown).done == 3
    assert set(grown.bought) == {f"{n:032d}" for n in (10, 11, 12)}


def test_no_more_than_width_units_are_under_way(store: SqlStore) -> None:
    stage = Counting(100)
    run(store, stage, width=7)
    assert stage.most_under_way == 7


def test_a_refusal_is_a_result_and_is_never_asked_again(store: SqlStore) -> None:
    refusal = Done(state=UnitState.REFUSED, why="safety", cost=0.0)
    assert run(store, Counting(3, {1: refusal})).refused == 1
    again = Counting(3)
    run(store, again)
    assert not again.bought


def test_a_transient_failure_is_tried_twice_a_run_and_six_times_in_all(store: SqlStore) -> None:
    failing = {0: Done(state=UnitState.FAILED, why="503", transient=True, cost=0.0, retry_after=0.001)}
    tries = 0
    for _ in range(8):
        stage = Counting(1, failing)
        run(store, stage)
        tries += sum(stage.bought.values())
    assert tries == 2 * 6


def test_a_failure_for_good_is_not_tried_again(store: SqlStore) -> None:
    failing = {0: Done(state=UnitState.FAILED, why="not a picture", cost=0.0)}
    assert run(store, Counting(1, failing)).failed == 1
    assert missing(store, Counting(1)) == 0


@pytest.mark.filterwarnings("ignore")
def test_a_defect_of_one_unit_does_not_cost_the_others(store: SqlStore, caplog) -> None:
    tally = run(store, Counting(5, {2: ZeroDivisionError()}))
    assert (tally.done, tally.failed) == (4, 1)
    assert store.reasons(UnitState.FAILED) == [("counting", "defect: ZeroDivisionError()", 1)]


def test_an_empty_purse_ends_the_stage_and_the_rest_stays_missing(store: SqlStore) -> None:
    tally = run(store, Counting(10), purse=Purse(4.0), width=2)
    assert tally.done == 4
    assert tally.stopped == "budget: nothing left"
    assert missing(store, Counting(10)) == 6


def test_stopping_finishes_what_is_under_way_and_gives_the_rest_back(store: SqlStore) -> None:
    async def whole() -> Tally:
        async with Engine(store, LocalPool()) as engine:
            stage = Counting(1000)
            original = stage.do

            async def stop_at_ten(unit: Unit) -> Done:
                if unit.payload == 10:
                    engine.stop()
                return await original(unit)

            stage.do = stop_at_ten
            return await engine.run(stage, width=4)

    tally = asyncio.run(whole())
    assert 10 <= tally.done <= 16
    assert missing(store, Counting(1000)) == 1000 - tally.done
    assert run(store, Counting(1000)).done == 1000 - tally.done


def test_a_store_that_cannot_write_ends_the_run_with_its_error(store: SqlStore) -> None:
    def fail(stage, results):
        raise StoreError("disk full")

    store.settle = fail
    with pytest.raises(StoreError, match="disk full"):
        run(store, Counting(5000))


def test_a_unit_that_is_named_twice_is_done_once(store: SqlStore) -> None:
    class Twice(Counting):
        def units(self, store):
            yield from super().units(store)
            yield from super().units(store)

    stage = Twice(20)
    run(store, stage)
    assert set(stage.bought.values()) == {1}


def test_what_is_counted_is_on_disk(store: SqlStore) -> None:
    seen = []

    def observe(tally: Tally) -> None:
        stored = sum(store.states().get("counting", {}).values())
        seen.append(stored >= tally.ended)

    run(store, Counting(300), observe=observe)
    assert all(seen)
    assert len(seen) > 1
