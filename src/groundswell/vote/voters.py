"""Who may stand in a vote's `by`: the hash of a session, a simulated voter, or an expert of the panel."""

from __future__ import annotations

from groundswell.records import Vote

SIMULATED = "simulated-"
"""How the sessions of simulated voters begin: whoever shows their votes must say that no person cast them."""

EXPERT = "expert:"
"""How the names of experts begin, who rank all outputs of a sample and draw no ballots."""


def is_simulated(vote: Vote) -> bool:
    """Whether a simulated voter cast it."""
    return vote.by.startswith(SIMULATED)


def is_expert(vote: Vote) -> bool:
    """Whether it came from an expert's ranking."""
    return vote.by.startswith(EXPERT)
