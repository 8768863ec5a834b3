"""The questions of curation, the form of each answer, and how an answer that came is checked against it.

Every reader answers in these forms. A question has a version: with it changes what counts as already answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal

import msgspec

from groundswell.errors import PluginError
from groundswell.records import Json, Part


class Question(StrEnum):
    """What readers are asked: RELEVANCE of a post, SCREENSHOT of a picture, the others of a thread."""

    RELEVANCE = "relevance"
    PROMPT = "prompt"
    ROLES = "roles"
    BLANKS = "blanks"
    FEEDBACK = "feedback"
    QUALITY = "quality"
    SCREENSHOT = "screenshot"


OF_THREADS = (Question.PROMPT, Question.ROLES, Question.BLANKS, Question.FEEDBACK, Question.QUALITY)
"""In the order in which each needs the ones before."""


class Answer(Part, frozen=True, kw_only=True):
    """An answer; `why` are the reader's words for it."""

    why: str = ""


class Relevance(Answer, frozen=True, kw_only=True):
    """1 certainly trash, 2 very likely irrelevant, 3 ambiguous, 4 very likely relevant, 5 certainly relevant."""

    score: Literal[1, 2, 3, 4, 5]


KEPT = 4
"""Posts of this relevance and above go on."""


class Prompt(Answer, frozen=True, kw_only=True):
    """The instruction that was given to the image model, word for word, and where it stands."""

    text: str
    clean: str
    """Without links, hashtags and marks that are no part of the instruction."""
    posts: tuple[str, ...]
    """Keys of the posts that hold it, in its order."""
    task: Literal["t2i", "edit"]
    about: str | None = None
    """The image model that the thread is about, by its usual name."""
    picture: str | None = None
    """Digest of the screenshot in which it is typed, where no post says it in words."""
    material: str | None = None
    """What the instruction works on besides pictures and nobody gave (an article to illustrate)."""


class PictureRole(Part, frozen=True, kw_only=True):
    """What one picture of a thread is."""

    post: str
    index: int
    """Place among the pictures of its post, from 0."""
    role: Literal["input", "output", "combined", "neither"]
    why: str = ""
    boxes: tuple[Box, ...] = ()
    """Where the pictures within a combined one are."""


class Box(Part, frozen=True, kw_only=True):
    """A picture within a picture, in pixels after EXIF rotation."""

    role: Literal["input", "output"]
    box: tuple[int, int, int, int]
    """x1, y1, x2, y2."""


class Roles(Answer, frozen=True, kw_only=True):
    pictures: tuple[PictureRole, ...]


class Blank(Part, frozen=True, kw_only=True):
    """An open place of a template."""

    place: str
    """As it stands in the prompt, e.g. {city}."""
    name: str
    value: str | None = None
    """None = nothing in the thread says it for sure."""
    source: str | None = None
    """Key of the post that says it."""


class Blanks(Answer, frozen=True, kw_only=True):
    blanks: tuple[Blank, ...]
    filled: str | None = None
    """The prompt with every place filled; None where one stays open."""


class Comment(Part, frozen=True, kw_only=True):
    """What a post says of the outputs."""

    post: str
    text: str
    verdict: Literal["success", "failure", "neither"]
    keywords: tuple[str, ...] = ()
    complaint: str | None = None
    """Kind of failure, where it is one that is known."""


class Comments(Answer, frozen=True, kw_only=True):
    comments: tuple[Comment, ...]


class Quality(Answer, frozen=True, kw_only=True):
    label: Literal["Benchmark", "Analysis", "Trash"]


class Screenshot(Answer, frozen=True, kw_only=True):
    """What a picture of a program's window shows; no prompt and no boxes where it is no such picture."""

    prompt: str | None = None
    boxes: tuple[Box, ...] = ()


FORMS: Mapping[Question, type[Answer]] = {
    Question.RELEVANCE: Relevance,
    Question.PROMPT: Prompt,
    Question.ROLES: Roles,
    Question.BLANKS: Blanks,
    Question.FEEDBACK: Comments,
    Question.QUALITY: Quality,
    Question.SCREENSHOT: Screenshot,
}


def checked(question: Question, answer: Json) -> Any:
    """The answer in its form. Raises PluginError when a reader answered in another."""
    try:
        return msgspec.convert(answer, FORMS[question])
    except msgspec.ValidationError as error:
        raise PluginError(f"the answer about {question} is not in its form: {error}") from None
