"""Every benchmark in one run, beside the peers, into docs/benchmarks.md.

    python -m bench [NAME...]

Each module of this folder is run in a process of its own, one after another, and prints Markdown rows.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

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
    "arena": ("The arena under load", []),
    "arena_attacks": ("Attacks on votes", []),
    "scale": ("Stores and pools", []),
}
"""Module -> heading and arguments, in the order of the report."""


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all of them, and write the report. Gives 1 when one of them failed."""
    known = [name for name in TITLES if (HERE / f"{name}.py").exists()]
    unknown = set(names) - set(known)
    if unknown:
        sys.stderr.write(f"no benchmark named {', '.join(sorted(unknown))}; there are {', '.join(known)}\n")
        return 2
    sections, failed = [], False
    for name in names or known:
        title, arguments = TITLES[name]
        sys.stderr.write(f"{title} ...\n")
        began = time.monotonic()
        done = subprocess.run(
            [sys.executable, "-m", f"bench.{name}", *arguments], stdout=subprocess.PIPE, text=True, cwd=HERE.parent
        )
        failed = failed or done.returncode != 0
        verdict = (
            "" if done.returncode == 0 else f"\n\nThis benchmark ended with {done.returncode}: a target was missed."
        )
        spent = time.monotonic() - began
        sections.append(f"## {title}\n\n`python -m bench.{name}`, {spent:.0f} s\n\n{done.stdout.strip()}{verdict}\n")
        sys.stdout.write(sections[-1] + "\n")
        sys.stdout.flush()
    if not names:
        REPORT.write_text(_head() + "\n".join(sections))
    return int(failed)


def _head() -> str:
    today = datetime.now(UTC).date().isoformat()
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return (
        "# Benchmarks\n\n"
        f"Written by `make bench` on {today} ({machine}). Peers run beside ours in one run; read the ratios, not the\n"
        "absolute times, which depend on the machine and on what else it does.\n\n"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
