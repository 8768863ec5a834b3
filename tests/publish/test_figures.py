"""Drawings: scales at round numbers, the efficient frontier, and labels that cannot break out."""

from hypothesis import given
from hypothesis import strategies as st

from groundswell.publish import figures
from groundswell.publish.figures import Point

FINITE = st.floats(min_value=-1e6, max_value=1e6, allow_nan=False)


def test_a_scale_has_ticks_at_round_numbers():
    scale = figures.scale_of([556.0, 1829.0])
    assert scale.ticks == (750.0, 1000.0, 1250.0, 1500.0, 1750.0)


@given(st.lists(FINITE, min_size=1, max_size=30))
def test_a_scale_holds_every_value_between_its_ends(values: list[float]):
    scale = figures.scale_of(values)
    assert all(0 <= scale.at(value) <= 100 for value in values)
    assert list(scale.ticks) == sorted(scale.ticks)


def _points(*places: tuple[str, float, float]) -> list[Point]:
    return [Point(name, x, y, None, None, 0, 0) for name, x, y in places]


def test_the_frontier_holds_whom_nobody_beats_on_both():
    points = _points(("cheap", 1, 900), ("dear and worse", 3, 800), ("better", 2, 1000), ("dear and same", 4, 1000))
    assert [point.name for point in figures.frontier(points)] == ["cheap", "better"]


def test_a_label_cannot_leave_its_attribute():
    scale = figures.scale_of([0.0, 1.0])
    drawn = figures.whisker(scale, 0.5, (0.2, 0.8), (0, 0, False), label='"><script>alert(1)</script>')
    assert "<script" not in drawn
    drawn = figures.scatter(_points(("<b>x</b>", 1, 2), ('"y', 2, 3)), x_name="<i>", y_name="rating")
    assert "<b>" not in drawn
    assert "<i>" not in drawn


def test_failures_are_drawn_and_not_hidden():
    scale = figures.scale_of([0.0, 4.0])
    drawn = figures.strip([1.0, None, 3.0, None], (1.0, 2.0, 3.0), scale, 0)
    assert drawn.count('class="failure"') == 2
    assert "2 failures" in drawn


def test_names_in_a_scatter_cover_no_mark_and_no_other_name():
    crowd = [figures.Point(f"model number {n}", 1 + n * 0.01, 1000 + n, None, None, 0, 0) for n in range(30)]
    drawn = figures.scatter(crowd, x_name="USD", y_name="rating")
    assert 1 <= drawn.count("</text>") - drawn.count('class="middle') - drawn.count('class="end"') - 1 < 30
    assert drawn.count("<title>model number") == 30


def test_a_map_of_cells_is_a_picture_only_where_the_cells_form_a_square():
    assert figures.heat([0.0, 0.1, 0.05, 0.2]).startswith("data:image/png;base64,")
    assert figures.heat([0.0, 0.1, 0.05]) is None
    assert figures.heat([]) is None
