"""Models that measure in a workspace: where metrics apply, how text is rendered, and the results on boards."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from groundswell.cli import main
from groundswell.errors import UserError
from groundswell.files import write_bytes, write_rows, write_text
from groundswell.flow.crew import Crew
from groundswell.flow.running import RunOptions, _run, stages, totals
from groundswell.flow.workspace import workspace
from groundswell.records import Decision
from groundswell.testing.host import Act, ScriptedHost, Seen
from groundswell.wire.door import Wire

FILE = """
[[judge]]
name = "judge-a"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
price_in = 1.0
price_out = 2.0

[panel]
judges = ["judge-a"]
quorum = 1
checks = false
baselines = ["copy-input", "noise"]

[reader]
use = "judge-a"

[measure]
metrics = ["color", "text"]

[[suite]]
name = "custom"
source = "edits.jsonl"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    buffer = io.BytesIO()
    Image.new("RGB", (32, 24), (200, 120, 40)).save(buffer, "PNG")
    write_bytes(tmp_path / "sign.png", buffer.getvalue())
    prompts = ['write "OPEN" on the door', "make it a night scene"]
    write_rows(
        tmp_path / "edits.jsonl",
        [
            {"id": str(n), "suite": "custom", "task": "edit", "prompts": {"en": prompt}, "inputs": ["sign.png"]}
            for n, prompt in enumerate(prompts)
        ],
    )
    write_text(tmp_path / "groundswell.toml", FILE)
    return tmp_path


def judge(seen: Seen) -> Act:
    text = json.dumps(seen.json()["messages"], ensure_ascii=False)
    if "Judge only the text" in text:
        return Act(text="It reads OPEN.\n\ntext: 8")
    if "one JSON object" in text:
        applies = ("rendered in the picture" in text) == ("OPEN" in text)
        return Act(text=json.dumps({"applies": applies, "why": "as told"}))
    return Act(text="As asked.\n\n[[{score}]]")


def run_against(folder: Path) -> list[Seen]:
    async def whole() -> list[Seen]:
        async with ScriptedHost(judge) as host:
            write_text(folder / "groundswell.toml", FILE.replace("{base_url}", host.base_url))
            with workspace(folder) as space:
                await _run(space, RunOptions(), None)
                asked = len(host.seen)
                await _run(space, RunOptions(), None)
            assert len(host.seen) == asked, "nothing is asked twice"
            return host.seen

    return asyncio.run(whole())


def test_a_model_says_where_metrics_apply_and_a_judge_how_text_is_rendered(folder: Path) -> None:
    seen = run_against(folder)
    asked = [each for each in seen if b"one JSON object" in each.body]
    assert len(asked) == 4  # two samples, two metrics, whatever the number of models
    assert sum(b"Judge only the text" in each.body for each in seen) == 2
    with workspace(folder) as space:
        decisions = [each for each in space.store.records(Decision) if each.question.startswith("metric applies")]
        assert len(decisions) == 4
        assert totals(space)["stages"]["measure"]["missing"] == 0
    result = CliRunner().invoke(main, ["boards", "--dir", str(folder), "--json"], catch_exceptions=False)
    answer = json.loads(result.stdout)
    rows = {(row["metric"], row["model"]): row for row in answer["metrics"]}
    text = rows["text", "noise"]
    assert (text["mean"], text["scored"], text["wanted"], text["better"]) == (0.8, 1, 2, "higher")
    assert text["backend"].startswith("judge-a@")
    colour = rows["color", "noise"]
    assert list(colour["silent"].values()) == [1]
    assert "judge-a" in next(iter(colour["silent"]))
    assert "histograms" not in colour["set_level"]
    (board,) = answer["boards"]
    assert {row["metric"] for row in board["coverage"]["noise"]["measured"]} == {"color", "text"}
    assert board["coverage"]["noise"]["scored"] == 2, "a verdict on text is no grade"


def test_judged_text_without_a_judge_names_the_remedy(folder: Path) -> None:
    text = FILE.replace('judges = ["judge-a"]', "").replace('use = "judge-a"', 'use = "local"')
    write_text(folder / "groundswell.toml", text)
    with workspace(folder) as space, pytest.raises(UserError, match="measure ocr"):
        list(stages(Crew(space, Wire(space.blobs.get)), ("measure",)))
