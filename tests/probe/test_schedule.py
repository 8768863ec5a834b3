from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from groundswell.config import ProbeSettings
from groundswell.probe.schedule import GRACE, coming, due, moments, rate
from groundswell.records import Endpoint

DAY = date(2026, 11, 29)
NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
OLD = Endpoint(name="old", host="h", model="m")


def test_a_day_has_four_moments_within_it_and_the_same_ones_after_a_restart():
    found = moments(OLD.key, DAY, 4, "secret")
    assert len(found) == 4
    assert found == sorted(found)
    assert {moment.date() for moment in found} == {DAY}
    assert found == moments(OLD.key, DAY, 4, "secret")


def test_days_endpoints_and_workspaces_have_their_own_moments():
    other = Endpoint(name="other", host="h", model="n")
    found = [
        moments(OLD.key, DAY, 4, "secret"),
        moments(OLD.key, DAY + timedelta(days=1), 4, "secret"),
        moments(other.key, DAY, 4, "secret"),
        moments(OLD.key, DAY, 4, "another secret"),
    ]
    assert len({tuple(moment.time() for moment in day) for day in found}) == 4


def test_moments_are_spread_over_the_whole_day():
    hours = [moment.hour for n in range(500) for moment in moments(OLD.key, DAY + timedelta(days=n), 4)]
    counts = [hours.count(hour) for hour in range(24)]
    assert min(counts) > 50  # 2000 moments, 83 expected in each hour


def test_what_is_new_or_announced_is_measured_more_often():
    settings = ProbeSettings()
    for since, times in (("2026-12-24", 12), ("2026-11-20", 12), ("2026-11-15", 4), (None, 4)):
        endpoint = Endpoint(name="e", host="h", model="m", public_from=since)
        assert rate(endpoint, DAY, settings) == times


@given(st.integers(0, 86_400 * 20))
def test_every_moment_is_due_once_and_what_comes_next_is_after_now(seconds):
    now = NOON + timedelta(seconds=seconds)
    settings = ProbeSettings()
    after = coming(OLD, now, settings)
    assert after > now
    assert due(OLD, after, settings)[-1] == after
    assert after not in due(OLD, after + GRACE, settings)


def test_nothing_to_measure_means_nothing_is_coming():
    assert coming(OLD, NOON, ProbeSettings(per_day=0)) is None
