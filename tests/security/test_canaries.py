"""A key that is planted in the environment is found in nothing that a workspace writes, prints or shows: files, logs,
errors, titles of processes, what a crash leaves, pages that are served, logs of a cluster's workers."""

from __future__ import annotations

import base64
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from groundswell.config import forbid_core_dumps
from groundswell.files import write_rows, write_text

CANARY = "sk-canary-7f3d9a1c5e8b2046aa91"
PIECE = 8
"""So many characters of a key in a row are a leak."""

KEYED = """
keys = ["env:CANARY_KEY"]
limits = { concurrency = 2, timeout = 2.0, deadline = 2.0 }
"""

JUDGED = """
[[judge]]
name = "judge"
host = "openai"
base_url = "{base_url}"
model = "scripted-2026-11"
{keyed}

[panel]
judges = ["judge"]
quorum = 1
"""

ANSWERS = '{"default": {"echo": true, "text": "7 {score}"}}'
HANGS = '{"default": {"hang": true}}'

SCRIPTS = {
    "answers with it": ANSWERS,
    "refuses it": '{"default": {"status": 401, "echo": true}}',
    "fails with it": '{"default": {"status": 400, "echo": true}}',
    "tears it": '{"default": {"tear": 0.9, "echo": true}}',
}
COMMANDS = (
    "doctor",
    "endpoint test model",
    "run",
    "status",
    "boards",
    "publish",
    "report",
    "judge card judge",
    "probe",
)


def forms() -> list[bytes]:
    """Pieces of the key, plain and in the three alignments of base64."""
    plain = [CANARY[start : start + PIECE].encode() for start in range(len("sk-"), len(CANARY) - PIECE + 1)]
    coded = [base64.b64encode(b"x" * pad + CANARY.encode())[4:-4] for pad in range(3)]
    return plain + coded


def leaks(written: dict[str, bytes]) -> list[str]:
    """Places that hold a piece of the key."""
    return [place for place, data in written.items() if any(form in data for form in forms())]


def files(*folders: Path) -> dict[str, bytes]:
    """Everything that stands in some folders."""
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    return {str(path): path.read_bytes() for path in paths}


@contextmanager
def host(script: str) -> Iterator[str]:
    """A host that sends back what it was sent, key and all."""
    command = [sys.executable, "-m", "groundswell.testing.host", "--script", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture
def furnish(ask_at):
    """Lays a workspace of one question, whose endpoint and judge have the key."""

    def lay(base_url: str, more: str = "") -> None:
        judged = JUDGED.format(base_url=base_url, keyed=KEYED)
        ask_at(base_url, samples=1, settings=KEYED, more=judged + more)

    return lay


def started(words: str, folder: Path, key: str = CANARY, **environment: str) -> subprocess.Popen[bytes]:
    program = str(Path(sys.executable).with_name("groundswell"))
    return subprocess.Popen(
        [program, *words.split(), "--dir", str(folder)],
        env={**os.environ, "CANARY_KEY": key, **environment},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def called(words: str, folder: Path, key: str = CANARY, **environment: str) -> dict[str, bytes]:
    """What a command prints, and how its process shows itself to everybody on the machine."""
    process = started(f"{words} --json", folder, key, **environment)
    title = b""
    if (shown := Path(f"/proc/{process.pid}/cmdline")).exists():
        time.sleep(0.3)
        title = shown.read_bytes()
    out, err = process.communicate(timeout=60)
    return {f"title of {words}": title, f"stdout of {words}": out, f"stderr of {words}": err}


@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
def test_a_key_is_in_no_file_and_no_output_and_no_title_of_a_process(script: str, tmp_path: Path, furnish) -> None:
    written: dict[str, bytes] = {}
    with host(script) as base_url:
        furnish(base_url)
        for words in COMMANDS if script == ANSWERS else ("run", "status"):
            written |= called(words, tmp_path)
    written |= files(tmp_path)
    assert any(path.endswith("groundswell.sqlite") for path in written)
    assert leaks(written) == []


@pytest.mark.parametrize("key", [f"{CANARY}\u732b", f"{CANARY[:15]}\n{CANARY[15:]}"], ids=["no Latin", "two lines"])
def test_a_key_that_no_header_can_hold_is_not_quoted_in_the_error(key: str, tmp_path: Path, furnish) -> None:
    with host(ANSWERS) as base_url:
        furnish(base_url)
        written = called("run", tmp_path, key)
    assert leaks(written | files(tmp_path)) == []


def test_a_defect_in_a_plugin_that_has_the_key_in_hand_prints_no_key(tmp_path: Path, furnish) -> None:
    """A traceback shows lines of programs and no values of variables."""
    broken = (
        "import groundswell.wire.door as door\n"
        "async def fall(self, call, line, key):\n"
        "    held = key._secret\n"
        "    raise RuntimeError(f'a defect with {len(held)} characters in hand')\n"
        "door.Wire.exchange = fall\n"
    )
    write_text(tmp_path / "site" / "sitecustomize.py", broken)
    with host(ANSWERS) as base_url:
        furnish(base_url)
        written = called("run", tmp_path, PYTHONPATH=str(tmp_path / "site"))
    assert b"Traceback" in written["stderr of run"]
    assert b"a defect with 30 characters in hand" in written["stdout of run"]
    assert leaks(written | files(tmp_path)) == []


@pytest.mark.parametrize("how", [signal.SIGABRT, signal.SIGSEGV], ids=["abort", "segfault"])
def test_what_a_crash_leaves_holds_no_key(how: signal.Signals, tmp_path: Path, furnish) -> None:
    """Killed with the key in memory: a traceback of all threads is written, an image of the memory is not."""
    with host(HANGS) as base_url:
        furnish(base_url)
        process = started("run", tmp_path, PYTHONFAULTHANDLER="1")
        limits = Path(f"/proc/{process.pid}/limits")
        until = time.monotonic() + 30
        while "Max core file size        0 " not in limits.read_text():
            assert time.monotonic() < until, "core dumps were not forbidden"
            time.sleep(0.1)
        time.sleep(1.0)
        process.send_signal(how)
        out, err = process.communicate(timeout=30)
    assert process.returncode == -how
    assert b"Fatal Python error" in err
    written = files(tmp_path) | {"stdout": out, "stderr": err}
    assert not [path for path in written if Path(path).name.startswith("core")]
    assert leaks(written) == []


def test_reading_a_secret_forbids_core_dumps() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    try:
        forbid_core_dumps()
        assert resource.getrlimit(resource.RLIMIT_CORE) == (0, hard)
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def test_no_page_that_is_served_shows_a_key_or_the_operators_token(tmp_path: Path, furnish) -> None:
    with host(ANSWERS) as base_url:
        furnish(base_url)
        called("run", tmp_path)
        called("publish", tmp_path)
        server = started("serve --port 0", tmp_path)
        try:
            home = next(word for word in server.stderr.readline().decode().split() if word.startswith("http"))
            pages = {path: fetched(home + path) for path in ("", "operator", "site/index.html", "health", "nowhere")}
            token = (tmp_path / ".operator-token").read_bytes()
            pages["signed in"] = fetched(f"{home}operator/sign-in", b"token=" + token)
        finally:
            server.terminate()
            out, err = server.communicate(timeout=30)
    assert b"ok" in pages["health"]
    assert b"mark" in pages["signed in"]
    written = {**pages, "stdout": out, "stderr": err}
    assert leaks(written) == []
    assert not [name for name, data in written.items() if token in data]


def fetched(url: str, form: bytes | None = None) -> bytes:
    """A page with its headers, whatever its status; cookies are kept on the way."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    try:
        with opener.open(url, data=form, timeout=20) as answer:
            return bytes(answer.headers) + answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return bytes(error.headers) + error.read()


def test_logs_of_a_clusters_workers_hold_no_key(tmp_path: Path, furnish) -> None:
    pytest.importorskip("ray", reason="no Ray here: pip install 'groundswell[scale]'")
    with host(ANSWERS) as base_url:
        check = {"kind": "text", "text": "7"}
        furnish(base_url, '[[endpoint]]\nname = "plain"\nhost = "local"\nmodel = "blank"\ntasks = ["t2i"]\n')
        picture = {"id": 2, "suite": "custom", "task": "t2i", "prompts": {"en": "A sign"}, "checks": [check]}
        rows = (tmp_path / "rows.jsonl").read_text()
        write_rows(tmp_path / "more.jsonl", [picture])
        write_text(tmp_path / "rows.jsonl", rows + (tmp_path / "more.jsonl").read_text())
        with tempfile.TemporaryDirectory() as ray:  # names of its sockets must be short
            written = called("run --pool ray", tmp_path, RAY_TMPDIR=ray)
            logs = files(Path(ray))
    assert any("worker" in path for path in logs), f"the cluster kept no logs: {written}"
    assert leaks(written | logs | files(tmp_path)) == []
