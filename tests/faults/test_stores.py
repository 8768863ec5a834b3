"""What happens to the store: killed, full, not writable, opened by an older or newer Groundswell, told another date."""

from __future__ import annotations

import asyncio
import gc
import resource
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config as AlembicConfig

from groundswell.errors import StoreError, UserError
from groundswell.records import Done, Judgment, Post, Unit, UnitState
from groundswell.store import sql
from groundswell.store.blobs import open_blobs
from groundswell.store.sql import open_store
from groundswell.work.engine import Engine, Tally
from groundswell.work.local import LocalPool

NOBODY_MAY_WRITE = Path("/proc")
"""A folder in which not even root can make a file."""


class Buying:
    """A stage of `size` units that counts how often each was bought."""

    name = "judge"

    def __init__(self, size: int) -> None:
        self.size = size
        self.bought: Counter[int] = Counter()

    def units(self, store):
        return (Unit(key=f"{number:032d}", payload=number, price=0.0) for number in range(self.size))

    async def do(self, unit: Unit) -> Done:
        self.bought[unit.payload] += 1
        await asyncio.sleep(0.005)
        record = Judgment(
            outputs=(unit.key,), judge="j", rubric="r", sample="s", scores={"grade": 7.0}, reply="x" * 999
        )
        return Done(state=UnitState.DONE, records=(record,), cost=0.001)


def run(store, stage, observe=None) -> Tally:
    async def whole() -> Tally:
        async with Engine(store, LocalPool(), observe=observe) as engine:
            return await engine.run(stage, width=8)

    return asyncio.run(whole())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_database_server_killed_three_times_in_a_run_costs_no_unit_and_no_purchase(postgresql) -> None:
    # A busy machine starts a server slowly.
    store, stage = open_store(postgresql.database(), patience=90.0), Buying(1500)
    kills = []

    def kill_now_and_then() -> None:
        for _ in range(3):
            time.sleep(0.25)
            postgresql.kill()
            kills.append(sum(stage.bought.values()))
            postgresql.start()

    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    tally = run(store, stage)
    killer.join()
    assert kills[0] < 1500, "the run was over before the first kill"
    assert tally.done == 1500
    assert set(stage.bought.values()) == {1}
    assert store.states() == {"judge": {UnitState.DONE: 1500}}
    assert sum(1 for _ in store.records(Judgment)) == 1500
    assert store.spent() == (pytest.approx(1.5), 0)
    store.close()
    gc.collect()  # what the cut connections left is complained of here, and not in another test


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_server_that_stays_away_ends_the_run_with_the_reason(postgresql) -> None:
    url = postgresql.database()
    store = open_store(url, patience=0.3)
    postgresql.kill()
    try:
        with pytest.raises(StoreError, match="could not be written"):
            store.put([Post(platform="x", id="1")])
    finally:
        postgresql.start()
    store.close()
    again = open_store(url, patience=90.0)
    assert again.put([Post(platform="x", id="1")]) == 1
    again.close()
    gc.collect()  # what the cut connections left is complained of here, and not in another test


def test_a_full_disk_ends_the_run_and_what_was_reported_is_there(tmp_path: Path) -> None:
    place = str(tmp_path / "groundswell.sqlite")
    full, stage, reported = open_store(place), Buying(600), []

    @sa.event.listens_for(full._engine, "connect")
    def be_small(connection, _) -> None:
        connection.execute("PRAGMA max_page_count = 100")  # the error is the one of a full disk

    full._engine.dispose()
    with pytest.raises(StoreError, match="disk is full"):
        run(full, stage, lambda tally: reported.append(tally.done))
    full.close()
    store = open_store(place)
    stored = store.states()["judge"][UnitState.DONE]
    assert 0 < reported[-1] <= stored < 600
    assert run(store, stage).done == 600 - stored
    again = sum(times - 1 for times in stage.bought.values())
    assert again <= 8, f"{again} units were bought twice; at most those under way may be"
    store.close()


def test_a_picture_for_which_there_is_no_room_leaves_no_half_file(tmp_path: Path) -> None:
    blobs, picture = open_blobs(str(tmp_path)), bytes(400_000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        with pytest.raises(StoreError, match="could not be written"):
            blobs.put(picture)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(blobs.digests()) == []
    assert blobs.get(blobs.put(picture)) == picture


def test_a_folder_that_cannot_be_written_is_named_in_one_sentence() -> None:
    with pytest.raises(UserError, match="check who may write") as failed:
        open_store(str(NOBODY_MAY_WRITE / "groundswell.sqlite"))
    assert failed.value.where == "/proc/groundswell.sqlite"
    with pytest.raises(UserError, match="cannot be kept here"):
        open_blobs(str(NOBODY_MAY_WRITE / "blobs"))


@pytest.mark.parametrize("jump", [-10 * 365 * 86_400, 3_600, 10 * 365 * 86_400])
def test_a_jump_of_the_date_makes_no_worker_look_dead(tmp_path: Path, jump: int, monkeypatch) -> None:
    place = str(tmp_path / "groundswell.sqlite")
    one, other = open_store(place), open_store(place)
    keys = [f"{number:032d}" for number in range(5)]
    one.claim("judge", keys, one.enlist())
    now = time.time
    monkeypatch.setattr(time, "time", lambda: now() + jump)
    assert other.claim("judge", keys, other.enlist()) == set()
    one.close()
    other.close()


def test_a_worker_from_before_its_machine_was_started_anew_holds_nothing(tmp_path: Path, monkeypatch) -> None:
    store = open_store(str(tmp_path / "groundswell.sqlite"))
    store.claim("judge", ["a" * 32], store.enlist())
    monkeypatch.setattr(sql, "_boot", lambda: "another")
    assert store.claim("judge", ["a" * 32], store.enlist()) == {"a" * 32}
    store.close()


def test_a_store_of_an_older_groundswell_is_brought_up_with_its_facts(tmp_path: Path) -> None:
    place = str(tmp_path / "groundswell.sqlite")
    config = AlembicConfig()
    config.set_main_option("script_location", str(Path(sql.__file__).parent / "migrations"))
    engine = sa.create_engine(f"sqlite:///{place}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        row = {"key": Post(platform="x", id="1").key, "body": '{"kind":"post","platform":"x","id":"1"}'}
        connection.execute(sa.text("INSERT INTO record (key, kind, body) VALUES (:key, 'post', :body)"), row)
        connection.execute(sa.text("INSERT INTO worker VALUES ('old', 'here', 1, 0.0)"))
        connection.execute(sa.text("INSERT INTO unit VALUES ('judge', 'k', NULL, 0, 0, NULL, NULL, 0, 'old')"))
    engine.dispose()
    store = open_store(place)
    assert store.get(row["key"]) == Post(platform="x", id="1")
    assert store.claim("judge", ["k"], store.enlist()) == {"k"}
    store.close()


def test_a_server_with_a_newer_schema_is_refused_and_left_alone(postgresql) -> None:
    url = postgresql.database()
    store = open_store(url)
    with store._engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    store.close()
    with pytest.raises(StoreError, match=r"schema 9999.*use the newer Groundswell"):
        open_store(url)
