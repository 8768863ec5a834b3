"""Boxes in screenshots go to COCO's form and come back, and are compared with what a person drew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundswell.errors import UserError
from groundswell.interchange import coco
from groundswell.interchange.coco import Boxed

SHOT = Boxed(
    file="a.png",
    width=100,
    height=80,
    boxes=(("input", (0, 0, 40, 40)), ("output", (50, 0, 90, 40))),
    prompt="Add a hat",
)


def test_a_box_is_x_y_width_height_there_and_corners_here(tmp_path: Path) -> None:
    path = tmp_path / "boxes.json"
    assert coco.write(path, [SHOT]) == 2
    whole = json.loads(path.read_text())
    assert [row["bbox"] for row in whole["annotations"]] == [[0, 0, 40, 40], [50, 0, 40, 40]]
    assert [row["name"] for row in whole["categories"]] == ["input", "output"]
    assert coco.read(path).pictures == (SHOT,)


sides = st.integers(0, 50)
boxes = st.tuples(st.sampled_from(["input", "output"]), st.tuples(sides, sides, sides, sides)).map(
    lambda one: (one[0], (one[1][0], one[1][1], one[1][0] + one[1][2] + 1, one[1][1] + one[1][3] + 1))
)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.text(max_size=8), st.lists(boxes, max_size=4), st.none() | st.text(max_size=8)), max_size=4)
)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, shots: list) -> None:
    path = tmp_path_factory.mktemp("coco") / "boxes.json"
    pictures = tuple(
        Boxed(file=name, width=200, height=200, boxes=tuple(found), prompt=prompt) for name, found, prompt in shots
    )
    coco.write(path, pictures)
    assert coco.read(path).pictures == pictures


def test_boxes_are_matched_by_role_and_overlap_each_once() -> None:
    ours = Boxed(
        file="a.png",
        width=100,
        height=80,
        boxes=(("input", (0, 0, 40, 38)), ("input", (0, 0, 40, 36)), ("input", (50, 0, 90, 40))),
    )
    assert coco.overlap((0, 0, 40, 40), (20, 0, 60, 40)) == pytest.approx(1 / 3)
    assert coco.compare(SHOT, ours) == {"truth": 2, "ours": 3, "matched": 1}


def test_categories_of_others_are_counted_and_boxes_outside_their_picture_refused(tmp_path: Path) -> None:
    whole = {
        "images": [{"id": 1, "file_name": "a.png", "width": 10, "height": 10}],
        "annotations": [{"image_id": 1, "category_id": 7, "bbox": [0, 0, 5, 5]}],
        "categories": [{"id": 7, "name": "cat"}, {"id": 1, "name": "input"}],
    }
    path = tmp_path / "coco.json"
    path.write_text(json.dumps(whole))
    assert coco.read(path).left_out == {"category cat": 1}
    whole["annotations"] = [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 50, 5]}]
    path.write_text(json.dumps(whole))
    with pytest.raises(UserError, match=r"annotation 1 lies outside 'a\.png'"):
        coco.read(path)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A workspace with one post whose picture the local reader took for a combined one."""
    from groundswell.flow.curation import reader_of
    from groundswell.flow.workspace import initialise, workspace
    from groundswell.records import Attachment, Decision, Picture, Post

    initialise(tmp_path / "bench")
    picture = Picture(digest="d" * 64, media_type="image/png", width=100, height=80)
    post = Post(platform="x", id="1", text="before and after", pictures=(Attachment(url="u", picture=picture),))
    boxes = [{"role": "input", "box": [0, 0, 40, 80]}, {"role": "output", "box": [50, 0, 100, 80]}]
    row = {"post": post.key, "index": 0, "role": "combined", "why": "two sides", "boxes": boxes}
    with workspace(tmp_path / "bench") as space:
        reader, version = reader_of(space)
        answer = {"pictures": [row], "why": "gutters"}
        decision = Decision(subject=post.key, question="roles", reader=reader, version=version, answer=answer)
        space.store.put([post, decision])
    return tmp_path / "bench"


def test_boxes_that_a_person_drew_otherwise_overrule_the_readers(bench: Path, tmp_path: Path) -> None:
    from groundswell.flow.exchange import bring_in, write_out

    path = tmp_path / "coco.json"
    assert write_out(bench, path, "coco")["rows"] == 2
    assert bring_in(path, bench, "ann")["left_out"] == {"the boxes stand as they were": 1}
    (theirs,) = coco.read(path).pictures
    drawn = Boxed(file=f"{theirs.file}.png", width=100, height=80, boxes=(("output", (48, 0, 100, 80)),))
    stranger = Boxed(file="other.png", width=10, height=10)
    coco.write(path, [drawn, stranger])
    told = bring_in(path, bench, "ann")
    assert (told["rows"], told["left_out"]) == (1, {"no combined picture of this workspace has that digest": 1})
    assert write_out(bench, path, "coco")["rows"] == 1
    assert coco.read(path).pictures[0].boxes == drawn.boxes
