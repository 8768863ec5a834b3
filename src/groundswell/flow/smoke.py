"""One short question to a judge before outputs are paid for: a judge that never answers is found out while it is
cheap. A run does not ask it, because a run buys only what it was told to buy; `doctor` does."""

from __future__ import annotations

from groundswell.ask.asking import Desk, Question, Unanswered, put
from groundswell.records import Blocked, Dimension, Judgment, Rubric

QUESTION = Question(
    rubric=Rubric(
        name="smoke",
        text="This is a test of the connection. Answer with this line and nothing else:\nScore: 7",
        dimensions=(Dimension(name="Score", low=1, high=10, step=1),),
        rules={"max_tokens": 256},
    ),
    sample="",
    outputs=(),
)

SHOWN = 120
"""Characters of an answer that is shown because it cannot be read."""


async def fault_of(desk: Desk) -> str | None:
    """What is wrong with a judge's answer to the question, or why there is none; None = a score could be read."""
    came = await put(QUESTION, desk)
    match came:
        case Judgment():
            return None
        case Unanswered(broken=broken):
            return f"{broken.reason}; look at the judge's model, key and base_url"
        case Blocked(why=why):
            return f"its host refused the question: {why}"
        case _:
            return f"its answer cannot be read as a score: {(came.reply or 'empty')[:SHOWN]!r}"
