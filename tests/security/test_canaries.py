"""A key that is planted in the environment is found in nothing that a workspace writes, prints or shows."""

from __future__ import annotations

import base64
import os
import subprocess
import sys
import time
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

SCRIPTS = {
    "answers with it": '{"default": {"echo": true, "text": "7 {score}"}}',
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


@pytest.fixture(params=SCRIPTS.values(), ids=SCRIPTS)
def base_url(request: pytest.FixtureRequest):
    """A host that sends back what it was sent, key and all."""
    command = [sys.executable, "-m", "groundswell.testing.host", "--script", request.param]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.kill()


def test_a_key_is_in_no_file_and_no_output_and_no_title_of_a_process(base_url: str, tmp_path: Path) -> None:
    row = {"id": 1, "suite": "custom", "task": "chat", "prompts": {"en": "Question?"}, "reference": "Answer."}
    write_rows(tmp_path / "rows.jsonl", [row])
    write_text(tmp_path / "groundswell.toml", WORKSPACE.format(base_url=base_url))
    command = str(Path(sys.executable).with_name("groundswell"))
    written: dict[str, bytes] = {}
    for name in COMMANDS:
        words = [command, name, "--dir", str(tmp_path), "--json"]
        environment = {**os.environ, "CANARY_KEY": CANARY, "PYTHONFAULTHANDLER": "1", "PYTHONASYNCIODEBUG": "1"}
        process = subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if (title := Path(f"/proc/{process.pid}/cmdline")).exists():
            time.sleep(0.3)
            written[f"title of {name}"] = title.read_bytes()
        out, err = process.communicate(timeout=60)
        written |= {f"stdout of {name}": out, f"stderr of {name}": err}
    written |= {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert any(path.endswith("groundswell.sqlite") for path in written)
    leaks = [place for place, data in written.items() if any(form in data for form in forms())]
    assert leaks == []
