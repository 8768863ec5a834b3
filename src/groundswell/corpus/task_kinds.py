"""What kinds of tasks prompts ask for, by rules that are written down, and how often beside older prompt sets.

The rules stand in `task_kinds.json`: a name, what it means, and expressions in several languages; a prompt may be of
several kinds, or of none. They look at words alone, so that a set of bare prompts is counted as ours is. A kind is
said to be lacking in an older set only where the numbers of both sets carry it, never because a small set has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files

import msgspec

VERSION = 1
"""Of the rules; raised with every change, so that two countings are never compared by mistake."""

OTHER = "none of these"
"""Prompts that no rule knows."""

EXAMPLES = 3


class TaskKind(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A kind of task: a prompt is of it when any expression of `asks` is found in it."""

    name: str
    means: str
    asks: tuple[str, ...]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A prompt of ours, with the key of its sample and the sample's task."""

    sample: str
    text: str
    task: str


class Share(msgspec.Struct, frozen=True, kw_only=True):
    """How many prompts of a set are of a kind, with the 95 % Wilson interval of the share; none of no prompts."""

    n: int
    of: int
    low: float | None
    high: float | None


class KindRow(msgspec.Struct, frozen=True, kw_only=True):
    """A kind in ours and in every older set."""

    kind: str
    means: str
    ours: Share
    by_task: Mapping[str, int]
    """How many of ours, by the task of their sample (t2i, edit)."""
    older: Mapping[str, Share]
    lacking_in: tuple[str, ...]
    """Older sets whose interval ends below the beginning of ours."""
    unseen_in: tuple[str, ...]
    """Older sets with none of it; how rare it may be there all the same is their interval's upper end."""
    examples: tuple[Asked, ...]


class TaskKinds(msgspec.Struct, frozen=True, kw_only=True):
    """All kinds, those that older sets lack first, then by number; `why` says why nothing was compared."""

    rules: int
    prompts: int
    older: Mapping[str, int]
    """Prompts of every older set."""
    kinds: tuple[KindRow, ...]
    why: str | None = None


@cache
def known_kinds() -> tuple[TaskKind, ...]:
    """The kinds in the order of their file."""
    content = files(__package__).joinpath("task_kinds.json").read_bytes()
    return msgspec.json.decode(content, type=tuple[TaskKind, ...])


@cache
def _rules() -> Mapping[str, re.Pattern[str]]:
    return {kind.name: re.compile("|".join(kind.asks), re.IGNORECASE | re.MULTILINE) for kind in known_kinds()}


def kinds_of(prompt: str) -> tuple[str, ...]:
    """Names of the kinds that a prompt is of, in the order of their file; OTHER alone where it is of none."""
    found = tuple(name for name, rule in _rules().items() if rule.search(prompt))
    return found or (OTHER,)


def task_kinds(ours: Sequence[Asked], older: Mapping[str, Sequence[str]]) -> TaskKinds:
    """Kinds in ours beside older sets by name; a set without prompts is listed and compared with nothing."""
    mine = [(asked, kinds_of(asked.text)) for asked in ours]
    theirs = {name: [kinds_of(prompt) for prompt in prompts] for name, prompts in older.items()}
    told = [(kind.name, kind.means) for kind in known_kinds()] + [(OTHER, "no rule knows them")]
    rows = [_row(name, means, mine, theirs) for name, means in told]
    ranked = sorted(rows, key=lambda row: (-len(row.lacking_in), row.kind == OTHER, -row.ours.n))
    sizes = {name: len(prompts) for name, prompts in older.items()}
    why = None if any(sizes.values()) else "no older prompt set was given; name some with --older FILE"
    return TaskKinds(rules=VERSION, prompts=len(ours), older=sizes, kinds=tuple(ranked), why=why)


def _row(
    name: str,
    means: str,
    mine: Sequence[tuple[Asked, tuple[str, ...]]],
    theirs: Mapping[str, Sequence[tuple[str, ...]]],
) -> KindRow:
    members = [asked for asked, kinds in mine if name in kinds]
    ours = share(len(members), len(mine))
    older = {label: share(sum(name in kinds for kinds in found), len(found)) for label, found in theirs.items()}
    tasks = [asked.task for asked in members]
    return KindRow(
        kind=name,
        means=means,
        ours=ours,
        by_task={task: tasks.count(task) for task in dict.fromkeys(tasks)},
        older=older,
        lacking_in=tuple(label for label, found in older.items() if name != OTHER and _lower(found, ours)),
        unseen_in=tuple(label for label, found in older.items() if found.of and not found.n),
        examples=tuple(_different(members)),
    )


def _lower(found: Share, ours: Share) -> bool:
    return found.high is not None and ours.low is not None and found.high < ours.low


def _different(members: Iterable[Asked]) -> list[Asked]:
    """The first few that do not begin alike."""
    return list({asked.text[:40].casefold(): asked for asked in members}.values())[:EXAMPLES]


def share(n: int, of: int) -> Share:
    """n of `of` with the Wilson score interval of the share (Wilson, 1927), at 95 %."""
    if not of:
        return Share(n=n, of=of, low=None, high=None)
    from scipy.stats import binomtest

    interval = binomtest(n, of).proportion_ci(0.95, method="wilson")
    return Share(n=n, of=of, low=float(interval.low), high=float(interval.high))
