"""The pictures that the example posts name: plain scenes, a collage and a screenshot, drawn with Pillow.

What is "made by a model" here is drawn, too; nobody is shown a picture that a model made.
"""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from textwrap import wrap

from PIL import Image, ImageDraw, ImageEnhance, ImageFilter, ImageFont, ImageOps

SIDE = (320, 240)
"""Width and height of a scene."""

WINDOW = (760, 620)
"""Width and height of the screenshot."""

TYPED = "Put a red knitted hat on the dog in this photo and keep everything else as it is"
"""What the screenshot shows as typed."""

Scene = Callable[[], Image.Image]


def names() -> tuple[str, ...]:
    """Names of the pictures, without `.png`."""
    return tuple(_SCENES)


def draw(name: str) -> bytes:
    """A picture as PNG; the same bytes each time."""
    buffer = BytesIO()
    _SCENES[name]().save(buffer, "PNG")
    return buffer.getvalue()


def _scene(sky: str, ground: str, horizon: float = 0.62) -> Image.Image:
    """A ground under a sky that fades, with grain, so that it looks like no flat icon."""
    width, height = SIDE
    shade = Image.linear_gradient("L").resize(SIDE)
    picture = ImageOps.colorize(shade, sky, "white")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, height * horizon, width, height), fill=ground)
    return Image.blend(picture, Image.effect_noise(SIDE, 40).convert("RGB"), 0.08)


def _house(sky: str = "#5b8ec9", ground: str = "#4f8f4a", roof: str = "#8a3b2c") -> Image.Image:
    picture = _scene(sky, ground)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((90, 95, 230, 190), fill="#e8e2d0")
    pen.polygon(((78, 95), (160, 40), (242, 95)), fill=roof)
    pen.rectangle((148, 135, 176, 190), fill="white", outline="#444")
    for x in (104, 192):
        pen.rectangle((x, 112, x + 26, 140), fill="#9cc4e4", outline="#444", width=2)
    return picture


def _dog(ground: str = "#6aa35a", hat: bool = False) -> Image.Image:
    picture = _scene("#88b5dd", ground)
    pen = ImageDraw.Draw(picture)
    pen.ellipse((95, 110, 215, 190), fill="#9a6a3c")
    pen.ellipse((185, 75, 250, 140), fill="#a87848")
    pen.polygon(((192, 85), (182, 45), (212, 72)), fill="#6b4524")
    pen.ellipse((222, 95, 231, 104), fill="black")
    for x in (110, 140, 175, 195):
        pen.rectangle((x, 175, x + 12, 215), fill="#8a5c32")
    if hat:
        pen.pieslice((188, 48, 248, 108), 180, 360, fill="#c02a2a")
    return picture


def _tower(lamp: bool) -> Image.Image:
    picture = _scene("#7fa6cf", "#9a9a86")
    pen = ImageDraw.Draw(picture)
    pen.rectangle((140, 40, 185, 200), fill="#b7a58c", outline="#6b5c48", width=2)
    pen.polygon(((132, 40), (162, 8), (193, 40)), fill="#5a4a3a")
    if lamp:
        pen.rectangle((206, 70, 212, 215), fill="#222")
        pen.ellipse((196, 52, 222, 76), fill="#ffeeaa", outline="#222")
    return picture


def _pair(left: Image.Image, right: Image.Image) -> Image.Image:
    """Two pictures side by side with a white gutter."""
    whole = Image.new("RGB", (left.width + right.width + 12, left.height), "white")
    whole.paste(left, (0, 0))
    whole.paste(right, (left.width + 12, 0))
    return whole


def _vessel(colour: str, table: str) -> Image.Image:
    picture = _scene("#d9cfc0", table, 0.7)
    pen = ImageDraw.Draw(picture)
    pen.ellipse((105, 85, 215, 190), fill=colour, outline="#333", width=2)
    pen.arc((200, 105, 250, 165), 270, 90, fill="#333", width=8)
    pen.rectangle((150, 68, 170, 88), fill=colour, outline="#333")
    return picture


def _room(sofa: str, floor: str, wall: str) -> Image.Image:
    picture = _scene(wall, floor, 0.68)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((30, 30, 110, 110), fill="#bfe0f5", outline="white", width=5)
    pen.rounded_rectangle((140, 120, 290, 195), 14, fill=sofa)
    pen.rectangle((60, 175, 120, 185), fill="#7a5230")
    return picture


def _portrait() -> Image.Image:
    picture = _scene("#a7b7c7", "#5a6a7a", 0.85)
    pen = ImageDraw.Draw(picture)
    pen.ellipse((110, 45, 210, 175), fill="#e6b894")
    pen.pieslice((100, 25, 220, 130), 180, 360, fill="#3b2a20")
    for x in (138, 176):
        pen.ellipse((x, 100, x + 10, 108), fill="#222")
    pen.arc((140, 120, 182, 152), 20, 160, fill="#a04040", width=4)
    return picture


def _poster(words: str, colours: tuple[str, str, str]) -> Image.Image:
    picture = _scene(colours[0], colours[1])
    pen = ImageDraw.Draw(picture)
    pen.rounded_rectangle((110, 100, 220, 170), 10, fill=colours[2])
    _write(pen, words, (24, 196), 30)
    return picture


def _write(pen: ImageDraw.ImageDraw, words: str, at: tuple[int, int], size: int, fill: str = "#222") -> None:
    pen.text(at, words, fill=fill, font=ImageFont.load_default(size))


def _window() -> Image.Image:
    """A chat window: the dog as it was, what was typed, the dog with a hat."""
    window = Image.new("RGB", WINDOW, "#ffffff")
    pen = ImageDraw.Draw(window)
    _write(pen, "ChatGPT", (24, 18), 20)
    window.paste(_dog().resize((240, 180)), (496, 60))
    pen.rounded_rectangle((316, 256, 736, 322), 16, fill="#f0f0f0")
    for number, line in enumerate(wrap(TYPED, 44)):
        _write(pen, line, (332, 264 + 28 * number), 18)
    window.paste(_dog(hat=True).resize((280, 210)), (24, 346))
    pen.rounded_rectangle((24, 570, 736, 606), 16, outline="#cccccc")
    _write(pen, "Ask anything", (44, 578), 17, fill="#999999")
    return window


def _sketch(picture: Image.Image) -> Image.Image:
    return ImageOps.invert(ImageOps.autocontrast(picture.convert("L").filter(ImageFilter.CONTOUR))).convert("RGB")


_SCENES: dict[str, Scene] = {
    "teapot": lambda: _vessel("#cfe6ea", "#8a6238"),
    "house": _house,
    "house_autumn": lambda: _house("#8f959c", "#a0522d", "#6f3328"),
    "cat_figure": lambda: _vessel("#d8a860", "#6b4a2e"),
    "poster": lambda: _poster("LISBOM", ("#2a6f97", "#f4d35e", "#ee964b")),
    "chart": lambda: _poster("+4 %", ("#f5f5f5", "#dddddd", "#2a9d8f")),
    "bread": lambda: _vessel("#b5702e", "#e8dcc8"),
    "tower_pair": lambda: _pair(_tower(True), _tower(False)),
    "room": lambda: _room("#6b2d2d", "#5a4632", "#c9b98a"),
    "room_nordic": lambda: _room("#b8c4c2", "#d9c3a0", "#f2f2ee"),
    "bakery": lambda: _room("#c98b4a", "#8a6a4a", "#e8d8c0"),
    "dog": _dog,
    "dog_winter": lambda: _dog("#eef3f7"),
    "product": lambda: _vessel("#e05a5a", "#e8e8f8"),
    "screenshot": _window,
    "quote": lambda: _poster("Begin anywhere", ("#4a4e69", "#22223b", "#9a8c98")),
    "blanket": lambda: _room("#7a6a5a", "#9a9a9a", "#d8d8d8"),
    "puppet": _portrait,
    "chair": lambda: _room("#4a6a4a", "#7a6a5a", "#c8c0b0"),
    "puppet_chair": lambda: Image.blend(_portrait(), _room("#4a6a4a", "#7a6a5a", "#c8c0b0"), 0.5),
    "street_watercolour": lambda: ImageEnhance.Color(
        _house("#e0b080", "#c09060").filter(ImageFilter.ModeFilter(7))
    ).enhance(1.4),
    "portrait": _portrait,
    "portrait_sketch": lambda: _sketch(_portrait()),
    "coast": lambda: _scene("#4a90c0", "#d8c090", 0.55),
    "chalkboard": lambda: _poster("FRESH PLUM CAKE", ("#3a3a3a", "#555555", "#2a3a2a")),
}
