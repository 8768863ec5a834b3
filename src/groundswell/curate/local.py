"""The local reader: every question answered in this process by rules and small models; no key, no network.

It follows no instruction in what it reads, because it reads words and not meaning. What it cannot tell it leaves open.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import msgspec

from groundswell.curate import blanks, cues, feedback, prompts, quality, relevance, roles
from groundswell.curate.conversation import Conversation
from groundswell.curate.nearness import leaning, nearness
from groundswell.curate.questions import Blanks, Box, Comments, Prompt, Question, Roles
from groundswell.errors import GroundswellError
from groundswell.records import Json, Part

VERSION = 5
"""Of the rules and word lists; raised with every change of either, so that posts are read again."""


SAME_SCENE = 0.6
"""Likeness of shapes from which two pictures are before and after; pictures of one prompt may be composed alike."""

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
                return self._worked_on(
                    prompts.find_prompt(talk) or self._typed(talk) or prompts.beside_pictures(talk), talk
                )
            case Question.ROLES:
                return roles.find_roles(talk, given.prompt, self._parts)
            case Question.BLANKS:
                return blanks.fill(given.prompt.text, talk, self._shown(given)) if given.prompt else None
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

    def _worked_on(self, prompt: Prompt | None, talk: Conversation) -> Prompt | None:
        """The prompt, as an edit where the author's pictures show one scene twice, though its words do not say so."""
        if prompt is None or prompt.task == "edit" or cues.has(prompt.text, "twice"):
            return prompt
        if not self._twice([seen.digest for post in talk.posts if post.by == "author" for seen in post.pictures]):
            return prompt
        return msgspec.structs.replace(prompt, task="edit", why=f"{prompt.why}; the pictures show one scene twice")

    def _twice(self, digests: Sequence[str | None]) -> bool:
        from groundswell.curate.panels import panels, shows_twice
        from groundswell.pictures import UnreadablePicture, pixels

        seen = []
        for digest in dict.fromkeys(digests[:MOST_SCREENSHOTS]):
            try:
                shown = pixels(self._load(digest)) if digest else None
            except (UnreadablePicture, GroundswellError):
                continue
            if shown is None:
                continue
            parts = [shown[y1:y2, x1:x2] for x1, y1, x2, y2 in panels(shown)]
            if len(parts) == 2 and shows_twice(parts[0], parts[1]):
                return True
            seen.append(shown)
        return any(shows_twice(one, other, SAME_SCENE) for one, other in combinations(seen, 2))

    def _shown(self, given: Material) -> Sequence[str]:
        """The words in the pictures that were made of a template with one open place."""
        from groundswell.curate.screenshots import words_in
        from groundswell.pictures import UnreadablePicture

        if given.prompt is None or given.roles is None or len(blanks.places(given.prompt.text)) != 1:
            return ()
        seen = {
            (post.key, index): each for post in given.conversation.posts for index, each in enumerate(post.pictures)
        }
        made = (seen.get((each.post, each.index)) for each in given.roles.pictures if each.role == "output")
        found = []
        for digest in [each.digest for each in made if each is not None and each.digest][:MOST_SCREENSHOTS]:
            try:
                words = words_in(self._load(digest))
            except (UnreadablePicture, GroundswellError):
                continue
            if words is not None:
                found.append(words)
        return found

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
