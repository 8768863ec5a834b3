"""Boxes within pictures in COCO's form: where the input and output pictures of a screenshot stand.

A COCO box is x, y, width, height in pixels; ours are x1, y1, x2, y2. Categories are told by name (`input`, `output`);
those with other names are counted and left out. The instruction of a screenshot stands beside its picture as `prompt`,
a field that COCO's tools skip. How boxes are found is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from groundswell import files
from groundswell.errors import UserError
from groundswell.interchange.bounded import document

FORMAT = "coco"

Role = Literal["input", "output"]
Box = tuple[float, float, float, float]
"""x1, y1, x2, y2 in pixels."""

SAME = 0.5
"""Overlap, as intersection over union, from which two boxes show the same picture: COCO's own AP50."""


class Boxed(msgspec.Struct, frozen=True, kw_only=True):
    """A picture file with the boxes in it."""

    file: str
    width: int
    height: int
    boxes: tuple[tuple[Role, Box], ...] = ()
    prompt: str | None = None


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """The pictures of a file of annotations, and what was left out, by reason."""

    pictures: tuple[Boxed, ...]
    left_out: Mapping[str, int]


class Image(msgspec.Struct, frozen=True):
    """COCO's `images`."""

    id: int | str
    file_name: str
    width: int
    height: int
    prompt: str | None = None


class Category(msgspec.Struct, frozen=True):
    """COCO's `categories`."""

    id: int
    name: str


class Annotation(msgspec.Struct, frozen=True):
    """COCO's `annotations`, as far as they are boxes."""

    image_id: int | str
    category_id: int
    bbox: tuple[float, float, float, float] | None = None
    iscrowd: int = 0


class Document(msgspec.Struct, frozen=True):
    """A file of annotations."""

    images: list[Image]
    annotations: list[Annotation]
    categories: list[Category]


def fits(keys: set[str]) -> bool:
    """Whether an object with these keys is a file of annotations."""
    return keys >= {"images", "annotations", "categories"}


def read(path: Path) -> Found:
    """Pictures with their boxes. Raises UserError for a file of another form, and a box outside its picture."""
    try:
        whole = msgspec.convert(document(path), Document)
    except msgspec.ValidationError as error:
        raise UserError(f"these are no annotations of COCO: {error}", where=path) from None
    images = {image.id: image for image in whole.images}
    roles = {category.id: category.name for category in whole.categories}
    boxes: dict[int | str, list[tuple[Role, Box]]] = {image.id: [] for image in whole.images}
    left_out: Counter[str] = Counter()
    for number, annotation in enumerate(whole.annotations, start=1):
        role = roles.get(annotation.category_id, "")
        image = images.get(annotation.image_id)
        if image is None:
            raise UserError(f"annotation {number} is of an image that is not listed", where=path)
        if role not in get_args(Role) or annotation.bbox is None or annotation.iscrowd:
            left_out["no box" if role in get_args(Role) else f"category {role or annotation.category_id}"] += 1
            continue
        x, y, width, height = annotation.bbox
        if width <= 0 or height <= 0 or x < 0 or y < 0 or x + width > image.width + 1 or y + height > image.height + 1:
            raise UserError(f"annotation {number} lies outside {image.file_name!r}", where=path)
        boxes[image.id].append((role, (x, y, x + width, y + height)))  # type: ignore[arg-type]  # it is a Role
    pictures = tuple(
        Boxed(
            file=each.file_name, width=each.width, height=each.height, boxes=tuple(boxes[each.id]), prompt=each.prompt
        )
        for each in whole.images
    )
    return Found(pictures=pictures, left_out=dict(left_out))


def write(path: Path, pictures: Iterable[Boxed]) -> int:
    """Write pictures with their boxes as COCO's annotations; gives the number of boxes."""
    categories = [{"id": number, "name": role} for number, role in enumerate(get_args(Role), start=1)]
    numbers = {str(category["name"]): category["id"] for category in categories}
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, picture in enumerate(pictures, start=1):
        image = {"id": number, "file_name": picture.file, "width": picture.width, "height": picture.height}
        images.append(image if picture.prompt is None else {**image, "prompt": picture.prompt})
        for role, (x1, y1, x2, y2) in picture.boxes:
            width, height = x2 - x1, y2 - y1
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": number,
                    "category_id": numbers[role],
                    "bbox": [x1, y1, width, height],
                    "area": width * height,
                    "iscrowd": 0,
                }
            )
    whole = {"images": images, "annotations": annotations, "categories": categories}
    files.write_bytes(path, msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n")
    return len(annotations)


def overlap(one: Box, other: Box) -> float:
    """Intersection over union of two boxes, 0 to 1."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    both = width * height
    return both / (_area(one) + _area(other) - both)


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def compare(truth: Boxed, ours: Boxed) -> dict[str, int]:
    """`{truth, ours, matched}`: boxes of the same role that overlap by SAME or more, each matched once, best first."""
    pairs = sorted(
        (
            (overlap(box, other), place, number)
            for place, (role, box) in enumerate(truth.boxes)
            for number, (said, other) in enumerate(ours.boxes)
            if role == said
        ),
        reverse=True,
    )
    seen: set[int] = set()
    met: set[int] = set()
    for share, place, number in pairs:
        if share >= SAME and place not in seen and number not in met:
            seen.add(place)
            met.add(number)
    return {"truth": len(truth.boxes), "ours": len(ours.boxes), "matched": len(seen)}
