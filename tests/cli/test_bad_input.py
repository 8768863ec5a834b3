"""Whatever is wrong with a file, the answer is one line that names the file, the line and the remedy, and exit 2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from groundswell.cli import main

GOOD_ROWS = {
    "score llava": [{"question_id": 1, "category": "conv", "tuple": [8.0, 6.0], "content": "8 6\nbecause"}],
    "score cpi": [
        {"sample_index": 0, "id": "a", "subset": "general", "task": "add", "lang": "en", "scores": {"quality": 4}}
    ],
    "score echo": [
        {"sample": "a", "model": model, "judge": judge, "grade": 7} for model in "xy" for judge in ("j", "k")
    ],
    "judge parse": [{"reply": "[[7]]", "dimensions": [{"name": "score", "low": 1, "high": 10}]}],
    "rank": [{"left": "a", "right": "b", "winner": "left"}, {"left": "a", "right": "b", "winner": "right"}],
}
COMMANDS = list(GOOD_ROWS)
NEWLINE = b"\n"


def call(*words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, list(words), catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


def lines(rows: list[dict]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "rows.jsonl"


@pytest.mark.parametrize("command", COMMANDS)
def test_good_rows_are_answered_with_one_json_object_and_nothing_else(command: str, file: Path) -> None:
    file.write_bytes(lines(GOOD_ROWS[command]))
    code, out, err = call(*command.split(), str(file), "--json")
    assert (code, err) == (0, "")
    assert out.count("\n") == 1
    json.loads(out)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("dressing", ["bom", "crlf", "blank lines", "u+2028 in a string"])
def test_harmless_dressing_of_a_file_changes_nothing(command: str, dressing: str, file: Path) -> None:
    rows = lines(GOOD_ROWS[command])
    file.write_bytes(rows)
    plain = call(*command.split(), str(file), "--json")
    dressed = {
        "bom": b"\xef\xbb\xbf" + rows,
        "crlf": rows.replace(b"\n", b"\r\n"),
        "blank lines": b"\n" + rows + b"\n\n",
        "u+2028 in a string": rows.replace(b"because", "be\u2028cause".encode()),
    }
    file.write_bytes(dressed[dressing])
    assert call(*command.split(), str(file), "--json") == plain


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("fault", ["missing", "directory", "empty", "torn", "not an object", "wrong column", "latin-1"])
def test_a_fault_is_one_line_that_names_the_place_and_exit_2(command: str, fault: str, file: Path) -> None:
    rows = lines(GOOD_ROWS[command])
    place = str(file)
    match fault:
        case "missing":
            pass
        case "directory":
            file.mkdir()
        case "empty":
            file.write_bytes(b"")
        case "torn":
            file.write_bytes(rows + rows.splitlines()[-1][:-4])
            place = f"{file}:{rows.count(NEWLINE) + 1}:"
        case "not an object":
            file.write_bytes(rows + b"[1, 2]\n")
        case "wrong column":
            file.write_bytes(b'{"nothing": "that is asked for"}\n')
        case "latin-1":
            file.write_bytes(rows + b'{"reply": "na\xefve", "left": "\xe9"}\n')
    code, out, err = call(*command.split(), str(file))
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1
    assert err.startswith(f"groundswell: {place}")


def test_an_error_in_json_mode_is_an_object_too(file: Path) -> None:
    code, out, _ = call("rank", str(file), "--json")
    assert code == 2
    assert "no such file" in json.loads(out)["error"]


def test_an_unknown_command_names_the_nearest() -> None:
    code, _, err = call("rnak")
    assert code == 2
    assert "did you mean rank?" in err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[workspace]\nstor = "x"\n', "groundswell.toml:2: unknown key stor; did you mean store?"),
        ('[[endpoint]]\nname = "a"\nhost = "openai"\nmodel = 3\n', "groundswell.toml:4: Expected `str`"),
        ('[[suite]\nname = "x"\n', "groundswell.toml:1: this is not TOML"),
        ('[panel]\njudges = ["nobody"]\n', "groundswell.toml:2: the panel names the judge nobody"),
        (
            '[[endpoint]]\nname = "a"\nhost = "openai"\nmodel = "m"\nkeys = ["sk-secret-in-the-open"]\n',
            "groundswell.toml:5: a key stands here in the open",
        ),
        (
            '[[endpoint]]\nname = "a"\nhost = "openai"\nmodel = "m"\nkeys = ["env:GROUNDSWELL_TEST_UNSET"]\n'
            '[[suite]]\nname = "custom"\nsource = "rows.jsonl"\n',
            "groundswell.toml:5: the variable GROUNDSWELL_TEST_UNSET of a (key 1) is not set; export",
        ),
        ('[[suite]]\nname = "custom"\nsource = "rows.jsonl"\n[[suite]]\nname = "cutsom"\n', "there is no suite cutsom"),
    ],
)
def test_a_fault_of_the_workspace_file_names_its_line(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "groundswell.toml").write_text(text)
    row = {"id": 1, "suite": "custom", "task": "chat", "prompts": {"en": "Why?"}}
    (tmp_path / "rows.jsonl").write_bytes(lines([row]))
    code, _, err = call("run", "--dir", str(tmp_path))
    assert code == 2
    assert words in err
    assert "sk-secret" not in err


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([{"id": 1, "task": "edit", "suite": "s", "prompts": {"en": "x"}, "inputs": ["gone.png"]}], ":1: "),
        ([{"id": 1, "task": "chat", "suite": "s", "prompts": {"en": "x"}}] * 2, ":2: "),
        ([{"id": 1, "task": "paint", "suite": "s", "prompts": {"en": "x"}}], ":1: "),
    ],
)
def test_a_fault_in_imported_rows_leaves_nothing_half_written(rows: list[dict], words: str, tmp_path: Path) -> None:
    assert call("init", str(tmp_path / "w"))[0] == 0
    file = tmp_path / "rows.jsonl"
    file.write_bytes(lines(rows))
    code, _, err = call("suite", "import", str(file), "--dir", str(tmp_path / "w"))
    assert code == 2
    assert f"{file}{words}" in err
    code, out, _ = call("suite", "list", "--dir", str(tmp_path / "w"), "--json")
    assert [row for row in json.loads(out)["suites"] if row["edition"]] == []


def test_init_does_not_touch_a_workspace_that_is_there(tmp_path: Path) -> None:
    assert call("init", str(tmp_path))[0] == 0
    (tmp_path / "groundswell.toml").write_text("# mine\n")
    code, _, err = call("init", str(tmp_path))
    assert code == 2
    assert "there is a workspace here already" in err
    assert (tmp_path / "groundswell.toml").read_text() == "# mine\n"
