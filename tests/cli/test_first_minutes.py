"""What somebody sees who has just begun."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from groundswell.cli import main

ENDPOINT = """
[[endpoint]]
name = "model"
host = "openai"
base_url = "http://127.0.0.1:9/v1"
model = "m-2026-11-01"
tasks = ["t2i"]
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    said("init", str(tmp_path / "bench"))
    return tmp_path / "bench"


def said(*words: str, ends: int = 0) -> str:
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == ends, result.output
    return result.output


@pytest.mark.parametrize("command", ["run", "status"])
def test_an_empty_workspace_says_what_it_needs(workspace: Path, command: str) -> None:
    assert "name an [[endpoint]] and a [[suite]]" in said(command, "--dir", str(workspace))


def test_an_import_says_what_came_in_and_what_is_next(workspace: Path) -> None:
    (workspace / "mine.txt").write_text("A kite\nA door\n")
    told = said("suite", "import", str(workspace / "mine.txt"), "--dir", str(workspace))
    assert told == "suite mine, edition draft: 2 samples (2 t2i)\nnext: groundswell run --dry-run\n"


def test_a_run_that_its_budget_stopped_does_not_say_that_nothing_was_missing(workspace: Path) -> None:
    (workspace / "mine.txt").write_text("A kite\n")
    said("suite", "import", str(workspace / "mine.txt"), "--dir", str(workspace))
    with (workspace / "groundswell.toml").open("a") as file:
        file.write(ENDPOINT)
    told = said("run", "--dir", str(workspace), ends=3)
    assert "price is unknown" in told
    assert "Nothing was missing" not in told
