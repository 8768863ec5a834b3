"""A reader for communities that mark their prompts: what stands after the word "Prompt:" is the instruction.

What the mark cannot tell (roles of pictures, blanks, feedback, quality) is left to the local reader.
"""

import asyncio
import re
from collections.abc import Callable

from groundswell.curate.local import LocalReader
from groundswell.records import Json

MARK = re.compile(r"^prompt:\s*", re.IGNORECASE | re.MULTILINE)


class Marked:
    """`groundswell.ports.Reader`. `load` gives a picture's bytes by its digest."""

    name = "marked"
    version = 1

    def __init__(self, load: Callable[[str], bytes]) -> None:
        self._local = LocalReader(load)

    async def read(self, question: str, material: Json) -> Json:
        """The answer in the question's form, or None where it is open."""
        if question == "relevance":
            found = _marked(material) is not None
            return {"score": 5 if found else 1, "why": "it is marked" if found else "it is not marked"}
        if question == "prompt":
            return await asyncio.to_thread(_prompt, material)
        return await self._local.read(question, material)


def _prompt(material: Json) -> Json:
    text = _marked(material)
    if text is None:
        return None
    opening = _opening(material)
    task = "edit" if "this photo" in text or "this picture" in text else "t2i"
    return {"text": text, "clean": text, "posts": [opening["key"]], "task": task, "why": "it is marked"}


def _opening(material: Json) -> Json:
    talk = material["conversation"]
    return talk["posts"][talk.get("main", 0)]


def _marked(material: Json) -> str | None:
    """The first line or paragraph after the mark in the main post."""
    _, *after = MARK.split(_opening(material)["text"], maxsplit=1)
    return after[0].strip().partition("\n")[0] or None if after else None
