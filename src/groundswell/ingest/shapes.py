"""Careful looks into JSON of unknown shape: every function is total, and gives nothing where the shape is not as asked.

Exports come from many writers (R writes an empty list as `{}`, archives write numbers as text), so readers never index
a value directly. Knows nothing about any platform.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from groundswell.records import Json

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LONGEST_NUMBER = 24
"""Digits; a longer run is not a count and not an id of any platform."""


def dig(value: Json, *path: str) -> Json:
    """The value at a path of keys, or None."""
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def record(value: Json, *path: str) -> dict[str, Json]:
    """The object at a path, or an empty one."""
    found = dig(value, *path)
    return found if isinstance(found, dict) else {}


def rows(value: Json, *path: str) -> list[Json]:
    """The list at a path, or an empty one."""
    found = dig(value, *path)
    return found if isinstance(found, list) else []


def records(value: Json, *path: str) -> Iterator[dict[str, Json]]:
    """The objects in the list at a path; whatever else stands in it is passed over."""
    return (row for row in rows(value, *path) if isinstance(row, dict))


def text(value: Json, *path: str) -> str | None:
    """The text at a path, or None where there is none or it is empty."""
    found = dig(value, *path)
    return found if isinstance(found, str) and found else None


def whole(value: Json, *path: str) -> int | None:
    """The whole number at a path, also where it is written as text or as 12.0."""
    found = dig(value, *path)
    if isinstance(found, bool):
        return None
    if isinstance(found, int):
        return found
    if isinstance(found, float):
        return int(found) if found.is_integer() else None
    if isinstance(found, str) and len(found) <= _LONGEST_NUMBER and found.lstrip("-").isdecimal():
        return int(found) if found.count("-") <= 1 else None
    return None


def moment(value: Json) -> datetime | None:
    """A time in UTC from seconds since 1970, an ISO text or X's `Sat Jan 23 20:19:45 +0000 2016`; None if unreadable.

    An ISO text without a zone is taken as UTC, since no export says which zone it meant.
    """
    try:
        if isinstance(value, str) and not value.replace(".", "", 1).isdecimal():
            return _written(value)
        if isinstance(value, int | float | str) and not isinstance(value, bool):
            return datetime.fromtimestamp(float(value), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _written(value: str) -> datetime:
    parts = value.split()
    if len(parts) == 6 and parts[1] in _MONTHS:
        month = _MONTHS.index(parts[1]) + 1
        value = f"{parts[5]}-{month:02}-{int(parts[2]):02}T{parts[3]}{parts[4]}"
    found = datetime.fromisoformat(value)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
