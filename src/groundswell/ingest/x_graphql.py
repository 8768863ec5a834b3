"""Reader of the answers that X's web pages load (TweetDetail, timelines, searches), whole or a single entry.

Posts are found wherever they stand in the answer: in conversation modules, as related posts, quoted or retweeted. A
tombstone is kept with the id that its entry names. It does not know which operation made the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

import msgspec

from groundswell.ingest import x_v1
from groundswell.ingest.shapes import dig, record, rows, text, whole
from groundswell.ingest.sightings import Scribe, Sighting, tombstone
from groundswell.ingest.wording import unescape
from groundswell.ingest.x_posts import PLATFORM, address
from groundswell.records import Json, Post, PostState

NAME = "x-graphql"

_ENTRY = re.compile(r"(?:^|-)tweet-(\d+)$")
_LOOK = 20_000
"""Objects looked at before deciding that an answer is none of ours."""
_BY_OTHERS = re.compile(
    r"unable to view|limits who can|suspended|violat|withheld|age-restricted|sensitive", re.IGNORECASE
)
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether a post, a tombstone or a timeline of the web answers stands anywhere in the value."""
    for count, (node, _) in enumerate(_walk(value)):
        if _is_post(node) or text(node, "__typename") == "TweetTombstone":
            return True
        if text(node, "type") == "TimelineAddEntries" or count > _LOOK:
            return text(node, "type") == "TimelineAddEntries" and _no_users(node)
    return False


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings in the order in which the answer names them."""
    for node, entry in _walk(value):
        if _is_post(node):
            if (post := _post(node, scribe)) is not None:
                yield Sighting(post=post, repost=bool(dig(node, "legacy", "retweeted_status_result")))
        elif text(node, "__typename") == "TweetTombstone" and (named := _ENTRY.search(entry)):
            words = text(node, "tombstone", "text", "text") or ""
            state = PostState.BLOCKED if _BY_OTHERS.search(words) else PostState.DELETED
            yield tombstone(PLATFORM, named[1], state)


def holds_people(value: Json) -> bool:
    """Whether accounts stand in an answer of the web pages."""
    near = islice(_walk(value), _LOOK)
    return any(text(node, "__typename") == "User" and "rest_id" in node for node, _ in near)


def _is_post(node: _Object) -> bool:
    return "rest_id" in node and isinstance(dig(node, "legacy", "full_text"), str)


def _no_users(node: _Object) -> bool:
    return not any((text(entry, "entryId") or "").startswith("user-") for entry in rows(node, "entries"))


def _walk(value: Json) -> Iterator[tuple[_Object, str]]:
    """Every object in document order with the id of the timeline entry it stands in; quoted ones after their quoter."""
    waiting: list[tuple[Json, str]] = [(value, "")]
    while waiting:
        node, entry = waiting.pop()
        if isinstance(node, dict):
            entry = text(node, "entryId") or entry
            yield node, entry
            waiting.extend((inner, entry) for inner in reversed(node.values()) if isinstance(inner, dict | list))
        elif isinstance(node, list):
            waiting.extend((inner, entry) for inner in reversed(node) if isinstance(inner, dict | list))


def _post(node: _Object, scribe: Scribe) -> Post | None:
    legacy = record(node, "legacy")
    id = scribe.id(node.get("rest_id"))
    post = x_v1.read_post({**legacy, "id_str": id}, scribe) if id else None
    if id is None or post is None:
        return None
    user = record(node, "core", "user_results", "result")
    account = text(user, "rest_id") or text(legacy, "user_id_str")
    history = [version for version in rows(node, "edit_control", "edit_tweet_ids") if isinstance(version, str)]
    history = history or [
        version
        for version in rows(node, "edit_control", "edit_control_initial", "edit_tweet_ids")
        if isinstance(version, str)
    ]
    long = text(node, "note_tweet", "note_tweet_results", "result", "text")
    views = whole(node, "views", "count")
    return msgspec.structs.replace(
        post,
        author=scribe.author(PLATFORM, account),
        revision=history.index(id) if id in history else 0,
        url=address(history[0] if id in history else id),
        text=scribe.words(unescape(long)) if long else post.text,
        engagement=post.engagement if views is None else {**post.engagement, "views": views},
    )
