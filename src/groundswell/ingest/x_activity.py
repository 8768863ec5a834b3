"""X's posts in Activity Streams form, as its enterprise API gave them, rewritten as the API v1.1 says the same.

Knows the two vocabularies and nothing else; reading is left to `x_v1`.
"""

from __future__ import annotations

import re

from groundswell.ingest.shapes import dig, record, rows, text
from groundswell.records import Json

_NUMBER = re.compile(r"(\d+)/?$")


def is_activity(value: Json) -> bool:
    """Whether an object is a post or a repost in this form."""
    return text(value, "objectType") == "activity" and "search.twitter.com" in (text(value, "id") or "")


def as_status(activity: Json) -> dict[str, Json]:
    """The same post in the words of the API v1.1; what it quotes or repeats is rewritten when it is read itself."""
    inner = record(activity, "object")
    status: dict[str, Json] = {
        "id_str": _number(text(activity, "id")),
        "full_text": text(activity, "long_object", "body") or text(activity, "body"),
        "created_at": dig(activity, "postedTime"),
        "lang": text(activity, "twitter_lang"),
        "user": {"id_str": _number(text(activity, "actor", "id"), after=":")},
        "in_reply_to_status_id_str": _number(text(activity, "inReplyTo", "link")),
        "favorite_count": dig(activity, "favoritesCount"),
        "retweet_count": dig(activity, "retweetCount"),
        "quoted_status": record(activity, "twitter_quoted_status"),
        "retweeted_status": inner if is_activity(inner) else {},
    }
    for source in (record(activity, "long_object"), record(activity)):
        media = rows(source, "twitter_extended_entities", "media") or rows(source, "twitter_entities", "media")
        if media and "extended_entities" not in status:
            status["extended_entities"] = {"media": media}
    return status


def _number(name: str | None, after: str = "") -> str | None:
    found = _NUMBER.search((name or "").rpartition(after)[2] if after else name or "")
    return found[1] if found else None
