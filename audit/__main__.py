"""Audit what we depend on: `python -m audit`. Exit code 1 = something is wrong, and it is listed.

Licences and pins are looked at offline. Known vulnerabilities are asked of PyPI by pip-audit; where that service cannot
be reached one line says so, and nothing is claimed.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audit.installed import needed, unfit, unpinned

CONSTRAINTS = Path(__file__).parent.parent / "constraints.txt"
PATIENCE_SECONDS = 300
ONE = "pip==25.0"
"""Asked first: an answer about it shows that the service answers, so that silence about ours means something."""

Ask = Callable[[list[str]], dict[str, Any] | None]


def main() -> int:
    """Run the three audits; gives the exit code."""
    found, pins = needed(), CONSTRAINTS.read_text().splitlines()
    faults = [f"licence of {line}" for line in unfit(found)] + [f"pin of {line}" for line in unpinned(found, pins)]
    print(f"{len(found)} distributions: licences and pins looked at")
    vulnerable = vulnerabilities([line for line in pins if "==" in line], ask_pip_audit)
    if vulnerable is None:
        print("known vulnerabilities: not audited, the service of pip-audit cannot be reached from here")
    else:
        print(f"known vulnerabilities: {len(vulnerable)}")
        faults += vulnerable
    for fault in faults:
        print(fault)
    return int(bool(faults))


def vulnerabilities(pins: list[str], ask: Ask) -> list[str] | None:
    """A line for each known vulnerability of what is pinned; None where nobody can be asked."""
    if not _audited(ask([ONE])):
        return None
    answer = ask(pins)
    if not _audited(answer):
        return None
    assert answer is not None
    return [
        f"vulnerability of {each['name']} {each['version']}: {known['id']}"
        f" (fixed in {', '.join(known.get('fix_versions') or ['no version'])})"
        for each in answer["dependencies"]
        for known in each.get("vulns", ())
    ]


def _audited(answer: dict[str, Any] | None) -> bool:
    """Whether the service knew any of what it was asked."""
    return answer is not None and any("vulns" in each for each in answer["dependencies"])


def ask_pip_audit(pins: list[str]) -> dict[str, Any] | None:
    """pip-audit's answer about pinned requirements; None where it could not ask."""
    listed = CONSTRAINTS.parent / ".cache" / "audited.txt"
    listed.parent.mkdir(exist_ok=True)
    listed.write_text("\n".join(pins) + "\n")
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(listed), "--no-deps", "--disable-pip"]
    command += ["--format", "json", "--progress-spinner", "off"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        return json.loads(done.stdout)  # type: ignore[no-any-return]
    except (subprocess.TimeoutExpired, ValueError):
        return None


if __name__ == "__main__":
    sys.exit(main())
