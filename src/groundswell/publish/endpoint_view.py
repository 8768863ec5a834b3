"""Endpoints by time and price: each measurement of the last 14 days, failures beside them, quality against both.

A window without a successful measurement has no median. Whether a request was fair to time is the probe's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import median, quantiles
from typing import Any, Final

from markupsafe import Markup

from groundswell.publish import figures, wording
from groundswell.publish.board_view import BoardView
from groundswell.publish.facts import Facts, Model
from groundswell.publish.figures import Point
from groundswell.records import Timing

WINDOW: Final = timedelta(days=14)

NOT_TIMED: Final = {
    "dedicated": "dedicated capacity is not comparable with what everybody shares",
    "demo": "a demo page is not an API that a product can use",
    "local": "it runs on the machine of whoever runs it",
}
"""Why a service is not on the speed board (METHODS, section 5)."""


@dataclass(frozen=True, slots=True)
class Window:
    """The measurements of one endpoint within the window, in order; `band` is p05, median, p95 in seconds."""

    times: Sequence[float | None]
    band: tuple[float, float, float] | None

    @property
    def failures(self) -> int:
        return sum(time is None for time in self.times)

    @property
    def text(self) -> str:
        """The window in one sentence."""
        n = len(self.times) - self.failures
        failed = f"{wording.plural(self.failures, 'failure')} of {len(self.times)}"
        if self.band is None:
            return f"No successful measurement in 14 days; {failed}."
        low, middle, high = map(wording.seconds, self.band)
        return f"Median {middle}, 5 to 95 % from {low} to {high}, n = {n}; {failed}. Last 14 days, nothing removed."


def windows(facts: Facts) -> dict[str, Window]:
    """By model's name, its measurements in the 14 days before the latest of all."""
    timings = sorted(facts.snapshot.timings.values(), key=lambda each: (each.start, each.key))
    if not timings:
        return {}
    first = timings[-1].start - WINDOW
    found: dict[str, list[Timing]] = {}
    for timing in timings:
        if timing.start >= first:
            found.setdefault(facts.name_of(timing.endpoint), []).append(timing)
    return {name: _window([timing.seconds for timing in many]) for name, many in found.items()}


def _window(times: Sequence[float | None]) -> Window:
    known = [time for time in times if time is not None]
    if not known:
        return Window(times, None)
    if len(known) == 1:
        return Window(times, (known[0], known[0], known[0]))
    twentieths = quantiles(known, n=20, method="inclusive")
    return Window(times, (twentieths[0], median(known), twentieths[-1]))


def rows(facts: Facts) -> list[dict[str, Any]]:
    """Every endpoint that was timed or has a price, on one scale of seconds."""
    found = windows(facts)
    known = [time for window in found.values() for time in window.times if time is not None]
    scale = figures.scale_of([0.0, *known], pad=0.02)
    answer = []
    for name in facts.order:
        model = facts.models[name]
        window = found.get(name)
        if window is None and not facts.price(name):
            continue
        answer.append(
            {
                "model": model,
                "window": window,
                "strip": None if window is None or window.band is None else strip(window, scale, model),
                "median": None if window is None or window.band is None else window.band[1],
                "price": facts.price(name),
                "source": _source(model),
                "why": NOT_TIMED.get(model.endpoint.service) if model.endpoint and window is None else None,
            }
        )
    return answer


def strip(window: Window, scale: figures.Scale, model: Model) -> Markup:
    """The drawing of a window that has a median."""
    if window.band is None:
        raise ValueError("a window without a measurement has no drawing")
    return figures.strip(window.times, window.band, scale, model.colour)


def axis_of(facts: Facts) -> Markup:
    """The axis over the strips of `rows`."""
    known = [time for window in windows(facts).values() for time in window.times if time is not None]
    return figures.axis(figures.scale_of([0.0, *known], pad=0.02))


def _source(model: Model) -> str:
    price = None if model.endpoint is None else model.endpoint.price
    return "" if price is None else ", ".join(part for part in (price.source, price.date) if part)


def scatters(facts: Facts, views: Sequence[BoardView]) -> list[dict[str, Any]]:
    """By board, rating against price and against median time, where at least two models have both."""
    timed = windows(facts)
    answer = []
    for view in views:
        prices = {row.model.name: row.price for row in view.rows if row.price}
        times = {name: window.band[1] for name, window in timed.items() if window.band is not None}
        drawings = [
            _scatter(view, prices, "USD for 1,000 pictures", money=True),
            _scatter(view, times, "median seconds for one picture", money=False),
        ]
        if any(drawing is not None for drawing in drawings):
            answer.append({"view": view, "drawings": [drawing for drawing in drawings if drawing is not None]})
    return answer


def _scatter(view: BoardView, costs: dict[str, float], name: str, *, money: bool) -> dict[str, Any] | None:
    points = [
        Point(
            rating.model,
            costs[rating.model],
            rating.rating,
            rating.low,
            rating.high,
            row.model.colour,
            row.model.shape,
        )
        for rating, row in zip(view.board.ratings, view.rows, strict=True)
        if rating.model in costs
    ]
    if len(points) < 2:
        return None
    drawing = figures.scatter(points, x_name=name, y_name="rating", money=money)
    return {"svg": drawing, "efficient": [point.name for point in figures.frontier(points)], "name": name}
