"""Reddit by its OAuth API: submissions by the listing search, comment trees, and the comments that `more` stubs name.

The key is `CLIENT_ID:CLIENT_SECRET` of an app, which is exchanged for a token. Search has no window and ends after
about a thousand submissions. Text is asked for in Reddit's escaped form, which the reader of its exports expects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta

from groundswell.ingest.live.platform import Login, Page, Params, url
from groundswell.ingest.shapes import dig, record, records, rows, text
from groundswell.records import Broken, Call, Declined, Json, Pull, Reply

LISTING = 100
TREE = 500
MORE = 100
"""Comments that one `morechildren` request may name."""

HIDDEN = frozenset({403, 404})
"""Private, quarantined or removed communities, and submissions that are no more."""


class AppLogin:
    """The grant for an app without a user."""

    base_url = "https://www.reddit.com"

    def begin(self, base_url: str) -> Call:
        return Call(
            method="POST",
            url=url(base_url, "/api/v1/access_token"),
            body=(b"grant_type=client_credentials",),
            content_type="application/x-www-form-urlencoded",
            auth="Authorization: Basic {basic}",
        )

    def token(self, value: Json) -> str | None:
        return text(value, "access_token")


class Reddit:
    """Search for submissions; a thread's cursor lists what its `more` stubs named and nobody has fetched yet."""

    name = "reddit"
    format = "reddit"
    base_url = "https://oauth.reddit.com"
    key: str | None = "CLIENT_ID:CLIENT_SECRET of an app"
    login: Login | None = AppLogin()
    windowed = False
    reach: timedelta | None = None
    free = True
    page = TREE

    def begin(self, pull: Pull, base_url: str) -> Call:
        if pull.what == "search":
            place: Params = {"q": pull.query, "sort": "new", "t": "all", "type": "link", "after": pull.cursor}
            return Call(method="GET", url=url(base_url, "/search", limit=LISTING, **place))
        article = pull.query.removeprefix("t3_")
        if pull.cursor is None:
            return Call(method="GET", url=url(base_url, f"/comments/{article}", limit=TREE, sort="old"))
        batch, _ = _batch(pull.cursor)
        if batch[0].startswith("t1_"):
            under = batch[0].removeprefix("t1_")
            return Call(method="GET", url=url(base_url, f"/comments/{article}", comment=under, limit=TREE, sort="old"))
        named: Params = {"link_id": pull.query, "children": ",".join(batch), "api_type": "json", "sort": "old"}
        return Call(method="GET", url=url(base_url, "/api/morechildren", **named))

    def unusual(self, pull: Pull, reply: Reply) -> Declined | Broken | None:
        if pull.what == "thread" and reply.status in HIDDEN:
            return Declined(reason=f"Reddit does not show it ({reply.status})")
        return None

    def read(self, pull: Pull, value: Json, headers: Mapping[str, str]) -> Page:
        if pull.what == "search":
            names = (text(child, "data", "name") for child in records(value, "data", "children"))
            found = tuple((name, name) for name in names if name)
            return Page(value=value, found=found, next=text(value, "data", "after"))
        left = [] if pull.cursor is None else _batch(pull.cursor)[1]
        asked = frozenset() if pull.cursor is None else frozenset(pull.cursor.split(","))
        # What was asked for once and is a stub again is not there.
        left += [name for name in dict.fromkeys(_stubs(value)) if name not in asked]
        return Page(value=value, next=",".join(left) or None)


def _batch(cursor: str) -> tuple[list[str], list[str]]:
    """What one request fetches of a thread's rest, and what stays: comments by the hundred, a deep branch alone."""
    names = cursor.split(",")
    if names[0].startswith("t1_"):
        return names[:1], names[1:]
    comments = [name for name in names if not name.startswith("t1_")]
    taken = comments[:MORE]
    return taken, [*comments[MORE:], *(name for name in names if name.startswith("t1_"))]


def _stubs(value: Json) -> Iterator[str]:
    """What `more` stubs name: comments by their bare ids, and as `t1_...` the comment under which a branch goes on."""
    waiting: list[Json] = [value]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting.extend(reversed(node))
        elif text(node, "kind") == "more":
            children = [id for id in rows(node, "data", "children") if isinstance(id, str)]
            yield from children
            parent = text(node, "data", "parent_id") or ""
            if not children and parent.startswith("t1_"):
                yield parent
        elif isinstance(node, dict):
            inside = (dig(node, "data", "replies"), dig(node, "data", "children"), dig(node, "json", "data", "things"))
            waiting.extend(each for each in inside if isinstance(each, list) or record({"each": each}, "each"))
