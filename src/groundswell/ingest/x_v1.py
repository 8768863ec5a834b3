"""Reader of X API v1.1 posts: search answers, premium results, timelines, streams, lines of posts, nested as they come.

Posts in Activity Streams form are read as well. The text form of an id wins over the number, which clients round.
Nested quoted and retweeted posts are sightings of their own. It does not know the newer API's shape.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundswell.ingest.shapes import moment, record, records, rows, text, whole
from groundswell.ingest.sightings import Scribe, Sighting, engagement, tombstone
from groundswell.ingest.wording import unescape
from groundswell.ingest.x_activity import as_status, is_activity
from groundswell.ingest.x_posts import PLATFORM, address, media_kind
from groundswell.records import Attachment, Json, Post, PostState

NAME = "x-v1"

_OWN = frozenset(
    {"user", "in_reply_to_status_id", "in_reply_to_status_id_str", "in_reply_to_screen_name", "favorite_count",
     "retweet_count", "truncated", "is_quote_status", "user_id_str"}
)  # fmt: skip
_NESTED = ("quoted_status", "retweeted_status")
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether the value is an answer of the API v1.1 that can hold posts, or a post of it."""
    if isinstance(value, list):
        sample = [row for row in value[:5] if isinstance(row, dict)]
        return bool(sample) and all(is_post(row) for row in sample)
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("statuses"), list) and "search_metadata" in value:
        return True
    if isinstance(value.get("results"), list) and "requestParameters" in value:
        return True
    if "status" in record(value, "delete") or record(value, "globalObjects", "tweets"):
        return True
    return is_post(value) or any(is_post(row) for key in ("statuses", "results") for row in rows(value, key)[:1])


def is_post(value: Json) -> bool:
    """Whether an object has the shape of a post of this API."""
    if is_activity(value):
        return True
    if not isinstance(value, dict) or ("id_str" not in value and "id" not in value):
        return False
    return ("text" in value or "full_text" in value) and not _OWN.isdisjoint(value)


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings of one answer: each post, followed by the posts nested in it."""
    page = value if isinstance(value, dict) else {"statuses": value}
    if status := record(page, "delete", "status"):
        id = scribe.id(status.get("id_str"), status.get("id"))
        yield from [tombstone(PLATFORM, id, PostState.DELETED)] if id else []
    found = [page] if is_post(page) else [row for key in ("statuses", "results") for row in rows(page, key)]
    found.extend(record(page, "globalObjects", "tweets").values())
    for entry in found:
        waiting = [entry]
        while waiting:
            entry = waiting.pop()
            entry = as_status(entry) if is_activity(entry) else entry
            if isinstance(entry, dict) and (post := read_post(entry, scribe)) is not None:
                yield Sighting(post=post, repost=_repeats(entry))
                waiting.extend(entry[key] for key in _NESTED if record(entry, key))


def read_post(entry: _Object, scribe: Scribe) -> Post | None:
    """The post of one object, or None where it has no id. X's archives and web answers hold the same object."""
    id = scribe.id(entry.get("id_str"), entry.get("id"))
    if id is None:
        return None
    long = record(entry, "extended_tweet")
    user = record(entry, "user")
    conversation = scribe.id(entry.get("conversation_id_str"))
    account = text(user, "id_str") or whole(user, "id") or text(entry, "user_id_str") or text(user, "screen_name")
    quoted = scribe.id(entry.get("quoted_status_id_str"), entry.get("quoted_status_id"))
    if quoted is None and (inner := record(entry, "quoted_status")):
        inner = as_status(inner) if is_activity(inner) else inner
        quoted = scribe.id(inner.get("id_str"), inner.get("id"))
    words = text(long, "full_text") or text(entry, "full_text") or text(entry, "text") or ""
    return Post(
        platform=PLATFORM,
        id=id,
        url=address(id),
        author=scribe.author(PLATFORM, None if account is None else str(account)),
        text=scribe.words(unescape(words)),
        time=moment(entry.get("created_at")),
        pictures=tuple(_pictures(entry, scribe)),
        reply_to=scribe.id(entry.get("in_reply_to_status_id_str"), entry.get("in_reply_to_status_id")),
        root=None if conversation == id else conversation,
        quote_of=None if _repeats(entry) else quoted,
        state=PostState.BLOCKED if entry.get("withheld_copyright") is True else PostState.PRESENT,
        language=text(entry, "lang"),
        engagement=engagement(
            likes=whole(entry, "favorite_count"),
            reposts=whole(entry, "retweet_count"),
            replies=whole(entry, "reply_count"),
            quotes=whole(entry, "quote_count"),
            bookmarks=whole(entry, "bookmark_count"),
        ),
    )


def _repeats(entry: _Object) -> bool:
    return bool(record(entry, "retweeted_status")) or bool(record(entry, "retweeted_status_result"))


def _pictures(entry: _Object, scribe: Scribe) -> Iterator[Attachment]:
    """The media in the order shown; the extended list is complete where the plain one names only the first."""
    long = record(entry, "extended_tweet")
    lists = (
        rows(long, "extended_entities", "media"),
        rows(entry, "extended_entities", "media"),
        rows(long, "entities", "media"),
        rows(entry, "entities", "media"),
    )
    best = next((media for media in lists if media), [])
    for medium in records({"media": best}, "media"):
        url = text(medium, "media_url_https") or text(medium, "media_url")
        alt = text(medium, "ext_alt_text")
        yield scribe.shown(url, media_kind(text(medium, "type")), alt=alt, missing=None if url else "withheld")
