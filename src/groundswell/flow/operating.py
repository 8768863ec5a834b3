"""What the operator of a workspace's arena sees and does."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from groundswell.flow.arena import DECOYS, arena_boards, flagged, hall, rulings
from groundswell.flow.prompts import OPERATOR, proposed, queue, rule
from groundswell.flow.tagging import confirm, propose, terms, waiting
from groundswell.flow.workspace import Workspace
from groundswell.records import Ruling, Sample, Skip, Vote
from groundswell.vote.booth import Booth
from groundswell.vote.operator import Overview
from groundswell.vote.rankings import rankings
from groundswell.vote.voters import is_expert

LATEST = 100
"""Rulings and sessions that the page lists."""


class WorkspaceDesk:
    """The desk of one workspace whose arena is open."""

    def __init__(self, space: Workspace, booth: Booth) -> None:
        self._space = space
        self._booth = booth

    def overview(self) -> Overview:
        """Everything at once, computed from the store as it is now."""
        space = self._space
        votes = [vote for vote in space.store.records(Vote) if not is_expert(vote)]
        flags = flagged(space, votes)
        ruled = rulings(space)
        samples = {sample.key: sample for sample in space.store.records(Sample)}
        log = sorted(space.store.records(Ruling), key=lambda each: each.time, reverse=True)
        pool = self._booth.hall.pool
        return Overview(
            counts={
                "votes": len(votes),
                "golden pairs": sum(bool(DECOYS & {vote.left, vote.right}) for vote in votes),
                "skips": sum(1 for _ in space.store.records(Skip)),
                "sessions": len({vote.by for vote in votes}),
                "prompts": len(pool.entries),
                "models": len(pool.models),
            },
            reasons=Counter(flags.values()),
            sessions=_sessions(votes, flags, ruled),
            boards=_boards(space, flags),
            cells=_cells(self._booth, votes),
            queue=[{**row, "subject": row["sample"]} for row in queue(space)],
            tags=[{**row, "subject": row["sample"]} for row in waiting(space)[:LATEST]],
            terms={axis: list(words) for axis, words in terms().items()},
            proposals=[
                {**msgspec.to_builtins(each), "subject": each.sample, "prompt": _prompt(samples, each.sample)}
                for each in proposed(space, "slope", flags)
                if each.verdict in ("retire", "reversed")
            ],
            retired=[
                {"subject": key, "prompt": _prompt(samples, key), "why": each.why, "time": _date(each)}
                for key, each in ruled.items()
                if each.what == "retire"
            ],
            withdrawn=space.store.tombstones()[:LATEST],
            log=[
                {**msgspec.to_builtins(each), "time": _date(each), "about": _prompt(samples, each.subject)}
                for each in log[:LATEST]
            ],
        )

    def simulated(self) -> bool:
        return self._booth.hall.simulated

    def rule(self, subject: str, what: str, why: str) -> None:
        rule(self._space, [subject], what, why or "by the operator's page", by=OPERATOR)

    def tag(self, subject: str, tags: Mapping[str, Any]) -> None:
        confirm(self._space, {subject: tags}, by=OPERATOR)

    def propose(self) -> None:
        propose(self._space)

    def reload(self) -> None:
        old = self._booth.hall
        old.follow()
        fresh = hall(self._space)
        fresh.take_over(old)
        self._booth.hall = fresh

    def rankings(self) -> str:
        rows = rankings(self._space.store.records(Vote))
        return "".join(msgspec.json.encode(row).decode() + "\n" for row in rows)


def _sessions(votes: Sequence[Vote], flags: Mapping[str, str], ruled: Mapping[str, Ruling]) -> list[dict[str, Any]]:
    """Sessions with a flag or a ruling, the most flagged first."""
    cast: Counter[str] = Counter()
    why: dict[str, Counter[str]] = defaultdict(Counter)
    for vote in votes:
        cast[vote.by] += 1
        if (reason := flags.get(vote.key) if flags else None) is not None:
            why[vote.by][reason] += 1
    doubtful = {*why, *(subject for subject, each in ruled.items() if subject in cast)}
    rows: list[dict[str, Any]] = [
        {
            "session": session[:12],
            "subject": session,
            "votes": cast[session],
            "flagged": sum(why[session].values()),
            "why": "; ".join(why[session]),
            "ruling": ruled[session].what if session in ruled else None,
        }
        for session in doubtful
    ]
    return sorted(rows, key=lambda row: -row["flagged"])[:LATEST]


def _boards(space: Workspace, flags: Mapping[str, str]) -> list[dict[str, Any]]:
    """The boards over everything, each with the number of boards of its slices."""
    made = arena_boards(msgspec.structs.replace(space, store=space.store.with_withdrawn()), flags)
    slices = Counter(board.name.partition("/")[0] for board in made if "/" in board.name)
    return [
        {
            "board": board.name,
            "votes": sum(row.games for row in board.ratings) // 2,
            "models": len(board.ratings),
            "leader": ", ".join(row.model for row in board.ratings if row.rank_low == 1) or None,
            "slices": slices[board.name],
            "left_out": "; ".join(f"{count} {reason}" for reason, count in board.left_out.items()),
        }
        for board in made
        if "/" not in board.name
    ]


def _cells(booth: Booth, votes: Sequence[Vote]) -> list[dict[str, Any]]:
    pool = booth.hall.pool
    cell_of = {entry.sample.key: entry.cell for entry in pool.entries}
    cast = Counter(cell_of[vote.sample] for vote in votes if vote.sample in cell_of)
    return [
        {"task": cell[0], "use_case": cell[1], "capability": cell[2], "prompts": len(members), "votes": cast[cell]}
        for cell, members in zip(pool.cells, pool.members, strict=True)
    ]


def _prompt(samples: Mapping[str, Sample], key: str) -> str:
    """The prompt of a sample; of what is none (a session, a vote), the start of its key."""
    return next(iter(samples[key].prompts.values())) if key in samples else key[:12]


def _date(ruling: Ruling) -> str:
    return ruling.time.strftime("%Y-%m-%d %H:%M")
