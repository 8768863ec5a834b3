import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundswell.curate.boxes import AmbiguousBox, in_pixels

WIDE = (1600, 900)


def named(x1, y1, x2, y2):
    return {"x1": x1, "y1": y1, "x2": x2, "y2": y2}


@pytest.mark.parametrize(
    ("row", "frame"),
    [
        (named(400, 90, 1200, 810), [1600, 900]),
        (named(200, 45, 600, 405), [800, 450]),
        (named(250, 100, 750, 900), [1000, 1000]),
        (named(0.25, 0.1, 0.75, 0.9), [1, 1]),
        (named(0.25, 0.1, 0.75, 0.9), None),
        (named(400, 90, 1200, 810), None),
        ({"box": [400, 90, 1200, 810]}, [1600, 900]),
        ({"bbox": [90, 400, 810, 1200]}, [1600, 900]),
        ({"box_2d": [100, 250, 900, 750]}, None),
        ({"box": named(400, 90, 1200, 810)}, [1600, 900]),
    ],
)
def test_pixels_thousandths_fractions_y_first_and_smaller_pictures_all_become_pixels(row, frame):
    assert in_pixels([row], frame, *WIDE) == [(400, 90, 1200, 810)]


@pytest.mark.parametrize(
    ("rows", "frame", "why"),
    [
        ([named(100, 100, 500, 500)], None, "2 ways"),
        ([{"box": [100, 200, 300, 400]}], [1000, 1000], "2 ways"),
        ([named(100, 100, 2500, 500)], [1600, 900], "no way"),
        ([named(500, 100, 100, 500)], [1600, 900], "no way"),
        ([named(1, 2, 30, 40)], [64, 64], "not of the shape"),
        ([named(1, 2, 30, 40)], "pixels", "not of the shape"),
        ([{"box": [1, 2, 3]}], None, "no box"),
        ([{"box": ["1", 2, 3, 4]}], None, "no box"),
        ([named(True, 0, 1, 1)], None, "no box"),
        (["left half"], None, "no box"),
    ],
)
def test_what_can_be_read_in_two_ways_or_in_none_is_refused(rows, frame, why):
    with pytest.raises(AmbiguousBox, match=why):
        in_pixels(rows, frame, *WIDE)


def test_all_boxes_of_a_picture_are_read_in_one_way_so_one_may_settle_another():
    assert in_pixels([named(100, 100, 500, 500), named(800, 100, 1500, 500)], None, *WIDE)[0] == (100, 100, 500, 500)


def test_a_box_that_reaches_out_by_a_rounding_ends_at_the_edge():
    assert in_pixels([named(-3, 0, 1605, 900)], [1600, 900], *WIDE) == [(0, 0, 1600, 900)]


@given(st.integers(8, 4000), st.integers(8, 4000), st.data())
def test_a_box_in_a_stated_frame_comes_back_within_a_pixel(width, height, data):
    x1, y1 = data.draw(st.integers(0, width - 2)), data.draw(st.integers(0, height - 2))
    x2, y2 = data.draw(st.integers(x1 + 1, width)), data.draw(st.integers(y1 + 1, height))
    said = named(x1 * 1000 / width, y1 * 1000 / height, x2 * 1000 / width, y2 * 1000 / height)
    (found,) = in_pixels([said], [1000, 1000], width, height)
    assert all(abs(a - b) <= 1 for a, b in zip(found, (x1, y1, x2, y2), strict=True))
