"""Bluesky by its XRPC API: `app.bsky.feed.searchPosts` and `getPostThread`, through the account's own server.

The key is `HANDLE:APP-PASSWORD`, which is exchanged for a token; searching without an account is closed. `until` is
exclusive, as our windows are. Expired tokens come as status 400.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import msgspec

from groundswell.ingest.live.platform import Login, Page, Params, stamp, url
from groundswell.ingest.shapes import records, text
from groundswell.records import Broken, Call, Credential, Declined, Json, Pull, Reply

LIMIT = 100
DEEPEST = 1000
"""Levels of a thread, up and down, that one request may ask for."""

_EXPIRED = frozenset({"ExpiredToken", "InvalidToken"})


class AppPassword:
    """A session from a handle and an app password."""

    base_url = "https://bsky.social"

    def begin(self, base_url: str) -> Call:
        name, secret = Credential(half="name"), Credential(half="secret")
        return Call(
            method="POST",
            url=url(base_url, "/xrpc/com.atproto.server.createSession"),
            body=(b'{"identifier":"', name, b'","password":"', secret, b'"}'),
            content_type="application/json",
            auth=None,
        )

    def token(self, value: Json) -> str | None:
        return text(value, "accessJwt")


class Bluesky:
    """Search, newest first; a thread is asked for once, at its root."""

    name = "bluesky"
    format = "bluesky"
    base_url = "https://bsky.social"
    key: str | None = "HANDLE:APP-PASSWORD of an account"
    login: Login | None = AppPassword()
    windowed = True
    reach: timedelta | None = None
    free = True
    page = DEEPEST

    def begin(self, pull: Pull, base_url: str) -> Call:
        if pull.what == "search":
            window = {"since": stamp(pull.since), "until": stamp(pull.until), "cursor": pull.cursor}
            params: Params = {"q": pull.query, "sort": "latest", "limit": LIMIT, **window}
            return Call(method="GET", url=url(base_url, "/xrpc/app.bsky.feed.searchPosts", **params))
        whole: Params = {"uri": pull.query, "depth": DEEPEST, "parentHeight": DEEPEST}
        return Call(method="GET", url=url(base_url, "/xrpc/app.bsky.feed.getPostThread", **whole))

    def unusual(self, pull: Pull, reply: Reply) -> Declined | Broken | None:
        if reply.status != 400:
            return None
        error = _error(reply.body)
        if error in _EXPIRED:
            return Broken(what="provider", reason="the session is over", transient=True, status=400, key_dead=True)
        if error == "NotFound" or pull.cursor is not None:
            return Declined(reason=f"Bluesky has no such page ({error or 400})")
        return None

    def read(self, pull: Pull, value: Json, headers: Mapping[str, str]) -> Page:
        if pull.what == "thread":
            kind = text(value, "thread", "$type") or ""
            return Page(value=value, gone=kind.endswith("#notFoundPost"))
        found = tuple(
            (uri, text(post, "record", "reply", "root", "uri") or uri)
            for post in records(value, "posts")
            if (uri := text(post, "uri"))
        )
        return Page(value=value, found=found, next=text(value, "cursor"))


def _error(body: bytes) -> str | None:
    try:
        return text(msgspec.json.decode(body), "error")
    except msgspec.DecodeError:
        return None
