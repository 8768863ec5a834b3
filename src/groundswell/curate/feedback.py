"""What replies say of the outputs, by local rules: success, failure or neither, the words for it, the kind of failure.

A question, thanks, or talk about something else is no feedback. Irony is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from groundswell.curate import cues
from groundswell.curate.conversation import Conversation, SeenPost
from groundswell.curate.questions import Comment, Comments, Prompt

LONGEST = 400
"""Width of the longest reply that is taken for a remark on the output."""

DENIAL_REACHES = 14
"""Letters between a denial and what it denies (`not so good`)."""

Leaning = Callable[[str], str | None]
"""What a small model takes a text for, `success`, `failure` or `neither`; None = unsure."""

_CLAUSES = re.compile(r"[.!?;,。！？；，、\n]|\bbut\b|\bthough\b")
_FAILURES_THAT_STAND_ALONE = ("colour", "identity", "text", "following", "realism")


def find_comments(talk: Conversation, prompt: Prompt | None, leaning: Leaning | None = None) -> Comments:
    """A comment for every post but the main one and those that hold the instruction."""
    holding = prompt.posts if prompt else ()
    posts = [post for place, post in enumerate(talk.posts) if place > talk.main and post.key not in holding]
    return Comments(
        comments=tuple(_comment(post, leaning) for post in posts if post.text.strip()),
        why="words of praise and complaint, each told from its denial",
    )


def _comment(post: SeenPost, leaning: Leaning | None) -> Comment:
    verdict, words, complaint = judged(post.text, leaning, by_author=post.by == "author")
    return Comment(post=post.key, text=post.text, verdict=verdict, keywords=tuple(words), complaint=complaint)  # type: ignore[arg-type]


def judged(
    text: str, leaning: Leaning | None = None, *, by_author: bool = False
) -> tuple[str, Sequence[str], str | None]:
    """Verdict, the words it rests on, and the kind of failure."""
    if cues.size(text) > LONGEST:
        return "neither", (), None
    complaints = [*_about_topics(text)]
    complaints += [(kind, match) for kind in cues.kinds("failure") for match in _undenied(text, "failure", kind)]
    praise = [match.group().casefold() for match in _undenied(text, "success")]
    denied_praise = [match.group() for match in cues.pattern("success").finditer(text) if _is_denied(text, match)]
    asks = cues.has(text, "no_comment")
    if complaints and not (asks and text.rstrip().endswith(("?", "？"))):
        kind = complaints[0][0]
        plain = any(each in _FAILURES_THAT_STAND_ALONE for each, _ in complaints)
        if plain or not praise or re.search(r"\b(?:but|however|though|except)\b|但|不过|可惜|けど|ただ|しかし", text):
            return "failure", tuple(match.group().casefold() for _, match in complaints), kind
    if denied_praise and not praise and not asks:
        return "failure", tuple(word.casefold() for word in denied_praise), "realism"
    if asks or by_author:
        return "neither", (), None
    if praise:
        return "success", tuple(praise), None
    guess = leaning(text) if leaning else None
    if guess == "failure":
        return "failure", (), None
    return (guess or "neither"), (), None


def _about_topics(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """A part of the picture and a word for wrong, in one clause: `the letters are off`."""
    for clause in _CLAUSES.split(text):
        wrong = _undenied(clause, "wrong")
        if wrong:
            yield from ((kind, wrong[0]) for kind in cues.kinds("topic") if cues.pattern("topic", kind).search(clause))


def _undenied(text: str, group: str, kind: str | None = None) -> list[re.Match[str]]:
    return [match for match in cues.pattern(group, kind).finditer(text) if not _is_denied(text, match)]


def _is_denied(text: str, match: re.Match[str]) -> bool:
    before = text[max(0, match.start() - DENIAL_REACHES) : match.start()]
    behind = text[match.end() : match.end() + 5]
    return cues.has(before, "denied") or re.match(r"\s?(?:ない|なく|くない|지 않)", behind) is not None
