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

from groundswell.flow.running import CPU_WIDTH, SLACK, totals
from groundswell.flow.workspace import workspace
from groundswell.records import UnitState

KILLS = 20
CONCURRENCY = 4
SAMPLES = 300
LATENCY = 0.02

LIMITS = f"limits = {{ concurrency = {CONCURRENCY} }}"

JUDGED = """
[[judge]]
name = "judge"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
price_per_call = 0.001
{limits}

[panel]
judges = ["judge"]
quorum = 1
baselines = ["noise"]
"""


@pytest.fixture
def folder(host_apart, ask_at) -> Path:
    """A workspace whose host outlives the killed runs."""
    base_url = host_apart(default={"latency": LATENCY, "text": "7 {score}\nThe second is as the question says."})
    pictures = [{"id": f"p{n}", "suite": "custom", "task": "t2i", "prompts": {"en": f"Noise {n}"}} for n in range(40)]
    judged = JUDGED.format(base_url=base_url, limits=LIMITS)
    return ask_at(base_url, samples=SAMPLES, settings=LIMITS, rows=pictures, more=judged)


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
