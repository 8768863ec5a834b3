"""Reader of X API v2: pages with includes, single answers, streams, bare lists, twarc's lines and its flattened posts.

Posts come from `data`, from `includes.tweets` and from posts that twarc placed inside others. An entry of `errors[]`
that names a missing post is its tombstone. It does not follow pagination.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groundswell.ingest.shapes import moment, record, records, rows, text, whole
from groundswell.ingest.sightings import NO_ENTRY, Scribe, Sighting, engagement, tombstone
from groundswell.ingest.wording import unescape
from groundswell.ingest.x_posts import PLATFORM, address, media_kind
from groundswell.records import Attachment, Json, Post, PostState

NAME = "x-v2"

_OWN = frozenset(
    {"edit_history_tweet_ids", "author_id", "conversation_id", "public_metrics", "referenced_tweets", "reply_settings",
     "context_annotations", "edit_controls", "in_reply_to_user_id", "attachments", "note_tweet"}
)  # fmt: skip
_OLDER = frozenset({"id_str", "user", "in_reply_to_status_id"})
_BARE = frozenset({"id", "text", "created_at", "lang", "source", "geo", "entities", "withheld"})

_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether the value is an answer of the API v2 that can hold posts, or a post of it."""
    if isinstance(value, list):
        sample = [row for row in value[:5] if isinstance(row, dict)]
        return bool(sample) and all(_is_post(row) for row in sample)
    if not isinstance(value, dict):
        return False
    data = value.get("data")
    if isinstance(data, dict) or (isinstance(data, list) and data):
        first = data if isinstance(data, dict) else record({"first": data[0]}, "first")
        return _is_post(first) or (_is_bare(first) and "description" not in first)
    if any(_is_post(post) for post in (*rows(value, "includes", "tweets")[:1], *rows(value, "tweets")[:1])):
        return True
    if isinstance(value.get("meta"), dict) and whole(value, "meta", "result_count") == 0:
        return True
    return _is_post(value) or (bool(_problems(value)) and not data)


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings of the posts of one answer, in its order: its own posts first, then the included ones."""
    if isinstance(value, list):
        value = {"data": value}
    page = record({"page": value}, "page")
    data = page if _is_post(page) else page.get("data")
    media = {key: medium for medium in records(page, "includes", "media") if (key := text(medium, "media_key"))}
    main = [data] if isinstance(data, dict) else rows({"data": data}, "data")
    for entry in (*main, *rows(page, "includes", "tweets"), *rows(page, "tweets")):
        if isinstance(entry, dict):
            yield from _posts(entry, media, scribe)
    for problem in records(page, "errors"):
        scribe.notes["errors"] += 1
        if text(problem, "resource_type") == "tweet" and (id := scribe.id(problem.get("resource_id"))):
            missing = "not-found" in (text(problem, "type") or "")
            yield tombstone(PLATFORM, id, PostState.DELETED if missing else PostState.BLOCKED)


def _is_post(value: Json) -> bool:
    if not isinstance(value, dict) or "id" not in value or "text" not in value:
        return False
    return not _OWN.isdisjoint(value) and _OLDER.isdisjoint(value)


def _is_bare(value: _Object) -> bool:
    """A post with nothing but what is always there; only believed inside `data`."""
    return "id" in value and "text" in value and value.keys() <= _BARE


def _problems(value: _Object) -> list[_Object]:
    return [problem for problem in records(value, "errors") if "/problems/" in (text(problem, "type") or "")]


def _posts(entry: _Object, media: Mapping[str, _Object], scribe: Scribe) -> Iterator[Sighting]:
    """An entry, and the posts that twarc's flattening placed inside it."""
    waiting = [entry]
    while waiting:
        entry = waiting.pop()
        if (sighting := _post(entry, media, scribe)) is not None:
            yield sighting
        inside = [named for named in records(entry, "referenced_tweets") if "text" in named]
        waiting.extend({key: each for key, each in named.items() if key != "type"} for named in reversed(inside))


def _post(entry: _Object, media: Mapping[str, _Object], scribe: Scribe) -> Sighting | None:
    id = scribe.id(entry.get("id"))
    if id is None:
        return None
    named = {text(row, "type"): scribe.id(row.get("id")) for row in records(entry, "referenced_tweets")}
    history = [version for version in rows(entry, "edit_history_tweet_ids") if isinstance(version, str)]
    conversation = scribe.id(entry.get("conversation_id"))
    metrics = record(entry, "public_metrics")
    post = Post(
        platform=PLATFORM,
        id=id,
        revision=history.index(id) if id in history else 0,
        url=address(history[0] if id in history else id),
        author=scribe.author(PLATFORM, text(entry, "author_id") or text(entry, "author", "id")),
        text=scribe.words(unescape(text(entry, "note_tweet", "text") or text(entry, "text") or "")),
        time=moment(entry.get("created_at")),
        pictures=tuple(_pictures(entry, media, scribe)),
        reply_to=named.get("replied_to"),
        root=None if conversation == id else conversation,
        quote_of=named.get("quoted"),
        state=PostState.BLOCKED if entry.get("withheld") else PostState.PRESENT,
        language=text(entry, "lang"),
        engagement=engagement(
            likes=whole(metrics, "like_count"),
            reposts=whole(metrics, "retweet_count"),
            replies=whole(metrics, "reply_count"),
            quotes=whole(metrics, "quote_count"),
            bookmarks=whole(metrics, "bookmark_count"),
            views=whole(metrics, "impression_count"),
        ),
    )
    return Sighting(post=post, repost="retweeted" in named)


def _pictures(entry: _Object, media: Mapping[str, _Object], scribe: Scribe) -> Iterator[Attachment]:
    inline = {key: medium for medium in records(entry, "attachments", "media") if (key := text(medium, "media_key"))}
    keys = [key for key in rows(entry, "attachments", "media_keys") if isinstance(key, str)] or list(inline)
    for key in keys:
        medium = inline.get(key) or media.get(key)
        if medium is None:
            yield scribe.shown(None, missing=NO_ENTRY)
        else:
            kind = media_kind(text(medium, "type"))
            url = text(medium, "url") or text(medium, "preview_image_url")
            yield scribe.shown(url, kind, alt=text(medium, "alt_text"), missing=None if url else "withheld")
