"""Scripted platforms: each speaks the wire format of one platform about a few posts, and can be told to misbehave."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from groundswell.config import FILE_NAME
from groundswell.flow.collecting import Asked, collect
from groundswell.flow.workspace import workspace
from groundswell.testing.clock import StillClock
from groundswell.testing.host import Act, ScriptedHost

DAY = datetime(2026, 10, 20, tzinfo=UTC)
SECRET = "canary-name:canary-secret-0123456789"


def at(minutes):
    return DAY + timedelta(minutes=minutes)


def iso(minutes):
    return at(minutes).strftime("%Y-%m-%dT%H:%M:%S.000Z")


class Town:
    """Answers by `answer`; `acts` replaces the answers to requests whose address holds a text, each act once."""

    latency = 0.0

    def __init__(self):
        self.acts = []
        self.pictures = {}

    def __call__(self, seen):
        for index, (words, act) in enumerate(self.acts):
            if words in seen.path:
                del self.acts[index]
                return act
        parts = urlsplit(seen.path)
        if parts.path.startswith("/pictures/"):
            return self.pictures.get(parts.path) or Act(status=404)
        params = {name: values[0] for name, values in parse_qs(parts.query).items()}
        answer = self.answer(parts.path, params, seen)
        return answer if isinstance(answer, Act) else self.say(answer)

    def say(self, value, status=200, **headers):
        return Act(status=status, body=msgspec.json.encode(value).decode(), headers=headers, latency=self.latency)


class XTown(Town):
    """Two posts a page, newest first. `dead` tokens are refused."""

    def __init__(self):
        super().__init__()
        self.posts = [
            self.post("1", 0, "new image model, prompt: a red fox", media="m1"),
            self.post("2", 5, "@a what a fox", parent="1", root="1"),
            self.post("3", 10, "image model again"),
            self.post("4", 15, "the image model put six fingers on her", parent="9", root="9"),
            self.post("5", 20, "image model, once more"),
        ]
        self.dead = set()

    @staticmethod
    def post(id, minutes, text, *, parent=None, root=None, media=None):
        made = {
            "id": id,
            "text": text,
            "created_at": iso(minutes),
            "author_id": f"7{id}",
            "conversation_id": root or id,
        }
        if parent:
            made["referenced_tweets"] = [{"type": "replied_to", "id": parent}]
        return made | ({"attachments": {"media_keys": [media]}} if media else {})

    def answer(self, path, params, seen):
        described = [{"media_key": "m1", "type": "photo", "url": "https://pbs.twimg.com/media/fox.jpg"}]
        if path == "/2/tweets":
            page = [post for post in self.posts if post["id"] in params["ids"].split(",")]
            return {"data": page, "includes": {"media": described}}
        if params.get("next_token") in self.dead:
            return self.say({"errors": [{"message": "Invalid 'next_token'"}], "title": "Invalid Request"}, 400)
        words = params["query"]
        if words.startswith("conversation_id:"):
            found = [post for post in self.posts if post["conversation_id"] == words[16:] and post["id"] != words[16:]]
        else:
            found = [post for post in self.posts if words in post["text"]]
        begin, end = params.get("start_time", ""), params.get("end_time", "9")
        found = [post for post in found if begin <= post["created_at"][:19] + "Z" < end][::-1]
        start = int(params.get("next_token", "t0")[1:])
        page, rest = found[start : start + 2], found[start + 2 :]
        meta = {"result_count": len(page)} | ({"next_token": f"t{start + 2}"} if rest else {})
        parents = {parent["id"] for post in page for parent in post.get("referenced_tweets", ())}
        beside = {"tweets": [post for post in self.posts if post["id"] in parents]}
        if any("attachments" in post for post in page):
            beside["media"] = described
        gone = {"resource_type": "tweet", "resource_id": "9", "title": "Not Found Error",
                "type": "https://api.twitter.com/2/problems/resource-not-found"}  # fmt: skip
        errors = {"errors": [gone]} if any(post["conversation_id"] == "9" for post in page) else {}
        return {"data": page, "includes": beside, "meta": meta} | errors if page else {"meta": meta}


class RedditTown(Town):
    """One submission a page; its tree has a stub of two comments, and a branch that goes on elsewhere."""

    token = "reddit-token-0123456789"

    @staticmethod
    def thing(kind, id, minutes, **fields):
        data = {"id": id, "name": f"{kind}_{id}", "created_utc": at(minutes).timestamp(), "author": f"u_{id}"}
        return {"kind": kind, "data": data | fields}

    def comment(self, id, minutes, parent, replies=""):
        return self.thing("t1", id, minutes, body=f"comment {id}", link_id="t3_s1", parent_id=parent, replies=replies)

    @staticmethod
    def listing(*children, after=None):
        return {"kind": "Listing", "data": {"children": list(children), "after": after}}

    @staticmethod
    def more(parent, *children):
        return {
            "kind": "more",
            "data": {"id": "_", "count": len(children), "parent_id": parent, "children": list(children)},
        }

    def submission(self, id, minutes):
        return self.thing("t3", id, minutes, title=f"image model {id}", selftext="", subreddit="art")

    def answer(self, path, params, seen):
        if path == "/api/v1/access_token":
            return {"access_token": self.token, "token_type": "bearer", "expires_in": 86400}
        if seen.headers.get("authorization") != f"Bearer {self.token}":
            return self.say({"message": "Unauthorized", "error": 401}, 401)
        if path == "/search":
            pages = {None: ("s3", 30, "t3_s3"), "t3_s3": ("s1", 0, "t3_s1"), "t3_s1": ("s0", -9000, None)}
            id, minutes, after = pages[params.get("after")]
            return self.listing(self.submission(id, minutes), after=after)
        if path == "/comments/s1" and "comment" not in params:
            deep = self.comment("c2", 2, "t1_c1", self.listing(self.more("t1_c2")))
            tree = self.listing(self.comment("c1", 1, "t3_s1", self.listing(deep)), self.more("t3_s1", "c5", "c6"))
            return [self.listing(self.submission("s1", 0)), tree]
        if path == "/comments/s1":
            under = self.comment("c3", 3, "t1_c2")
            return [self.listing(), self.listing(self.comment("c2", 2, "t1_c1", self.listing(under)))]
        if path == "/api/morechildren":
            things = [self.comment(id, 5, "t3_s1") for id in params["children"].split(",")]
            return {"json": {"errors": [], "data": {"things": things}}}
        return self.say({"reason": "private", "message": "Forbidden", "error": 403}, 403)


class BlueskyTown(Town):
    """Two posts a page by offset. `gone` roots are not found; `old` tokens have expired."""

    def __init__(self):
        super().__init__()
        self.logins = 0
        self.gone = set()
        self.posts = [self.post("a", 0), self.post("b", 5, root="a"), self.post("c", 10), self.post("d", 15, root="zz")]
        self.logged_in = []

    @staticmethod
    def uri(key):
        return f"at://did:plc:{key}/app.bsky.feed.post/{key}"

    def post(self, key, minutes, root=None):
        content = {"$type": "app.bsky.feed.post", "text": f"image model {key}", "createdAt": iso(minutes)}
        if root:
            content["reply"] = {"root": {"uri": self.uri(root)}, "parent": {"uri": self.uri(root)}}
        return {"uri": self.uri(key), "author": {"did": f"did:plc:{key}"}, "record": content, "indexedAt": iso(minutes)}

    def answer(self, path, params, seen):
        if path.endswith("createSession"):
            self.logged_in.append(seen.json())
            self.logins += 1
            return {"accessJwt": f"bluesky-token-{self.logins}", "did": "did:plc:me", "handle": "me"}
        if seen.headers.get("authorization") != f"Bearer bluesky-token-{self.logins}":
            return self.say({"error": "ExpiredToken", "message": "Token has expired"}, 400)
        if path.endswith("searchPosts"):
            begin, end = params.get("since", ""), params.get("until", "9")
            found = [post for post in self.posts if begin <= post["indexedAt"][:19] + "Z" < end][::-1]
            start = int(params.get("cursor", 0))
            more = {"cursor": str(start + 2)} if found[start + 2 :] else {}
            return {"posts": found[start : start + 2]} | more
        key = params["uri"].rpartition("/")[2]
        post = next((post for post in self.posts if post["uri"] == params["uri"]), None)
        if post is None:
            return self.say({"error": "NotFound", "message": "Post not found"}, 400)
        view = {"$type": "app.bsky.feed.defs#threadViewPost", "post": post, "replies": []}
        if key == "a":
            view["replies"] = [{"$type": "app.bsky.feed.defs#threadViewPost", "post": self.post("e", 6, root="a")}]
        if key == "d":
            view["parent"] = {"$type": "app.bsky.feed.defs#notFoundPost", "uri": self.uri("zz"), "notFound": True}
        return {"thread": view}


class MastodonTown(Town):
    """A tag's timeline by Link headers, two statuses a page, and contexts of a thread of three."""

    def status(self, id, minutes, parent=None):
        return {
            "id": str(id), "uri": f"https://town.example/s/{id}", "url": f"https://town.example/s/{id}",
            "created_at": iso(minutes), "content": f"<p>image model {id}</p>", "in_reply_to_id": parent,
            "account": {"id": "1", "acct": "ann", "url": "https://town.example/@ann"}, "visibility": "public",
            "media_attachments": [],
        }  # fmt: skip

    def answer(self, path, params, seen):
        top, middle, last = self.status(10, 0), self.status(11, 5, "10"), self.status(12, 6, "11")
        contexts = {"10": ([], [middle, last]), "11": ([top], [last]), "20": ([], [])}
        if path.endswith("/context"):
            if (known := contexts.get(path.split("/")[-2])) is None:
                return self.say({"error": "Record not found"}, 404)
            return {"ancestors": known[0], "descendants": known[1]}
        if path == "/api/v1/timelines/tag/imagemodel":
            older = {None: [self.status(30, 40), self.status(20, 10)], "20": [middle], "11": []}[params.get("max_id")]
            oldest = {None: "20", "20": "11"}.get(params.get("max_id"))
            link = f'<https://elsewhere.example/steal?max_id={oldest}>; rel="next", <https://town.example>; rel="prev"'
            return self.say(older, **({"Link": link} if oldest else {}))
        if path == "/api/v2/search":
            start = int(params.get("offset", 0))
            many = [self.status(1000 - n, 500 - n) for n in range(45)]
            return {"accounts": [], "hashtags": [], "statuses": many[start : start + int(params["limit"])]}
        return self.say({"error": "not here"}, 404)


class HackerNewsTown(Town):
    """Five hits, two a page, of which two share a second; item trees of two stories."""

    def __init__(self):
        super().__init__()
        hits = [("101", 0, None), ("102", 5, "101"), ("103", 10, None), ("104", 10, "999"), ("105", 20, "101")]
        self.hits = [self.hit(*each) for each in hits]

    @staticmethod
    def hit(id, minutes, story):
        made = {"objectID": id, "created_at": iso(minutes), "created_at_i": int(at(minutes).timestamp()),
                "author": f"u{id}", "story_id": int(story or id)}  # fmt: skip
        return made | ({"comment_text": "image model", "parent_id": int(story)} if story else {"title": "Image model"})

    def answer(self, path, params, seen):
        if path.endswith("/search_by_date"):
            found = self.hits[::-1]
            for bound in filter(None, params.get("numericFilters", "").split(",")):
                name, limit = bound[:12], bound[12:]
                assert name == "created_at_i"
                sign, second = (limit[:2], limit[2:]) if limit[1] == "=" else (limit[:1], limit[1:])
                keep = {">=": int.__ge__, "<=": int.__le__, "<": int.__lt__}[sign]
                found = [hit for hit in found if keep(hit["created_at_i"], int(second))]
            return {"hits": found[:2], "nbHits": len(found), "page": 0, "hitsPerPage": 2}
        id = path.rpartition("/")[2]
        if id == "999":
            return self.say({"status": 404, "error": "Not Found"}, 404)
        reply = {"id": 106, "type": "comment", "author": "late", "text": "<p>six fingers", "parent_id": int(id),
                 "created_at_i": int(at(30).timestamp()), "children": []}  # fmt: skip
        item = {
            "id": int(id),
            "type": "story",
            "author": "u",
            "title": "Image model",
            "created_at_i": int(DAY.timestamp()),
        }
        return item | {"children": [reply] if id == "101" else []}


TOWNS = {
    "x": XTown, "reddit": RedditTown, "bluesky": BlueskyTown, "mastodon": MastodonTown, "hackernews": HackerNewsTown,
}  # fmt: skip


class Visit:
    """A workspace with one source, whose platform is a scripted host."""

    def __init__(self, name, town, host, folder, clock):
        self.name, self.town, self.host, self.folder, self.clock = name, town, host, folder, clock

    def collect(self, *queries, **window):
        return self.collect_dated(*(queries or ("image model",)), **window)

    def collect_dated(self, *queries, **asked):
        asked = Asked(source=self.name, queries=queries, **asked)
        with workspace(self.folder) as space:
            return collect(space, asked, clock=self.clock)

    def kept(self, kind):
        with workspace(self.folder) as space:
            return list(space.store.records(kind))

    @property
    def paths(self):
        """The requests that the platform saw, in order."""
        return [seen.path for seen in self.host.seen]


@pytest.fixture
def visit(tmp_path, monkeypatch):
    """Opens a scripted platform on a thread of its own, and a workspace that collects from it."""
    monkeypatch.setenv("CANARY", SECRET)
    hosts = []

    def open_(name, more="", keys='keys = ["env:CANARY"]'):
        town = TOWNS[name]()
        host = _Threaded(town)
        hosts.append(host)
        source = f'[[source]]\nname = "{name}"\nbase_url = "{host.host.origin}"\n{keys}\n'
        (tmp_path / FILE_NAME).write_text(source + more)
        return Visit(name, town, host.host, tmp_path, StillClock(datetime(2026, 11, 1, tzinfo=UTC)))

    yield open_
    for host in hosts:
        host.close()


class _Threaded:
    """A scripted host that serves while the test's own thread runs commands."""

    def __init__(self, town):
        self.host = ScriptedHost(town)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.host.__aenter__(), self._loop).result()

    def close(self):
        asyncio.run_coroutine_threadsafe(self.host.__aexit__(None, None, None), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
