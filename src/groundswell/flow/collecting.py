"""Collecting from live platforms into a workspace: which searches are wanted, and the run that fetches them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.config import CollectSettings, SourceSettings
from groundswell.errors import UserError
from groundswell.flow.community import keep_posts
from groundswell.flow.workspace import Workspace, author_salt
from groundswell.ingest.live.asking import PATIENCE, Session
from groundswell.ingest.live.collecting import Collect
from groundswell.ingest.live.fetching import FetchPictures
from groundswell.ingest.live.platform import Platform
from groundswell.ingest.live.windows import Ledger, Revisits, Wanted
from groundswell.ingest.reading import IngestResult, fuller
from groundswell.records import Post, Pull
from groundswell.wire.budget import Budget
from groundswell.wire.clock import Clock, SystemClock
from groundswell.wire.door import Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Limits, Line
from groundswell.work.engine import Engine, Tally
from groundswell.work.local import LocalPool

FIRST_DAYS = timedelta(days=14)
"""How long people talk about a new model before its name is how they talk about it."""

SETTLING = timedelta(seconds=60)
"""The newest posts are not in the platforms' indexes yet; X refuses to be asked for the last ten seconds."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a person asked to collect."""

    source: str
    queries: tuple[str, ...] = ()
    """Empty = the words of the workspace's `[[collect]]` tables."""
    since: datetime | None = None
    until: datetime | None = None
    pictures: bool = False
    """Whether the pictures that the platform's posts show are fetched, too."""
    allow_unknown_price: bool = False
    revisit_days: int = 7
    """How long after it was found a conversation is looked at again, once a day, for replies that came later."""
    revisits: int = 200
    """Conversations that one run looks at again, at most."""


def collect(
    space: Workspace,
    asked: Asked,
    observe: Callable[[Tally], None] | None = None,
    clock: Clock | None = None,
) -> dict[str, Any]:
    """Fetch what is missing of what is asked for; the JSON object of `groundswell collect`.

    Raises UserError for an unknown source, a key that is not set, or where nothing is asked for.
    """
    clock = clock or SystemClock()
    settings = _settings(space, asked.source)
    platform: Platform = plugins.load("source", settings.platform or settings.name)()
    if platform.key is not None and not settings.keys:
        raise UserError(
            f'{settings.name} needs {platform.key}: add [[source]] name = "{settings.name}", keys = ["env:NAME"]',
            where=space.config.path,
        )
    every = wanted(space.config.file.collect, asked, clock.now())
    if not every:
        raise UserError("nothing to collect: pass --query, or write a [[collect]] table", where=space.config.path)
    searches, out_of_reach = within_reach(every, platform.reach, clock.now())
    line = _line(space, settings, platform)
    purse = Budget(space.config.file.budget.usd, asked.allow_unknown_price)
    price = 0.0 if platform.free and settings.price_per_post is None else settings.price_per_post

    async def run() -> dict[str, Any]:
        async with (
            Wire(space.blobs.get, clock=clock) as wire,
            Engine(space.store, LocalPool(), purse=purse) as engine,
        ):
            session = Session(wire, platform, line, user_agent=settings.user_agent)
            stage = Collect(
                session,
                searches,
                keep=lambda found: _keep(space, found),
                salt=author_salt(space),
                price=price,
                revisits=_revisits(asked, platform.reach, clock.now()),
            )
            tally = await _rounds(engine, stage, line.limits.concurrency, observe)
            report = _report(stage, session.requests, tally)
            if asked.pictures and not tally.stopped:
                report |= await _fetch_pictures(engine, wire, line, platform, space)
            return report

    return asyncio.run(run()) | _places(space, settings.name, searches) | {"out_of_reach": out_of_reach}


async def _rounds(engine: Engine, stage: Collect, width: int, observe: Callable[[Tally], None] | None) -> Tally:
    """Run the stage until a round brings nothing: what a page leads to is known when the page is on disk."""
    total = Tally(stage=stage.name)
    while True:
        tally = await engine.run(stage, width=width)
        total.done += tally.done
        total.failed += tally.failed
        total.spent += tally.spent
        total.unpriced += tally.unpriced
        total.stopped = tally.stopped
        if observe is not None:
            observe(total)
        if not tally.done or tally.stopped:
            return total


async def _fetch_pictures(
    engine: Engine, wire: Wire, line: Line, platform: Platform, space: Workspace
) -> dict[str, Any]:
    """Bytes for the pictures of the platform's posts, those of earlier runs and of files included."""

    def save(post: Post) -> None:
        space.store.put([post], renew=True)

    # Formats are named platform, or platform-version.
    of = platform.format.partition("-")[0]
    stage = FetchPictures(wire, line, of, keep=space.keep, save=save)
    tally = await engine.run(stage, width=line.limits.concurrency)
    return {"fetched": stage.fetched, "not_fetched": stage.missing, "pictures_failed": tally.failed}


def _keep(space: Workspace, found: IngestResult) -> int:
    """Store the posts of a page as those of a file. Pages overlap, and a post that stands at the edge of one (a parent
    without its pictures) must not replace what another page said in full."""
    known = (space.store.get(post.key) for post in found.posts)
    found.posts = [
        fuller(old, new) if isinstance(old, Post) else new for old, new in zip(known, found.posts, strict=True)
    ]
    return keep_posts(space, found)


def _line(space: Workspace, settings: SourceSettings, platform: Platform) -> Line:
    keys = tuple(Key(name, secret) for name, secret in space.config.secrets(settings))
    limits = Limits(
        concurrency=settings.limits.concurrency,
        per_minute=settings.limits.per_minute,
        deadline=max(settings.limits.deadline, PATIENCE),
    )
    return Line(settings.name, settings.base_url or platform.base_url, keys, limits)


def _report(stage: Collect, requests: int, tally: Tally) -> dict[str, Any]:
    return {
        **stage.tally.counts(),
        "bad_lines": 0,
        "not_posts": 0,
        "new": stage.new,
        "outside": stage.outside,
        "revisited": stage.revisited,
        "requests": requests,
        "pages": tally.done,
        "failed": tally.failed,
        "why": stage.reasons,
        "stopped": tally.stopped,
        "spent_usd": tally.spent,
    }


def _places(space: Workspace, source: str, searches: Sequence[Wanted]) -> dict[str, Any]:
    """Where each search stands. `cursor` is the first place at which one goes on; None = all are at their end."""
    ledger = Ledger(source, space.store.records(Pull))
    rows = [
        {
            "query": first.query,
            "since": first.since,
            "until": first.until,
            "pages": len(pages),
            "found": len({post for page in pages for post, _ in page.found}),
            "cursor": None if head is None else head.cursor,
            "complete": head is None,
        }
        for first, pages, head in ledger.searches(searches)
    ]
    return {"queries": rows, "cursor": next((row["cursor"] for row in rows if row["cursor"]), None)}


def wanted(tables: Sequence[CollectSettings], asked: Asked, now: datetime) -> list[Wanted]:
    """The searches that are asked for, with their windows cut to what platforms can know by now.

    Raises UserError for a window that ends before it begins.
    """
    if asked.since is not None and asked.until is not None and asked.since >= asked.until:
        raise UserError("--since is not before --until; give the earlier time first")
    latest = settled(now)
    end = min(asked.until or latest, latest)
    if asked.queries:
        found: Iterator[Wanted] = (Wanted(query=query, since=asked.since, until=end) for query in asked.queries)
    else:
        found = (each for table in tables if _is_for(table, asked.source) for each in dated(table, asked.since, end))
    unique = {(each.query, each.since, each.until): each for each in found}
    return [each for each in unique.values() if each.since is None or each.since < each.until]


def settled(now: datetime) -> datetime:
    """Up to when the platforms' indexes are complete."""
    return (now - SETTLING).replace(microsecond=0)


def earliest_of(reach: timedelta, now: datetime) -> datetime:
    """From when on a platform can be asked. An hour less: a search may wait for a rate limit before it is sent."""
    return (now - reach).replace(microsecond=0) + timedelta(hours=1)


def _revisits(asked: Asked, reach: timedelta | None, now: datetime) -> Revisits | None:
    if not asked.revisit_days or not asked.revisits:
        return None
    return Revisits(
        now=settled(now),
        window=timedelta(days=asked.revisit_days),
        most=asked.revisits,
        earliest=None if reach is None else earliest_of(reach, now),
    )


def within_reach(
    searches: Sequence[Wanted], reach: timedelta | None, now: datetime
) -> tuple[list[Wanted], list[dict[str, Any]]]:
    """The searches cut to how far back a platform goes, and what that cuts off."""
    if reach is None:
        return list(searches), []
    earliest = earliest_of(reach, now)
    kept, cut = [], []
    for each in searches:
        if each.since is None or each.since >= earliest:
            kept.append(each)
            continue
        cut.append({"query": each.query, "since": each.since, "until": min(each.until, earliest)})
        if each.until > earliest:
            kept.append(replace(each, since=earliest))
    return kept, cut


def dated(table: CollectSettings, since: datetime | None, until: datetime) -> Iterator[Wanted]:
    """The searches about a model: its first words up to 14 days after the release, the others from then on."""
    released = midnight(table.released)
    turn = released + FIRST_DAYS
    for words, begin, end in ((table.words_first, released, turn), (table.words_after, turn, until)):
        for query in words:
            yield Wanted(query=query, since=max(begin, since or begin), until=min(end, until))


def midnight(day: date) -> datetime:
    """The beginning of a day in UTC."""
    return datetime.combine(day, time(), UTC)


def _is_for(table: CollectSettings, source: str) -> bool:
    return not table.sources or source in table.sources


def _settings(space: Workspace, name: str) -> SourceSettings:
    """The source of that name: configured, or a platform as it is by itself."""
    configured = {source.name: source for source in space.config.file.source}
    if name in configured:
        return configured[name]
    if name not in plugins.names("source"):
        known = sorted({*configured, *plugins.names("source")})
        raise UserError(f"there is no source {name}; known: {', '.join(known)}")
    return SourceSettings(name=name)
