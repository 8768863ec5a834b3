"""Every benchmark in one run, beside the peers, into docs/benchmarks.md.

    python -m bench [NAME...]
    python -m bench --summary

Each module of this folder is run in a process of its own, one after another, and prints Markdown rows. The table at the
top of the report is gathered from all sections (`summary`), and alone, without running anything, with `--summary`.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from bench import summary

HERE = Path(__file__).parent
REPORT = HERE.parent / "docs" / "benchmarks.md"

TITLES = {
    "engine": ("Engine and store", []),
    "wire": ("Client CPU per judged request", ["--path", "bench.engine:judged"]),
    "ratings": ("Ratings", []),
    "threads": ("Threads from posts", []),
    "metrics": ("Metrics", []),
    "generate": ("Generation", []),
    "probe": ("Timing an endpoint", []),
    "judging": ("Judges", []),
    "curation": ("Curation", []),
    "curation_own": ("Curation, on material made by code", []),
    "arena": ("The arena under load", []),
    "arena_attacks": ("Attacks on votes", []),
    "scale": ("Stores and pools", []),
    "site": ("The site", []),
}
"""Module -> heading and arguments, in the order of the report."""


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all of them, and put their sections into the report. Gives 1 when one failed."""
    if names == ["--summary"]:
        _write(_sections())
        return 0
    known = [name for name in TITLES if (HERE / f"{name}.py").exists()]
    unknown = set(names) - set(known)
    if unknown:
        sys.stderr.write(f"no benchmark named {', '.join(sorted(unknown))}; there are {', '.join(known)}\n")
        return 2
    failed = False
    for name in names or known:
        sys.stderr.write(f"{TITLES[name][0]} ...\n")
        section, code = _run(name)
        failed = failed or code != 0
        sys.stdout.write(section + "\n")
        sys.stdout.flush()
        _keep(name, section)
    return int(failed)


def _run(name: str) -> tuple[str, int]:
    """The section of one benchmark, and how it ended."""
    title, arguments = TITLES[name]
    load, began = os.getloadavg()[0], time.monotonic()
    command = [sys.executable, "-m", f"bench.{name}", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=HERE.parent)
    spent, today = time.monotonic() - began, datetime.now(UTC).date().isoformat()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    how = f"`python -m bench.{name}`, {today}, {spent:.0f} s, {machine}, load {load:.1f} at the start"
    verdict = "" if done.returncode == 0 else f"\n\nEnded with {done.returncode}: a target was missed."
    shown = done.stdout.strip()
    if not shown.startswith(("|", "#")):
        shown = f"```\n{shown}\n```"
    return f"## {title}\n\n{how}\n\n{shown}{verdict}\n", done.returncode


def _keep(name: str, section: str) -> None:
    """Put a section in its place in the report; the others stay as they were, each with its own date."""
    _write(_sections() | {TITLES[name][0]: section})


def _sections() -> dict[str, str]:
    """The sections of the report as it is, by heading."""
    if not REPORT.exists():
        return {}
    parts = REPORT.read_text().split("\n## ")[1:]
    found = {text.partition("\n")[0]: f"## {text.rstrip()}\n" for text in parts}
    return {heading: text for heading, text in found.items() if heading != SUMMARY}


def _write(sections: Mapping[str, str]) -> None:
    ordered = {title: sections[title] for title, _ in TITLES.values() if title in sections}
    gathered = summary.table(ordered)
    top = [f"## {SUMMARY}\n\n{gathered}"] if gathered else []
    REPORT.write_text(HEAD + "\n" + "\n".join([*top, *ordered.values()]))


SUMMARY = "All in one table"

HEAD = """# Benchmarks

Written by `make bench` (or `python -m bench NAME...` for some). Peers run beside ours in one run; read the ratios, not
the absolute times, which depend on the machine and on what else it does.
"""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
