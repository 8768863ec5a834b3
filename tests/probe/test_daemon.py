"""Thirty simulated days against a host that answers at once."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from groundswell.files import write_text
from groundswell.flow.probing import ProbeOptions, watch
from groundswell.flow.workspace import workspace
from groundswell.records import Timing
from groundswell.stats.timings import window
from groundswell.testing.clock import StillClock
from groundswell.testing.host import Act, ScriptedHost

START = datetime(2026, 11, 1, tzinfo=UTC)

WORKSPACE = """
[[endpoint]]
name = "old"
host = "openai"
base_url = "{url}"
model = "old"
tasks = ["t2i"]
price_per_image = 0.01

[[endpoint]]
name = "new"
host = "openai"
base_url = "{url}"
model = "new"
tasks = ["t2i"]
public_from = "2026-11-21"
price_per_image = 0.01

[probe]
region = "test bench"
"""


async def test_thirty_days_hold_four_random_measurements_a_day_and_twelve_of_what_is_new(tmp_path):
    def script(seen):
        return Act(status=503) if seen.method == "POST" and seen.number % 10 == 3 else Act()

    async with ScriptedHost(script, keep=False) as host:
        write_text(tmp_path / "groundswell.toml", WORKSPACE.format(url=host.base_url))
        with workspace(tmp_path) as space:
            end = START + timedelta(days=30)
            ended = await watch(space, ProbeOptions(), clock=StillClock(START), until=end)
            assert ended is None
            # A moment just before the start may still have been due; the thirty days begin after it.
            timings = [timing for timing in space.store.records(Timing) if timing.start > START]
            early = sum(1 for _ in space.store.records(Timing)) - len(timings)
            keys = {settings.name: settings.record().key for settings in space.config.file.endpoint}
            spent, _ = space.store.spent()
    by_name = {name: [timing for timing in timings if timing.endpoint == key] for name, key in keys.items()}
    assert len(by_name["old"]) == 30 * 4
    assert set(Counter(timing.start.date() for timing in by_name["old"]).values()) == {4}
    assert len(by_name["new"]) == 30 * 12
    failed = [timing for timing in timings if timing.seconds is None]
    assert failed
    assert spent == pytest.approx(0.01 * (len(timings) - len(failed)), abs=0.01 * early + 1e-9)
    last = window("old", by_name["old"], end)
    assert (last.n + last.failures, last.regions) == (14 * 4, ("test bench",))


async def test_a_budget_that_is_spent_ends_the_daemon_and_says_so(tmp_path):
    async with ScriptedHost() as host:
        text = WORKSPACE.format(url=host.base_url) + "\n[budget]\nusd = 0.035\n"
        write_text(tmp_path / "groundswell.toml", text)
        with workspace(tmp_path) as space:
            end = START + timedelta(days=30)
            ended = await watch(space, ProbeOptions(), clock=StillClock(START), until=end)
        assert ended.startswith("budget: ")
        assert host.bought.total() == 3
