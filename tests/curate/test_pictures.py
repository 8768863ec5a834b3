import asyncio
import io

import msgspec
import numpy as np
import pytest
from PIL import Image

from groundswell.curate.conversation import Conversation, SeenPicture, SeenPost
from groundswell.curate.demo import drawing
from groundswell.curate.local import LocalReader
from groundswell.curate.panels import panels, shows_twice
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


@pytest.mark.parametrize("line", [0, 3])
def test_a_scene_that_is_painted_in_two_ways_is_one_picture_also_with_a_line_between(line):
    scene = photo("astronaut").copy()
    scene[:, 200:] = 255 - scene[:, 200:]
    scene[:, 200 : 200 + line] = 255
    assert panels(scene) == [(0, 0, 400, 400)]


@pytest.mark.parametrize("gutter", [0, 3, 12])
def test_before_and_after_of_one_scene_are_two_pictures_though_their_horizons_meet(gutter):
    before, strip = photo("astronaut"), np.full((400, gutter, 3), 255, np.uint8)
    after = (before * 0.4).astype(np.uint8)
    found = np.array(panels(np.hstack([before, strip, after])))
    assert np.abs(found - [(0, 0, 400, 400), (400 + gutter, 0, 800 + gutter, 400)]).max() <= 1


def test_a_scene_is_told_when_it_is_shown_twice():
    assert shows_twice(photo("chelsea"), 255 - photo("chelsea"))
    assert not shows_twice(photo("chelsea"), photo("coffee"))
    assert not shows_twice(photo("chelsea"), np.full((400, 400, 3), 7, np.uint8))
    assert not shows_twice(photo("chelsea"), photo("chelsea")[:150])


def png(pixels):
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def reads(talk, question, **found):
    """What the local reader answers about a conversation whose pictures are photographs by name."""
    known = {"cat": photo("chelsea"), "cat at night": (photo("chelsea") * 0.4).astype(np.uint8), "cup": photo("coffee")}
    reader = LocalReader(lambda digest: png(known[digest]))
    return asyncio.run(reader.read(question, {"conversation": msgspec.to_builtins(talk), **found}))


@pytest.mark.parametrize(
    ("shown", "task"), [(("cat", "cat at night"), "edit"), (("cat", "cup"), "t2i"), (("cat",), "t2i")]
)
def test_an_instruction_whose_pictures_show_one_scene_twice_is_an_edit(shown, task):
    pictures = tuple(SeenPicture(digest=name) for name in shown)
    post = SeenPost(key="k", text="Prompt: A cat at night, moonlight, cinematic", by="author", pictures=pictures)
    talk = Conversation(posts=(post,))
    prompt = reads(talk, "prompt")
    assert prompt["task"] == task
    roles = [each["role"] for each in reads(talk, "roles", prompt=prompt)["pictures"]]
    assert roles == (["input", "output"] if task == "edit" else ["output"] * len(shown))


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
