"""Mastodon by an instance's REST API: hashtag timelines for a query like `#tag`, else the full-text search, which an
instance may not have; conversations by their contexts. The key is an access token; many instances show tags without.

Neither has a window in time: pages are read from the newest on until the window's beginning. Ids belong to the
instance, so one source is one instance.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import parse_qs, quote, urlsplit

from groundswell.ingest.live.platform import Login, Page, Params, url
from groundswell.ingest.shapes import records, rows, text
from groundswell.records import Broken, Call, Declined, Json, Pull, Reply

LIMIT = 40
_NEXT = re.compile(r'<([^<>]*)>\s*;[^,]*\brel="?next"?')


class Mastodon:
    """A context of a reply leads to its root, whose own context is the whole conversation."""

    name = "mastodon"
    format = "mastodon"
    base_url = "https://mastodon.social"
    key: str | None = None
    login: Login | None = None
    windowed = False
    reach: timedelta | None = None
    free = True
    page = LIMIT

    def begin(self, pull: Pull, base_url: str) -> Call:
        if pull.what == "thread":
            return Call(method="GET", url=url(base_url, f"/api/v1/statuses/{quote(pull.query, safe='')}/context"))
        if pull.query.startswith("#"):
            path = f"/api/v1/timelines/tag/{quote(pull.query[1:], safe='')}"
            return Call(method="GET", url=url(base_url, path, limit=LIMIT, max_id=pull.cursor))
        params: Params = {"q": pull.query, "type": "statuses", "limit": LIMIT, "offset": pull.cursor}
        return Call(method="GET", url=url(base_url, "/api/v2/search", **params))

    def unusual(self, pull: Pull, reply: Reply) -> Declined | Broken | None:
        if reply.status == 404 and pull.what == "thread":
            return Declined(reason="the instance has no such status")
        return None

    def read(self, pull: Pull, value: Json, headers: Mapping[str, str]) -> Page:
        if pull.what == "thread":
            above = next((text(status, "id") for status in records(value, "ancestors")), None)
            return Page(value=value, found=((above, above),) if above else ())
        tagged = isinstance(value, list)
        statuses = value if tagged else rows(value, "statuses")
        ids = [id for status in records({"all": statuses}, "all") if (id := text(status, "id"))]
        following = _max_id(headers.get("link", "")) if tagged else _offset(pull, len(ids))
        return Page(value=value, found=tuple((id, id) for id in ids), next=following)


def _max_id(link: str) -> str | None:
    """Where the next page begins by a Link header. Only the id is taken: where to ask is not the host's to say."""
    found = _NEXT.search(link)
    given = parse_qs(urlsplit(found[1]).query).get("max_id") if found else None
    return given[0] if given else None


def _offset(pull: Pull, count: int) -> str | None:
    return str(int(pull.cursor or 0) + count) if count == LIMIT else None
