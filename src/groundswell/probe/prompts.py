"""Prompts that nobody has asked before, harmless and alike in difficulty: no cache answers and nothing is refused."""

from __future__ import annotations

from random import Random

SUBJECTS = (
    "a lighthouse", "a red bicycle", "a bowl of lemons", "a wooden bridge", "a steam locomotive", "a grey heron",
    "a market stall", "a glass greenhouse", "a stack of old books", "a sailing boat", "a windmill", "a tea kettle",
    "a stone staircase", "a field of sunflowers", "a tram", "an orange cat", "a pottery workshop", "a snowy owl",
)  # fmt: skip
PLACES = (
    "on a quiet beach", "in a mountain valley", "beside a canal", "on a kitchen table", "in a city square",
    "at the edge of a forest", "under an arched roof", "on a rooftop terrace", "in an orchard", "near a harbour",
)  # fmt: skip
LIGHTS = (
    "in early morning fog", "at noon", "at sunset", "under an overcast sky", "by lamplight", "after rain",
    "in winter light", "under a full moon",
)  # fmt: skip
STYLES = (
    "a photograph", "a watercolour", "an oil painting", "a pencil drawing", "a linocut print", "a paper collage",
    "an isometric illustration", "a photograph with shallow depth of field",
)  # fmt: skip


def fresh_prompt(name: str) -> str:
    """The prompt of a measurement, drawn by its name: the same name has the same one.

    A number painted into the scene keeps any two apart, because the words alone give only some ten thousand.
    """
    chance = Random(name)
    subject, place = chance.choice(SUBJECTS), chance.choice(PLACES)
    light, style = chance.choice(LIGHTS), chance.choice(STYLES)
    return f"{style} of {subject} {place} {light}, with a small sign that reads {chance.randrange(10**9):09d}"
