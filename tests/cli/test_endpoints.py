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
    (row,) = data["failures_by_endpoint"]
    counted = {"endpoint": "images", "stage": "generate", "kind": "refusal", "count": 2, "mended": 0, "example": "no"}
    assert {name: row[name] for name in counted} == counted
    assert row["first"] <= row["last"]
    seeds = {seen.json().get("seed") for seen in host.seen if seen.path.endswith("/chat/completions")}
    assert seeds == {None}


def test_a_dry_run_prices_the_halves_of_a_chain(lay) -> None:
    code, data = call("generate", "--dry-run", "--dir", lay("http://127.0.0.1:9/v1"))
    assert code == 0
    (plan,) = data["plan"]
    assert (plan["missing"], plan["unpriced"]) == (10, 0)
    assert plan["usd"] == pytest.approx(4 * 0.04 + 4 * 0.041)
    said = {row["endpoint"]: (row["settings"], row["source"]) for row in data["settings"]}
    assert said["images"] == ({"size": "1024x1024"}, "groundswell.toml")


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


def test_a_model_with_published_settings_is_timed_at_1024_with_its_checks_off_and_asked_for_its_largest(lay) -> None:
    with Served() as host:
        folder = lay(host.base_url)
        path = Path(folder) / "groundswell.toml"
        text = path.read_text().replace('model = "m"', 'model = "gpt-image-2"')
        write_text(path, text.replace('settings = { size = "1024x1024" }', ""))
        assert call("probe", "images", "--dir", folder)[0] == 0
        _, data = call("endpoint", "test", "images", "--dir", folder)
        timed, asked = (seen.json() for seen in host.seen if seen.path.endswith("/images/generations"))
    assert (timed["size"], timed["moderation"], timed["quality"]) == ("1024x1024", "low", "auto")
    assert (asked["size"], "moderation" in asked, asked["n"]) == ("2880x2880", False, 1)
    assert data["source"].startswith("OpenAI API reference")


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
    assert steps == {
        "configuration": True,
        "settings": True,
        "answer": True,
        "picture": True,
        "as asked": False,
        "price": True,
    }
    assert (data["settings"], data["source"]) == ({"size": "1024x1024"}, "groundswell.toml")
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


PANEL = """
[panel]
judges = ["judge"]
quorum = 1
"""


def with_keyed_judge(folder: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The workspace with a panel of its judge, which has a key."""
    monkeypatch.setenv("JUDGE_KEY", "sk-a-key-of-the-judge")
    path = Path(folder) / "groundswell.toml"
    text = path.read_text().replace("price_per_call = 0.001", 'price_per_call = 0.001\nkeys = ["env:JUDGE_KEY"]')
    write_text(path, text + PANEL)
    return folder


def test_doctor_names_the_dead_key_of_a_judge_by_its_variable(lay, monkeypatch: pytest.MonkeyPatch) -> None:
    with Served(lambda seen: Act(status=401 if "authorization" in seen.headers else 200)) as host:
        folder = with_keyed_judge(lay(host.base_url), monkeypatch)
        checks = {check["check"]: check for check in call("doctor", "--dir", folder)[1]["checks"]}
    assert checks["images: model"]["ok"]
    assert checks["judge: JUDGE_KEY"]["remedy"].startswith("the host refused the key in JUDGE_KEY (401)")
    assert "sk-a" not in str(checks)


def test_a_run_asks_judges_nothing_but_what_they_judge(lay, monkeypatch: pytest.MonkeyPatch) -> None:
    with Served() as host:
        call("run", "--dir", with_keyed_judge(lay(host.base_url), monkeypatch))
        assert not [seen for seen in host.seen if b"This is a test of the connection" in seen.body]


def test_doctor_finds_programs_that_are_not_there(lay) -> None:
    folder = lay("http://127.0.0.1:9/v1")
    path = Path(folder) / "groundswell.toml"
    write_text(path, path.read_text().replace(sys.executable, "no-such-program"))
    checks = {check["check"]: check for check in call("doctor", "--offline", "--dir", folder)[1]["checks"]}
    assert checks["program"]["remedy"] == "the program no-such-program is not there; look at settings.command"


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
