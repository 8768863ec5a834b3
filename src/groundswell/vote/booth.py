"""From a sealed ballot and a choice to a vote on disk, and every reason why it is none.

This is the rule of the arena apart from HTTP and HTML: whose ballot it is, whether it was looked at long enough, and
whether it was used. Times are the server's own; what a page says of them can only make them shorter.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Literal

import msgspec

from groundswell.records import Vote, Winner
from groundswell.vote.ballots import Ballot, Side
from groundswell.vote.hall import CHOICES, Asked, Choice, Hall, Looked
from groundswell.vote.sealing import Expired, NotABallot, Seal
from groundswell.vote.writing import Writer

SIDES: tuple[Side, Side] = ("left", "right")

BALLOTS_REMEMBERED = 100_000
"""Ballots whose first look is remembered; one that was pushed out is timed from when it was issued."""

Refused = Literal["forged", "expired", "foreign", "unknown choice", "too early", "used", "withdrawn"]


class NoVote(Exception):
    """The answer does not count, and why. `asked` is there where the ballot is genuine and this session's own."""

    def __init__(self, why: Refused, asked: Asked | None = None) -> None:
        super().__init__(why)
        self.why: Refused = why
        self.asked = asked


class Cast(msgspec.Struct, frozen=True, kw_only=True):
    """An answer that is on disk."""

    asked: Asked
    choice: Choice


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a form brought: the sealed ballot, the choice, and how long the page says each side was seen."""

    sealed: str
    choice: str
    seen_left: float | None = None
    seen_right: float | None = None


class Booth:
    """Takes answers to ballots."""

    def __init__(
        self, hall: Hall, seal: Seal, writer: Writer, *, least_look: float, clock: Callable[[], float]
    ) -> None:
        self.hall = hall
        self.least_look = least_look
        self._seal = seal
        self._writer = writer
        self._clock = clock
        self._first_look: OrderedDict[tuple[str, Side], float] = OrderedDict()
        self._answers: OrderedDict[str, Choice] = OrderedDict()

    def opened(self, sealed: str) -> Asked:
        """What a sealed ballot stands for. Raises NoVote."""
        try:
            ballot = self._seal.open(sealed)
        except NotABallot:
            raise NoVote("forged") from None
        except Expired:
            raise NoVote("expired") from None
        asked = self.hall.find(ballot)
        if asked is None:
            raise NoVote("withdrawn")
        return asked

    def looks_at(self, ballot: Ballot, side: Side) -> None:
        """A picture of the ballot is being sent: from now on it can be seen."""
        self._first_look.setdefault((ballot.key, side), self._clock())
        while len(self._first_look) > 2 * BALLOTS_REMEMBERED:
            self._first_look.popitem(last=False)

    def cannot_show(self, ballot: Ballot) -> None:
        """A picture of the ballot is gone: its session is asked something else."""
        self.hall.release(ballot)

    def waits(self, ballot: Ballot) -> float:
        """Seconds until both sides have been there for the minimum look."""
        began = max(self._began(ballot, side) for side in SIDES)
        return max(0.0, began + self.least_look - self._clock())

    def _began(self, ballot: Ballot, side: Side) -> float:
        return max(ballot.issued, self._first_look.get((ballot.key, side), ballot.issued))

    async def cast(self, session: str, answer: Answer) -> Cast:
        """Take an answer; it is on disk when this returns. Raises NoVote."""
        asked = self.opened(answer.sealed)
        ballot = asked.ballot
        if ballot.session != session or ballot.left == ballot.right:
            raise NoVote("foreign")
        choice = next((choice for choice in CHOICES if choice == answer.choice), None)
        if choice is None:
            raise NoVote("unknown choice", asked)
        if ballot.key in self._answers:
            raise NoVote("used", asked)
        if choice != "skip" and self.waits(ballot) > 0:
            raise NoVote("too early", asked)
        unit, done = self.hall.written(asked, choice, self._looked(ballot, answer))
        if not await self._writer.write(unit, done):
            self.hall.release(ballot)
            raise NoVote("used", asked)
        self.hall.count(asked, done)
        self._answers[ballot.key] = choice
        if len(self._answers) > BALLOTS_REMEMBERED:
            self._answers.popitem(last=False)
        return Cast(asked=asked, choice=choice)

    def answered(self, ballot: Ballot, stored: Callable[[str], object]) -> Choice | None:
        """The answer that counts for a ballot which was used; `stored` finds records by key."""
        if (choice := self._answers.get(ballot.key)) is not None:
            return choice
        blank = Vote(sample="", left="", right="", winner=Winner.TIE, by="", ballot=ballot.key)
        vote = stored(blank.key)
        if isinstance(vote, Vote):
            return next(choice for choice in CHOICES if choice == vote.winner)
        return None

    def _looked(self, ballot: Ballot, answer: Answer) -> Looked:
        def seconds(side: Side, said: float | None) -> float | None:
            first = self._first_look.get((ballot.key, side))
            if first is None:
                return None
            there = self._clock() - max(first, ballot.issued)
            return there if said is None else min(there, max(0.0, said))

        return Looked(left=seconds("left", answer.seen_left), right=seconds("right", answer.seen_right))
