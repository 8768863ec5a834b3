"""How long to wait before asking again: what the host said, or full jitter. It never waits itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

LONGEST_ASKED = 300.0
"""Seconds; a host that asks for more is asked again after this, because some send dates of next year."""

FIRST_PAUSE = 0.5
"""Seconds; the upper end of the first jittered pause, doubled with every attempt."""

LONGEST_PAUSE = 30.0
"""Seconds; where the doubling stops."""


def retry_after(headers: Mapping[str, str], now: datetime, cap: float = LONGEST_ASKED) -> float | None:
    """Seconds that a host asks us to wait (RFC 9110, 10.2.3), within 0..cap; None where it said nothing readable.

    Read are `retry-after-ms`, and `retry-after` as seconds, a fraction, a negative number (= now) or an HTTP date. A
    date counts from the host's own `date`, where it sent one, so that a wrong clock on either side does not matter.
    `headers` have names in lower case.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return _within(milliseconds / 1000, cap)
    text = headers.get("retry-after")
    seconds = _number(text)
    if seconds is not None:
        return _within(seconds, cap)
    until = _date(text)
    if until is None:
        return None
    return _within((until - (_date(headers.get("date")) or now)).total_seconds(), cap)


def jittered(attempt: int, chance: float) -> float:
    """Seconds before attempt `attempt` + 1: full jitter, `chance` (0..1) of a ceiling that doubles each time."""
    return chance * min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(attempt - 1, 30))


def _within(seconds: float, cap: float) -> float:
    return min(max(seconds, 0.0), cap)


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text is not None else math.nan
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _date(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        when = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return when.replace(tzinfo=UTC) if when.tzinfo is None else when
