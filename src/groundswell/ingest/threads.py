"""Posts to conversations: who answers whom, merged over all files, whatever their order.

Two posts are one where their platform and id are the same, or their canonical address: a status seen through two
instances, an edited post with a new id. Of several versions the newest stands for the post. A parent that nobody gave
us becomes a placeholder; where its child names the conversation's first post, the placeholder hangs there. Cycles and
posts that answer themselves are cut and reported. Pure: it reads no file, no store and no picture.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count, pairwise
from typing import Literal

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from groundswell.ingest.forest import Engine, Forest, link
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
    nodes, known = _distinct(posts)
    present = PostState.PRESENT
    stubs = [at for at, post in enumerate(nodes) if post.state is not present and is_stub(post)]
    number_given = len(nodes)
    stands_for = _same_address(nodes)
    above, selves = _parents(nodes, known, stubs, stands_for)
    given = np.arange(len(nodes)) < number_given
    given[stubs] = False
    order = _ranking(nodes, np.delete(np.arange(len(nodes)), list(stands_for)))
    number = np.full(len(nodes), len(nodes), np.int64)
    number[order] = np.arange(len(order))
    parent = number[above[order]]
    forest = link(parent, engine=engine)
    ranked = list(map(nodes.__getitem__, order.tolist()))

    def cut(at: int, why: Literal["self", "cycle"]) -> Cut:
        post, up = ranked[at], ranked[int(parent[at])]
        return Cut(post=(post.platform, post.id), parent=(up.platform, up.id), why=why)

    return Woven(
        posts=ranked,
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


def _distinct(posts: Iterable[Post]) -> tuple[list[Post], list[_Ids]]:
    """One post for every platform and id (the one with content, the newest, the fullest), platform by platform; and
    each platform's ids in that order."""
    everything = list(posts)
    nodes: list[Post] = []
    known: list[_Ids] = []
    platforms = {post.platform for post in everything}
    for platform in platforms:
        mine = [post for post in everything if post.platform == platform] if len(platforms) > 1 else everything
        ids = _Ids(mine)
        if not ids.distinct:
            mine = _best(mine)
            ids = next(each for seed in count() if (each := _Ids(mine, seed)).distinct)
        known.append(ids)
        nodes += mine
    return nodes, known


class _Ids:
    """The ids of one platform's posts, and where each stands.

    Ids are told by 64 bits of their hash, sorted, and every hit is compared letter by letter: a tenth of the cost of
    a dictionary of millions. Where two ids have one hash, all are hashed anew with another seed.
    """

    def __init__(self, posts: Sequence[Post], seed: int = 0) -> None:
        self.number = len(posts)
        self._seed = seed
        self._ids = pl.Series([post.id for post in posts], dtype=pl.String)
        hashes = self._ids.hash(seed).to_numpy()
        self._order = np.argsort(hashes)
        self._sorted = hashes[self._order]
        self.distinct = bool((self._sorted[1:] != self._sorted[:-1]).all())
        """Whether no two hashes are equal."""

    def places(self, ids: Sequence[str | None]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Where the post of each id stands among this platform's, (n,), `number` where there is none; and which ids
        are not None."""
        asked = pl.Series(ids, dtype=pl.String)
        is_given = asked.is_not_null().to_numpy()
        given = np.flatnonzero(is_given)
        hashes = asked.hash(self._seed).to_numpy()[given]
        by_hash = np.argsort(hashes)  # looking up in order costs a fraction of looking up in disorder
        hashes = hashes[by_hash]
        at = np.minimum(np.searchsorted(self._sorted, hashes), len(self._sorted) - 1)
        hit = self._sorted[at] == hashes
        rows, found = given[by_hash[hit]], self._order[at[hit]]
        sure = (self._ids.gather(found) == asked.gather(rows)).to_numpy()
        places = np.full(len(ids), self.number, np.int64)
        places[rows[sure]] = found[sure]
        return places, is_given


def _best(posts: Iterable[Post]) -> list[Post]:
    best: dict[str, Post] = {}
    for post in posts:
        other = best.setdefault(post.id, post)
        if other is not post and _standing(post) > _standing(other):
            best[post.id] = post
    return list(best.values())


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
    nodes: list[Post], known: Sequence[_Ids], stubs: Sequence[int], stands_for: Mapping[int, int]
) -> tuple[NDArray[np.int64], list[int]]:
    """The place of each post's parent, its own where it has none; and the posts that named themselves.

    A parent or root that is missing is appended to `nodes` as a placeholder. A placeholder or tombstone hangs at the
    conversation that its children name.
    """
    number = len(nodes)
    own = np.arange(number)
    stand = np.arange(number + 1)
    stand[list(stands_for)] = list(stands_for.values())
    up, named = _named(nodes, known)
    up = stand[up]
    rooted = np.array([post.root is not None for post in nodes], bool)
    absent = named & (up == number)
    adrift = np.zeros(number + 1, bool)
    adrift[[at for at in stubs if not named[at]]] = True
    # All others are settled; these few are looked at one by one.
    left = np.flatnonzero(absent | (rooted & (~named | adrift[up]) & (up != own))).tolist()
    above = _hung(nodes, left, np.where(named & ~absent, up, own), _Placed(nodes, left, stand))
    return above, np.flatnonzero(named & (up == own)).tolist()


def _named(nodes: Sequence[Post], known: Sequence[_Ids]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where the parent stands that each of n posts names, (n,), n where it is not here; and whether it names one."""
    up = np.full(len(nodes), len(nodes), np.int64)
    named = np.zeros(len(nodes), bool)
    start = 0
    for ids in known:
        span = slice(start, start + ids.number)
        places, named[span] = ids.places([post.reply_to for post in nodes[span]])
        up[span] = np.where(places < ids.number, places + start, len(nodes))
        start += ids.number
    return up, named


def _hung(nodes: list[Post], left: Sequence[int], above: NDArray[np.int64], placed: _Placed) -> NDArray[np.int64]:
    """Parents once more, of the placeholders too: those `left` are hung where their posts or their children say."""
    count = len(above)
    anchors: dict[int, int] = {}
    for at in left:
        post = nodes[at]
        root = at if post.root is None else placed(post.platform, post.root)
        if post.reply_to is None:
            above[at] = root
            continue
        parent = above[at] = placed(post.platform, post.reply_to) if above[at] == at else int(above[at])
        if post.root is not None and root != parent:
            known = anchors.setdefault(parent, root)
            anchors[parent] = min(known, root, key=lambda at: (nodes[at].platform, nodes[at].id))
    hung: NDArray[np.int64] = np.concatenate((above, np.arange(count, len(nodes))))
    hung[list(anchors)] = list(anchors.values())
    return hung


class _Placed:
    """Where posts stand by platform and id; one that nobody gave is appended as a placeholder."""

    def __init__(self, nodes: list[Post], left: Sequence[int], stand: NDArray[np.int64]) -> None:
        """`left` are the posts that may ask for the first one of their conversation."""
        roots = {nodes[at].root for at in left} - {None}
        found = ((at, post) for at, post in enumerate(nodes if roots else ()) if post.id in roots)
        self._known = {(post.platform, post.id): int(stand[at]) for at, post in found}
        self._nodes = nodes

    def __call__(self, platform: str, id: str) -> int:
        at = self._known.setdefault((platform, id), len(self._nodes))
        if at == len(self._nodes):
            self._nodes.append(Post(platform=platform, id=id))
        return at


def _ranking(nodes: Sequence[Post], kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """The kept places by time, then platform and id: an order that depends on content alone. No time comes last."""
    times = np.array(
        [time.timestamp() if (time := post.time) and time.tzinfo else _seconds(time) for post in nodes], np.float64
    )[kept]
    order = np.argsort(times)
    along = times[order]
    changes = np.flatnonzero(along[1:] != along[:-1]) + 1
    starts, ends = np.append(0, changes), np.append(changes, len(order))
    ranked = kept[order]
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


def counts(woven: Woven) -> dict[str, Json]:
    """How many posts the conversations hold, how many are missing, and which edges were cut."""
    cut = [{"post": cut.post[1], "parent": cut.parent[1], "platform": cut.post[0], "why": cut.why} for cut in woven.cut]
    return {"posts": sum(woven.given), "missing": len(woven.posts) - sum(woven.given), "cut": cut}


def thread_rows(woven: Woven, matched: Collection[str] = ()) -> Iterator[dict[str, Json]]:
    """For each conversation, in the order of their roots, its main post's id, ancestors and nested replies.

    `matched` are the keys of posts that a query found. A thread of any depth is built without recursion; `encode`
    writes it without recursion too.
    """
    wanted = frozenset(matched)
    found = {node for node, post in enumerate(woven.posts if wanted else ()) if post.key in wanted}
    order, parent = woven.forest.order.tolist(), woven.forest.parent.tolist()
    for start, end in pairwise(woven.forest.starts.tolist()):
        yield _row(woven, order[start:end], parent, found)


def _row(woven: Woven, nodes: list[int], parent: list[int], found: Collection[int]) -> dict[str, Json]:
    below: dict[int, list[Json]] = {nodes[0]: []}
    for node in nodes[1:]:  # parents come before their children, and siblings in their order
        replies = below[node] = []
        marked = {} if woven.given[node] else {"missing": True}
        below[parent[node]].append({"post": woven.posts[node].id, **marked, "replies": replies})
    matched = [node for node in nodes if node in found] if found else []
    main = min(matched, default=nodes[0])
    path, node = [], main
    while (up := parent[node]) != node:
        path.append(woven.posts[up].id)
        node = up
    return {
        "main": woven.posts[main].id,
        "platform": woven.posts[main].platform,
        "url": woven.posts[main].url,
        "ancestors": path[::-1],
        "replies": below[main],
        "matched": [woven.posts[node].id for node in matched],
        "members": [woven.posts[node].id for node in nodes],
        "missing": [woven.posts[node].id for node in nodes if not woven.given[node]],
    }


def text_of(value: Json) -> str:
    """JSON text of a value of any depth: by the quick encoder where it goes so deep, else by `encode`."""
    try:
        return json_text(value)
    except RecursionError:
        return "".join(encode(value))


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
