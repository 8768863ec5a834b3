"""Which pages of a platform are still missing: windows of searches, pages of a window, conversations of what was found.

Everything follows from the stored `Pull`s, so a killed run goes on where its last stored page ended. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from groundswell.records import Pull

EARLIEST = datetime.min.replace(tzinfo=UTC)
"""Stands for a window that has no beginning."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A search that somebody wants: words, from (inclusive) and to (exclusive)."""

    query: str
    since: datetime | None = None
    until: datetime


def gaps(wanted: Wanted, covered: Iterable[tuple[datetime | None, datetime | None]]) -> list[Wanted]:
    """The parts of a window that no other one covers, oldest first."""
    start = wanted.since or EARLIEST
    open_at, found = start, []
    for since, until in sorted((since or EARLIEST, until or wanted.until) for since, until in covered):
        if since > open_at and open_at < wanted.until:
            found.append((open_at, min(since, wanted.until)))
        open_at = max(open_at, until)
    if open_at < wanted.until:
        found.append((open_at, wanted.until))
    return [Wanted(query=wanted.query, since=None if a == EARLIEST else a, until=b) for a, b in found]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revisits:
    """How conversations are looked at again for replies that came later."""

    now: datetime
    window: timedelta
    """How long after the search that found it a conversation is looked at again."""
    most: int
    """Conversations of one run."""
    every: timedelta = timedelta(days=1)
    earliest: datetime | None = None
    """How far back the platform goes; None = as far as it likes."""


class Ledger:
    """The pages of one source that are in the store."""

    def __init__(self, source: str, pulls: Iterable[Pull]) -> None:
        self.source = source
        self._pages: dict[tuple[object, ...], Pull] = {}
        self._firsts: dict[str, list[Pull]] = {}
        """First pages of searches, by query."""
        self._visits: dict[str, list[Pull]] = {}
        """First pages of later looks at a conversation, by its id: from the look before (`since`) up to then."""
        self.add(pulls)

    def add(self, pulls: Iterable[Pull]) -> None:
        """Enter pages; those of other sources are passed over."""
        for pull in pulls:
            if pull.source == self.source:
                self._pages[pull.identity()] = pull
                if pull.what == "search" and pull.cursor is None:
                    self._firsts.setdefault(pull.query, []).append(pull)
                elif pull.until is not None and pull.cursor is None:
                    self._visits.setdefault(pull.query, []).append(pull)

    def missing(self, wanted: Sequence[Wanted]) -> Iterator[Pull]:
        """The next page of everything that is not at its end: unfinished searches, then new ones, then threads."""
        searches = self.searches(wanted)
        yield from (head for _, _, head in searches if head is not None)
        yield from self._threads([page for _, pages, _ in searches for page in pages])

    def revisits(self, wanted: Sequence[Wanted], rule: Revisits) -> Iterator[Pull]:
        """The next pages of later looks at the conversations of what these searches found: of those that are under way,
        then of those that are due, the one that has waited longest first."""
        due: list[tuple[datetime, str]] = []
        for conversation, found_at in self._conversations(wanted).items():
            last, gone = found_at, False
            if (visit := self._latest_visit(conversation)) is not None:
                if (head := self._head(visit, self.pages(visit))) is not None:
                    yield head
                last, gone = visit.until or found_at, self.pages(visit)[0].gone
            if not gone and rule.now - rule.window <= found_at and last + rule.every <= rule.now:
                due.append((last, conversation))
        for last, conversation in sorted(due)[: max(0, rule.most - self.visited(rule.now))]:
            since = last if rule.earliest is None else max(last, rule.earliest)
            yield self._visit(conversation, since, rule.now)

    def visited(self, now: datetime) -> int:
        """How many conversations were looked at again in the run that began at this time."""
        return sum(visit.until == now for visits in self._visits.values() for visit in visits)

    def _latest_visit(self, conversation: str) -> Pull | None:
        """The last look at a conversation, as its first page was asked for."""
        windows = [(visit.until or EARLIEST, visit.since) for visit in self._visits.get(conversation, [])]
        if not windows:
            return None
        until, since = max(windows, key=lambda window: window[0])
        return self._visit(conversation, since, until)

    def _visit(self, conversation: str, since: datetime | None, until: datetime) -> Pull:
        return Pull(source=self.source, what="thread", query=conversation, since=since, until=until)

    def _conversations(self, wanted: Sequence[Wanted]) -> dict[str, datetime]:
        """The conversations of what was found, by their roots, as far as they were fetched to their end and are there;
        each with the end of the latest search that led to it."""
        times: dict[str, datetime] = {}
        for first, pages, _ in self.searches(wanted):
            for _, conversation in _pairs(pages):
                found = self.pages(Pull(source=self.source, what="thread", query=conversation))
                if found and not found[0].gone and found[-1].next is None:
                    for root in [further for _, further in _pairs(found)] or [conversation]:
                        times[root] = max(first.until or EARLIEST, times.get(root, EARLIEST))
        return times

    def searches(self, wanted: Sequence[Wanted]) -> list[tuple[Pull, list[Pull], Pull | None]]:
        """Every window of these searches as its first page asked, its pages so far, and the next one if it goes on."""
        chains = {each.identity(): each for query in wanted for each in self._searches(query)}
        found = [(first, self.pages(first)) for first in chains.values()]
        return [(first, pages, self._head(first, pages)) for first, pages in found]

    def pages(self, first: Pull) -> list[Pull]:
        """The stored pages of a chain in order. A cursor that comes again ends it: the host is going round."""
        found: list[Pull] = []
        seen: set[str | None] = set()
        place: str | None = None
        while place not in seen and (page := self._pages.get(_at(first, place).identity())):
            seen.add(place)
            found.append(page)
            if page.next is None:
                break
            place = page.next
        return found

    def _searches(self, wanted: Wanted) -> Iterator[Pull]:
        """Windows of a query that are begun, and those that its gaps make."""
        begun = self._firsts.get(wanted.query, [])
        yield from (self._search(wanted.query, pull.since, pull.until) for pull in begun)
        for gap in gaps(wanted, [(pull.since, pull.until) for pull in begun]):
            yield self._search(wanted.query, gap.since, gap.until)

    def _threads(self, found: Sequence[Pull]) -> Iterator[Pull]:
        """Pages of the conversations of what was found. Where a conversation is gone, the found post is asked for
        itself; where a thread's page names another conversation (its root), that one, too."""
        waiting = deque(_pairs(found))
        seen: set[str] = set()
        while waiting:
            post, conversation = waiting.popleft()
            first = Pull(source=self.source, what="thread", query=conversation)
            pages = self.pages(first)
            if pages and pages[0].gone and post != conversation:
                waiting.append((post, post))
            if conversation in seen:
                continue
            seen.add(conversation)
            waiting.extend(_pairs(pages))
            if (head := self._head(first, pages)) is not None:
                yield head

    def _search(self, query: str, since: datetime | None, until: datetime | None) -> Pull:
        return Pull(source=self.source, what="search", query=query, since=since, until=until)

    @staticmethod
    def _head(first: Pull, pages: Sequence[Pull]) -> Pull | None:
        """The page that comes after these; None when the chain is at its end."""
        if not pages:
            return first
        last = pages[-1]
        if last.next is None or any(last.next == page.cursor for page in pages):
            return None
        return msgspec.structs.replace(_at(first, last.next), reached=last.reached)


def _pairs(pages: Iterable[Pull]) -> Iterator[tuple[str, str]]:
    """What pages found, with the conversations of it that may be asked for."""
    return ((post, whose) for page in pages for post, whose in page.found if whose is not None)


def _at(first: Pull, cursor: str | None) -> Pull:
    return msgspec.structs.replace(first, cursor=cursor)
