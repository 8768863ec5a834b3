"""What tests of several rooms stand on: coroutines without a plugin, a scripted host in a process of its own, and a
workspace of questions for it."""

from __future__ import annotations

import asyncio
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from groundswell.files import write_rows, write_text

QUESTIONS = """
[[suite]]
name = "custom"
source = "rows.jsonl"

[[endpoint]]
name = "model"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
tasks = ["chat"]
{settings}
{more}
"""


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """A coroutine test runs in an event loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


@pytest.fixture
def host_apart(tmp_path: Path):
    """Starts a scripted host in a process of its own; gives its base URL. What it sells is logged in `bought`."""
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
def ask_at(tmp_path: Path):
    """Lays a workspace of questions whose one endpoint is at an address; gives its folder."""

    def lay(
        base_url: str, *, samples: int = 10, settings: str = "price_per_call = 0.01", rows: tuple = (), more: str = ""
    ) -> Path:
        """`settings`: lines of the endpoint; `rows`: samples besides; `more`: the rest of the workspace file."""
        questions = [
            {
                "id": n,
                "suite": "custom",
                "task": "chat",
                "prompts": {"en": f"Question {n}?"},
                "reference": f"Answer {n}.",
            }
            for n in range(samples)
        ]
        write_rows(tmp_path / "rows.jsonl", [*questions, *rows])
        text = QUESTIONS.format(base_url=base_url, settings=settings, more=more)
        write_text(tmp_path / "groundswell.toml", text)
        return tmp_path

    return lay
