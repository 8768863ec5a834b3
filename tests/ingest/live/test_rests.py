from __future__ import annotations

from datetime import UTC, datetime

import pytest

from groundswell.ingest.live.rests import rest

NOW = datetime(2026, 11, 1, tzinfo=UTC)
LATER = str(int(NOW.timestamp()) + 90)


@pytest.mark.parametrize(("headers", "seconds"), [
    ({"x-rate-limit-remaining": "0", "x-rate-limit-reset": LATER}, 90),
    ({"x-ratelimit-remaining": "0.4", "x-ratelimit-reset": "90"}, 90),
    ({"x-ratelimit-remaining": "0", "x-ratelimit-reset": "2026-11-01T00:01:30.000000Z"}, 90),
    ({"ratelimit-remaining": "0", "ratelimit-reset": LATER}, 90),
    ({"ratelimit-remaining": "1", "ratelimit-reset": LATER}, None),
    ({"ratelimit-reset": LATER}, None),
    ({"ratelimit-remaining": "0", "ratelimit-reset": "-5"}, 0),
    ({"ratelimit-remaining": "0", "ratelimit-reset": "soon"}, None),
    ({"ratelimit-remaining": "0", "ratelimit-reset": "nan"}, None),
    ({}, None),
])  # fmt: skip
def test_a_good_reply_asks_for_rest_only_when_nothing_is_left(headers, seconds):
    assert rest(headers, NOW, refused=False) == seconds


@pytest.mark.parametrize(("headers", "seconds"), [
    ({"x-rate-limit-remaining": "3", "x-rate-limit-reset": LATER}, 90),
    ({"retry-after": "30"}, 30),
    ({"retry-after": "30", "ratelimit-remaining": "0", "ratelimit-reset": LATER}, 90),
    ({"ratelimit-remaining": "0", "ratelimit-reset": "99999999999999"}, 86_400),
    ({}, None),
])  # fmt: skip
def test_a_refusal_asks_for_rest_by_any_header_that_it_has(headers, seconds):
    assert rest(headers, NOW, refused=True) == seconds


def test_a_moment_counts_from_the_hosts_own_clock():
    headers = {"x-rate-limit-remaining": "0", "x-rate-limit-reset": LATER, "date": "Sun, 01 Nov 2026 00:01:00 GMT"}
    assert rest(headers, datetime(2031, 1, 1, tzinfo=UTC), refused=False) == 30


def test_of_two_windows_that_are_used_up_the_later_one_counts():
    headers = {
        "x-rate-limit-remaining": "0", "x-rate-limit-reset": LATER,
        "x-app-limit-24hour-remaining": "0", "x-app-limit-24hour-reset": str(int(NOW.timestamp()) + 7200),
    }  # fmt: skip
    assert rest(headers, NOW, refused=True) == 7200
