"""Posts to conversations: who answers whom, merged over all files, whatever their order.

Two posts are one where their platform and id are the same, or their canonical address: a status seen through two
instances, an edited post with a new id. Of several versions the newest stands for the post. A parent that nobody gave
us becomes a placeholder; where its child names the conversation's first post, the placeholder hangs there. Cycles and
posts that answer themselves are cut and reported. Pure: it reads no file, no store and no picture.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from groundswell.ingest.forest import Engine, Forest, children, link
from groundswell.records import Json, Post, PostState, Thread

Name = tuple[str, str]
"""Platform and id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """An edge that was left out because it led back to its own post."""

    post: Name
    parent: Name
    why: Literal["self", "cycle"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Woven:
    """All conversations of a set of posts, as arrays over nodes numbered by time, platform and id."""

    posts: Sequence[Post]
    """One for each node; a placeholder has nothing but platform and id."""
    given: Sequence[bool]
    """Whether a node's post was given with its content; else it is a placeholder or a tombstone."""
    forest: Forest
    cut: Sequence[Cut]

    def threads(self, matched: Collection[str] = ()) -> Iterator[Thread]:
        """The conversations, in the order of their roots. `matched` are the keys of posts that a query found."""
        wanted = frozenset(matched)
        for start, end in pairwise(self.forest.starts.tolist()):
            yield self._thread(self.forest.order[start:end].tolist(), wanted)

    def _thread(self, nodes: list[int], wanted: frozenset[str]) -> Thread:
        place = {node: index for index, node in enumerate(nodes)}
        keys = [self.posts[node].key for node in nodes]
        above = self.forest.parent[nodes].tolist()
        found = [index for index, key in enumerate(keys) if key in wanted]
        main = min(found, key=lambda index: nodes[index]) if found else 0
        path, node = [], nodes[main]
        while (up := int(self.forest.parent[node])) != node:
            path.append(keys[place[up]])
            node = up
        return Thread(
            root=keys[0],
            main=keys[main],
            matched=tuple(keys[index] for index in found),
            ancestors=tuple(reversed(path)),
            members=tuple(keys),
            parents=tuple(None if up == node else place[up] for node, up in zip(nodes, above, strict=True)),
            missing=tuple(key for key, node in zip(keys, nodes, strict=True) if not self.given[node]),
        )


def build_threads(posts: Iterable[Post], *, matched: Collection[str] = ()) -> list[Thread]:
    """The conversations that the posts make; the same for any order of the posts."""
    return list(weave(posts).threads(matched))


def weave(posts: Iterable[Post], *, engine: Engine | None = None) -> Woven:
    """Resolve who answers whom, and cut what cannot be.

    Tombstones (deleted or blocked posts without content) may be among the posts; a real post wins over them.
    """
    nodes, places = _distinct(posts)
    count = len(nodes)
    stands_for = _same_address(nodes)
    above, selves = _parents(nodes, places, stands_for)
    present = PostState.PRESENT
    given = np.array([post.state is present or not is_stub(post) for post in nodes], bool)
    given[count:] = False
    order = _ranking(nodes, [at for at in range(len(nodes)) if at not in stands_for])
    number = np.full(len(nodes), len(nodes), np.int64)
    number[order] = np.arange(len(order))
    parent = number[np.array(above, np.int64)[order]]
    forest = link(parent, engine=engine)
    ranked = order.tolist()

    def cut(at: int, why: Literal["self", "cycle"]) -> Cut:
        post, up = nodes[ranked[at]], nodes[ranked[int(parent[at])]]
        return Cut(post=(post.platform, post.id), parent=(up.platform, up.id), why=why)

    return Woven(
        posts=[nodes[at] for at in ranked],
        given=given[order].tolist(),
        forest=forest,
        cut=[
            *(cut(at, "self") for at in sorted(number[selves].tolist())),
            *(cut(at, "cycle") for at in forest.cut.tolist()),
        ],
    )


def is_stub(post: Post) -> bool:
    """Whether a post is only a platform's word that it exists and is deleted or blocked."""
    return post.time is None and post.state is not PostState.PRESENT and not post.text


def _distinct(posts: Iterable[Post]) -> tuple[list[Post], dict[str, dict[str, int]]]:
    """One post for every platform and id, and its place in the list. The one with content, the newest, the fullest."""
    nodes: list[Post] = []
    places: dict[str, dict[str, int]] = defaultdict(dict)
    for post in posts:
        at = places[post.platform].setdefault(post.id, len(nodes))
        if at == len(nodes):
            nodes.append(post)
        elif nodes[at] is not post and _standing(post) > _standing(nodes[at]):
            nodes[at] = post
    return nodes, places


def _standing(post: Post) -> tuple[object, ...]:
    return (not is_stub(post), post.revision, post.reply_to is not None, len(post.text), msgspec.json.encode(post))


def _same_address(nodes: Sequence[Post]) -> dict[int, int]:
    """For every post whose address is also another's, the one that stands for both.

    An address that ends with its own post's id is shared only if somebody else claims it: most need no look-up.
    """
    claimed = {post.url for post in nodes if post.url is not None and not post.url.endswith(post.id)}
    shared: dict[str, list[int]] = {}
    for at, post in enumerate(nodes) if claimed else ():
        if post.url is not None and post.url in claimed:
            shared.setdefault(post.url, []).append(at)
    stands_for: dict[int, int] = {}
    for same in (same for same in shared.values() if len(same) > 1):
        best = max(same, key=lambda at: (*_standing(nodes[at])[:-1], nodes[at].platform, nodes[at].id))
        stands_for |= {at: best for at in same if at != best}
    return stands_for


def _parents(
    nodes: list[Post], places: dict[str, dict[str, int]], stands_for: Mapping[int, int]
) -> tuple[list[int], list[int]]:
    """The place of each post's parent, its own where it has none; and the posts that named themselves.

    A parent or root that is missing is appended to `nodes` as a placeholder. A placeholder or tombstone hangs at the
    conversation that its children name.
    """
    count = len(nodes)
    above = list(range(count))
    selves: list[int] = []
    anchors: dict[int, int] = {}

    def place(platform: str, id: str) -> int:
        at = places[platform].setdefault(id, len(nodes))
        if at == len(nodes):
            nodes.append(Post(platform=platform, id=id))
            above.append(at)
        return stands_for.get(at, at)

    for at, post in enumerate(nodes[:count]):
        if post.reply_to is None:
            if post.root is not None:
                above[at] = place(post.platform, post.root)
            continue
        parent = above[at] = place(post.platform, post.reply_to)
        if parent == at:
            selves.append(at)
        elif post.root is not None and (parent >= count or _adrift(nodes[parent])):
            root = place(post.platform, post.root)
            if root != parent:
                known = anchors.setdefault(parent, root)
                anchors[parent] = min(known, root, key=lambda at: (nodes[at].platform, nodes[at].id))
    for at, root in anchors.items():
        above[at] = root
    return above, selves


def _adrift(post: Post) -> bool:
    return is_stub(post) and post.reply_to is None


def _ranking(nodes: Sequence[Post], kept: Sequence[int]) -> NDArray[np.int64]:
    """The kept places by time, then platform and id: an order that depends on content alone. No time comes last."""
    times = np.array([_seconds(nodes[at].time) for at in kept], np.float64)
    order = np.argsort(times, kind="stable")
    along = times[order]
    changes = np.flatnonzero(along[1:] != along[:-1]) + 1
    starts, ends = np.append(0, changes), np.append(changes, len(order))
    ranked = np.array(kept, np.int64)[order]
    for tie in np.flatnonzero(ends - starts > 1).tolist():
        start, end = int(starts[tie]), int(ends[tie])
        ranked[start:end] = sorted(ranked[start:end].tolist(), key=lambda at: (nodes[at].platform, nodes[at].id))
    return ranked


def _seconds(time: datetime | None) -> float:
    if time is None:
        return math.inf
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def canonical_url(url: str) -> str:
    """The address under which a post is known here, from any of the addresses that people copy."""
    bare = re.sub(r"[?#].*$", "", url.strip())
    if found := re.match(
        r"https?://(?:[\w-]+\.)*(?:twitter|x|nitter|fxtwitter|vxtwitter)\.\w+/(?:i/web|i|[\w]+)/status(?:es)?/(\d+)",
        bare,
    ):
        return f"https://x.com/i/status/{found[1]}"
    if found := re.match(
        r"https?://(?:\w+\.)?reddit\.com(/r/[^/]+/comments/\w+/[^/]+/(?:\w+/?)?|/comments/\w+/?)", bare
    ):
        return f"https://www.reddit.com{found[1]}"
    return bare


def find(posts: Iterable[Post], place: str) -> list[str]:
    """Keys of the posts that an address, or a platform's own id, names."""
    address = canonical_url(place)
    ending = address.rstrip("/")
    hacker = re.search(r"news\.ycombinator\.com/item\?id=(\d+)", place)
    id = hacker[1] if hacker else re.sub(r"^https://x\.com/i/status/", "", address)
    return [
        post.key
        for post in posts
        if post.id in (id, place) or (post.url is not None and post.url.rstrip("/") == ending)
    ]


def threads_report(woven: Woven, *, matched: Collection[str] = ()) -> dict[str, Json]:
    """The JSON object of `groundswell threads`: for each conversation its main post's id, ancestors and nested replies.

    A thread of any depth is built without recursion; `encode` writes it without recursion too.
    """
    wanted = frozenset(matched)
    offsets, below = children(woven.forest)

    def nested(node: int) -> list[Json]:
        top: list[Json] = []
        waiting = [(node, top)]
        while waiting:
            node, into = waiting.pop()
            for child in below[offsets[node] : offsets[node + 1]].tolist():
                replies: list[Json] = []
                marked = {} if woven.given[child] else {"missing": True}
                into.append({"post": woven.posts[child].id, **marked, "replies": replies})
                waiting.append((child, replies))
        return top

    threads = [
        _row(woven, woven.forest.order[start:end].tolist(), wanted, nested)
        for start, end in pairwise(woven.forest.starts.tolist())
    ]
    cut = [{"post": cut.post[1], "parent": cut.parent[1], "platform": cut.post[0], "why": cut.why} for cut in woven.cut]
    return {"threads": threads, "posts": sum(woven.given), "missing": len(woven.posts) - sum(woven.given), "cut": cut}


def _row(
    woven: Woven, nodes: list[int], wanted: frozenset[str], nested: Callable[[int], list[Json]]
) -> dict[str, Json]:
    found = [node for node in nodes if woven.posts[node].key in wanted] if wanted else []
    main = min(found, default=nodes[0])
    path, node = [], main
    while (up := int(woven.forest.parent[node])) != node:
        path.append(woven.posts[up].id)
        node = up
    return {
        "main": woven.posts[main].id,
        "platform": woven.posts[main].platform,
        "url": woven.posts[main].url,
        "ancestors": path[::-1],
        "replies": nested(main),
        "matched": [woven.posts[node].id for node in found],
        "members": [woven.posts[node].id for node in nodes],
        "missing": [woven.posts[node].id for node in nodes if not woven.given[node]],
    }


def encode(value: Json) -> Iterator[str]:
    """JSON text of a value of any depth, in pieces, without recursion. Keys must be text."""
    waiting: list[tuple[str, Json]] = [("", value)]
    while waiting:
        before, value = waiting.pop()
        if isinstance(value, dict) and value:
            keys = [f"{json_text(key)}:" for key in value]
            waiting.append(("}", _NOTHING))
            pairs = list(zip([f"{{{keys[0]}", *(f",{key}" for key in keys[1:])], value.values(), strict=True))
        elif isinstance(value, list | tuple) and value:
            waiting.append(("]", _NOTHING))
            pairs = [("," if place else "[", each) for place, each in enumerate(value)]
        else:
            yield before if value is _NOTHING else before + json_text(value)
            continue
        yield before
        waiting.extend(reversed(pairs))


_NOTHING = object()


def json_text(value: Json) -> str:
    """JSON text of a plain value."""
    return msgspec.json.encode(value).decode()
