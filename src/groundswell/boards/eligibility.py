"""Which votes count: flags first, then the cohort rule (METHODS, section 4).

A vote counts if both of its models qualify for it: one of the current cohort only for votes under the current
methodology, one of the legacy cohort for every vote. Who flagged a vote, and why, was decided elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec

from groundswell.records import Endpoint, Vote


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """What decides whether a vote counts.

    `endpoints` by name; `flags`: reason by the key of a vote; `modified`: whether modified endpoints are shown.
    """

    methodology: str | None
    endpoints: Mapping[str, Endpoint]
    flags: Mapping[str, str] = msgspec.field(default_factory=dict)
    modified: bool = False


def eligible(votes: Iterable[Vote], rules: Rules) -> tuple[list[Vote], dict[str, int]]:
    """The votes that count, and how many do not, by reason."""
    kept: list[Vote] = []
    left_out: Counter[str] = Counter()
    for vote in votes:
        why = why_not(vote, rules)
        if why is None:
            kept.append(vote)
        else:
            left_out[why] += 1
    return kept, dict(left_out)


def why_not(vote: Vote, rules: Rules) -> str | None:
    """Why a vote does not count; None = it does."""
    if rules.flags and (flag := rules.flags.get(vote.key)) is not None:
        return f"flagged: {flag}"
    for name in (vote.left, vote.right):
        endpoint = rules.endpoints.get(name)
        if endpoint is None:
            return "an endpoint of it is not known"
        if endpoint.modified and not rules.modified:
            return "a modified endpoint"
        if endpoint.cohort == "current" and vote.methodology != rules.methodology:
            return "cast under another methodology than its current-cohort models need"
    return None
