"""Endpoints from a workspace file: run, probe, endpoint test, doctor."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.files import write_bytes, write_rows, write_text
from groundswell.testing.host import Act, Seen, picture
from groundswell.testing.served import Served

WORKSPACE = """
[[suite]]
name = "custom"
source = "rows.jsonl"
draws = 2

[[endpoint]]
name = "images"
host = "openai"
base_url = "{url}"
model = "m"
price_per_image = 0.04
price_source = "price list"
price_date = "2026-11-01"
settings = {{ size = "1024x1024" }}

[[endpoint]]
name = "both"
host = "chain"
model = "chain"
settings = {{ writer = "judge", painter = "images" }}

[[endpoint]]
name = "program"
host = "command"
model = "copy"
tasks = ["edit"]
price_per_call = 0.0
settings = {{ command = ["{python}", "program.py"] }}

[[judge]]
name = "judge"
host = "openai"
base_url = "{url}"
model = "scripted-2026-11"
price_per_call = 0.001

[probe]
region = "bench"

[budget]
usd = 5
"""

PROGRAM = """
import json, sys
job = json.loads(sys.stdin.readline())
open(job["output"], "wb").write(open(job["inputs"][0], "rb").read())
"""


def call(*words: str) -> tuple[int, dict]:
    result = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
    return result.exit_code, json.loads(result.stdout)


@pytest.fixture
def lay(tmp_path: Path):
    def make(url: str) -> str:
        write_bytes(tmp_path / "input.png", picture("input"))
        rows = [
            {"id": 1, "suite": "custom", "task": "t2i", "prompts": {"en": "a red fox"}, "checks": [{"kind": "gray"}]},
            {"id": 2, "suite": "custom", "task": "edit", "prompts": {"en": "make it gray"}, "inputs": ["input.png"]},
        ]
        write_rows(tmp_path / "rows.jsonl", rows)
        write_text(tmp_path / "program.py", PROGRAM)
        write_text(tmp_path / "groundswell.toml", WORKSPACE.format(url=url, python=sys.executable))
        return str(tmp_path)

    return make


def declines_edits(seen: Seen) -> Act:
    if seen.path.endswith("/images/edits"):
        return Act(status=400, error={"code": "moderation_blocked", "message": "no", "param": None})
    return Act(text="A gray fox, number {question}.")


def test_every_kind_of_endpoint_runs_from_the_workspace_file_and_status_says_what_came(lay) -> None:
    with Served(declines_edits) as host:
        folder = lay(host.base_url)
        code, data = call("generate", "--dir", folder)
        assert code == 0, data
    # images: t2i and edit; both: t2i and edit; program: edit; two draws of each.
    assert data["stages"]["generate"] == {"done": 8, "failed": 0, "refused": 2, "missing": 0}
    assert data["outcomes"] == {
        "both": {"done": 4},
        "images": {"done": 2, "refused": 2, "not_as_asked": 2},
        "program": {"done": 2},
    }
    assert data["refusals"] == [["generate", "no", 2]]
    seeds = {seen.json().get("seed") for seen in host.seen if seen.path.endswith("/chat/completions")}
    assert seeds == {None}


def test_a_dry_run_prices_the_halves_of_a_chain(lay) -> None:
    code, data = call("generate", "--dry-run", "--dir", lay("http://127.0.0.1:9/v1"))
    assert code == 0
    (plan,) = data["plan"]
    assert (plan["missing"], plan["unpriced"]) == (10, 0)
    assert plan["usd"] == pytest.approx(4 * 0.04 + 4 * 0.041)


def test_probe_prints_times_windows_and_the_board(lay) -> None:
    with Served(lambda seen: Act(latency=0.1)) as host:
        code, data = call("probe", "--dir", lay(host.base_url))
        assert (code, host.bought.total()) == (0, 1)
    (timing,) = data["timings"]
    assert timing["ok"]
    assert (timing["endpoint"], timing["region"], timing["cost"]) == ("images", "bench", 0.04)
    assert 0.1 <= timing["seconds"] < 2
    (window,) = data["windows"]
    assert (window["n"], window["failures"], window["median"]) == (1, 0, timing["seconds"])
    (row,) = data["board"]["ranked"]
    assert (row["usd_per_1000"], row["price_source"], row["price_date"]) == (40.0, "price list", "2026-11-01")
    assert {row["endpoint"] for row in data["board"]["listed"]} == {"both", "program"}


def test_a_probe_that_fails_exits_1_and_is_counted_beside(lay) -> None:
    with Served(lambda seen: Act(status=503) if seen.method == "POST" else Act()) as host:
        code, data = call("probe", "images", "--dir", lay(host.base_url))
    assert code == 1
    assert data["timings"][0]["failure"] == "provider: 503: scripted 503"
    assert (data["windows"][0]["median"], data["windows"][0]["failures"]) == (None, 1)
    assert data["board"]["ranked"] == []


def test_a_price_that_is_unknown_is_not_bought_under_a_budget(lay) -> None:
    with Served() as host:
        folder = lay(host.base_url)
        path = Path(folder) / "groundswell.toml"
        path.write_text(path.read_text().replace("price_per_image = 0.04", ""))
        code, data = call("probe", "--dir", folder)
        assert (code, host.bought.total()) == (3, 0)
        assert "price is unknown" in data["stopped"]
        assert call("probe", "--allow-unknown-price", "--dir", folder)[0] == 0


def test_probing_what_cannot_be_timed_names_what_can(lay) -> None:
    code, data = call("probe", "program", "--dir", lay("http://127.0.0.1:9/v1"))
    assert code == 2
    assert "these are: images" in data["error"]


def test_endpoint_test_makes_one_picture_and_says_what_works(lay, tmp_path: Path) -> None:
    with Served() as host:
        code, data = call(
            "endpoint", "test", "images", "--save", str(tmp_path / "made.png"), "--dir", lay(host.base_url)
        )
        assert host.bought.total() == 1
    assert code == 0
    steps = {step["what"]: step["ok"] for step in data["steps"]}
    assert steps == {"configuration": True, "answer": True, "picture": True, "as asked": False, "price": True}
    assert (data["size"], data["media_type"], data["cost"]) == ([64, 64], "image/png", 0.04)
    assert (tmp_path / "made.png").read_bytes().startswith(b"\x89PNG")


def test_endpoint_test_says_why_nothing_came(lay) -> None:
    with Served(lambda seen: Act(status=404)) as host:
        code, data = call("endpoint", "test", "images", "--dir", lay(host.base_url))
    assert (code, data["ok"]) == (1, False)
    assert data["steps"][-1]["detail"] == "provider: 404: scripted 404"


def test_doctor_asks_every_judge_one_question_before_anything_is_paid_for(lay) -> None:
    with Served() as host:
        folder = lay(host.base_url)
        code, data = call("doctor", "--dir", folder)
        assert code == 0, data
        assert host.bought.total() == 1
        checks = {check["check"]: check["ok"] for check in data["checks"]}
        assert {"images: host", "judge: host", "judge: answers"} <= set(checks)
        assert call("doctor", "--offline", "--dir", folder)[0] == 0
        assert host.bought.total() == 1


@pytest.mark.parametrize(
    ("act", "check", "said"),
    [
        (Act(text="A nice picture!"), "judge: answers", "cannot be read as a score"),
        (Act(headers={"Date": "Sun, 01 Nov 2026 00:00:00 GMT"}), "judge: host", "set the clock"),
    ],
)
def test_doctor_says_what_is_wrong_with_a_judge_or_a_clock(lay, act: Act, check: str, said: str) -> None:
    with Served(lambda seen: act) as host:
        code, data = call("doctor", "--dir", lay(host.base_url))
    assert code == 1
    found = {row["check"]: row for row in data["checks"]}
    assert said in found[check]["remedy"]
