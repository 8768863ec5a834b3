import io

import numpy as np
import pytest
from PIL import Image

from groundswell.curate.demo import drawing
from groundswell.curate.panels import panels
from groundswell.curate.screenshots import crop, read_screenshot

skimage = pytest.importorskip("skimage.data")


def photo(name):
    return np.asarray(Image.fromarray(getattr(skimage, name)()).convert("RGB").resize((400, 400)))


@pytest.mark.parametrize("name", ["astronaut", "chelsea", "coffee", "rocket"])
def test_a_single_photograph_is_not_cut(name):
    assert panels(photo(name)) == [(0, 0, 400, 400)]


def test_two_photographs_side_by_side_are_cut_at_their_seam():
    assert panels(np.hstack([photo("astronaut"), photo("chelsea")])) == [(0, 0, 400, 400), (400, 0, 800, 400)]


def test_a_gutter_belongs_to_no_panel():
    gutter = np.full((400, 8, 3), 255, np.uint8)
    left, right = panels(np.hstack([photo("astronaut"), gutter, photo("chelsea")]))
    assert left == (0, 0, 400, 400)
    assert right == (408, 0, 808, 400)


def test_a_scene_that_is_dark_on_one_side_is_one_picture():
    scene = photo("chelsea").copy()
    scene[:, 200:] = (scene[:, 200:] * 0.4).astype(np.uint8)
    assert panels(scene) == [(0, 0, 400, 400)]


def test_a_window_gives_what_was_typed_and_its_pictures_with_their_roles():
    found = read_screenshot(drawing.draw("screenshot"))
    assert found.prompt == drawing.TYPED
    assert [box.role for box in found.boxes] == ["input", "output"]
    before, after = (np.array(box.box) for box in found.boxes)
    assert np.abs(before - (496, 60, 736, 240)).max() <= 6
    assert np.abs(after - (24, 346, 304, 556)).max() <= 6


def test_a_photograph_is_no_window():
    buffer = io.BytesIO()
    Image.fromarray(photo("astronaut")).save(buffer, "PNG")
    found = read_screenshot(buffer.getvalue())
    assert (found.prompt, found.boxes) == (None, ())


def test_a_crop_lies_ten_pixels_inside_and_within_the_picture():
    assert crop((0, 0, 100, 50), 90, 200) == (10, 10, 90, 40)
    assert crop((0, 0, 15, 15), 200, 200) == (10, 10, 10, 10)
