"""Posts to conversations: who answers whom, merged over all files, whatever their order.

Two posts are one where their platform and id are the same, or their canonical address: a status seen through two
instances, an edited post with a new id. Of several versions the newest stands for the post. A parent that nobody gave
us becomes a placeholder; where its child names the conversation's first post, the placeholder hangs there. Cycles and
posts that answer themselves are cut and reported. Pure: it reads no file, no store and no picture.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal

import msgspec
import numpy as np

from groundswell.ingest.forest import Forest, children, link
from groundswell.records import Json, Post, PostState, Thread

Name = tuple[str, str]
"""Platform and id."""

_NEVER = datetime.max.replace(tzinfo=UTC)
"""Where posts without a time stand among their siblings: last."""


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


def weave(posts: Iterable[Post], *, engine: Literal["numba", "numpy"] | None = None) -> Woven:
    """Resolve who answers whom, and cut what cannot be.

    Tombstones (deleted or blocked posts without content) may be among the posts; a real post wins over them.
    """
    chosen = _versions(posts)
    names, node_of = _nodes(chosen)
    wanted = _parents(names, chosen, node_of)
    order = sorted(range(len(names)), key=lambda node: _place(names[node], chosen.get(names[node])))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    above = np.arange(len(order))
    for child, parent in wanted.items():
        above[number[child]] = number[parent]
    cut = [
        Cut(post=names[node], parent=names[node], why="self")
        for node in sorted(_selves(wanted), key=number.__getitem__)
    ]
    forest = link(above, engine=engine)
    cut += [Cut(post=names[order[at]], parent=names[order[above[at]]], why="cycle") for at in forest.cut.tolist()]
    nodes = [names[node] for node in order]
    return Woven(
        posts=[chosen.get(name) or Post(platform=name[0], id=name[1]) for name in nodes],
        given=[name in chosen and not is_stub(chosen[name]) for name in nodes],
        forest=forest,
        cut=cut,
    )


def _selves(wanted: Mapping[int, int]) -> list[int]:
    return [child for child, parent in wanted.items() if child == parent]


def _place(name: Name, post: Post | None) -> tuple[datetime, Name]:
    """Order among siblings, trees and cycles: by time, then by name; it depends on content alone."""
    time = None if post is None else post.time
    return (_NEVER if time is None else time if time.tzinfo else time.replace(tzinfo=UTC), name)


def _versions(posts: Iterable[Post]) -> dict[Name, Post]:
    """For every name the version that stands for it: one with content, the newest, the one that says most."""
    chosen: dict[Name, Post] = {}
    for post in posts:
        name = (post.platform, post.id)
        best = chosen.get(name)
        if best is None or (best is not post and _standing(post) > _standing(best)):
            chosen[name] = post
    return chosen


def is_stub(post: Post) -> bool:
    """Whether a post is only a platform's word that it exists and is deleted or blocked."""
    return post.state is not PostState.PRESENT and post.time is None and not post.text


def _standing(post: Post) -> tuple[object, ...]:
    return (not is_stub(post), post.revision, post.reply_to is not None, len(post.text), msgspec.json.encode(post))


def _nodes(chosen: dict[Name, Post]) -> tuple[list[Name], dict[Name, int]]:
    """A node for every post, one for all posts of an address, and one for every parent and root that is missing.

    `chosen` loses the names that another one stands for.
    """
    named = {
        name for post in chosen.values() for id in (post.reply_to, post.root) if id for name in [(post.platform, id)]
    }
    by_address: dict[str, list[Name]] = {}
    for name, post in chosen.items():
        if post.url is not None:
            by_address.setdefault(post.url, []).append(name)
    stands_for: dict[Name, Name] = {}
    for same in by_address.values():
        if len(same) > 1:
            best = max(same, key=lambda name: (_standing(chosen[name]), name))
            stands_for |= {name: best for name in same if name != best}
    for name in stands_for:
        del chosen[name]
    names = [*chosen, *(named - chosen.keys() - stands_for.keys())]
    node_of = {name: node for node, name in enumerate(names)}
    node_of |= {name: node_of[best] for name, best in stands_for.items()}
    return names, node_of


def _parents(names: list[Name], chosen: Mapping[Name, Post], node_of: Mapping[Name, int]) -> dict[int, int]:
    """The parent of each node that has one. A placeholder hangs at the conversation that its children name."""
    wanted: dict[int, int] = {}
    roots: dict[int, int] = {}
    for name, post in chosen.items():
        root = None if post.root is None else node_of[post.platform, post.root]
        if post.reply_to is not None:
            parent = wanted[node_of[name]] = node_of[post.platform, post.reply_to]
            above = chosen.get(names[parent])
            if root is not None and root != parent and (above is None or (is_stub(above) and above.reply_to is None)):
                known = roots.setdefault(parent, root)
                roots[parent] = min(known, root, key=names.__getitem__)
        elif root is not None and root != node_of[name]:
            wanted[node_of[name]] = root
    return wanted | roots


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
