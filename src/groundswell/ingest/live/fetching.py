"""The stage `pictures`: bytes for the pictures that posts show by their addresses, before those addresses expire.

A unit is a post. A picture that is not there (any more) or cannot be read is marked with the reason, and not asked for
again. Addresses come from strangers: they are asked without a key, and lead into no private network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec

from groundswell.ingest.sightings import Keep
from groundswell.ports import Store
from groundswell.records import (
    Answer,
    Attachment,
    Broken,
    Call,
    Declined,
    Done,
    Post,
    Reply,
    Unit,
    UnitState,
    key_of,
)
from groundswell.wire.conversation import follow
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line
from groundswell.wire.pace import TOO_MUCH


class FetchPictures:
    """Fetches what the posts of one platform show."""

    name = "pictures"

    def __init__(self, wire: Wire, line: Line, platform: str, *, keep: Keep, save: Callable[[Post], None]) -> None:
        """`line`: which host may be at a private address, and how many requests at once; its keys are not used.
        `platform`: of the posts. `keep` stores bytes and describes them, `save` replaces a post."""
        self.fetched = 0
        self.missing = 0
        self._wire = wire
        self._line = Line(f"{line.name} pictures", line.base_url, (), line.limits)
        self._platform = platform
        self._keep = keep
        self._save = save

    def units(self, store: Store) -> Iterator[Unit]:
        for post in store.records(Post):
            wanted = [shown.url for shown in post.pictures if is_wanted(shown)]
            if post.platform == self._platform and wanted:
                yield Unit(key=key_of("pictures", post.key, wanted), payload=msgspec.to_builtins(post), price=0.0)

    async def do(self, unit: Unit) -> Done:
        post = msgspec.convert(unit.payload, Post)
        pictures = list(post.pictures)
        why: str | None = None
        for place, shown in enumerate(pictures):
            if is_wanted(shown):
                got = await self._fetch(shown)
                if isinstance(got, Attachment):
                    pictures[place] = got
                else:
                    why = f"{shown.url}: {got.reason}"
        self._save(msgspec.structs.replace(post, pictures=tuple(pictures)))
        if why is not None:
            return Done(state=UnitState.FAILED, why=why, transient=True, cost=0.0, tried=False)
        return Done(state=UnitState.DONE, cost=0.0)

    async def _fetch(self, shown: Attachment) -> Attachment | Broken:
        """The picture with its bytes, or with the reason why there are none; Broken where it may come another time."""
        call = Call(method="GET", url=shown.url, auth=None, phase="fetch", from_reply=True)
        talk = await follow(self._wire, call, _understand, self._line)
        match talk.end:
            case Broken(transient=True):
                return talk.end
            case Answer() if talk.reply is not None:
                try:
                    found = msgspec.structs.replace(shown, picture=self._keep(talk.reply.body))
                except ValueError as error:
                    return self._without(shown, f"unreadable: {error}")
                self.fetched += 1
                return found
            case Broken(reason=reason) | Declined(reason=reason):
                return self._without(shown, f"not fetched: {reason}")
        raise AssertionError("an answer without a reply")

    def _without(self, shown: Attachment, why: str) -> Attachment:
        self.missing += 1
        return msgspec.structs.replace(shown, missing=why)


def is_wanted(shown: Attachment) -> bool:
    """Whether a post shows a still picture by its address alone."""
    at_hand = shown.picture is not None or shown.missing is not None
    return shown.media == "picture" and not at_hand and shown.url.startswith(("https://", "http://"))


def with_fetched(new: Post, old: Post) -> Post:
    """A new sighting of a post, with what was fetched (or could not be) for the pictures that both show."""
    known = {shown.url: shown for shown in old.pictures if not is_wanted(shown)}
    pictures = tuple(known.get(shown.url, shown) if is_wanted(shown) else shown for shown in new.pictures)
    return new if pictures == new.pictures else msgspec.structs.replace(new, pictures=pictures)


def _understand(reply: Reply) -> Answer | Declined | Broken:
    if reply.status == 200:
        return Answer()
    if reply.status in TOO_MUCH or reply.status >= 500:
        return Broken(what="download", reason=f"status {reply.status}", transient=True, status=reply.status)
    return Declined(reason=f"status {reply.status}")
