"""When endpoints are timed: so many times a day at random moments, more often while they are new.

The moments of a day are drawn from the endpoint's key, the day and a secret of the workspace: a daemon that starts
again, a cron job and a second machine all see the same ones, and a host cannot foresee them.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import takewhile
from random import Random

from groundswell.config import ProbeSettings
from groundswell.records import Endpoint, key_of
from groundswell.stats.speed import public_since

GRACE = timedelta(minutes=15)
"""A moment that was missed by more is not made up for: it would no longer be a random time of the day."""

DAY = timedelta(days=1)


def moments(endpoint: str, day: date, count: int, secret: str = "") -> list[datetime]:
    """The moments of a day (UTC), ascending: independent and uniform over it. `endpoint` is the endpoint's key."""
    chance = Random(key_of("probe", secret, endpoint, day.isoformat()))
    midnight = datetime.combine(day, time(), UTC)
    return sorted(midnight + timedelta(seconds=round(chance.random() * DAY.total_seconds(), 3)) for _ in range(count))


def rate(endpoint: Endpoint, day: date, settings: ProbeSettings) -> int:
    """Measurements on a day: more for an endpoint that is announced, or public for less than a window."""
    since = public_since(endpoint)
    new = since is not None and day < since + timedelta(days=settings.window_days)
    return settings.per_day_new if new else settings.per_day


def due(endpoint: Endpoint, now: datetime, settings: ProbeSettings, secret: str = "") -> list[datetime]:
    """Moments that have come within the grace, the latest last."""
    lately = takewhile(lambda moment: moment <= now, _around(endpoint, now, settings, secret))
    return [moment for moment in lately if moment > now - GRACE]


def coming(endpoint: Endpoint, now: datetime, settings: ProbeSettings, secret: str = "") -> datetime | None:
    """The next moment after now; None where there is none within a window, because nothing is to be measured."""
    return next((moment for moment in _around(endpoint, now, settings, secret) if moment > now), None)


def _around(endpoint: Endpoint, now: datetime, settings: ProbeSettings, secret: str) -> Iterator[datetime]:
    """Moments from yesterday to the end of a window ahead, ascending."""
    for offset in range(-1, settings.window_days + 1):
        day = now.date() + offset * DAY
        yield from moments(endpoint.key, day, rate(endpoint, day, settings), secret)
