"""The arena in memory: what can be drawn, what was voted, what each session has seen, and the ballot it holds open.

Everything here can be built again from the store's records; nothing is lost with it but the open ballots, which are
drawn anew. It does not know HTTP, pictures' bytes or the disk. Not safe for several threads at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from typing import Literal

import msgspec
import numpy as np

from groundswell.records import Done, Skip, Unit, UnitState, Vote, Winner
from groundswell.stats.bradley_terry import ELO
from groundswell.stats.intervals import NORMAL
from groundswell.stats.pairing import Belief
from groundswell.stats.votes import Floats
from groundswell.vote.ballots import LIFETIME_SECONDS, Ballot
from groundswell.vote.pairing import Counts, Entry, Pair, Pool, Shown, chances, draw, pair_of
from groundswell.vote.voters import is_expert, is_simulated

STAGE = "vote"
"""Name under which ballots are counted by `status`: a vote is a unit that is done, a skip one that was refused."""

REFRESH_VOTES, REFRESH_SECONDS = 50, 5.0
"""How old the belief may be on which pairs are drawn."""

MEMORY_SECONDS = 30 * 86_400.0
"""Votes that are older are counted, but what their session has seen is no longer remembered: its cookie has expired."""

CENTRE = 1000.0

Choice = Literal["left", "right", "tie", "both_bad", "skip"]
CHOICES: tuple[Choice, ...] = ("left", "right", "tie", "both_bad", "skip")
POINTS = {Winner.LEFT: 1.0, Winner.RIGHT: 0.0, Winner.TIE: 0.5, Winner.BOTH_BAD: 0.5}


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """What is believed of a model just now: rating about the mean of 1000 with its 95 % interval."""

    model: str
    rating: float
    low: float
    high: float


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A ballot with what it stands for here."""

    ballot: Ballot
    entry: Entry
    left: Shown
    right: Shown


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds for which each picture was there to be looked at; None = not known."""

    left: float | None = None
    right: float | None = None


class Hall:
    """Draws ballots and counts votes."""

    def __init__(self, pool: Pool, *, methodology: str, clock: Callable[[], float], rng: np.random.Generator) -> None:
        self.pool = pool
        self._methodology = methodology
        self._clock = clock
        self._rng = rng
        self._entries = {entry.sample.key: entry for entry in pool.entries}
        self._counts = Counts(len(pool.models))
        self._seen: dict[str, dict[str, set[Pair]]] = defaultdict(dict)
        self._open: dict[str, Ballot] = {}
        self._met: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
        self._beliefs: dict[str, Belief] = {}
        self._wanted: dict[str, Floats] = {}
        self._fresh_until, self._votes_until = 0.0, 0
        self.votes = 0
        self.simulated = False
        """Whether simulated voters cast any of them: every page says so."""
        self.cast_by: dict[str, int] = defaultdict(int)
        self.ranked: dict[str, set[str]] = defaultdict(set)
        """Samples that each expert has ranked; rankings are comparisons, too, and were not drawn here."""
        self._followed: list[Vote] | None = None

    # --- what was voted before --------------------------------------------------------------------------------

    def recall(self, records: Iterable[Vote | Skip]) -> None:
        """Count votes and skips of the store."""
        horizon = self._clock() - MEMORY_SECONDS
        for record in records:
            if not isinstance(record, Vote):
                continue
            if is_expert(record):
                self.ranked[record.by].add(record.sample)
            if record.probability is None:
                continue
            self._count(record)
            left, right = record.left_output, record.right_output
            recent = record.time is not None and record.time.timestamp() > horizon
            if recent and left is not None and right is not None:
                self._remember(record.by, record.sample, pair_of(left, right))

    def _count(self, vote: Vote) -> None:
        self.votes += 1
        self.simulated = self.simulated or is_simulated(vote)
        self.cast_by[vote.by] += 1
        entry = self._entries.get(vote.sample)
        first, second = self.pool.number.get(vote.left), self.pool.number.get(vote.right)
        if entry is None or first is None or second is None:
            return
        points = POINTS[vote.winner]
        self._counts.add(entry.cell, first, second, points)
        if vote.winner in (Winner.LEFT, Winner.RIGHT):
            self._met[vote.left, vote.right][points == 0.0] += 1
            self._met[vote.right, vote.left][points == 1.0] += 1

    def _remember(self, session: str, sample: str, pair: Pair) -> None:
        self._seen[session].setdefault(sample, set()).add(pair)

    # --- ballots ----------------------------------------------------------------------------------------------

    def ask(self, session: str) -> Asked | None:
        """The session's ballot: the one it holds, else a new draw. None = there is nothing that it has not seen."""
        held = self._open.get(session)
        if held is not None and self._clock() - held.issued < LIFETIME_SECONDS / 2 and (asked := self.find(held)):
            return asked
        self._refresh()
        seen = self._seen.get(session, {})
        nothing: Collection[Pair] = ()
        drawn = draw(self.pool, self._counts, self._wanted, lambda key: seen.get(key, nothing), self._rng)
        if drawn is None:
            return None
        ballot = Ballot(
            session=session,
            sample=drawn.entry.sample.key,
            left=drawn.left.output,
            right=drawn.right.output,
            probability=drawn.probability,
            issued=self._clock(),
            golden=drawn.golden,
        )
        self._hold(ballot)
        return Asked(ballot=ballot, entry=drawn.entry, left=drawn.left, right=drawn.right)

    def _hold(self, ballot: Ballot) -> None:
        """Keep a ballot open, and forget those that have expired: whoever comes without a cookie never answers."""
        self._open.pop(ballot.session, None)
        self._open[ballot.session] = ballot  # the last to come is the last to expire
        while self._clock() - next(iter(self._open.values())).issued > LIFETIME_SECONDS:
            del self._open[next(iter(self._open))]

    def find(self, ballot: Ballot) -> Asked | None:
        """What a ballot stands for; None when its sample or outputs are no longer shown."""
        entry = self._entries.get(ballot.sample)
        if entry is None:
            return None
        shown = {each.output: each for each in (*entry.outputs, *entry.decoys)}
        if ballot.left not in shown or ballot.right not in shown:
            return None
        return Asked(ballot=ballot, entry=entry, left=shown[ballot.left], right=shown[ballot.right])

    def holds(self, ballot: Ballot) -> bool:
        """Whether this is the ballot that its session has open."""
        return self._open.get(ballot.session) == ballot

    def written(self, asked: Asked, choice: Choice, looked: Looked) -> tuple[Unit, Done]:
        """The answer to a ballot as the store takes it."""
        now = datetime.fromtimestamp(self._clock(), UTC)
        ballot = asked.ballot
        unit = Unit(key=ballot.key, payload=None)
        if choice == "skip":
            skip = Skip(
                ballot=ballot.key,
                sample=ballot.sample,
                left=asked.left.model,
                right=asked.right.model,
                by=ballot.session,
                time=now,
            )
            return unit, Done(state=UnitState.REFUSED, records=(skip,), cost=0.0, why="skipped")
        vote = Vote(
            sample=ballot.sample,
            left=asked.left.model,
            right=asked.right.model,
            winner=Winner(choice),
            by=ballot.session,
            left_output=ballot.left,
            right_output=ballot.right,
            probability=ballot.probability,
            ballot=ballot.key,
            seconds_left=looked.left,
            seconds_right=looked.right,
            methodology=self._methodology,
            time=now,
        )
        return unit, Done(state=UnitState.DONE, records=(vote,), cost=0.0)

    def count(self, asked: Asked, done: Done) -> None:
        """Count an answer that is on disk; its session is not asked this again."""
        ballot = asked.ballot
        self._remember(ballot.session, ballot.sample, pair_of(ballot.left, ballot.right))
        self._open.pop(ballot.session, None)
        for record in done.records:
            if isinstance(record, Vote):
                self._count(record)
                if self._followed is not None:
                    self._followed.append(record)

    def release(self, ballot: Ballot) -> None:
        """The session has answered this one elsewhere: it gets another."""
        self._remember(ballot.session, ballot.sample, pair_of(ballot.left, ballot.right))
        self._open.pop(ballot.session, None)

    # --- what is believed -------------------------------------------------------------------------------------

    def standing(self, task: str, model: str) -> Standing | None:
        """A model's provisional rating; None for one that is no model of the pool (a golden pair's decoy)."""
        number = self.pool.number.get(model)
        if number is None:
            return None
        self._refresh()
        belief = self._beliefs[task]
        rating = CENTRE + ELO * float(belief.strength[number] - belief.strength.mean())
        # of the difference to the mean of all: how high they all stand together is not known and not said
        among = belief.covariance
        variance = among[number, number] - 2 * among[number].mean() + among.mean()
        spread = NORMAL * ELO * float(np.sqrt(variance))
        return Standing(model=model, rating=rating, low=rating - spread, high=rating + spread)

    def agreement(self, left: str, right: str) -> tuple[int, int]:
        """Decisive votes on two models so far: for the first, for the second."""
        wins = self._met.get((left, right), [0, 0])
        return wins[0], wins[1]

    def _refresh(self) -> None:
        now = self._clock()
        if self._beliefs and now < self._fresh_until and self.votes < self._votes_until:
            return
        for task in {cell[0] for cell in self.pool.cells}:
            self._beliefs[task] = self._counts.belief(task)
            self._wanted[task] = chances(self._beliefs[task], self._rng)
        self._fresh_until, self._votes_until = now + REFRESH_SECONDS, self.votes + REFRESH_VOTES

    def follow(self) -> None:
        """Keep the votes that are cast from now on, for the hall that is being made to `take_over`."""
        self._followed = []

    def take_over(self, other: Hall) -> None:
        """Keep the ballots that sessions hold open at an older hall, and count the votes that came there while this one
        was read from the store, but for those that were read."""
        self._open = dict(other._open)
        for vote in other._followed or ():
            pair = pair_of(str(vote.left_output), str(vote.right_output))
            if pair not in self._seen.get(vote.by, {}).get(vote.sample, ()):
                self.recall([vote])
