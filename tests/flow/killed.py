"""Run as a process that is killed: runs a workspace and notes what it reports as done the moment it reports it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from groundswell.flow.running import RunOptions, run
from groundswell.flow.workspace import workspace
from groundswell.work.engine import Tally


def main(folder: Path) -> None:
    notes = os.open(folder / "reported", os.O_CREAT | os.O_APPEND | os.O_WRONLY)

    def observe(tally: Tally) -> None:
        os.write(notes, f"{os.getpid()} {tally.stage} {tally.ended}\n".encode())

    with workspace(folder) as space:
        run(space, RunOptions(), observe)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
