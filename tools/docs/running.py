"""Running a page's commands in a folder of their own, as a person would type them, one after the other."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from click.testing import CliRunner

from groundswell.cli import main
from groundswell.testing.served import Served
from tools.docs.pages import Block, Command, Outcome, blocks, tidy
from tools.docs.stand_ins import Studio, addressed

HOME = "/home/you"
"""What pages show in place of the folder in which they are run."""

Meanwhile = Callable[["Terminal"], None]


class Terminal:
    """A folder, an environment, and the servers that were left running in it."""

    def __init__(self, folder: Path, origin: str) -> None:
        self.home = folder
        self.folder = folder
        self.origin = origin
        self.environment: dict[str, str] = {"HOME": str(folder), "NO_COLOR": "1"}
        self.left_running: list[subprocess.Popen[str]] = []
        self.served = ""
        """Address of the arena that a command opened."""

    def write(self, name: str, text: str) -> None:
        """A file of the page, with hosts of this machine."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(addressed(text, self.origin))

    def type(self, command: Command) -> Outcome:
        """Run one command and give what it printed, with the names of this machine taken out."""
        words = command.words
        if match := re.fullmatch(r"cd (\S+)", words):
            self.folder = (self.folder / match[1]).resolve()
            return Outcome(command=command, output="", exit=0)
        if match := re.fullmatch(r"export (\w+)=(\S+)", words):
            self.environment[match[1]] = match[2]
            return Outcome(command=command, output="", exit=0)
        if words.startswith("groundswell serve"):
            return Outcome(command=command, output=self._plain(self._serve(words)), exit=0)
        output, code = self._groundswell(words) if _is_ours(words) else self._shell(words)
        return Outcome(command=command, output=self._plain(output), exit=code)

    def _groundswell(self, words: str) -> tuple[str, int]:
        with contextlib.chdir(self.folder):
            result = CliRunner().invoke(main, _expanded(words)[1:], env=self.environment, catch_exceptions=False)
        return result.output, result.exit_code

    def _shell(self, words: str) -> tuple[str, int]:
        done = subprocess.run(
            ["sh", "-c", words], cwd=self.folder, env=self._whole_environment(), capture_output=True, text=True
        )
        return done.stdout + done.stderr, done.returncode

    def _serve(self, words: str) -> str:
        """Start the arena on a free port and read what it says; it stays open until the page ends."""
        asked = shlex.split(words.removesuffix("&"))[2:]
        command = [sys.executable, "-m", "groundswell", "serve", *asked, "--port", "0"]
        server = subprocess.Popen(
            command, cwd=self.folder, env=self._whole_environment(), stderr=subprocess.PIPE, text=True
        )
        self.left_running.append(server)
        assert server.stderr is not None
        said = server.stderr.readline() + server.stderr.readline()
        match = re.search(r"http://\S+?:(\d+)/", said)
        if match is None:
            raise RuntimeError(f"the arena did not open: {said}{server.stderr.read()}")
        self.served = f"http://127.0.0.1:{match[1]}"
        return re.sub(r":\d+/", ":8000/", said)

    def _whole_environment(self) -> Mapping[str, str]:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        return os.environ | self.environment | {"PATH": path}

    def _plain(self, output: str) -> str:
        return tidy(output.replace(str(self.home), HOME).replace(self.origin, "http://stand-in"))

    def close(self) -> None:
        """Stop what was left running."""
        for server in self.left_running:
            server.terminate()
            server.communicate(timeout=20)


def _is_ours(words: str) -> bool:
    return words.startswith("groundswell ") and not set(words) & set("|><&;")


def _expanded(words: str) -> list[str]:
    """The words of a command line, with patterns of file names filled in as a shell does."""
    found: list[str] = []
    for word in shlex.split(words, comments=True):
        names = sorted(str(path) for path in Path().glob(word)) if "*" in word else []
        found += names or [word]
    return found


def run(text: str, folder: Path, meanwhile: Mapping[str, Meanwhile]) -> list[list[Outcome]]:
    """Run a page in an empty folder; the outcomes of each console block, in order. A command that ends otherwise than
    the page says ends the page."""
    came: list[list[Outcome]] = []
    with Served(Studio()) as host:
        terminal = Terminal(folder.resolve(), host.origin)
        try:
            for block in blocks(text):
                _act(block, terminal, meanwhile)
                if block.commands:
                    came.append([])
                    for command in block.commands:
                        came[-1].append(terminal.type(command))
                        if came[-1][-1].exit != command.exit:
                            return came
        finally:
            terminal.close()
    return came


def _act(block: Block, terminal: Terminal, meanwhile: Mapping[str, Meanwhile]) -> None:
    if block.file is not None:
        terminal.write(block.file, block.body)
    if block.meanwhile is not None:
        meanwhile[block.meanwhile](terminal)
