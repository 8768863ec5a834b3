"""Pages whose commands are run: read a page, run it as a person would, compare what it shows, or write what came.

    ```toml file=NAME       the block is written to that file
    ```console run          lines after "$ " are commands, the lines under each are its output
    <!-- meanwhile: NAME -->  something happens that the reader does elsewhere; `stand_ins.MEANWHILE` knows it

After `run` may stand `exit=N`, the exit code of the block's last command, and `numbers-vary`, where numbers differ from
run to run. What a page is about is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

FENCE = re.compile(r"^(?P<fence>`{3,})(?P<info>[^`\n]*)\n(?P<body>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
MEANWHILE = re.compile(r"^<!-- meanwhile: (?P<what>[\w-]+) -->$", re.MULTILINE)
PROMPT = "$ "


@dataclass(frozen=True)
class Command:
    """One command of a page and the output that the page shows for it."""

    words: str
    shown: str
    exit: int = 0
    numbers_vary: bool = False


@dataclass(frozen=True)
class Block:
    """A piece of a page that something is done with, and where its body stands in the text."""

    start: int
    end: int
    body: str = ""
    file: str | None = None
    meanwhile: str | None = None
    commands: tuple[Command, ...] = field(default=())


def blocks(text: str) -> list[Block]:
    """The blocks of a page that are acted on, in the order of the page."""
    found = [*_fences(text), *_meanwhiles(text)]
    return sorted(found, key=lambda block: block.start)


def _fences(text: str) -> Iterator[Block]:
    for match in FENCE.finditer(text):
        language, *words = match["info"].split() or [""]
        place = Block(start=match.start("body"), end=match.end("body"), body=match["body"])
        options = dict(word.partition("=")[::2] for word in words)
        if "file" in options:
            yield replace(place, file=options["file"])
        elif language == "console" and "run" in options:
            yield replace(place, commands=tuple(_commands(match["body"], options)))


def _meanwhiles(text: str) -> Iterator[Block]:
    for match in MEANWHILE.finditer(text):
        yield Block(start=match.start(), end=match.end(), meanwhile=match["what"])


def _commands(body: str, options: dict[str, str]) -> Iterator[Command]:
    parts = re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]
    for number, part in enumerate(parts, start=1):
        words, _, shown = re.sub(r"\s*\\\n\s*", " ", part).partition("\n")
        code = int(options.get("exit", 0)) if number == len(parts) else 0
        yield Command(words=words, shown=tidy(shown), exit=code, numbers_vary="numbers-vary" in options)


def tidy(output: str) -> str:
    """Output as a page shows it: no blanks at the ends of lines, no empty lines at both ends."""
    return "\n".join(line.rstrip() for line in output.splitlines()).strip("\n")


KEYS = re.compile(r"\b[0-9a-f]{8,64}\b")
MONEY = re.compile(r"\d+\.\d+(?= USD)")
DATES = r"(\d{4}-)?\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|\+00:00)?"
TIMES = re.compile(rf"{DATES}|\d+(\.\d+)? ?(ms|s|seconds)\b")
NUMBERS = re.compile(r"\d+(\.\d+)?(-\d+)?")


def normal(output: str, numbers_vary: bool) -> str:
    """Output with everything that may differ from run to run written alike: keys, money, times, widths of tables;
    where numbers vary, these and the order of lines, which follows them."""
    for pattern, word in ((KEYS, "KEY"), (TIMES, "TIME"), (MONEY, "MONEY")):
        output = pattern.sub(word, output)
    if numbers_vary:
        output = NUMBERS.sub("N", output)
    lines = [re.sub(r"[ ─]+", " ", line).strip() for line in output.splitlines()]
    return "\n".join(sorted(lines) if numbers_vary else lines)


@dataclass(frozen=True)
class Outcome:
    """What a command of a page gave in truth."""

    command: Command
    output: str
    exit: int

    @property
    def same(self) -> bool:
        """Whether the page tells the truth about it."""
        vary = self.command.numbers_vary
        return normal(self.output, vary) == normal(self.command.shown, vary) and self.exit == self.command.exit

    def told(self) -> str:
        """The difference, for the person who must mend page or program."""
        return (
            f"$ {self.command.words}\nthe page shows (exit {self.command.exit}):\n{self.command.shown}\n"
            f"it gave (exit {self.exit}):\n{self.output}\n"
        )


def rewritten(text: str, outcomes: list[list[Outcome]]) -> str:
    """The page with the real output under every command; `outcomes` are those of each console block, in order. What
    is the same but for keys, money and times stays as it is."""
    run = [block for block in blocks(text) if block.commands]
    for block, came in reversed(list(zip(run, outcomes, strict=True))):
        parts = re.split(r"^(?=\$ )", block.body, flags=re.MULTILINE)
        parts = [part for part in parts if part.startswith(PROMPT)]
        body = ""
        for part, outcome in zip(parts, came, strict=True):
            words = re.match(r"(?:.*\\\n)*.*\n", part)
            output = outcome.command.shown if outcome.same else outcome.output
            body += (words.group() if words else part) + (f"{output}\n" if output else "")
        text = text[: block.start] + body + text[block.end :]
    return text


def executed(folder: Path) -> list[Path]:
    """Pages of a folder that have commands to run, by name."""
    return sorted(page for page in folder.rglob("*.md") if any(block.commands for block in blocks(page.read_text())))
