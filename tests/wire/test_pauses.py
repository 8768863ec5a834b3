from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.wire.pauses import LONGEST_ASKED, jittered, retry_after

NOW = datetime(2026, 11, 1, 12, 0, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("2", 2.0),
        ("0.25", 0.25),
        ("-5", 0.0),
        ("0", 0.0),
        ("1e9", LONGEST_ASKED),
        ("inf", LONGEST_ASKED),
        ("Sun, 01 Nov 2026 12:00:07 GMT", 7.0),
        ("Sunday, 01-Nov-26 12:00:07 GMT", 7.0),
        ("Sun Nov  1 12:00:07 2026", 7.0),
        ("Sun, 01 Nov 2026 11:59:00 GMT", 0.0),
        ("Sun, 01 Nov 2037 12:00:00 GMT", LONGEST_ASKED),
        ("nan", None),
        ("soon", None),
        ("", None),
        ("Sun, 99 Nov 2026 99:99:99 GMT", None),
    ],
)
def test_retry_after_is_read_in_every_form_it_takes(said, seconds):
    assert retry_after({"retry-after": said}, NOW) == seconds


def test_without_retry_after_nothing_is_claimed():
    assert retry_after({}, NOW) is None


def test_milliseconds_count_where_a_host_sends_them():
    assert retry_after({"retry-after-ms": "1500", "retry-after": "2"}, NOW) == 1.5


def test_a_date_counts_from_the_hosts_own_clock():
    headers = {"date": "Sun, 01 Nov 2026 13:00:00 GMT", "retry-after": "Sun, 01 Nov 2026 13:00:04 GMT"}
    assert retry_after(headers, NOW) == 4.0


@given(st.text(max_size=40))
def test_no_header_can_make_the_pause_negative_endless_or_an_error(said):
    seconds = retry_after({"retry-after": said}, NOW)
    assert seconds is None or 0.0 <= seconds <= LONGEST_ASKED


def test_jitter_is_a_share_of_a_ceiling_that_doubles_and_stops():
    assert [jittered(attempt, 1.0) for attempt in (1, 2, 3, 20, 10_000)] == [0.5, 1.0, 2.0, 30.0, 30.0]
    assert jittered(3, 0.0) == 0.0
