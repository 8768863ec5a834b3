"""How long a platform asks us to rest, by its own rate-limit headers. Pure: the time is passed in.

X sends `x-rate-limit-*` (and `x-app-limit-24hour-*`) with the second since 1970, Reddit `x-ratelimit-*` with seconds
from now, Mastodon `x-ratelimit-*` with an ISO time, Bluesky `ratelimit-*` with the second since 1970; any may send
`retry-after`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from groundswell.ingest.shapes import moment
from groundswell.wire.pauses import retry_after

FAMILIES = (
    ("x-app-limit-24hour-remaining", "x-app-limit-24hour-reset"),
    ("x-rate-limit-remaining", "x-rate-limit-reset"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    ("ratelimit-remaining", "ratelimit-reset"),
)
"""Headers that say how many requests are left, and when there are new ones."""

LONGEST = 86_400.0
"""Seconds; no platform counts in longer windows."""

YEAR_2001 = 1e9
"""A number above this is a moment, below it a span of seconds."""


def rest(headers: Mapping[str, str], now: datetime, *, refused: bool) -> float | None:
    """Seconds until the platform answers again; None where it would answer now, or did not say.

    `refused`: the reply itself was a refusal for the rate (429), so that a window that seems open is not believed.
    Moments count from the platform's own `date`, so that a wrong clock on either side does not matter.
    """
    here = _date(headers.get("date")) or now
    spent, windows = [], []
    for remaining, reset in FAMILIES:
        seconds = _until(headers.get(reset), here)
        if seconds is not None:
            windows.append(seconds)
            if _number(headers.get(remaining)) < 1:
                spent.append(seconds)
    if not refused:
        return max(spent, default=None)
    said = retry_after(headers, now, LONGEST)
    asked = [said] if said is not None else []
    return max([*(spent or windows[:1]), *asked], default=None)


def _until(text: str | None, here: datetime) -> float | None:
    if text is None:
        return None
    number = _number(text)
    if number <= YEAR_2001:
        return min(max(number, 0.0), LONGEST)
    when = moment(text) if math.isinf(number) else datetime.fromtimestamp(min(number, 1e11), UTC)
    return None if when is None else min(max((when - here).total_seconds(), 0.0), LONGEST)


def _number(text: str | None) -> float:
    """The number in a header; infinity where there is none, which neither is used up nor a span."""
    try:
        value = float(text) if text is not None else math.inf
    except ValueError:
        return math.inf
    return math.inf if math.isnan(value) else value


def _date(text: str | None) -> datetime | None:
    try:
        return parsedate_to_datetime(text).astimezone(UTC) if text else None
    except (ValueError, TypeError, OverflowError):
        return None
