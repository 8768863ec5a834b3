"""A key that is planted in the environment is found in nothing that a workspace writes, prints or shows."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from groundswell.files import write_rows, write_text

CANARY = "sk-canary-7f3d9a1c5e8b2046aa91"
PIECE = 8
"""So many characters of a key in a row are a leak."""

WORKSPACE = """
[[suite]]
name = "custom"
source = "rows.jsonl"

[[endpoint]]
name = "model"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
tasks = ["chat"]
keys = ["env:CANARY_KEY"]
limits = {{ concurrency = 2, timeout = 2.0, deadline = 2.0 }}

[[judge]]
name = "judge"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
keys = ["env:CANARY_KEY"]
limits = {{ concurrency = 2, timeout = 2.0, deadline = 2.0 }}

[panel]
judges = ["judge"]
quorum = 1
"""

ANSWERS = '{"default": {"echo": true, "text": "7 {score}"}}'

SCRIPTS = {
    "answers with it": ANSWERS,
    "refuses it": '{"default": {"status": 401, "echo": true}}',
    "fails with it": '{"default": {"status": 400, "echo": true}}',
    "tears it": '{"default": {"tear": 0.9, "echo": true}}',
}
COMMANDS = ("doctor", "run", "status", "boards", "publish", "report")


def forms() -> list[bytes]:
    """Pieces of the key, plain and in the three alignments of base64."""
    plain = [CANARY[start : start + PIECE].encode() for start in range(len("sk-"), len(CANARY) - PIECE + 1)]
    coded = [base64.b64encode(b"x" * pad + CANARY.encode())[4:-4] for pad in range(3)]
    return plain + coded


@contextmanager
def host(script: str):
    """A host that sends back what it was sent, key and all."""
    command = [sys.executable, "-m", "groundswell.testing.host", "--script", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.kill()


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_key_is_in_no_file_and_no_output_and_no_title_of_a_process(script: str, tmp_path: Path) -> None:
    row = {"id": 1, "suite": "custom", "task": "chat", "prompts": {"en": "Question?"}, "reference": "Answer."}
    write_rows(tmp_path / "rows.jsonl", [row])
    written: dict[str, bytes] = {}
    with host(script) as base_url:
        write_text(tmp_path / "groundswell.toml", WORKSPACE.format(base_url=base_url))
        for name in COMMANDS if script == ANSWERS else ("run", "status"):
            written |= called(name, tmp_path)
    written |= {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(path.endswith("groundswell.sqlite") for path in written)
    leaks = [place for place, data in written.items() if any(form in data for form in forms())]
    assert leaks == []


def called(name: str, folder: Path) -> dict[str, bytes]:
    """What a command prints, and how its process shows itself to everybody on the machine."""
    words = [str(Path(sys.executable).with_name("groundswell")), name, "--dir", str(folder), "--json"]
    environment = {**os.environ, "CANARY_KEY": CANARY}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    title = b""
    if (shown := Path(f"/proc/{process.pid}/cmdline")).exists():
        time.sleep(0.3)
        title = shown.read_bytes()
    out, err = process.communicate(timeout=60)
    return {f"title of {name}": title, f"stdout of {name}": out, f"stderr of {name}": err}
