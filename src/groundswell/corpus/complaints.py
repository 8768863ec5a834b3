"""What people complain about: failures by kind, the words they use, and the metric that would show each kind.

Kinds come from the readers' answers. Failures of no known kind are clustered by meaning, so that a new kind shows
itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

PROPOSED: Mapping[str, str] = {"colour": "color", "identity": "face", "structure": "structure", "text": "text"}
"""Complaint -> the metric that would show it; every other kind has no metric yet."""

NO_METRIC = "no metric yet"

JOINED = 0.25
"""Cosine of centred vectors from which two complaints are one cluster."""


class Complaint(msgspec.Struct, frozen=True, kw_only=True):
    """A failure that somebody told of."""

    post: str
    text: str
    kind: str | None
    keywords: tuple[str, ...] = ()


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """Complaints that say the same."""

    name: str
    metric: str
    posts: tuple[str, ...]
    keywords: tuple[tuple[str, int], ...]
    """The most frequent words first."""


def kinds(complaints: Iterable[Complaint], embed: Callable[[Sequence[str]], NDArray[np.float32]]) -> list[Kind]:
    """Kinds of complaints, the most frequent first. `embed` gives a unit vector a text, centred."""
    by_kind: dict[str, list[Complaint]] = defaultdict(list)
    unknown: list[Complaint] = []
    for complaint in complaints:
        (unknown if complaint.kind is None else by_kind[complaint.kind]).append(complaint)
    for number, members in enumerate(_clusters(unknown, embed), start=1):
        by_kind[f"unnamed {number}"] = members
    found = [_kind(name, members) for name, members in by_kind.items()]
    return sorted(found, key=lambda kind: (-len(kind.posts), kind.name))


def _kind(name: str, members: Sequence[Complaint]) -> Kind:
    words = Counter(word for complaint in members for word in complaint.keywords)
    return Kind(
        name=name,
        metric=PROPOSED.get(name, NO_METRIC),
        posts=tuple(complaint.post for complaint in members),
        keywords=tuple(words.most_common(8)),
    )


def _clusters(
    complaints: Sequence[Complaint], embed: Callable[[Sequence[str]], NDArray[np.float32]]
) -> list[list[Complaint]]:
    """Average-linkage clusters by meaning, the largest first."""
    if len(complaints) < 2:
        return [list(complaints)] if complaints else []
    from scipy.cluster.hierarchy import fcluster, linkage

    vectors = embed([complaint.text for complaint in complaints])
    labels = fcluster(linkage(vectors, "average", metric="cosine"), 1 - JOINED, criterion="distance")
    found = [[complaints[at] for at in np.flatnonzero(labels == label)] for label in np.unique(labels)]
    return sorted(found, key=len, reverse=True)
