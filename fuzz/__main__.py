"""Fuzz every parser and count: `python -m fuzz [--inputs 1000000] [--seed 0] [--only replies]`.

A failure prints the input, the target and the seed with which it is found again, and the exit code is 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

from fuzz.mutation import damaged
from fuzz.targets import TARGETS, holds

SHARES = {"replies": 0.4, "settings": 0.3, "posts": 0.25, "votes": 0.05}
"""By what an input costs: reading a file of votes takes milliseconds."""

SHOWN = 5


def main() -> int:
    """Run all targets; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=TARGETS)
    given = parser.parse_args()
    failures = 0
    for name in [given.only] if given.only else TARGETS:
        inputs = given.inputs if given.only else round(given.inputs * SHARES[name])
        began, found = time.monotonic(), fuzz(name, inputs, given.seed)
        failures += found
        sys.stdout.write(f"{name}: {inputs:,} inputs, {found} failures, {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
    return 1 if failures else 0


def fuzz(name: str, inputs: int, seed: int) -> int:
    """Give a target so many damaged inputs; gives how many failed, and prints the first of them."""
    chance, failures = random.Random(f"{name} {seed}"), 0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        for number in range(inputs):
            data = damaged(TARGETS[name][1], chance)
            try:
                holds(name, data, Path(folder))
            except Exception:
                failures += 1
                if failures <= SHOWN:
                    sys.stdout.write(f"{name} {number} (seed {seed}): {data!r}\n{traceback.format_exc()}\n")
    return failures


if __name__ == "__main__":
    sys.exit(main())
