"""What goes wrong in a run is put right later, costs what it cost, and never passes for nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.cli.test_workspace import call

from groundswell.cli import main
from groundswell.files import write_rows, write_text
from groundswell.testing.host import Act, Script
from groundswell.testing.served import Served

REFUSED_KEY = Act(
    status=401, error={"message": "wrong key", "type": "invalid_request_error", "code": "invalid_api_key"}
)


def with_key(folder: Path) -> None:
    os.environ["GROUNDSWELL_TEST_KEY"] = "canary-0123456789"
    path = folder / "groundswell.toml"
    write_text(
        path, path.read_text().replace('tasks = ["chat"]', 'tasks = ["chat"]\nkeys = ["env:GROUNDSWELL_TEST_KEY"]')
    )


def test_a_refused_key_costs_no_unit_its_chance(tmp_path: Path, ask_at) -> None:
    with Served(Script(first=(REFUSED_KEY,) * 4)) as host:
        ask_at(host.base_url)
        with_key(tmp_path)
        code, data = call("run", "--dir", str(tmp_path))
        assert code == 1
        assert "GROUNDSWELL_TEST_KEY" in json.dumps(data["failures"])
        assert "canary" not in json.dumps(data)
        code, data = call("run", "--dir", str(tmp_path))
        assert (code, data["stages"]["generate"]) == (0, {"done": 10, "failed": 0, "refused": 0, "missing": 0})


def test_failures_that_stay_keep_the_exit_code_and_can_be_tried_again(tmp_path: Path, ask_at) -> None:
    gone = Act(status=404, error={"message": "no such model", "type": "invalid", "code": "model_not_found"})
    with Served(Script(first=(gone,) * 10)) as host:
        ask_at(host.base_url)
        assert call("run", "--dir", str(tmp_path))[0] == 1
        code, data = call("run", "--dir", str(tmp_path))
        assert (code, data["stages"]["generate"]["failed"], len(host.seen)) == (1, 10, 10)
        code, data = call("run", "--retry-failed", "--dir", str(tmp_path))
        assert (code, data["stages"]["generate"]["done"]) == (0, 10)


def test_an_answer_without_anything_usable_is_not_taken_to_be_free(tmp_path: Path, ask_at) -> None:
    with Served(Script(default=Act(choices=False))) as host:
        ask_at(host.base_url)
        code, data = call("run", "--budget", "0.05", "--dir", str(tmp_path))
        assert code == 3, "what may have been billed counts against the budget"
        assert data["attempts_of_unknown_price"] > 0


def test_a_corrected_licence_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    assert call("init", str(tmp_path / "w"))[0] == 0
    row = {"id": 1, "suite": "mine", "task": "chat", "prompts": {"en": "Why?"}}
    for licence in ({"id": "CC0-1.0", "redistribute": True}, {"id": "proprietary", "redistribute": False}):
        write_rows(tmp_path / "rows.jsonl", [{**row, "licence": licence}])
        assert call("suite", "import", str(tmp_path / "rows.jsonl"), "--dir", str(tmp_path / "w"))[0] == 0
    _, shown = call("suite", "show", "mine", "--dir", str(tmp_path / "w"))
    assert shown["licence"]["id"] == "proprietary"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('base_url = "http://user:pass@host.example/v1"', "a password stands in base_url"),
        ('settings = { api_key = "x" }', "settings.api_key looks like a secret"),
    ],
)
def test_a_secret_in_the_open_is_refused(tmp_path: Path, line: str, words: str) -> None:
    write_text(tmp_path / "groundswell.toml", f'[[endpoint]]\nname = "m"\nhost = "openai"\nmodel = "m"\n{line}\n')
    result = CliRunner().invoke(main, ["status", "--dir", str(tmp_path)])
    assert result.exit_code == 2
    assert words in result.stderr


def test_two_endpoints_that_are_the_same_model_are_refused(tmp_path: Path) -> None:
    one = '[[endpoint]]\nname = "{}"\nhost = "local"\nmodel = "blank"\n'
    write_text(tmp_path / "groundswell.toml", one.format("a") + one.format("b"))
    result = CliRunner().invoke(main, ["status", "--dir", str(tmp_path)])
    assert result.exit_code == 2
    assert "b is a again" in result.stderr


def test_status_needs_no_secret(tmp_path: Path, ask_at) -> None:
    ask_at("http://127.0.0.1:9/v1", settings='keys = ["env:GROUNDSWELL_TEST_UNSET"]')
    assert call("status", "--dir", str(tmp_path))[0] == 0


def test_an_export_does_not_write_over_results(tmp_path: Path, ask_at) -> None:
    ask_at("http://127.0.0.1:9/v1")
    call("status", "--dir", str(tmp_path))
    assert call("suite", "export", "custom", str(tmp_path / "out"), "--dir", str(tmp_path))[0] == 0
    (tmp_path / "out" / "result_template.jsonl").write_text('{"sample_index": 0, "result": "mine"}\n')
    assert call("suite", "export", "custom", str(tmp_path / "out"), "--dir", str(tmp_path))[0] == 2
    assert "mine" in (tmp_path / "out" / "result_template.jsonl").read_text()


@pytest.mark.parametrize("presses", [1, 2])
def test_ctrl_c_ends_a_run_that_waits_for_a_host_soon_and_with_3(tmp_path: Path, ask_at, presses: int) -> None:
    busy = Act(status=429, headers={"Retry-After": "120"})
    with Served(Script(default=busy)) as host:
        ask_at(host.base_url)
        command = [sys.executable, "-m", "groundswell", "run", "--json", "--dir", str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while not host.seen:
                time.sleep(0.02)
            time.sleep(0.3)
            for _ in range(presses):
                process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=15)
    assert process.returncode == 3, err
    assert "Traceback" not in err
    assert json.loads(out)
