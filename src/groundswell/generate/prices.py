"""What an output is expected to cost, and what it did cost once it came.

A price is what the workspace file states, dated and sourced; None is "not known" and never 0. What the host itself says
of a cost comes first, then tokens counted by the host, then the stated price.
"""

from __future__ import annotations

from groundswell.records import Answer, Broken, Declined, Endpoint, Sample, Usage
from groundswell.stats.prices import of_tokens, per_image

BYTES_PER_TOKEN = 3
"""Of UTF-8 text, on the safe side; for estimates only."""

PICTURE_TOKENS_IN = 1500
"""What a host counts for one picture that it reads, at most in ordinary settings; for estimates only."""

ERROR = 400
"""Statuses from here on are errors."""

CHAT_TOKENS_OUT = 1024
"""Room of a chat answer, for estimates only."""


def expected(endpoint: Endpoint, sample: Sample) -> float | None:
    """USD that one output will cost by the stated price; None = not known."""
    price = endpoint.price
    if price is None:
        return None
    if sample.task != "chat" and (stated := per_image(endpoint, sample.size)) is not None:
        return stated
    if price.per_call is not None:
        return price.per_call
    written = CHAT_TOKENS_OUT if sample.task == "chat" else price.tokens_per_image
    text = max((len(prompt.encode()) for prompt in sample.prompts.values()), default=0)
    read = text // BYTES_PER_TOKEN + PICTURE_TOKENS_IN * len(sample.inputs)
    return of_tokens(price, Usage(tokens_in=read, tokens_out=written))


def cost_after(came: Answer | Declined | Broken, endpoint: Endpoint, stated: float | None) -> float | None:
    """USD that asking did cost; None = not known. `stated` is what it was expected to cost.

    An error that the provider answers with an error's status is not billed by any host we know. A refusal, a broken
    download and a good status without anything usable may be: not known.
    """
    if stated == 0:
        return 0.0
    if came.cost is not None:
        return came.cost
    if isinstance(came, Answer):
        counted = None if endpoint.price is None else of_tokens(endpoint.price, came.usage)
        return stated if counted is None else counted
    unbilled = isinstance(came, Broken) and came.what == "provider" and (came.status or ERROR) >= ERROR
    return 0.0 if unbilled else None
