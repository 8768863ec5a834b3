"""The two instants at which a writer's death is worst: before a commit reaches the disk, and after it did but before
anybody was told. Nothing that was written is lost or written twice, and only what was under way is bought again.
"""

from __future__ import annotations

import gc
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from groundswell.records import Judgment, UnitState
from groundswell.store.sql import SqlStore, open_store

sys.path.insert(0, str(Path(__file__).parent))
import dying

INSTANTS = ["before", "after"]


def bought(folder: Path) -> Counter[str]:
    return Counter((folder / "bought").read_text().split())


def all_is_there_once(store: SqlStore) -> None:
    assert store.states() == {"judge": {UnitState.DONE: dying.SIZE}}
    assert sum(1 for _ in store.records(Judgment)) == dying.SIZE


@pytest.mark.parametrize("instant", INSTANTS)
def test_a_writer_is_killed(instant: str, tmp_path: Path) -> None:
    command = [sys.executable, str(Path(dying.__file__)), str(tmp_path), instant]
    assert subprocess.run(command, timeout=60).returncode == -signal.SIGKILL
    store = open_store(str(tmp_path / "groundswell.sqlite"))
    written = store.states().get("judge", {}).get(UnitState.DONE, 0)
    assert sum(1 for _ in store.records(Judgment)) == written
    tally = dying.run(store, tmp_path / "bought")
    assert tally.done == dying.SIZE - written
    all_is_there_once(store)
    assert store.spent() == (pytest.approx(0.001 * dying.SIZE), 0)
    purchases = bought(tmp_path)
    assert len(purchases) == dying.SIZE
    assert purchases.total() - dying.SIZE <= dying.WIDTH
    store.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("instant", INSTANTS)
def test_a_database_server_is_killed_in_mid_transaction(instant: str, postgresql, tmp_path: Path) -> None:
    # A busy machine starts a server slowly.
    store, commits = open_store(postgresql.database(), patience=90.0), 0

    def act(connection) -> None:
        nonlocal commits
        commits += 1
        if commits == dying.DIES_AT:
            if instant == "after":
                connection.connection.dbapi_connection.commit()
            postgresql.kill()
            postgresql.start()

    dying.at_commit_of_results(store, act)
    tally = dying.run(store, tmp_path / "bought")
    assert commits > dying.DIES_AT
    assert tally.done == dying.SIZE
    all_is_there_once(store)
    assert store.spent() == (pytest.approx(0.001 * dying.SIZE), 0)
    assert set(bought(tmp_path).values()) == {1}, "the process lives, so that nothing is bought again"
    store.close()
    gc.collect()  # what the cut connections left is complained of here, and not in another test
