"""The local reader: every question answered in this process by rules and small models; no key, no network.

It follows no instruction in what it reads, because it reads words and not meaning. What it cannot tell it leaves open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from groundswell.curate import blanks, feedback, prompts, quality, relevance, roles
from groundswell.curate.conversation import Conversation
from groundswell.curate.nearness import leaning, nearness
from groundswell.curate.questions import Blanks, Box, Comments, Prompt, Question, Roles
from groundswell.errors import GroundswellError
from groundswell.records import Json, Part

VERSION = 4
"""Of the rules and word lists; raised with every change of either, so that posts are read again."""


MOST_SCREENSHOTS = 4
"""Pictures of a thread that are looked at for an instruction; reading one takes a second."""


class Material(Part, frozen=True, kw_only=True):
    """What a question comes with: a conversation, and what earlier questions about it have given."""

    conversation: Conversation
    prompt: Prompt | None = None
    roles: Roles | None = None
    blanks: Blanks | None = None
    feedback: Comments | None = None


class LocalReader:
    """`ports.Reader`. `load` gives a picture's bytes by its digest."""

    name = "local"
    version = VERSION

    def __init__(self, load: Callable[[str], bytes]) -> None:
        self._load = load

    async def read(self, question: str, material: Json) -> Json:
        """The answer in the question's form, or None where the rules leave it open."""
        return await asyncio.to_thread(self._answer, Question(question), material)

    def _answer(self, question: Question, material: Json) -> Json:
        if question is Question.SCREENSHOT:
            from groundswell.curate.screenshots import read_screenshot

            return msgspec.to_builtins(read_screenshot(self._load(material["digest"])))
        return msgspec.to_builtins(self._of_thread(question, msgspec.convert(material, Material)))

    def _of_thread(self, question: Question, given: Material) -> Any:
        talk = given.conversation
        match question:
            case Question.RELEVANCE:
                return relevance.score(talk, nearness)
            case Question.PROMPT:
                return prompts.find_prompt(talk) or self._typed(talk) or prompts.beside_pictures(talk)
            case Question.ROLES:
                return roles.find_roles(talk, given.prompt, self._parts)
            case Question.BLANKS:
                return blanks.fill(given.prompt.text, talk) if given.prompt else None
            case Question.FEEDBACK:
                return feedback.find_comments(talk, given.prompt, leaning)
            case _:
                found = given.roles or Roles(pictures=())
                return quality.grade(talk, given.prompt, found, given.blanks, given.feedback or Comments(comments=()))

    def _typed(self, talk: Conversation) -> Prompt | None:
        """The instruction that a screenshot of the author's shows, where no post gives one."""
        from groundswell.curate.screenshots import read_screenshot
        from groundswell.pictures import UnreadablePicture

        digests = [(post, seen.digest) for post in talk.posts if post.by == "author" for seen in post.pictures]
        for post, digest in digests[:MOST_SCREENSHOTS]:
            try:
                shot = read_screenshot(self._load(digest)) if digest else None
            except (UnreadablePicture, GroundswellError):
                continue
            if shot is not None and shot.prompt is not None:
                return prompts.prompt_of(shot.prompt, talk, (post.key,), "typed in a screenshot", digest)
        return None

    def _parts(self, digest: str, window: bool) -> Sequence[Box]:
        """The pictures within a picture: a program's window, or a collage. None where it is single or unreadable."""
        from groundswell.curate.panels import panels
        from groundswell.curate.screenshots import read_screenshot, sides
        from groundswell.pictures import UnreadablePicture, pixels

        try:
            data = self._load(digest)
            return read_screenshot(data).boxes if window else sides(panels(pixels(data)))
        except (UnreadablePicture, GroundswellError):
            return ()
