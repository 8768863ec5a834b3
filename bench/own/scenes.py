"""Photographs, collages of them, and single scenes that are treated in two ways: what must be cut, and what must not.

The photographs come with scikit-image. Treatments are light, colour, blur, paint, pencil, noise and decay, on one side
of a straight line, as a picture is shown that "changes half-way"; the scene goes on across the line.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from PIL import Image, ImageChops, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps
from skimage import data

NAMES = (
    "astronaut", "chelsea", "coffee", "rocket", "camera", "coins", "hubble_deep_field", "retina",
    "immunohistochemistry", "motorcycle",
)  # fmt: skip

Rectangle = tuple[int, int, int, int]


@dataclass(frozen=True)
class Scene:
    """A picture with the boxes of its parts; one box = it is single."""

    kind: str
    picture: Image.Image
    boxes: tuple[Rectangle, ...]
    how: str = ""


@cache
def photographs() -> Mapping[str, Image.Image]:
    """Photographs by name, 480 pixels wide."""
    found = {}
    for name in NAMES:
        try:
            pixels = data.stereo_motorcycle()[0] if name == "motorcycle" else getattr(data, name)()
        except Exception:  # a photograph that this wheel does not carry is not missed
            continue
        picture = Image.fromarray(pixels).convert("RGB")
        found[name] = picture.resize((480, round(480 * picture.height / picture.width)))
    return found


def _noisy(picture: Image.Image) -> Image.Image:
    return Image.blend(picture, Image.effect_noise(picture.size, 90).convert("RGB"), 0.4)


def _painted(picture: Image.Image) -> Image.Image:
    return ImageEnhance.Color(picture.filter(ImageFilter.ModeFilter(9))).enhance(1.6)


def _pencil(picture: Image.Image) -> Image.Image:
    gray = picture.convert("L")
    return ImageOps.autocontrast(
        ImageChops.add(gray, ImageOps.invert(gray.filter(ImageFilter.GaussianBlur(4))), 1, -40)
    ).convert("RGB")


def _outlined(picture: Image.Image) -> Image.Image:
    return picture.convert("L").filter(ImageFilter.CONTOUR).convert("RGB")


def _tinted(dark: str, light: str) -> Callable[[Image.Image], Image.Image]:
    return lambda picture: ImageOps.colorize(picture.convert("L"), dark, light)


TREATMENTS: Mapping[str, Callable[[Image.Image], Image.Image]] = {
    "night": lambda picture: ImageEnhance.Brightness(_tinted("#000010", "#8090d0")(picture)).enhance(0.5),
    "gray": lambda picture: picture.convert("L").convert("RGB"),
    "sepia": _tinted("#2a1608", "#f0d8a8"),
    "dark": lambda picture: ImageEnhance.Brightness(picture).enhance(0.35),
    "bleached": lambda picture: ImageEnhance.Brightness(picture).enhance(1.7),
    "blurred": lambda picture: ImageEnhance.Brightness(picture.filter(ImageFilter.GaussianBlur(5))).enhance(0.8),
    "painted": _painted,
    "pencil": _pencil,
    "outlined": _outlined,
    "negative": ImageOps.invert,
    "poster": lambda picture: ImageOps.posterize(ImageEnhance.Contrast(picture).enhance(1.6), 2),
    "noisy": _noisy,
    "saturated": lambda picture: ImageEnhance.Color(picture).enhance(3.0),
}


def _square(picture: Image.Image, side: int = 400) -> Image.Image:
    return ImageOps.fit(picture, (side, side))


def split_scenes(seed: int) -> list[Scene]:
    """Every photograph in every treatment on one side, at some line, across or down; and each as it is."""
    rng = random.Random(seed)
    found = [Scene("photograph", photo, ((0, 0, *photo.size),), name) for name, photo in photographs().items()]
    for name, photo in photographs().items():
        for treated, change in TREATMENTS.items():
            whole = photo.copy()
            share = rng.choice((0.35, 0.4, 0.5, 0.5, 0.5, 0.6))
            if rng.random() < 0.7:
                box = (round(photo.width * share), 0, photo.width, photo.height)
            else:
                box = (0, round(photo.height * share), photo.width, photo.height)
            whole.paste(change(photo).crop(box), box)
            kind = "split scene"
            if rng.random() < 0.25:
                kind = "split scene with a line drawn"
                edge = (box[0], 0, box[0], photo.height) if box[0] else (0, box[1], photo.width, box[1])
                ImageDraw.Draw(whole).line(edge, fill=rng.choice(("white", "black")), width=3)
            found.append(Scene(kind, whole, ((0, 0, *photo.size),), f"{name}, {treated}"))
    return found


def collages(seed: int) -> list[Scene]:
    """Before and after of one photograph, and different ones, side by side or one above another, with a gutter or
    none, with words, and in grids."""
    rng = random.Random(seed)
    photos = list(photographs().values())
    found = []
    for number, photo in enumerate(photos):
        other = photos[(number + 3) % len(photos)]
        found += [_pair("two pictures", _square(photo), _square(other), gutter, rng) for gutter in (0, 4, 12, 30)]
        for treated in rng.sample(sorted(TREATMENTS), 3):
            changed = TREATMENTS[treated](_square(photo))
            found.append(_pair("before and after", _square(photo), changed, rng.choice((0, 6, 16)), rng, treated))
        found.append(_labelled(_square(photo), TREATMENTS[rng.choice(sorted(TREATMENTS))](_square(photo)), rng))
    return found + [_grid(rng.sample(photos, 4), rng.choice((6, 14)), rng, number) for number in range(6)]


def _pair(kind: str, first: Image.Image, second: Image.Image, gutter: int, rng: random.Random, how: str = "") -> Scene:
    side = first.width
    down = rng.random() < 0.3
    size = (side, 2 * side + gutter) if down else (2 * side + gutter, side)
    whole = Image.new("RGB", size, rng.choice(("white", "black", "#888888")))
    at = (0, side + gutter) if down else (side + gutter, 0)
    whole.paste(first, (0, 0))
    whole.paste(second, at)
    return Scene(kind, whole, ((0, 0, side, side), (*at, at[0] + side, at[1] + side)), f"gutter {gutter} {how}")


def _labelled(first: Image.Image, second: Image.Image, rng: random.Random) -> Scene:
    """Before and after with the words over each picture, on a margin."""
    side, margin, head = first.width, 20, 60
    whole = Image.new("RGB", (2 * side + 3 * margin, side + head + margin), rng.choice(("white", "#111111")))
    pen = ImageDraw.Draw(whole)
    ink = "black" if whole.getpixel((0, 0)) == (255, 255, 255) else "white"
    for word, left in (("Before", margin), ("After", side + 2 * margin)):
        pen.text((left + 10, 16), word, fill=ink, font=ImageFont.load_default(30))
    whole.paste(first, (margin, head))
    whole.paste(second, (side + 2 * margin, head))
    left, right = margin, side + 2 * margin
    return Scene("labelled", whole, ((left, head, left + side, head + side), (right, head, right + side, head + side)))


def _grid(photos: list[Image.Image], gutter: int, rng: random.Random, number: int) -> Scene:
    side = 300
    whole = Image.new("RGB", (2 * side + gutter, 2 * side + gutter), rng.choice(("white", "black")))
    boxes = []
    for index, photo in enumerate(photos):
        x, y = (index % 2) * (side + gutter), (index // 2) * (side + gutter)
        whole.paste(_square(photo, side), (x, y))
        boxes.append((x, y, x + side, y + side))
    return Scene("grid of four", whole, tuple(boxes), str(number))


def as_pixels(picture: Image.Image) -> np.ndarray:
    return np.asarray(picture.convert("RGB"))
