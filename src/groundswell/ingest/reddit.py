"""Readers of Reddit: answers of its API (listings, threads with `more` stubs, morechildren) and Pushshift's rows.

Ids are full names (t3_ for a submission, t1_ for a comment), since a bare id can mean either. A gallery's pictures come
in the gallery's order, the failed ones as missing. The pictures of Reddit are the entries of `media_metadata` (of an
animation its GIF) and links to picture files; a link to a video is a link. It does not load what `more` stubs name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundswell.ingest.shapes import dig, moment, record, records, rows, text, whole
from groundswell.ingest.sightings import FAILED, NO_ENTRY, Scribe, Sighting, engagement
from groundswell.ingest.wording import unescape
from groundswell.records import Attachment, Json, Post, PostState

NAME = "reddit"
PUSHSHIFT = "pushshift"
PLATFORM = "reddit"

_DELETED, _REMOVED = "[deleted]", "[removed]"
_PICTURE_LINK = re.compile(r"https?://[^\s?#]+\.(?:png|jpe?g|webp|gif|bmp|avif)(?:[?#]|$)", re.IGNORECASE)
_BY_AUTHOR = frozenset({"deleted", "author"})
_THINGS = frozenset({"t1", "t3", "more", "Listing"})
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether the value is an answer of Reddit's API with submissions or comments."""
    return any(
        kind in ("t1", "t3", "more") or (kind == "Listing" and not rows(thing, "data", "children"))
        for kind, thing in _things(value)
    )


def owns_pushshift(value: Json) -> bool:
    """Whether the value is a bare submission or comment, or a list of them."""
    rows_ = value if isinstance(value, list) else rows(value, "data") or [value]
    sample = [row for row in rows_[:5] if isinstance(row, dict)]
    return bool(sample) and all(_is_bare(row) for row in sample)


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings of an API answer, parents before their replies."""
    for kind, thing in _things(value):
        if kind == "more":
            scribe.notes["more_stubs"] += 1
        elif kind in ("t1", "t3") and (sighting := _sighting(record(thing, "data"), kind, scribe)):
            yield sighting


def read_pushshift(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings of bare rows."""
    for row in records({"rows": value if isinstance(value, list) else rows(value, "data") or [value]}, "rows"):
        if sighting := _sighting(row, "t1" if "body" in row else "t3", scribe):
            yield sighting


def _is_bare(row: _Object) -> bool:
    if "kind" in row or "id" not in row or ("subreddit" not in row and "subreddit_id" not in row):
        return False
    return ("title" in row and ("selftext" in row or "permalink" in row or "url" in row)) or (
        "body" in row and ("link_id" in row or "parent_id" in row)
    )


def _things(value: Json) -> Iterator[tuple[str, _Object]]:
    """Reddit's things in document order, however deep the replies are."""
    waiting: list[Json] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(reversed(node))
        kind = text(node, "kind")
        if isinstance(node, dict) and kind in _THINGS and isinstance(node.get("data"), dict):
            yield kind, node
            waiting.append(dig(node, "data", "replies"))
            waiting.extend(reversed(rows(node, "data", "children") if kind == "Listing" else []))
        elif things := rows(node, "json", "data", "things"):
            waiting.extend(reversed(things))


def _sighting(data: _Object, kind: str, scribe: Scribe) -> Sighting | None:
    bare = scribe.id(data.get("id"))
    if bare is None:
        return None
    id = bare if bare.startswith(f"{kind}_") else f"{kind}_{bare}"
    raw = text(data, "body" if kind == "t1" else "selftext") or ""
    gone = raw in (_DELETED, _REMOVED)
    permalink = text(data, "permalink")
    post = Post(
        platform=PLATFORM,
        id=id,
        revision=_revision(data),
        url=f"https://www.reddit.com{permalink}" if permalink and permalink.startswith("/") else _address(id, data),
        author=None if text(data, "author") == _DELETED else scribe.author(PLATFORM, data.get("author")),
        text="" if gone else scribe.words(unescape(raw)),
        time=moment(data.get("created_utc")),
        pictures=() if gone else tuple(_pictures(data, raw, scribe)),
        reply_to=_parent(data) if kind == "t1" else None,
        root=text(data, "link_id") if kind == "t1" else None,
        quote_of=text(data, "crosspost_parent"),
        state=_state(data, raw),
        engagement=engagement(
            score=whole(data, "score"), replies=whole(data, "num_comments"), crossposts=whole(data, "num_crossposts")
        ),
        title=scribe.words(unescape(text(data, "title") or "")) or None,
    )
    return Sighting(post=post, gone=gone)


def _parent(data: _Object) -> str | None:
    """The parent's full name. Pushshift wrote the ids of some years as base-36 numbers without a kind."""
    parent = data.get("parent_id")
    return parent if isinstance(parent, str) and parent else text(data, "link_id")


def _address(id: str, data: _Object) -> str | None:
    link = text(data, "link_id") or ""
    if id.startswith("t3_"):
        return f"https://www.reddit.com/comments/{id[3:]}/"
    return f"https://www.reddit.com/comments/{link[3:]}/_/{id[3:]}/" if link.startswith("t3_") else None


def _revision(data: _Object) -> int:
    """Second of the last edit; 1 where Reddit only says that there was one."""
    edited = data.get("edited")
    return int(edited is True) or max(whole(data, "edited") or 0, 0)


def _state(data: _Object, raw: str) -> PostState:
    removed = text(data, "removed_by_category")
    if raw == _DELETED or removed in _BY_AUTHOR:
        return PostState.DELETED
    return PostState.BLOCKED if raw == _REMOVED or removed or data.get("removed") is True else PostState.PRESENT


def _pictures(data: _Object, raw: str, scribe: Scribe) -> Iterator[Attachment]:
    metadata = record(data, "media_metadata")
    gallery = {
        id: text(item, "caption") for item in records(data, "gallery_data", "items") if (id := text(item, "media_id"))
    }
    order = list(gallery) or sorted(metadata, key=lambda id: (raw.find(id) < 0, raw.find(id)))
    for id in order:
        if id in metadata:
            yield _medium(record(metadata, id), gallery.get(id), scribe)
        else:
            yield scribe.shown(None, alt=gallery.get(id), missing=NO_ENTRY)
    link = text(data, "url_overridden_by_dest") or text(data, "url") or ""
    if not order and _PICTURE_LINK.match(link):
        yield scribe.shown(unescape(link))


def _medium(medium: _Object, caption: str | None, scribe: Scribe) -> Attachment:
    status = text(medium, "status") or FAILED
    source = record(medium, "s")
    if status != "valid":
        scribe.notes["media_failed"] += 1
        return scribe.shown(None, alt=caption, missing=status)
    if url := text(source, "u"):
        return scribe.shown(unescape(url), alt=caption)
    if url := text(source, "gif") or text(source, "mp4"):
        return scribe.shown(unescape(url), "animation", alt=caption)
    url = text(medium, "hlsUrl") or text(medium, "dashUrl")
    return scribe.shown(unescape(url) if url else None, "video", alt=caption, missing=None if url else FAILED)
