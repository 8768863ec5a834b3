"""What happens to a run: hosts that misbehave, names that lead nowhere, two runs at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from groundswell.flow.running import RunOptions, run, totals
from groundswell.flow.workspace import workspace
from groundswell.records import Output

HTML = "<!doctype html><title>Sign in</title>"
SAMPLES = 20

MISBEHAVIOUR = {
    "hangs": {"latency": 60},
    "drips": {"drip": 5, "text": "x" * 100},
    "resets": {"reset": True},
    "tears": {"tear": 0.5},
    "answers HTML": {"body": HTML, "content_type": "text/html"},
    "answers nothing": {"body": ""},
    "is broken": {"status": 503},
    "forbids": {"status": 401},
}


def go(folder: Path) -> dict:
    with workspace(folder) as space:
        run(space, RunOptions())
        return totals(space)


@pytest.mark.parametrize("act", MISBEHAVIOUR.values(), ids=MISBEHAVIOUR)
def test_a_host_that(act: dict, host_apart, workspace_at) -> None:
    """Leaves failed units with a reason and no answer; when it is well again, everything is done."""
    folder = workspace_at(host_apart(default=act), samples=2, deadline=1.0)
    sick = go(folder)
    assert sick["stages"]["generate"]["done"] == 0
    assert sick["failures"]
    assert all(len(why) < 500 and "Traceback" not in why for _, why, _ in sick["failures"])
    with workspace(folder) as space:
        assert list(space.store.records(Output)) == []
    workspace_at(host_apart(), samples=2)  # another port: another endpoint, all of whose units are missing
    assert go(folder)["stages"]["generate"]["done"] == 2


def test_a_name_that_leads_nowhere_is_a_failure_that_names_it(workspace_at) -> None:
    found = go(workspace_at("http://no-such-host.invalid/v1", samples=2, deadline=2.0))
    ((stage, why, count),) = found["failures"]
    assert (stage, count) == ("generate", 2)
    assert "no-such-host.invalid" in why


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_two_runs_at_once_share_the_work_and_buy_nothing_twice(
    store: str, host_apart, workspace_at, bought, request
) -> None:
    place = "groundswell.sqlite" if store == "sqlite" else request.getfixturevalue("postgresql").database()
    folder = workspace_at(host_apart(default={"latency": 0.01}), samples=300, store=place)
    with workspace(folder):
        pass  # the store is made once
    command = [str(Path(sys.executable).with_name("groundswell")), "run", "--dir", str(folder), "--json"]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    ends = [process.communicate(timeout=60)[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], ends
    with workspace(folder) as space:
        assert totals(space)["stages"]["generate"] == {"done": 300, "failed": 0, "refused": 0, "missing": 0}
        assert sum(1 for _ in space.store.records(Output)) == 300
    assert len(bought()) == bought().total() == 300


@pytest.mark.parametrize("words", [["init", "/proc/x"], ["demo", "--dir", "/proc/x"]], ids=["init", "demo"])
def test_a_folder_that_cannot_be_written_is_one_line_and_exit_2(words: list[str]) -> None:
    command = [str(Path(sys.executable).with_name("groundswell")), *words]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.count("\n") == 1
    assert "/proc/x" in ended.stderr
