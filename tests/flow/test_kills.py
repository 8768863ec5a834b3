"""kill -9 at random instants: nothing that was reported done is lost, nothing is bought twice beyond what was in
flight, and no half file stays."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from hashlib import sha256
from pathlib import Path

import pytest

from groundswell.files import write_rows, write_text
from groundswell.flow.running import CPU_WIDTH, SLACK, totals
from groundswell.flow.workspace import workspace
from groundswell.records import UnitState

KILLS = 20
CONCURRENCY = 4
SAMPLES = 300
LATENCY = 0.02

WORKSPACE = """
[[suite]]
name = "custom"
source = "rows.jsonl"

[[endpoint]]
name = "model"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
tasks = ["chat"]
limits = {{ concurrency = {concurrency} }}

[[judge]]
name = "judge"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
price_per_call = 0.001
limits = {{ concurrency = {concurrency} }}

[panel]
judges = ["judge"]
quorum = 1
baselines = ["noise"]
"""


@pytest.fixture
def host(tmp_path: Path):
    """A scripted host in a process of its own, which outlives the killed runs; gives its base URL."""
    script = json.dumps({"default": {"latency": LATENCY, "text": "7 {score}\nThe second is as the question says."}})
    command = [sys.executable, "-m", "groundswell.testing.host", "--script", script, "--log", str(tmp_path / "bought")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture
def folder(tmp_path: Path, host: str) -> Path:
    chats = [
        {"id": n, "suite": "custom", "task": "chat", "prompts": {"en": f"Question {n}?"}, "reference": f"Answer {n}."}
        for n in range(SAMPLES)
    ]
    pictures = [{"id": f"p{n}", "suite": "custom", "task": "t2i", "prompts": {"en": f"Noise {n}"}} for n in range(40)]
    write_rows(tmp_path / "rows.jsonl", chats + pictures)
    write_text(tmp_path / "groundswell.toml", WORKSPACE.format(base_url=host, concurrency=CONCURRENCY))
    return tmp_path


def start(folder: Path) -> subprocess.Popen:
    command = [sys.executable, str(Path(__file__).with_name("killed.py")), str(folder)]
    return subprocess.Popen(command, stderr=subprocess.PIPE)


def reported(folder: Path) -> dict[str, int]:
    """By stage, the most that all runs together have reported as done."""
    most: dict[tuple[str, str], int] = {}
    notes = folder / "reported"
    for line in notes.read_text().splitlines() if notes.exists() else []:
        process, stage, ended = line.split()
        most[process, stage] = max(most.get((process, stage), 0), int(ended))
    total: Counter[str] = Counter()
    for (_, stage), ended in most.items():
        total[stage] += ended
    return total


def stored(folder: Path) -> dict[str, int]:
    with workspace(folder) as space:
        return {stage: states.get(UnitState.DONE, 0) for stage, states in space.store.states().items()}


def bought(folder: Path) -> Counter[str]:
    log = folder / "bought"
    return Counter(json.loads(line)["question"] for line in log.read_text().splitlines()) if log.exists() else Counter()


@pytest.mark.timeout(300)
def test_killed_twenty_times_at_random_a_run_loses_nothing_and_buys_nothing_twice(folder: Path) -> None:
    chance = random.Random(11)
    killed = 0
    while killed < KILLS:
        before = bought(folder).total()
        process = start(folder)
        # The first purchase shows that the run is past its start; from there any instant is as good as another.
        while bought(folder).total() == before and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.25))
        if process.poll() is not None:
            assert process.returncode == 0, process.stderr.read().decode()
            break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        killed += 1
        now = stored(folder)
        for stage, ended in reported(folder).items():
            assert now.get(stage, 0) >= ended, f"{stage}: reported {ended}, stored {now}"
    assert killed == KILLS, "the work was too small to be killed so often"
    finish = start(folder)
    assert finish.wait(120) == 0, finish.stderr.read().decode()
    finish.communicate()

    with workspace(folder) as space:
        stages = totals(space)["stages"]
    assert stages["generate"] == {"done": SAMPLES + 40, "failed": 0, "refused": 0, "missing": 0}
    assert stages["judge"]["done"] == SAMPLES + 40
    purchases = bought(folder)
    assert len(purchases) == 2 * SAMPLES + 40
    assert purchases.total() - len(purchases) <= KILLS * (CONCURRENCY + CPU_WIDTH + SLACK)
    files = [path for path in (folder / "blobs").rglob("*") if path.is_file()]
    assert len(files) == 40
    assert all(sha256(path.read_bytes()).hexdigest() == path.parent.name + path.name for path in files)
