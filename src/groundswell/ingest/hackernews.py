"""Reader of Hacker News: flat items of the Firebase API, and nested items and search hits of Algolia.

An item without an author, deleted or dead, is kept with its state. There are no pictures. Children that an item only
names are not loaded.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundswell.ingest.shapes import dig, moment, record, records, rows, text, whole
from groundswell.ingest.sightings import Scribe, Sighting, engagement
from groundswell.ingest.wording import plain
from groundswell.records import Json, Post, PostState

NAME = "hackernews"
PLATFORM = "hackernews"

_TYPES = frozenset({"story", "comment", "job", "poll", "pollopt"})
_NEST = frozenset({"children", "created_at_i", "points", "parent_id", "story_id"})
_FLAT = frozenset({"by", "kids", "time", "parent", "score", "descendants", "deleted", "dead"})
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether the value is an item, a list of items, or a page of search hits."""
    if isinstance(value, dict) and isinstance(value.get("hits"), list):
        return not value["hits"] or _is_hit(record({"hit": value["hits"][0]}, "hit"))
    sample = value[:5] if isinstance(value, list) else [value]
    found = [row for row in sample if isinstance(row, dict)]
    return bool(found) and all(_is_item(row) or _is_hit(row) for row in found)


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings, parents before their children."""
    top = rows(value, "hits") or (value if isinstance(value, list) else [value])
    waiting: list[tuple[_Object, str | None]] = [(row, None) for row in reversed(list(records({"rows": top}, "rows")))]
    while waiting:
        item, above = waiting.pop()
        if (sighting := _sighting(item, above, scribe)) is not None:
            yield sighting
            waiting.extend((child, sighting.post.id) for child in reversed(list(records(item, "children"))))


def _is_item(row: _Object) -> bool:
    return text(row, "type") in _TYPES and whole(row, "id") is not None and not (_NEST | _FLAT).isdisjoint(row)


def _is_hit(row: _Object) -> bool:
    return "objectID" in row and "created_at_i" in row


def _sighting(item: _Object, above: str | None, scribe: Scribe) -> Sighting | None:
    id = scribe.id(item.get("id") if "objectID" not in item else item["objectID"])
    if id is None:
        return None
    by = text(item, "by") or text(item, "author")
    gone = item.get("deleted") is True or item.get("dead") is True or by is None
    parent = next((dig(item, key) for key in ("parent", "parent_id", "poll") if dig(item, key) is not None), above)
    root = scribe.id(item.get("story_id"))
    words = text(item, "text") or text(item, "comment_text") or text(item, "story_text") or ""
    state = PostState.BLOCKED if item.get("dead") is True else PostState.DELETED if gone else PostState.PRESENT
    post = Post(
        platform=PLATFORM,
        id=id,
        url=f"https://news.ycombinator.com/item?id={id}",
        author=scribe.author(PLATFORM, by),
        text=scribe.words(plain(words)),
        time=moment(item.get("time") or item.get("created_at_i") or item.get("created_at")),
        reply_to=scribe.id(parent),
        root=None if root == id else root,
        state=state,
        engagement=engagement(
            score=whole(item, "score" if "score" in item else "points"),
            replies=whole(item, "descendants" if "descendants" in item else "num_comments"),
        ),
        title=scribe.words(plain(text(item, "title") or "")) or None,
    )
    return Sighting(post=post, gone=gone)
