"""Commands on a workspace: what they print, what they leave, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tools.docs.pages import blocks, normal, tidy

from groundswell.cli import main
from groundswell.cli.workspace import show_demo
from groundswell.testing.host import Act, Script
from groundswell.testing.served import Served


def call(*words: str) -> tuple[int, dict]:
    result = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
    return result.exit_code, json.loads(result.stdout)


def test_a_dry_run_says_what_is_missing_and_what_it_costs_and_buys_nothing(tmp_path: Path, ask_at) -> None:
    with Served(Script()) as host:
        ask_at(host.base_url)
        code, data = call("run", "--dry-run", "--dir", str(tmp_path))
        assert code == 0
        (generate,) = (row for row in data["plan"] if row["stage"] == "generate")
        assert (generate["missing"], round(generate["usd"], 9), generate["unpriced"]) == (10, 0.1, 0)
        assert host.seen == []


def test_a_run_is_done_once_and_the_second_run_asks_nothing(tmp_path: Path, ask_at) -> None:
    with Served(Script()) as host:
        ask_at(host.base_url)
        code, data = call("run", "--dir", str(tmp_path))
        assert code == 0
        assert data["stages"]["generate"] == {"done": 10, "failed": 0, "refused": 0, "missing": 0}
        assert data["spent_usd"] == pytest.approx(0.1)
        call("run", "--dir", str(tmp_path))
        assert len(host.seen) == 10


def test_a_budget_that_is_used_up_ends_the_run_with_3_and_keeps_what_was_done(tmp_path: Path, ask_at) -> None:
    with Served(Script()) as host:
        ask_at(host.base_url)
        code, data = call("run", "--budget", "0.045", "--dir", str(tmp_path))
        assert code == 3
        assert "budget" in data["stopped"]
        assert (data["stages"]["generate"]["done"], data["stages"]["generate"]["missing"]) == (4, 6)
        assert len(host.seen) == 4


def test_a_price_that_nobody_knows_is_refused_unless_it_is_allowed(tmp_path: Path, ask_at) -> None:
    with Served(Script()) as host:
        ask_at(host.base_url, settings="", more="[budget]\nusd = 20")
        code, data = call("run", "--dir", str(tmp_path))
        assert code == 3
        assert "price is unknown" in data["stopped"]
        assert host.seen == []
        code, data = call("run", "--allow-unknown-price", "--dir", str(tmp_path))
        assert (code, data["attempts_of_unknown_price"], data["spent_usd"]) == (0, 10, 0.0)


def test_failures_are_listed_with_their_reason_and_end_the_run_with_1(tmp_path: Path, ask_at) -> None:
    broken = Act(
        status=400, error={"message": "no such model", "type": "invalid_request_error", "code": "model_not_found"}
    )
    with Served(Script(default=broken)) as host:
        ask_at(host.base_url)
        code, data = call("run", "--dir", str(tmp_path))
        assert code == 1
        assert data["stages"]["generate"]["failed"] == 10
        ((stage, why, count),) = data["failures"]
        assert (stage, count) == ("generate", 10)
        assert "no such model" in why


def test_a_refusal_is_a_result_and_is_not_asked_again(tmp_path: Path, ask_at) -> None:
    refused = Act(
        status=400,
        error={"message": "rejected by the safety system", "type": "user_error", "code": "moderation_blocked"},
    )
    with Served(Script(default=refused)) as host:
        ask_at(host.base_url)
        code, data = call("run", "--dir", str(tmp_path))
        assert (code, data["stages"]["generate"]["refused"]) == (0, 10)
        call("run", "--dir", str(tmp_path))
        assert len(host.seen) == 10


def test_status_tells_what_is_missing_before_anything_ran(tmp_path: Path, ask_at) -> None:
    ask_at("http://127.0.0.1:9/v1")
    code, data = call("status", "--dir", str(tmp_path))
    assert code == 0
    assert data["stages"]["generate"] == {"done": 0, "failed": 0, "refused": 0, "missing": 10}


def test_doctor_names_the_variable_of_a_key_that_is_not_set(tmp_path: Path, ask_at) -> None:
    ask_at("http://127.0.0.1:9/v1", settings='keys = ["env:GROUNDSWELL_TEST_UNSET"]')
    code, data = call("doctor", "--dir", str(tmp_path))
    assert code == 1
    (bad,) = (check for check in data["checks"] if not check["ok"])
    assert bad["check"] == "model"
    assert "GROUNDSWELL_TEST_UNSET" in bad["remedy"]


@pytest.mark.timeout(900)
def test_the_demo_runs_to_a_board_and_a_site_and_then_has_nothing_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, data = call("demo", "--dir", str(tmp_path))
    assert (code, data["nothing_to_do"]) == (0, False)
    show_demo(data)
    (readme,) = blocks((Path(__file__).parents[2] / "README.md").read_text())
    printed = tidy(capsys.readouterr().out.replace(str(tmp_path), "demo"))
    assert normal(printed, numbers_vary=False) == normal(readme.commands[0].shown, numbers_vary=False)
    (board,) = (board for board in data["boards"] if board["name"] == "photographs")
    names = [row["model"] for row in board["ratings"]]
    assert names[0] == "opencv-careful"
    baselines = {"copy-input", "blank", "noise", "other-sample"}
    assert set(names[-4:]) == baselines, "a baseline above an editor would fail the judge"
    assert all(row["scored"] + row["refused"] == row["wanted"] for row in board["coverage"].values())
    assert Path(data["site"]).exists()
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*.html")}
    code, again = call("demo", "--dir", str(tmp_path))
    assert (code, again["nothing_to_do"]) == (0, True)
    assert again["boards"] == data["boards"]
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "site").rglob("*.html")} == before
