"""What a thread is good for, by local rules: Benchmark, Analysis or Trash, always with the reason.

A thread without every input picture, or with an open place, tells something about people and cannot be run as a task.
"""

from __future__ import annotations

import re

from groundswell.curate import cues
from groundswell.curate.conversation import Conversation
from groundswell.curate.questions import Blanks, Comments, Prompt, Quality, Roles

LEAST_WORDS = 15
"""Width under which an instruction leaves open what is wanted."""


def grade(
    talk: Conversation, prompt: Prompt | None, roles: Roles, blanks: Blanks | None, comments: Comments
) -> Quality:
    """The label of a relevant thread."""
    if prompt is None:
        told = any(comment.verdict != "neither" for comment in comments.comments)
        if told or any(post.pictures for post in talk.posts):
            return Quality(label="Analysis", why="no instruction is given in words")
        return Quality(label="Trash", why="no instruction, no picture and no word about an output")
    if prompt.material is not None:
        return Quality(label="Analysis", why=f"{prompt.material} is not posted")
    if blanks is not None and blanks.blanks and blanks.filled is None:
        return Quality(label="Analysis", why=blanks.why)
    if prompt.task == "edit" and not any(each.role in ("input", "combined") for each in roles.pictures):
        return Quality(label="Analysis", why="it needs an input picture that nobody posted")
    if cues.size(prompt.clean) < LEAST_WORDS or re.fullmatch(r"[\W\d_]*", prompt.clean):
        return Quality(label="Analysis", why="the instruction is too short to tell what is wanted")
    needs = "its input posted" if prompt.task == "edit" else "no input needed"
    return Quality(label="Benchmark", why=f"one instruction, complete, {needs}")
