"""The shell's completion of names, and what a command prints where nobody looks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundswell.cli import COMMANDS, main
from groundswell.cli.completion import VARIABLE


def completed(words: str, place: int) -> list[str]:
    asked = os.environ | {VARIABLE: "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(place)}
    code = "import sys; sys.argv[0] = 'groundswell'; from groundswell.cli import main; main(prog_name='groundswell')"
    done = subprocess.run([sys.executable, "-c", code], env=asked, capture_output=True, text=True, check=False)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_that_asks_the_program(shell: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0
    assert f"{VARIABLE}={shell}_complete" in result.output


def test_a_shell_completes_commands_subcommands_and_options() -> None:
    assert completed("groundswell rep", 1) == ["report", "replay"]
    assert completed("groundswell suite ex", 2) == ["export"]
    assert "--budget" in completed("groundswell run --bud", 2)


def test_a_shell_of_another_name_is_a_wrong_use() -> None:
    assert CliRunner().invoke(main, ["completion", "tcsh"]).exit_code == 2


def test_every_command_of_the_list_loads_and_has_the_help_that_the_list_gives_a_line_of() -> None:
    assert {name: command for name in COMMANDS if (command := main.get_command(None, name)) is None} == {}


def test_nothing_is_coloured_and_no_bar_is_drawn_where_the_output_is_a_file(tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("left,right,winner\na,b,left\nb,a,left\n")
    code = "from groundswell.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "rank", str(votes)],
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm-256color"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "\x1b" not in done.stdout + done.stderr
