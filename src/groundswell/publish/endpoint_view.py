"""Endpoints by time and price: each measurement of the trailing days, failures beside them, quality against both.

A window without a successful measurement has no median. Whether a request was fair to time is the probe's affair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from markupsafe import Markup

from groundswell.publish import charts, figures, wording
from groundswell.publish.board_view import BoardView
from groundswell.publish.facts import Facts, Model
from groundswell.publish.figures import Point
from groundswell.stats import timings
from groundswell.stats.failures import FailureRow, failure_rows
from groundswell.stats.speed import why_not


@dataclass(frozen=True, slots=True)
class Window:
    """The measurements of one endpoint within the window, in order, and what they say."""

    times: Sequence[float | None]
    numbers: timings.Window

    @property
    def band(self) -> tuple[float, float, float] | None:
        """p05, median and p95 in seconds; None where no measurement succeeded."""
        numbers = self.numbers
        if numbers.p05 is None or numbers.median is None or numbers.p95 is None:
            return None
        return numbers.p05, numbers.median, numbers.p95

    @property
    def failures(self) -> int:
        return self.numbers.failures

    @property
    def text(self) -> str:
        """The window in one sentence."""
        failed = f"{wording.plural(self.failures, 'failure')} of {len(self.times)}"
        if self.band is None:
            return f"No successful measurement in {self.numbers.days} days; {failed}."
        low, middle, high = map(wording.seconds, self.band)
        return (
            f"Median {middle}, 5 to 95 % from {low} to {high}, n = {self.numbers.n}; {failed}. "
            f"Last {self.numbers.days} days, nothing removed."
        )


def windows(facts: Facts) -> dict[str, Window]:
    """By model's name, its measurements in the days of a window before the latest of all."""
    return {name: Window([timing.seconds for timing in many], said) for name, (many, said) in facts.probed.items()}


def rows(facts: Facts) -> list[dict[str, Any]]:
    """Every endpoint that was timed or has a price, on one scale of seconds."""
    found = windows(facts)
    known = [time for window in found.values() for time in window.times if time is not None]
    scale = figures.scale_of([0.0, *known], pad=0.02)
    answer = []
    today = facts.snapshot.as_of
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
                "why": why_not(model.endpoint, today) if model.endpoint and today else None,
            }
        )
    return answer


def strip(window: Window, scale: figures.Scale, model: Model) -> Markup:
    """The drawing of a window that has a median."""
    if window.band is None:
        raise ValueError("a window without a measurement has no drawing")
    return figures.strip(window.times, window.band, scale, model.colour)


def failures(facts: Facts) -> list[dict[str, Any]]:
    """What went wrong at every endpoint, by stage and kind: how often, what was mended, since when, in whose words."""
    snapshot = facts.snapshot
    names = {key: endpoint.name for key, endpoint in snapshot.endpoints.items()}
    records = chain(snapshot.outcomes.values(), snapshot.verdicts.values(), snapshot.timings.values())
    return [
        {"row": row, "model": facts.models.get(row.endpoint), "days": _days(row)}
        for row in failure_rows(records, names)
    ]


def _days(row: FailureRow) -> str:
    if row.first is None or row.last is None:
        return wording.NONE
    first, last = row.first.date().isoformat(), row.last.date().isoformat()
    return first if first == last else f"{first} to {last}"


def over_days(facts: Facts, name: str) -> Markup | None:
    """The measurements of a model by day; None where it was not timed."""
    many, said = facts.probed.get(name, ((), None))
    if not many or said is None:
        return None
    band = Window([], said).band
    return charts.over_days(
        [(timing.start, timing.seconds) for timing in many], band, facts.models[name].colour, said.days
    )


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
