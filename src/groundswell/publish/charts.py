"""Larger drawings as inline SVG: posts by day, the novelty map, times over days, shares of several sets on one scale.

As in `figures`, colours are named by class and come from the style sheet, and text is escaped here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from markupsafe import Markup, escape

from groundswell.publish import figures, wording
from groundswell.publish.figures import Scale

LABELS: Final = 6
"""Days that are named under a chart of days."""

WIDTH: Final = 720
HEIGHT: Final = 420
"""Of the novelty map, in its own units."""

SMALL: Final = (
    '<circle r="2.6"/>',
    '<path d="M-2.6-2.6 2.6 2.6M2.6-2.6-2.6 2.6"/>',
    '<path d="M0-3.4 3 2.6H-3z"/>',
    '<rect x="-2.4" y="-2.4" width="4.8" height="4.8"/>',
)
"""Marks of older prompt sets, told apart by shape; all are gray."""


@dataclass(frozen=True, slots=True)
class DayCount:
    """One day with its posts, and the number under which its releases are listed (None = none)."""

    day: str
    posts: int
    release: int | None = None
    names: tuple[str, ...] = ()


def days(counts: Sequence[DayCount]) -> Markup:
    """Columns of posts by day, the days of releases numbered above their column, a few days named below."""
    top = max((each.posts for each in counts), default=0) or 1
    foot, head, step = 132, 24, 100 / max(1, len(counts))
    tall = foot - head
    parts = [f'<line class="base" x1="0" x2="100%" y1="{foot + 0.5}" y2="{foot + 0.5}"/>']
    for place, each in enumerate(counts):
        height = round(tall * each.posts / top, 1)
        said = f"{each.day}: {wording.plural(each.posts, 'post')}"
        said += f"; out came {', '.join(each.names)}" if each.names else ""
        kind = "column marked" if each.names else "column"
        parts.append(
            f'<rect class="{kind}" x="{place * step:.3f}%" y="{foot - height}" width="{step * 0.86:.3f}%" '
            f'height="{height}"><title>{escape(wording.clean(said))}</title></rect>'
        )
        middle = f"{(place + 0.43) * step:.3f}%"
        if each.release is not None:
            parts.append(f'<line class="release" x1="{middle}" x2="{middle}" y1="16" y2="{foot}"/>')
            parts.append(f'<text class="middle release" x="{middle}" y="11">{each.release}</text>')
        if place % max(1, -(-len(counts) // LABELS)) == 0:
            parts.append(f'<text class="middle" x="{middle}" y="{foot + 16}">{escape(each.day[5:])}</text>')
    label = f"Posts by day over {len(counts)} days, at most {top} on one day"
    return Markup(f'<svg class="days" height="156" role="img" aria-label="{label}">{"".join(parts)}</svg>')


@dataclass(frozen=True, slots=True)
class Dot:
    """A prompt on the map: where it lies, what it says, the page it leads to, and whether it is of a new kind."""

    x: float
    y: float
    says: str
    href: str
    novel: bool


def novelty(dots: Sequence[Dot], older: Mapping[str, Sequence[tuple[float, float]]]) -> Markup:
    """New prompts over older sets: ours coloured (new kinds filled, others as rings), older ones gray by shape.

    Every prompt of ours is a link, and says its words to a pointer and to a screen reader.
    """
    xs = [dot.x for dot in dots] + [x for points in older.values() for x, _ in points]
    ys = [dot.y for dot in dots] + [y for points in older.values() for _, y in points]
    across, up = figures.scale_of(xs), figures.scale_of(ys)

    def at(x: float, y: float) -> str:
        return f"translate({across.at(x) * WIDTH / 100:.1f} {HEIGHT - up.at(y) * HEIGHT / 100:.1f})"

    parts: list[str] = []
    for place, points in enumerate(older.values()):
        shape = SMALL[place % len(SMALL)]
        parts += [f'<g class="older" transform="{at(x, y)}">{shape}</g>' for x, y in points]
    for dot in sorted(dots, key=lambda each: each.novel):
        says = escape(wording.clean(dot.says))
        kind = "spot novel" if dot.novel else "spot"
        parts.append(
            f'<a href="{escape(dot.href)}" tabindex="-1"><circle class="{kind}" r="5" '
            f'transform="{at(dot.x, dot.y)}"><title>{says}</title></circle></a>'
        )
    return Markup(
        f'<svg class="novelty" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" '
        f'aria-label="Novelty map: {len(dots)} prompts over {sum(map(len, older.values()))} older ones">'
        f"{''.join(parts)}</svg>"
    )


def legend(place: int) -> Markup:
    """The mark of the older set at a place, to stand before its name."""
    return Markup(f'<svg class="mark older" viewBox="-6 -6 12 12" aria-hidden="true">{SMALL[place % len(SMALL)]}</svg>')


@dataclass(frozen=True, slots=True)
class SetShare:
    """A share in one set with its interval, for `shares`."""

    name: str
    value: float
    low: float | None
    high: float | None


def shares(scale: Scale, ours: SetShare, older: Sequence[SetShare]) -> Markup:
    """Our share as a dot with its interval, those of older sets as gray marks under it, on one scale."""
    grid = "".join(f'<line class="grid" x1="{x}%" x2="{x}%" y1="0" y2="100%"/>' for x in map(scale.at, scale.ticks))
    parts = [grid, _spread(scale, ours, "14", "s0", "ours", figures.SHAPES[0])]
    for place, each in enumerate(older):
        parts.append(_spread(scale, each, str(28 + 8 * place), "s7", "old", SMALL[place % len(SMALL)]))
    said = "; ".join(f"{each.name} {wording.percent(each.value)}" for each in (ours, *older))
    return Markup(
        f'<svg class="shares" height="{28 + 8 * len(older)}" role="img" aria-label="{escape(wording.clean(said))}">'
        f"{''.join(parts)}</svg>"
    )


def _spread(scale: Scale, each: SetShare, y: str, colour: str, kind: str, shape: str) -> str:
    whisk = ""
    if each.low is not None and each.high is not None:
        low, high = scale.at(each.low), scale.at(each.high)
        whisk = f'<line class="bar" x1="{low}%" x2="{high}%" y1="{y}" y2="{y}"/>'
    dot = f'<svg x="{scale.at(each.value)}%" y="{y}" overflow="visible"><g class="{kind}">{shape}</g></svg>'
    return f'<g class="{colour} {kind}">{whisk}{dot}</g>'


def over_days(
    times: Sequence[tuple[datetime, float | None]], band: tuple[float, float, float] | None, colour: int, days: int
) -> Markup:
    """Each measurement by day and seconds, p05 to p95 as a band with the median in it; failures as ticks at the foot.

    `band` is p05, median and p95; the days end with the last measurement.
    """
    head, foot = 12, 196
    end = times[-1][0]
    start = end - timedelta(days=days)
    up = figures.scale_of([0.0, *(seconds for _, seconds in times if seconds is not None)], 4, pad=0.02)

    def x(at: datetime) -> str:
        return f"{2 + 96 * ((at - start) / (end - start)):.2f}%"

    def y(seconds: float) -> float:
        return round(foot - (foot - head) * up.at(seconds) / 100, 1)

    parts = []
    for tick in up.ticks:
        if tick >= 0:
            parts.append(f'<line class="grid" x1="0" x2="100%" y1="{y(tick)}" y2="{y(tick)}"/>')
            parts.append(f'<text x="-8" class="end" y="{y(tick) + 4}">{wording.plain(tick)} s</text>')
    if band is not None:
        low, middle, high = map(y, band)
        parts.append(f'<rect class="band" x="0" y="{high}" width="100%" height="{round(low - high, 1)}"/>')
        parts.append(f'<line class="median" x1="0" x2="100%" y1="{middle}" y2="{middle}"/>')
    for at, seconds in times:
        when = f"{at:%Y-%m-%d %H:%M}"
        if seconds is None:
            parts.append(
                f'<line class="failure" x1="{x(at)}" x2="{x(at)}" y1="{foot + 2}" y2="{foot + 12}">'
                f"<title>{when}: failed</title></line>"
            )
        else:
            parts.append(
                f'<circle class="each" cx="{x(at)}" cy="{y(seconds)}" r="3">'
                f"<title>{when}: {wording.seconds(seconds)}</title></circle>"
            )
    parts.append(f'<line class="base" x1="0" x2="100%" y1="{foot}" y2="{foot}"/>')
    for back in range(0, days + 1, max(1, days // 5)):
        day = end - timedelta(days=back)
        parts.append(f'<text class="middle" x="{x(day)}" y="{foot + 30}">{day:%m-%d}</text>')
    failed = sum(seconds is None for _, seconds in times)
    label = f"{len(times) - failed} measurements over {days} days, {failed} failures"
    return Markup(f'<svg class="over s{colour}" height="232" role="img" aria-label="{label}">{"".join(parts)}</svg>')
