"""Reader of Bluesky's answers: threads, feeds, searches, post lists, records of a repository, jetstream events.

Posts are post views wherever they stand, except inside the embed of a quote, which is a copy. Not-found and blocked
posts are tombstones; as replies they keep the parent that they are listed under. It reads the old lexicon of 2023 too.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundswell.ingest.shapes import moment, record, records, rows, text, whole
from groundswell.ingest.sightings import Scribe, Sighting, engagement, tombstone
from groundswell.records import Attachment, Json, Post, PostState

NAME = "bluesky"
PLATFORM = "bluesky"

_POST = "app.bsky.feed.post"
_COPIES = frozenset({"embed", "embeds", "record", "value"})
"""Keys under which copies stand, not posts."""
_LOOK = 2_000
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether a post of Bluesky stands in the value, or it is an answer that could hold one."""
    feed = isinstance(value, dict) and isinstance(value.get("feed"), list) and value.keys() <= {"feed", "cursor"}
    if feed and not rows(value, "feed"):
        return True
    for count, (node, _, copy) in enumerate(_walk(value)):
        if (not copy and _content(node)) or _stub(node):
            return True
        if count > _LOOK:
            return False
    return False


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings in document order."""
    for node, parent, copy in _walk(value):
        if (state := _stub(node)) and (uri := text(node, "uri")):
            yield tombstone(PLATFORM, uri, state, reply_to=None if copy else parent)
        elif not copy and (content := _content(node)) and (post := _post(node, content, scribe)):
            yield Sighting(post=post)


def _walk(value: Json) -> Iterator[tuple[_Object, str | None, bool]]:
    """Every object, with the uri of the post whose reply it is, and whether it is part of a copy."""
    waiting: list[tuple[Json, str | None, bool]] = [(value, None, False)]
    while waiting:
        node, parent, copy = waiting.pop()
        if isinstance(node, list):
            waiting.extend((inner, parent, copy) for inner in reversed(node))
        elif isinstance(node, dict):
            yield node, parent, copy
            above = text(node, "post", "uri")
            for key in reversed(node):
                if isinstance(node[key], dict | list):
                    inside = copy or (key in _COPIES and not _wrapper(node, key))
                    waiting.append((node[key], above if key == "replies" else None, inside))


def _wrapper(node: _Object, key: str) -> bool:
    """Whether the value is no copy: an item of the second thread format."""
    return key == "value" and "post" in record(node, key)


def _content(node: _Object) -> _Object | None:
    """The record of a post, where the object is a post view, a repository's record or a jetstream event."""
    for inner in (record(node, "record"), record(node, "value"), record(node, "commit", "record")):
        kind = text(inner, "$type")
        if isinstance(inner.get("text"), str) and (kind == _POST or (kind is None and "author" in node)):
            return inner
    return None


def _stub(node: _Object) -> PostState | None:
    kind = (text(node, "$type") or "").rpartition("#")[2]
    if not text(node, "uri"):
        return None
    if kind in ("notFoundPost", "viewNotFound") or node.get("notFound") is True:
        return PostState.DELETED
    return PostState.BLOCKED if kind in ("blockedPost", "viewBlocked") or node.get("blocked") is True else None


def _post(node: _Object, content: _Object, scribe: Scribe) -> Post | None:
    did = text(node, "author", "did") or text(node, "did")
    uri = text(node, "uri")
    if uri is None and did and (key := text(node, "commit", "rkey")):
        uri = f"at://{did}/{_POST}/{key}"
    if uri is None:
        return None
    owner, _, key = uri.removeprefix("at://").partition(f"/{_POST}/")
    root = text(content, "reply", "root", "uri")
    return Post(
        platform=PLATFORM,
        id=uri,
        url=f"https://bsky.app/profile/{owner}/post/{key}" if key else None,
        author=scribe.author(PLATFORM, did or (owner if key else None)),
        text=scribe.words(text(content, "text")),
        time=moment(content.get("createdAt")) or moment(node.get("indexedAt")),
        pictures=tuple(_pictures(node, content, scribe)),
        reply_to=text(content, "reply", "parent", "uri"),
        root=None if root == uri else root,
        quote_of=_quoted(content, node),
        language=next((lang for lang in rows(content, "langs") if isinstance(lang, str)), None),
        engagement=engagement(
            likes=whole(node, "likeCount" if "likeCount" in node else "upvoteCount"),
            reposts=whole(node, "repostCount"),
            replies=whole(node, "replyCount"),
            quotes=whole(node, "quoteCount"),
            bookmarks=whole(node, "bookmarkCount"),
        ),
    )


def _quoted(content: _Object, node: _Object) -> str | None:
    """Address of the quoted post; a list, a feed or a starter pack can be embedded in the same way and is no post."""
    for embed in (record(content, "embed"), record(node, "embed")):
        inner = record(embed, "record")
        uri = text(inner, "uri") or text(inner, "record", "uri")
        if uri and ("/app.bsky." not in uri or f"/{_POST}/" in uri):
            return uri
    return None


def _pictures(node: _Object, content: _Object, scribe: Scribe) -> Iterator[Attachment]:
    """Pictures as shown; where only the record is at hand, its blobs, whose bytes have no address of their own."""
    view, raw = record(node, "embed"), record(content, "embed")
    view, raw = record(view, "media") or view, record(raw, "media") or raw
    if images := list(records(view, "images")):
        for image in images:
            yield scribe.shown(text(image, "fullsize") or text(image, "thumb"), alt=text(image, "alt"))
        return
    for image in records(raw, "images"):
        yield scribe.shown(
            text(image, "image", "ref", "$link"), alt=text(image, "alt"), missing="only its digest is given"
        )
    if playlist := text(view, "playlist"):
        yield scribe.shown(playlist, "video", alt=text(view, "alt"))
