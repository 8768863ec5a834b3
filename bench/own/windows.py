"""Windows of programs in which somebody asked an image model for something, drawn in many ways; and others.

Light and dark, small and large letters, several fonts, desktop and phone, typed and sent, with a mask, with pictures
before and after the words. Each comes with what stands in it and where its pictures are.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import wrap

from PIL import Image, ImageDraw, ImageFont

from bench.own.scenes import photographs

FONTS = (
    "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/liberation/LiberationSerif-Regular.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSansCondensed.ttf",
)
"""Of Debian's packages; where they are absent, Pillow's own."""

EDITS = (
    "Put a striped scarf on the cat in this photo and leave everything else untouched",
    "Replace the sky behind the rocket with a calm sunset, keep the launch tower as it is",
    "Turn this picture into a pencil drawing with fine hatching on cream paper",
    "Remove the spoon from the saucer and fill in the wood of the table behind it",
    "Make it look like a rainy evening in October, with wet reflections and street lamps",
    "Change the colour of the suit to dark green and add a small silver brooch",
    "Restore this old photograph: remove scratches, fix the contrast, add natural colour",
    "Give the room in this image Scandinavian furniture and a light oak floor, same camera angle",
)
MAKES = (
    "A paper lantern floating over a black lake, long exposure, soft reflections, 35mm film",
    "Draw an isometric bakery at dawn with two cats on flour sacks, warm light from the window",
    "A close-up portrait of an old fisherman in a yellow raincoat, overcast light, shallow depth of field",
    "Create a flat vintage travel poster of a harbour town with the title Far Shore in bold letters",
    "An exploded view of a mechanical wrist watch, every part labelled, white background",
    "A glass teapot on a stone table, morning light from the left, steam rising, studio photo",
)
TALK = (
    "The meeting moves to Thursday because the room is taken on Wednesday afternoon",
    "Your parcel has left the depot and will arrive between nine and twelve tomorrow",
    "Can somebody tell me how to sort a list by two keys in a spreadsheet",
    "I agree with the second proposal, the first one costs too much for what it brings",
)

Rectangle = tuple[int, int, int, int]


@dataclass(frozen=True)
class Window:
    """A drawn window: what kind, what was asked in it (None = nothing), and its pictures by role."""

    kind: str
    picture: Image.Image
    prompt: str | None
    boxes: tuple[tuple[str, Rectangle], ...] = ()
    how: str = ""


@dataclass
class _Look:
    """How a window is drawn."""

    dark: bool
    font: str
    size: int
    rng: random.Random
    boxes: list[tuple[str, Rectangle]] = field(default_factory=list)

    def ink(self) -> str:
        return "#ececec" if self.dark else "#1c1c1c"

    def ground(self) -> str:
        return self.rng.choice(("#212121", "#1b1c1d", "#0f0f10") if self.dark else ("#ffffff", "#f7f7f8", "#fbfbfd"))

    def bubble(self) -> str:
        return "#303030" if self.dark else "#f1f1f3"

    def letters(self, size: int | None = None) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
        size = size or self.size
        return ImageFont.truetype(self.font, size) if Path(self.font).exists() else ImageFont.load_default(size)

    def write(
        self, pen: ImageDraw.ImageDraw, text: str, at: tuple[int, int], size: int | None = None, fill: str = ""
    ) -> None:
        pen.text(at, text, fill=fill or self.ink(), font=self.letters(size))

    def lines(self, text: str, width: int) -> list[str]:
        return wrap(text, max(12, int(width / (self.letters().getlength("abcdefghij klmno") / 16))))

    def paste(self, whole: Image.Image, role: str, photo: Image.Image, at: tuple[int, int], width: int) -> Rectangle:
        small = photo.resize((width, round(width * photo.height / photo.width)))
        whole.paste(small, at)
        box = (at[0], at[1], at[0] + small.width, at[1] + small.height)
        self.boxes.append((role, box))
        return box


def windows(seed: int, count: int) -> list[Window]:
    """So many windows of every kind."""
    rng = random.Random(seed)
    makers = {
        "chat": _chat, "phone": _phone, "edit screen": _edit_screen, "composer": _composer,
        "talk": _talk, "settings": _settings,
    }  # fmt: skip
    found = []
    for kind, make in makers.items():
        for number in range(count):
            look = _Look(number % 2 == 1, FONTS[number % len(FONTS)], rng.choice((13, 14, 15, 16, 18, 20)), rng)
            picture, prompt = make(look)
            how = f"{'dark' if look.dark else 'light'}, {Path(look.font).stem}, {look.size} px"
            found.append(Window(kind, picture, prompt, tuple(look.boxes), how))
    return found


def _photo(look: _Look) -> Image.Image:
    return look.rng.choice(list(photographs().values()))


def _bubble(look: _Look, whole: Image.Image, text: str, right: int, top: int, width: int) -> int:
    """What somebody sent, at the right; gives where it ends."""
    pen, lines = ImageDraw.Draw(whole), look.lines(text, width - 32)
    step = round(look.size * 1.5)
    wide = round(max(look.letters().getlength(line) for line in lines)) + 32
    pen.rounded_rectangle((right - wide, top, right, top + step * len(lines) + 20), 18, fill=look.bubble())
    for number, line in enumerate(lines):
        look.write(pen, line, (right - wide + 16, top + 10 + step * number))
    return top + step * len(lines) + 20


def _chat(look: _Look) -> tuple[Image.Image, str]:
    """A conversation in a browser: perhaps a picture, what was asked, what came."""
    edit = look.rng.random() < 0.6
    prompt = look.rng.choice(EDITS if edit else MAKES)
    whole = Image.new("RGB", (900, 900), look.ground())
    pen = ImageDraw.Draw(whole)
    look.write(pen, look.rng.choice(("ChatGPT", "Gemini", "ChatGPT 5")), (24, 18), 18)
    top = 64
    if edit:
        width = look.rng.randint(190, 300)
        top = look.paste(whole, "input", _photo(look), (860 - width, top), width)[3] + 14
    top = _bubble(look, whole, prompt, 860, top, 560) + 18
    if look.rng.random() < 0.5:
        look.write(pen, "Image created", (40, top), look.size - 1, "#8a8a8a")
        top += 30
    width = min(look.rng.randint(280, 420), 800 - top)
    look.paste(whole, "output", _photo(look).resize((400, 400)), (40, top), width)
    pen.rounded_rectangle((40, 840, 860, 884), 20, outline="#8a8a8a")
    look.write(pen, "Ask anything", (64, 852), 15, "#8a8a8a")
    return whole, prompt


def _phone(look: _Look) -> tuple[Image.Image, str]:
    """The same on a phone, at two or three pixels a point."""
    scale = look.rng.choice((2, 3))
    look.size = look.rng.choice((15, 16, 17)) * scale
    edit = look.rng.random() < 0.6
    prompt = look.rng.choice(EDITS if edit else MAKES)
    whole = Image.new("RGB", (390 * scale, 780 * scale), look.ground())
    pen = ImageDraw.Draw(whole)
    look.write(pen, look.rng.choice(("9:41", "17:05")), (30 * scale, 12 * scale), 14 * scale)
    look.write(pen, "87%", (330 * scale, 12 * scale), 13 * scale)
    top = 60 * scale
    if edit:
        width = look.rng.randint(120, 200) * scale
        top = look.paste(whole, "input", _photo(look), (374 * scale - width, top), width)[3] + 10 * scale
    top = _bubble(look, whole, prompt, 374 * scale, top, 300 * scale) + 16 * scale
    width = min(look.rng.randint(240, 358) * scale, 700 * scale - top)
    look.paste(whole, "output", _photo(look).resize((400, 400)), (16 * scale, top), width)
    pen.rounded_rectangle((16 * scale, 725 * scale, 374 * scale, 765 * scale), 20 * scale, outline="#8a8a8a", width=2)
    look.write(pen, "Message", (36 * scale, 736 * scale), 15 * scale, "#8a8a8a")
    return whole, prompt


def _edit_screen(look: _Look) -> tuple[Image.Image, str]:
    """One picture, a part of it painted over, and the words for what shall happen to it."""
    prompt = look.rng.choice(EDITS)
    whole = Image.new("RGB", (1000, 860), look.ground())
    pen = ImageDraw.Draw(whole)
    look.write(pen, "Edit selection", (30, 20), 18)
    look.write(pen, "Cancel", (820, 20), 16)
    look.write(pen, "Save", (920, 20), 16)
    photo = _photo(look).convert("RGB")
    mask = Image.new("L", photo.size, 0)
    x, y = look.rng.randint(0, photo.width // 2), look.rng.randint(0, photo.height // 2)
    ImageDraw.Draw(mask).ellipse((x, y, x + photo.width // 3, y + photo.height // 3), fill=140)
    photo.paste(Image.new("RGB", photo.size, look.rng.choice(("#3b82f6", "#a855f7", "#ffffff"))), mask=mask)
    width = look.rng.randint(480, 640)
    ends = look.paste(whole, "input", photo, ((1000 - width) // 2, 70), width)[3]
    lines, step = look.lines(prompt, 700), round(look.size * 1.5)
    top = max(ends + 24, 700)
    pen.rounded_rectangle((120, top, 880, top + step * len(lines) + 28), 20, outline="#8a8a8a", fill=look.bubble())
    for number, line in enumerate(lines):
        look.write(pen, line, (144, top + 14 + step * number))
    return whole, prompt


def _composer(look: _Look) -> tuple[Image.Image, str]:
    """What is typed and not yet sent, with a small picture attached."""
    prompt = look.rng.choice(EDITS)
    whole = Image.new("RGB", (880, 420), look.ground())
    pen = ImageDraw.Draw(whole)
    look.write(pen, "What shall we make today?", (280, 40), 24)
    pen.rounded_rectangle((60, 110, 820, 390), 24, outline="#8a8a8a", fill=look.bubble())
    width = look.rng.randint(100, 160)
    ends = look.paste(whole, "input", _photo(look), (84, 130), width)[3]
    for number, line in enumerate(look.lines(prompt, 690)):
        look.write(pen, line, (84, ends + 16 + round(look.size * 1.5) * number))
    look.write(pen, "+   Tools", (84, 360), 14, "#8a8a8a")
    return whole, prompt


def _talk(look: _Look) -> tuple[Image.Image, None]:
    """People who write to each other about other things."""
    whole = Image.new("RGB", (800, 700), look.ground())
    top = 40
    for text in look.rng.sample(TALK, 3):
        top = _bubble(look, whole, text, 760, top, 480) + 24
    return whole, None


def _settings(look: _Look) -> tuple[Image.Image, None]:
    """Switches with their names."""
    whole = Image.new("RGB", (760, 640), look.ground())
    pen = ImageDraw.Draw(whole)
    look.write(pen, "Settings", (30, 24), 24)
    rows = ("Notifications", "Language and region", "Storage used: 12 GB of 15 GB", "Two-step sign in", "Dark mode")
    for number, row in enumerate(rows):
        look.write(pen, row, (40, 90 + 80 * number))
        pen.rounded_rectangle((660, 90 + 80 * number, 710, 116 + 80 * number), 13, fill="#34a853")
    return whole, None
