"""Reader of Mastodon's answers: statuses, contexts, timelines, searches, notifications, and recorded calls with them.

Text is HTML and becomes plain. An id belongs to the instance that was asked, so it is kept as `<instance>/<id>`; the
address of a status is the same on all instances, so threads merge by it. Entries of an edit history have no id and are
no posts. A private status is kept as blocked.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import cast
from urllib.parse import urlsplit

from groundswell.ingest.shapes import dig, moment, record, records, text, whole
from groundswell.ingest.sightings import Media, Scribe, Sighting, engagement
from groundswell.ingest.wording import plain
from groundswell.records import Attachment, Json, Post, PostState

NAME = "mastodon"
PLATFORM = "mastodon"

_MEDIA: dict[str, Media] = {"image": "picture", "gifv": "animation", "video": "video", "audio": "video"}
_PASSED = frozenset({"account", "accounts", "card", "media_attachments", "mentions", "tags", "emojis", "application"})
_OTHERS = ("private", "direct")
_LOOK = 5_000
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether a status stands anywhere in the value, or it is a context or an edit history."""
    if isinstance(value, dict) and isinstance(value.get("ancestors"), list) and "descendants" in value:
        return True
    for count, node in enumerate(_walk(value)):
        if is_status(node) or _is_version(node):
            return True
        if count > _LOOK:
            return False
    return False


def is_status(node: _Object) -> bool:
    """Whether an object has the shape of a status."""
    return (
        "id" in node
        and isinstance(node.get("content"), str)
        and isinstance(node.get("account"), dict)
        and ("uri" in node or "url" in node)
    )


def instance_of(value: Json) -> str | None:
    """The instance that gave a value, or None where nothing tells it.

    Accounts without a host in their name are its own, and so are the pages of tags, whoever wrote the status.
    """
    for status in filter(is_status, islice(_walk(value), _LOOK)):
        accounts = (record(status, "account"), *records(status, "mentions"))
        own = (each for each in accounts if "@" not in (text(each, "acct") or "@"))
        for shown in (*own, *records(status, "tags")):
            if host := urlsplit(text(shown, "url") or "").netloc:
                return host.lower()
    return None


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings in document order: a status, then what it boosts or quotes."""
    if scribe.instance is None:
        scribe.notes["unknown_instances"] = 1
    for node in _walk(value):
        if is_status(node):
            if (post := _post(node, scribe)) is not None:
                yield Sighting(post=post, repost=bool(record(node, "reblog")))
        elif _is_version(node):
            scribe.notes["edit_history_entries"] += 1


def _is_version(node: _Object) -> bool:
    """An entry of an edit history: a status without an id."""
    return "id" not in node and isinstance(node.get("content"), str) and "account" in node and "spoiler_text" in node


def _walk(value: Json) -> Iterator[_Object]:
    waiting: list[Json] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(reversed(node))
        elif isinstance(node, dict):
            yield node
            if "account" in node and not isinstance(node.get("content"), str):
                inner = [node.get("status"), node.get("last_status")]  # a notification; a deleted status has no content
                waiting.extend(inner)
            else:
                waiting.extend(node[key] for key in reversed(node) if key not in _PASSED)


def _post(node: _Object, scribe: Scribe) -> Post | None:
    id = _id(node.get("id"), scribe)
    if id is None:
        return None
    account = record(node, "account")
    accounts = {acct for mention in records(node, "mentions") if (acct := text(mention, "acct"))}
    warning = text(node, "spoiler_text")
    words = plain(cast(str, node["content"]))
    url = text(node, "url") or text(node, "uri")
    return Post(
        platform=PLATFORM,
        id=id,
        revision=_revision(moment(node.get("edited_at"))),
        url=url,
        author=scribe.author(PLATFORM, text(account, "uri") or text(account, "url") or text(account, "acct")),
        text=scribe.words(words, accounts),
        time=moment(node.get("created_at")),
        pictures=tuple(_medium(medium, scribe) for medium in records(node, "media_attachments")),
        reply_to=_id(node.get("in_reply_to_id"), scribe),
        quote_of=_quoted(node, scribe),
        state=PostState.BLOCKED if text(node, "visibility") in _OTHERS else PostState.PRESENT,
        language=text(node, "language"),
        engagement=engagement(
            likes=whole(node, "favourites_count"),
            reposts=whole(node, "reblogs_count"),
            replies=whole(node, "replies_count"),
            quotes=whole(node, "quotes_count"),
        ),
        title=scribe.words(warning) or None,
    )


def _revision(edited: datetime | None) -> int:
    """Second of the edit, so that every capture numbers the same version alike."""
    return 0 if edited is None else max(int(edited.timestamp()), 1)


def _quoted(node: _Object, scribe: Scribe) -> str | None:
    quoted = (
        dig(node, "quote", "quoted_status", "id") or dig(node, "quote", "quoted_status_id") or dig(node, "quote", "id")
    )
    return _id(quoted or node.get("quote_id"), scribe)


def _id(given: Json, scribe: Scribe) -> str | None:
    id = scribe.id(given)
    return id if id is None or scribe.instance is None else f"{scribe.instance}/{id}"


def _medium(medium: _Object, scribe: Scribe) -> Attachment:
    url = text(medium, "url") or text(medium, "remote_url")
    kind = _MEDIA.get(text(medium, "type") or "", "video")
    return scribe.shown(url, kind, alt=text(medium, "description"), missing=None if url else "not processed")
