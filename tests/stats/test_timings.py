from datetime import UTC, datetime, timedelta

import pytest

from groundswell.records import Timing
from groundswell.stats.timings import quantiles, window

NOW = datetime(2026, 11, 29, tzinfo=UTC)


def timing(seconds, *, days=1.0, **fields):
    return Timing(endpoint="e", start=NOW - timedelta(days=days), seconds=seconds, **fields)


def test_percentiles_are_interpolated_linearly():
    assert quantiles([100, 2, 3, 4, 1]) == pytest.approx({"p05": 1.2, "p25": 2, "median": 3, "p75": 4, "p95": 80.8})


def test_an_empty_window_has_no_percentile_and_not_zero():
    empty = window("e", [], NOW)
    assert (empty.median, empty.p05, empty.n, empty.failures, empty.failure_rate) == (None, None, 0, 0, None)


def test_failures_stand_beside_the_times_and_not_among_them():
    timings = [timing(1.0), timing(3.0), timing(None, failure="timeout: x"), timing(None, failure="refused: no")]
    found = window("e", timings, NOW)
    assert (found.median, found.n, found.failures, found.failure_rate) == (2.0, 2, 2, 0.5)
    assert found.failed_because == {"timeout": 1, "refused": 1}


def test_only_failures_have_no_median():
    found = window("e", [timing(None, failure="provider: 500")], NOW)
    assert (found.median, found.failures) == (None, 1)


def test_a_measurement_of_fourteen_days_ago_has_left_the_window():
    found = window("e", [timing(1.0, days=13.99), timing(9.0, days=14.0), timing(9.0, days=-0.1)], NOW)
    assert (found.median, found.n) == (1.0, 1)


def test_nothing_is_taken_out_for_being_far_off():
    assert window("e", [timing(s) for s in (1, 1, 1, 1000)], NOW).p95 == pytest.approx(850.15)


def test_cold_starts_are_shown_with_and_without_where_the_host_tells_them():
    found = window("e", [timing(10.0, cold=8.0), timing(3.0, cold=1.0), timing(2.0, cold=0.0)], NOW)
    assert (found.median, found.median_without_cold) == (3.0, 2.0)
    assert window("e", [timing(10.0)], NOW).median_without_cold is None


def test_where_it_ran_is_part_of_the_window():
    assert window("e", [timing(1.0, region="Oslo"), timing(1.0, region="Bergen")], NOW).regions == ("Bergen", "Oslo")
