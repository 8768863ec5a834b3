"""The speed board: who stands on it, who does not and why, and what 1,000 pictures cost (METHODS, section 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from groundswell.records import Endpoint
from groundswell.stats.timings import Window

NOT_SERVERLESS = {
    "dedicated": "dedicated capacity cannot be compared with what everybody shares",
    "demo": "a demo page is no API that a product can use",
    "local": "it runs on the machine of whoever runs it",
}


def why_not(endpoint: Endpoint, today: date) -> str | None:
    """Why an endpoint is listed apart from the speed board; None = it stands on it."""
    if endpoint.host == "chain":
        return "it is two models in a row; each of them can be timed by itself"
    if (reason := NOT_SERVERLESS.get(endpoint.service)) is not None:
        return reason
    if "t2i" not in endpoint.tasks:
        return "it does not make pictures from text alone"
    since = public_since(endpoint)
    if since is not None and since > today:
        return f"it is announced for {since.isoformat()} and not public yet"
    return None


def public_since(endpoint: Endpoint) -> date | None:
    """The day from which the endpoint is public; None where nobody said: it always was."""
    return None if endpoint.public_from is None else date.fromisoformat(endpoint.public_from[:10])


def board(
    endpoints: Sequence[Endpoint], windows: Mapping[str, Window], prices: Mapping[str, float | None], today: date
) -> dict[str, list[dict[str, Any]]]:
    """`{ranked, listed}`: rows of endpoints by median, and those that are listed apart, each with its reason.

    `windows` and `prices` (USD for 1,000 pictures) are by the endpoint's key.
    """
    rows = [_row(endpoint, windows.get(endpoint.key), prices.get(endpoint.key), today) for endpoint in endpoints]
    ranked = [row for row in rows if row["why"] is None]
    ranked.sort(key=lambda row: (row["median"], row["endpoint"]))
    return {"ranked": ranked, "listed": [row for row in rows if row["why"] is not None]}


def _row(endpoint: Endpoint, window: Window | None, price: float | None, today: date) -> dict[str, Any]:
    measured = window or Window(endpoint=endpoint.name)
    why = why_not(endpoint, today)
    if why is None and measured.median is None:
        days = measured.days
        why = f"all {measured.failures} measurements of {days} days failed" if measured.failures else "not measured yet"
    stated = endpoint.price
    return {
        **msgspec.to_builtins(measured),
        "host": endpoint.host,
        "model": endpoint.model,
        "label": "modified" if endpoint.modified else "standard",
        "usd_per_1000": price,
        "price_source": None if stated is None else stated.source,
        "price_date": None if stated is None else stated.date,
        "cold_start": "told by the host" if measured.median_without_cold is not None else "cannot be told apart",
        "why": why,
    }
