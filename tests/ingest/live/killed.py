"""Run as a process that is killed: collects from a scripted host until there is nothing left."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path

from groundswell.flow.collecting import Asked, collect
from groundswell.flow.workspace import workspace

if __name__ == "__main__":
    with workspace(Path(sys.argv[1])) as space:
        collect(space, Asked(source="x", queries=("image model",), until=datetime(2026, 10, 30, tzinfo=UTC)))
