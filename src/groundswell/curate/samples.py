"""From decisions to samples: for every thread the answers that stand, put together.

A person's answer stands before a reader's, a newer reading of a grown thread before an older one. A sample says whether
it can be run apart from how good it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundswell.curate.conversation import Conversation
from groundswell.curate.questions import (
    KEPT,
    OF_THREADS,
    Blanks,
    Comments,
    Prompt,
    Quality,
    Question,
    Roles,
    checked,
)
from groundswell.curate.stage import PERSON, is_unread
from groundswell.records import Decision, Feedback, Picture, Post, Sample

SUITE = "community"
"""Name of the suite that curated samples belong to."""

Crop = Callable[[Picture, tuple[int, int, int, int]], Picture | None]
"""Cuts a box out of a picture and keeps it; None where it cannot."""


@dataclass(frozen=True)
class Standing:
    """The decisions that stand, by subject and question."""

    by_place: Mapping[tuple[str, str], Decision]

    def answer(self, subject: str, question: Question) -> Any:
        """The answer in its form; None where there is none or the reader was unsure."""
        decision = self.by_place.get((subject, question))
        return None if decision is None or decision.answer is None else checked(question, decision.answer)


def standing(decisions: Iterable[Decision], reader: str, version: int) -> Standing:
    """The decisions that stand for one reader's work, in the order in which they were made."""
    found: dict[tuple[str, str], Decision] = {}
    for decision in decisions:
        place = (decision.subject, decision.question)
        person = decision.reader.startswith(PERSON)
        if not person and ((decision.reader, decision.version) != (reader, version) or is_unread(decision)):
            continue
        known = found.get(place)
        if known is None or _weight(decision) >= _weight(known):
            found[place] = decision
    return Standing(found)


def _weight(decision: Decision) -> tuple[bool, str]:
    person = decision.reader.startswith(PERSON)
    return (person, str(decision.evidence.get("time", "")) if person else "")


def compose(
    conversations: Sequence[Conversation],
    posts: Mapping[str, Post],
    decided: Standing,
    language: Callable[[str], str],
    crop: Crop,
) -> Iterator[Sample]:
    """A sample for every relevant thread that holds an instruction. `posts` by key."""
    for talk in conversations:
        main = talk.opening.key
        score = decided.answer(main, Question.RELEVANCE)
        prompt = decided.answer(main, Question.PROMPT)
        if score is None or score.score < KEPT or prompt is None:
            continue
        yield _sample(talk, posts, decided, prompt, (language, crop))


def _sample(
    talk: Conversation,
    posts: Mapping[str, Post],
    decided: Standing,
    prompt: Prompt,
    means: tuple[Callable[[str], str], Crop],
) -> Sample:
    language, crop = means
    main = talk.opening.key
    answers = {question: decided.answer(main, question) for question in OF_THREADS}
    blanks: Blanks | None = answers[Question.BLANKS]
    roles: Roles = answers[Question.ROLES] or Roles(pictures=())
    comments: Comments = answers[Question.FEEDBACK] or Comments(comments=())
    quality: Quality | None = answers[Question.QUALITY]
    template = blanks is not None and bool(blanks.blanks)
    filled = blanks.filled if template and blanks is not None else None
    text = filled or prompt.clean
    inputs, lacking = _inputs(posts, roles, crop) if prompt.task == "edit" else ((), None)
    if template and filled is None:
        lacking = "a blank is unfilled"
    told = [comment for comment in comments.comments if comment.verdict != "neither"]
    failures = sorted({comment.complaint for comment in told if comment.complaint})
    tags: dict[str, Any] = {"template": prompt.clean} if template else {}
    return Sample(
        suite=SUITE,
        task=prompt.task,
        prompts={language(text): text},
        label=talk.opening.key,
        inputs=inputs,
        feedback=tuple(Feedback(post=comment.post, text=comment.text) for comment in told),
        tags=tags | ({"complaints": failures} if failures else {}),
        origins=tuple(dict.fromkeys((main, *prompt.posts, *_sources(roles, blanks)))),
        about=prompt.about,
        not_runnable=lacking or (prompt.material and f"{prompt.material} is not posted"),
        quality=quality.label if quality else None,
    )


def _sources(roles: Roles, blanks: Blanks | None) -> Iterator[str]:
    """Posts that gave an input picture or the value of a blank."""
    yield from (each.post for each in roles.pictures if each.role in ("input", "combined"))
    yield from (blank.source for blank in (blanks.blanks if blanks else ()) if blank.source is not None)


def _inputs(posts: Mapping[str, Post], roles: Roles, crop: Crop) -> tuple[tuple[Picture, ...], str | None]:
    """Input pictures in order, and why they are not all at hand."""
    found: list[Picture] = []
    lacking: str | None = None
    wanted = 0
    for each in roles.pictures:
        if each.role not in ("input", "combined"):
            continue
        wanted += 1
        attachment = posts[each.post].pictures[each.index] if each.post in posts else None
        if attachment is None or attachment.picture is None:
            lacking = "an input picture is missing"
        elif each.role == "input":
            found.append(attachment.picture)
        else:
            parts = [crop(attachment.picture, box.box) for box in each.boxes if box.role == "input"]
            found += [part for part in parts if part is not None]
            if not parts or None in parts:
                lacking = "the input has not been cut out of its collage"
    return tuple(found), lacking if wanted else "no input picture was posted"
