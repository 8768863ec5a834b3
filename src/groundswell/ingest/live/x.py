"""X by its API v2: recent search (the last seven days) or, where the account may, the full archive; conversations by
`conversation_id`, which is a search, too. A bearer token of an app is the key. Requests cost money: X bills by post.

A page carries the posts that its own refer to, but not their pictures; where they have any, they are looked up by
their ids before the next page.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from groundswell.ingest.live.platform import Login, Page, Params, stamp, url
from groundswell.ingest.shapes import records, rows, text
from groundswell.records import Broken, Call, Declined, Json, Pull, Reply

LIMIT = 100
"""Posts on a page, and ids of one look-up."""

FIELDS: Params = {
    "tweet.fields": "attachments,author_id,conversation_id,created_at,edit_history_tweet_ids,in_reply_to_user_id,lang,"
    "note_tweet,public_metrics,referenced_tweets,withheld",
    "expansions": "attachments.media_keys,referenced_tweets.id",
    "media.fields": "alt_text,preview_image_url,type,url",
}

IDS = "ids:"
"""Begins a cursor that is a look-up: `ids:1,2`, then a blank and the token of the page after it."""


class X:
    """Recent search."""

    name = "x"
    format = "x-v2"
    base_url = "https://api.x.com"
    key: str | None = "the bearer token of an app"
    login: Login | None = None
    windowed = True
    reach: timedelta | None = timedelta(days=7)
    free = False
    page = 2 * LIMIT  # its own and those that they refer to
    path = "/2/tweets/search/recent"

    def begin(self, pull: Pull, base_url: str) -> Call:
        if pull.cursor is not None and pull.cursor.startswith(IDS):
            ids = pull.cursor.removeprefix(IDS).partition(" ")[0]
            return Call(method="GET", url=url(base_url, "/2/tweets", ids=ids, **FIELDS))
        words = pull.query if pull.what == "search" else f"conversation_id:{pull.query}"
        window: Params = {"start_time": stamp(pull.since), "end_time": stamp(pull.until)}
        params: Params = {"query": words, "max_results": LIMIT, "next_token": pull.cursor, **window, **FIELDS}
        return Call(method="GET", url=url(base_url, self.path, **params))

    def unusual(self, pull: Pull, reply: Reply) -> Declined | Broken | None:
        if reply.status == 400 and pull.cursor is not None:
            return Declined(reason="the pagination token is not accepted (any more)")
        return None

    def read(self, pull: Pull, value: Json, headers: Mapping[str, str]) -> Page:
        if pull.cursor is not None and pull.cursor.startswith(IDS):
            return Page(value=value, next=pull.cursor.partition(" ")[2] or None)
        found = tuple(
            (id, text(post, "conversation_id") or id)
            for post in records(value, "data")
            if pull.what == "search" and (id := text(post, "id"))
        )
        token = text(value, "meta", "next_token")
        if ids := _unshown(value):
            return Page(value=value, found=found, next=f"{IDS}{','.join(ids[:LIMIT])} {token or ''}".rstrip())
        return Page(value=value, found=found, next=token)


class XArchive(X):
    """Full-archive search: the same answers, from 2006 on."""

    name = "x-all"
    reach = None
    path = "/2/tweets/search/all"


def _unshown(value: Json) -> list[str]:
    """Ids of the posts beside the page's own whose pictures the page does not describe."""
    described = {text(medium, "media_key") for medium in records(value, "includes", "media")}
    carried = {text(post, "id") for post in records(value, "data")}
    return [
        id
        for post in records(value, "includes", "tweets")
        if (id := text(post, "id")) and id not in carried and set(rows(post, "attachments", "media_keys")) - described
    ]
