"""Fuzz every parser and count: `python -m fuzz [--inputs 1000000] [--seed 0] [--only replies]`.

Each kind of failure is shown once, with the smallest input found that brings it about, and the exit code is 1. An input
that takes longer than SLOW seconds is a failure, too.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from fuzz.mutation import damaged
from fuzz.shrinking import smallest
from fuzz.targets import TARGETS, holds

SLOW = 3.0
"""Seconds of processor time for one input of a few kilobytes: nobody waits longer for one line of a file."""

IN_MEMORY = Path("/dev/shm")
"""Where there is such a folder, inputs are files there: a disk would take most of the time."""


@dataclass(kw_only=True)
class Found:
    """What became of the inputs of one target."""

    inputs: int
    read: int = 0
    """Inputs that the parser took; it told a person what was wrong with the others."""
    failures: int = 0
    seconds: float = 0.0
    kinds: dict[str, bytes] = field(default_factory=dict)
    """What failed and where, with the smallest input that does it."""


def main() -> int:
    """Run all targets until the count is reached; gives the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=TARGETS)
    given = parser.parse_args()
    total = Found(inputs=0)
    for name in [given.only] if given.only else TARGETS:
        found = fuzz(name, given.inputs if given.only else round(given.inputs * TARGETS[name].share), given.seed)
        total.inputs, total.read = total.inputs + found.inputs, total.read + found.read
        total.failures, total.seconds = total.failures + found.failures, total.seconds + found.seconds
        _tell(name, found)
        for kind, data in found.kinds.items():
            sys.stdout.write(f"  {kind}\n    {data!r}\n")
    _tell("all", total)
    return 1 if total.failures else 0


def _tell(name: str, found: Found) -> None:
    counts = f"{found.inputs:9,} inputs {found.read:9,} read {found.failures:6,} failures"
    sys.stdout.write(f"{name:10} {counts} {found.seconds:6.0f} s\n")
    sys.stdout.flush()


def fuzz(name: str, inputs: int, seed: int) -> Found:
    """Give a target so many damaged inputs."""
    chance, found, began = random.Random(f"{name} {seed}"), Found(inputs=inputs), time.monotonic()
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as place:
        for _ in range(inputs):
            data = damaged(TARGETS[name].seeds, chance)
            match outcome(name, Path(place), data):
                case bool(read):
                    found.read += read
                case kind:
                    found.failures += 1
                    if kind not in found.kinds:
                        found.kinds[kind] = smallest(data, partial(_fails_alike, name, Path(place), kind))
    found.seconds = time.monotonic() - began
    return found


def _fails_alike(name: str, folder: Path, kind: str, data: bytes) -> bool:
    return outcome(name, folder, data) == kind


def outcome(name: str, folder: Path, data: bytes) -> bool | str:
    """Whether an input was taken; a text where it brought the target down: by what, and where."""
    began = time.process_time()
    try:
        read = holds(name, data, folder)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of native code is no Exception
        return f"{type(error).__name__} at {_place(error)}"
    return "it takes too long" if time.process_time() - began > SLOW else read


def _place(error: BaseException) -> str:
    """The innermost line of ours, and of whatever it called."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "groundswell" in frame.filename or "fuzz" in frame.filename]
    return " > ".join(dict.fromkeys(f"{Path(each.filename).name}:{each.lineno}" for each in (ours[-1], frames[-1])))


if __name__ == "__main__":
    sys.exit(main())
