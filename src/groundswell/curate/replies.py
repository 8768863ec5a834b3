"""The forms in which a model replies, where they differ from the answers: boxes as it measures them.

A box has its coordinates by name, so that no order is left to guess, and its picture the frame that they count in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from groundswell.curate.questions import FORMS, Answer, Question
from groundswell.records import Part


class MeasuredBox(Part, frozen=True, kw_only=True):
    role: Literal["input", "output"]
    x1: float
    y1: float
    x2: float
    y2: float


class MeasuredRole(Part, frozen=True, kw_only=True):
    post: str
    index: int
    role: Literal["input", "output", "combined", "neither"]
    why: str = ""
    frame: tuple[float, float] | None = None
    """Width and height that the boxes are measured in."""
    boxes: tuple[MeasuredBox, ...] = ()


class MeasuredRoles(Answer, frozen=True, kw_only=True):
    pictures: tuple[MeasuredRole, ...]


class MeasuredScreenshot(Answer, frozen=True, kw_only=True):
    prompt: str | None = None
    frame: tuple[float, float] | None = None
    boxes: tuple[MeasuredBox, ...] = ()


REPLIES: Mapping[Question, type[Answer]] = {
    **FORMS,
    Question.ROLES: MeasuredRoles,
    Question.SCREENSHOT: MeasuredScreenshot,
}


def schema(question: Question) -> dict[str, Any]:
    """JSON schema of a model's reply, with its definitions in it."""
    found: dict[str, Any] = msgspec.json.schema(REPLIES[question])
    return found
