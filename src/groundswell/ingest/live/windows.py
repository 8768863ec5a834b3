"""Which pages of a platform are still missing: windows of searches, pages of a window, conversations of what was found.

Everything follows from the stored `Pull`s, so a killed run goes on where its last stored page ended. Pure.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

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


class Ledger:
    """The pages of one source that are in the store."""

    def __init__(self, source: str, pulls: Iterable[Pull]) -> None:
        self.source = source
        self._pages: dict[tuple[object, ...], Pull] = {}
        self._firsts: dict[str, list[Pull]] = {}
        """First pages of searches, by query."""
        self.add(pulls)

    def add(self, pulls: Iterable[Pull]) -> None:
        """Enter pages; those of other sources are passed over."""
        for pull in pulls:
            if pull.source == self.source:
                self._pages[pull.identity()] = pull
                if pull.what == "search" and pull.cursor is None:
                    self._firsts.setdefault(pull.query, []).append(pull)

    def missing(self, wanted: Sequence[Wanted]) -> Iterator[Pull]:
        """The next page of everything that is not at its end: unfinished searches, then new ones, then threads."""
        searches = self.searches(wanted)
        yield from (head for _, _, head in searches if head is not None)
        yield from self._threads([page for _, pages, _ in searches for page in pages])

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
