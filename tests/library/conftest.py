"""A folder with what the examples of docs/library.md read: battles of an arena, and a workspace with votes."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.flow.workspace import workspace
from groundswell.records import Endpoint, Sample, Vote, Winner

LOST = {2, 5, 9}
"""Votes in which flux lost; its side changes with every vote."""


def battle(number: int, winner: str) -> dict:
    return {
        "question_id": f"q{number}",
        "model_a": "flux",
        "model_b": "sdxl",
        "winner": winner,
        "judge": f"arena_user_{number}",
        "turn": 1,
        "anony": True,
        "language": "English",
        "tstamp": 1_682_351_591.0 + number,
    }


def groundswell(*words: object) -> None:
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert result.exit_code == 0, result.output


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `battles.json` and a workspace `bench`: three samples, twelve votes of four people."""
    folder = tmp_path_factory.mktemp("desk")
    battles = [battle(number, winner) for number, winner in enumerate(["model_a", "model_a", "model_b", "tie"])]
    (folder / "battles.json").write_text(json.dumps(battles))
    rows = [
        {"id": label, "suite": "mine", "task": "t2i", "prompts": {"en": prompt}}
        for label, prompt in (("a", "A red kite"), ("b", "A fox"), ("c", "A \x1b[31mhat <b>"))
    ]
    (folder / "mine.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    groundswell("init", folder / "bench")
    groundswell("suite", "import", folder / "mine.jsonl", "--dir", folder / "bench")
    with workspace(folder / "bench") as space:
        samples = [sample.key for sample in space.store.records(Sample)]
        space.store.put(Endpoint(name=name, host="local", model=name) for name in ("flux", "sdxl"))
        space.store.put(cast(number, samples) for number in range(12))
    return folder


def cast(number: int, samples: list[str]) -> Vote:
    left, right = ("flux", "sdxl") if number % 2 else ("sdxl", "flux")
    won = "sdxl" if number in LOST else "flux"
    return Vote(
        sample=samples[number % 3],
        left=left,
        right=right,
        winner=Winner.LEFT if won == left else Winner.RIGHT,
        by=f"person-{number // 3}",
        ballot=f"ballot-{number}",
        methodology="2026-11",
        seconds_left=9.0,
        seconds_right=9.0,
        time=datetime(2026, 11, 1, tzinfo=UTC) + timedelta(minutes=number),
    )
