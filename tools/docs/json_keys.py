"""What `--json` prints, command by command: the keys of real outputs (kept in `json_printed.json`), what each means
(`json_words.toml`), and the page of the reference that is drawn from both.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from click import Context
from click.testing import CliRunner

from groundswell.cli import main
from groundswell.testing.served import Served
from tools.docs import meanwhile
from tools.docs.json_material import FILES, RUNS, WORKSPACE
from tools.docs.running import Terminal
from tools.docs.stand_ins import Studio

PRINTED = Path(__file__).with_name("json_printed.json")
WORDS = Path(__file__).with_name("json_words.toml")

NAMED = frozenset(
    {
        "cards", "counts", "coverage", "inclusion", "languages", "left_out", "licences", "models", "outcomes",
        "quality", "rubrics", "scores", "served_models", "silent", "stages", "tasks", "verdicts", "without_family",
        "without_judge", "yields",
    }
)  # fmt: skip
"""Keys whose objects have names for keys: of models, stages, reasons."""

FREE = frozenset({"detail", "evidence", "facts", "answer", "body", "settings", "observed"})
"""Keys whose values are as the part or the platform gives them."""

NAMES_FIRST = frozenset({"score llava"})
"""Commands whose object has names for keys: of categories."""

PLAIN = re.compile(r"[a-z][a-z0-9_]*")
"""How a key of ours is written; others are names of somebody's."""


def paths(value: Any, prefix: str = "", *, named: bool = False) -> Iterator[str]:
    """The keys in a value as `a.b[].c`, `{}` for names."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = f"{prefix}{{}}" if named or not PLAIN.fullmatch(key) else f"{prefix}.{key}".lstrip(".")
            if not here.endswith("}"):
                yield here
            if key not in FREE:
                yield from paths(inner, here, named=key in NAMED and not here.endswith("}"))
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{prefix}[]")


def printed(folder: Path) -> dict[str, set[str]]:
    """The keys that every command of RUNS prints, by the command's name."""
    found: dict[str, set[str]] = {}
    with Served(Studio()) as host, chdir(folder):
        terminal = Terminal(folder, host.origin)
        _lay(terminal)
        for line in RUNS.strip().splitlines():
            words = shlex.split(line)
            if words[:2] == ["suite", "results"]:
                meanwhile.my_model(terminal)
            result = CliRunner().invoke(main, [*words, "--json"], catch_exceptions=False)
            if result.exit_code > 1:
                raise RuntimeError(f"groundswell {line}: {result.output}")
            name = _name(words)
            data = msgspec.json.decode(result.stdout)
            found.setdefault(name, set()).update(paths(data, named=name in NAMES_FIRST))
    return found


def _lay(terminal: Terminal) -> None:
    """The files that the commands read."""
    meanwhile.exports(terminal)
    meanwhile.cpi_parquet(terminal)
    terminal.write("groundswell.toml", WORKSPACE)
    for name, text in FILES.items():
        (terminal.folder / name).write_text(text)


def _name(words: list[str]) -> str:
    command = main.get_command(Context(main), words[0])
    return " ".join(words[:2]) if len(words) > 1 and words[1] in getattr(command, "commands", {}) else words[0]


def write(folder: Path) -> None:
    """Keep the keys that commands print today."""
    found = {name: sorted(keys) for name, keys in sorted(printed(folder).items())}
    PRINTED.write_text(msgspec.json.format(msgspec.json.encode(found), indent=1).decode() + "\n")


@cache
def words() -> dict[str, dict[str, str]]:
    """What keys mean, by command or `everywhere`."""
    return tomllib.loads(WORDS.read_text())


def meaning(command: str, path: str) -> str | None:
    """What a key means: in this command, where that is said apart, else wherever it stands."""
    last = path.rpartition(".")[2].replace("[]", "").replace("{}", "")
    return words().get(command, {}).get(path) or words()["everywhere"].get(last)


def page() -> str:
    """The page of JSON keys."""
    kept: dict[str, list[str]] = msgspec.json.decode(PRINTED.read_bytes())
    parts = [
        "# JSON\n\nWhat `groundswell COMMAND --json` prints: one object, with these keys. `[]` is each element of a "
        "list, "
        "`{}` each value of an object whose keys are names (of models, stages, reasons). A key whose value is null "
        "says "
        'that there is none; a number is never put in its place. An error is `{"error": TEXT}`. Keys that stand only '
        "beside what they tell of (a calibration, where people voted) may be absent.\n"
    ]
    for command, keys in kept.items():
        rows = "\n".join(f"| `{key}` | {meaning(command, key) or ''} |" for key in keys)
        parts.append(f"## {command}\n\n| key | meaning |\n|---|---|\n{rows}\n")
    return "\n".join(parts)
