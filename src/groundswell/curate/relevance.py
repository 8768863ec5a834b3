"""Whether a post is about making pictures with a model, by local rules: instruction, pictures, models, noise.

Scores are ECHO's five. Where words leave it open, a small embedding model compares the post with written examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from groundswell.curate import cues
from groundswell.curate.conversation import Conversation
from groundswell.curate.prompts import Rank, edits, passage_of
from groundswell.curate.questions import Relevance

_OF_CUES = re.compile("[a-z\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", re.IGNORECASE)
"""Letters of the scripts in which there are word lists."""

Nearness = Callable[[str], float]
"""How much nearer a text is to relevant examples than to others, about -0.3 to 0.3."""


def score(talk: Conversation, nearness: Nearness | None = None) -> Relevance:
    """Relevance of the main post of `talk`, which may be alone in it."""
    post = talk.opening
    pictures = bool(post.pictures)
    named, made = bool(cues.models(post.text)), cues.has(post.text, "making")
    weak, noise = cues.has(post.text, "weak_models"), cues.hits(post.text, "noise")
    visual = len(cues.hits(post.text, "visual"))
    passage = passage_of(post)
    seen = pictures or named or made or weak or visual > 0 or (passage is not None and _may_be_seen(passage.text))
    marked = passage is not None and passage.rank is Rank.MARKED and seen
    if passage is not None and not noise and (pictures or named or made or marked):
        return Relevance(score=5, why=f"it holds an instruction: {passage.why}")
    if cues.has(post.text, "pointer") and (pictures or named or made or weak):
        return Relevance(score=5 if pictures else 4, why="it says where the instruction is")
    if passage is not None and seen and (marked or len(noise) < 2):
        return Relevance(score=4, why=f"it holds an instruction: {passage.why}")
    if pictures and (named or made) and not noise:
        return Relevance(score=4, why="a picture, and words that say a model made it")
    if not (pictures or named or made or weak or visual):
        return Relevance(score=1, why="no picture, no model, nothing that one can see")
    if noise and not (pictures and named and made):
        return Relevance(score=1 if len(noise) > 1 else 2, why=f"it is about something else: {', '.join(noise[:3])}")
    if cues.has(post.text, "no_ai"):
        return Relevance(score=2, why="it says that no model made it")
    return _open(post.text, showing=pictures and (named or made or weak), nearness=nearness)


def _may_be_seen(text: str) -> bool:
    """Whether a text asks for an edit, or is in a script in which there are no words to tell."""
    return edits(text) or _OF_CUES.search(text) is None


def _open(text: str, *, showing: bool, nearness: Nearness | None) -> Relevance:
    """What words leave open: nearest examples decide, and it stays open where they do not. `showing`: there is a
    picture, and a word for a model or for making it."""
    near = nearness(text) if nearness and text else 0.0
    if near > 0 and showing:
        return Relevance(score=4, why=f"a picture, and nearer to posts about made pictures (by {near:.3f})")
    if near < 0:
        return Relevance(score=2, why=f"nearer to posts about other things (by {-near:.3f})")
    return Relevance(score=3, why="words and examples leave it open")
