"""Hacker News by Algolia's index: `search_by_date` over stories and comments, and whole item trees. No key.

The index gives at most a thousand hits to one search, so pages go on by time and not by number: the cursor is the
second up to which the next page looks.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from groundswell.ingest.live.platform import Login, Page, Params, url
from groundswell.ingest.shapes import records, text, whole
from groundswell.records import Broken, Call, Declined, Json, Pull, Reply

LIMIT = 200


class HackerNews:
    """Stories and comments."""

    name = "hackernews"
    format = "hackernews"
    base_url = "https://hn.algolia.com/api/v1"
    key: str | None = None
    login: Login | None = None
    windowed = True
    reach: timedelta | None = None
    free = True
    page = LIMIT

    def begin(self, pull: Pull, base_url: str) -> Call:
        if pull.what == "thread":
            return Call(method="GET", url=url(base_url, f"/items/{pull.query}"), auth=None)
        bounds = [f"created_at_i>={int(pull.since.timestamp())}"] if pull.since else []
        if pull.cursor is not None:
            bounds.append(f"created_at_i<={int(pull.cursor)}")
        elif pull.until is not None:
            bounds.append(f"created_at_i<{int(pull.until.timestamp())}")
        params: Params = {"query": pull.query, "tags": "(story,comment)", "hitsPerPage": LIMIT}
        address = url(base_url, "/search_by_date", numericFilters=",".join(bounds) or None, **params)
        return Call(method="GET", url=address, auth=None)

    def unusual(self, pull: Pull, reply: Reply) -> Declined | Broken | None:
        if reply.status == 404 and pull.what == "thread":
            return Declined(reason="the index has no such item")
        return None

    def read(self, pull: Pull, value: Json, headers: Mapping[str, str]) -> Page:
        if pull.what == "thread":
            return Page(value=value)
        hits = list(records(value, "hits"))
        found = tuple((id, str(whole(hit, "story_id") or id)) for hit in hits if (id := text(hit, "objectID")))
        return Page(value=value, found=found, next=_before(pull.cursor, hits, whole(value, "nbHits") or 0))


def _before(cursor: str | None, hits: list[dict[str, Json]], matches: int) -> str | None:
    """The next page begins in the second of the oldest hit, which others may share; a page full of that very second
    would repeat itself, and then the second before it is next."""
    times = [time for hit in hits if (time := whole(hit, "created_at_i")) is not None]
    if not times or matches <= len(hits):
        return None
    oldest = min(times)
    return str(oldest - 1 if cursor == str(oldest) else oldest)
