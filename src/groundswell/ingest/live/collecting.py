"""The stage `collect`: pages of one platform, each a unit, so that a killed run goes on where its last page ended.

A unit is one page of a search or of a conversation. Its posts are kept as those of export files are, before the page
itself is recorded; matches outside the window are left out. Which pages there are is said by `windows`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import chain

import msgspec

from groundswell.ingest.formats import FORMATS
from groundswell.ingest.live.asking import Session
from groundswell.ingest.live.platform import stamp
from groundswell.ingest.live.windows import Ledger, Revisits, Wanted
from groundswell.ingest.reading import IngestResult, Tally, merge
from groundswell.ingest.rows import decode
from groundswell.ingest.shapes import moment
from groundswell.ingest.sightings import Scribe, Sighting
from groundswell.ports import Store
from groundswell.records import Answer, Broken, Declined, Done, Post, Pull, Reply, Unit, UnitState, key_of

ANEW = "@"
"""Begins a cursor whose search was begun anew at an earlier end, because the platform no longer knew the old place:
`@TIME` (or `@` alone), then a blank and the platform's cursor in the new search."""

QUIET = timedelta(days=2)
"""A post that has no answer after so long is taken to stay without."""


class Collect:
    """Collects from one source what is wanted of it."""

    name = "collect"

    def __init__(
        self,
        session: Session,
        wanted: Sequence[Wanted],
        *,
        keep: Callable[[IngestResult], int],
        salt: bytes,
        price: float | None,
        revisits: Revisits | None = None,
    ) -> None:
        """`keep` stores posts and gives how many were new; `price` is USD for a post carried, None = not known;
        `revisits`: how conversations are looked at again, None = they are not."""
        self.tally = Tally()
        self.new = 0
        self.outside = 0
        """Matches that lay outside their window."""
        self.revisited = 0
        """Conversations that were looked at again."""
        self._session = session
        self._ledger: Ledger | None = None
        self._came: list[Pull] = []
        """Pages of the round under way; they are on disk when the next one begins."""
        self._failed: dict[str, str] = {}
        """Units that failed in this run, with the reason: the next run asks for them again, and not the next round."""
        self._wanted = wanted
        self._keep = keep
        self._salt = salt
        self._price = price
        self._revisits = revisits

    @property
    def reasons(self) -> list[str]:
        """Why units of this run failed, each reason once."""
        return list(dict.fromkeys(self._failed.values()))

    def units(self, store: Store) -> Iterator[Unit]:
        if self._ledger is None:
            self._ledger = Ledger(self._session.source, store.records(Pull))
        came, self._came = self._came, []
        self._ledger.add(came)
        missing = self._ledger.missing(self._wanted)
        again = () if self._revisits is None else self._ledger.revisits(self._wanted, self._revisits)
        for pull in chain(missing, again):
            key = key_of("collect", pull.key)
            if key not in self._failed:
                yield Unit(key=key, payload=msgspec.to_builtins(pull), price=self._cost(self._session.platform.page))

    async def do(self, unit: Unit) -> Done:
        done = await self._do(msgspec.convert(unit.payload, Pull))
        if done.state is UnitState.FAILED:
            self._failed[unit.key] = done.why or "no reason given"
        return done

    async def _do(self, asked: Pull) -> Done:
        here, head = _resolved(asked)
        talk = await self._session.ask(here)
        match talk.end:
            case Answer() if talk.reply is not None:
                pull = self._take(asked, here, talk.reply, head)
            case Declined(reason=reason):
                declined = self._declined(asked)
                if declined is None:
                    return Done(state=UnitState.FAILED, why=self._why(asked, reason), cost=0.0)
                pull = declined
            case Broken(reason=reason, transient=transient, key_dead=dead):
                why = self._why(asked, reason)
                # The wire has asked again already, as long as it was worth it; a key can be mended before the next run.
                return Done(state=UnitState.FAILED, why=why, cost=0.0, transient=transient or dead, tried=False)
            case _:
                raise AssertionError("an answer without a reply")
        pull = msgspec.structs.replace(pull, requests=talk.sent)
        self._came.append(pull)
        self.revisited += asked.what == "thread" and asked.until is not None and asked.cursor is None
        return Done(state=UnitState.DONE, records=(pull,), cost=self._cost(pull.posts))

    def _cost(self, posts: int) -> float | None:
        """USD for so many posts; refusals and empty pages are not billed."""
        return 0.0 if posts == 0 else None if self._price is None else self._price * posts

    def _take(self, asked: Pull, here: Pull, reply: Reply, head: str) -> Pull:
        """Keep the posts of a page; gives what is recorded of it."""
        page = self._session.platform.read(here, decode(reply.body), reply.headers)
        form = FORMATS[self._session.platform.format]
        # What stands in a page says it as it does in a file; the address may be a proxy's.
        named = None if form.instance_of is None else form.instance_of(page.value)
        scribe = Scribe(salt=self._salt, folder=None, instance=named or self._session.instance)
        sightings = list(form.read(page.value, scribe))
        # A page names posts as its server does.
        posts = {seen.post.id.removeprefix(f"{scribe.instance}/"): seen.post for seen in sightings}
        matches = {id: posts[id] for id, _ in page.found if id in posts} if asked.what == "search" else {}
        windowed = self._session.platform.windowed
        strays = set() if windowed else {id for id, post in matches.items() if _outside(post.time, asked)}
        alone = {id for id, post in matches.items() if _is_alone(post, asked)}
        left_out = {posts[id].id for id in strays}
        kept = [seen for seen in sightings if seen.post.id not in left_out]
        for seen in kept:
            self.tally.add(seen)
        self.outside += len(strays)
        self.new += self._keep(merge(kept))
        times = [post.time for post in matches.values() if post.time is not None]
        past = not windowed and asked.since is not None and bool(times) and max(times) < asked.since
        following = None if past else page.next
        return msgspec.structs.replace(
            asked,
            found=tuple((id, None if id in alone else whose) for id, whose in page.found if id not in strays),
            reached=max(times, default=asked.reached),
            next=None if following is None else f"{head}{following}",
            posts=_carried(kept),
            gone=page.gone,
        )

    def _declined(self, asked: Pull) -> Pull | None:
        """What to record where the platform has no such page; None = nothing helps.

        A conversation is gone; where a cursor has expired, a search begins anew at the page that it had come to, and
        a conversation once more from its beginning.
        """
        if asked.cursor is None:
            return msgspec.structs.replace(asked, gone=True) if asked.what == "thread" else None
        # Times are their authors' on some platforms, so a page is fetched again rather than one left out; ends are
        # exclusive.
        end = None if asked.reached is None else stamp(asked.reached + timedelta(seconds=1))
        anew = ANEW + (end or "")
        again = asked.cursor.partition(" ")[0] == anew
        return None if again else msgspec.structs.replace(asked, next=anew)

    def _why(self, asked: Pull, reason: str) -> str:
        return f"{self._session.source}, {asked.what} {asked.query}: {reason}"


def _resolved(asked: Pull) -> tuple[Pull, str]:
    """The page as the platform is asked for it, and what its further cursors begin with in our book."""
    if asked.cursor is None or not asked.cursor.startswith(ANEW):
        return asked, ""
    until, _, cursor = asked.cursor[len(ANEW) :].partition(" ")
    return msgspec.structs.replace(asked, until=moment(until), cursor=cursor or None), f"{ANEW}{until} "


def _is_alone(post: Post, asked: Pull) -> bool:
    """Whether a post has no conversation to ask for: it answers nothing, and nobody has answered it in days."""
    quiet = post.time is not None and asked.until is not None and post.time < asked.until - QUIET
    return quiet and post.reply_to is None and post.engagement.get("replies") == 0


def _outside(time: datetime | None, asked: Pull) -> bool:
    """Whether a match lies outside the window; one without a time is believed to lie in it."""
    if time is None:
        return False
    return (asked.since is not None and time < asked.since) or (asked.until is not None and time >= asked.until)


def _carried(sightings: Sequence[Sighting]) -> int:
    return len({seen.post.id for seen in sightings if not seen.stub})
