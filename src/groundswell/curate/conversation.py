"""A thread as readers see it: posts in order, who wrote them, pictures by number, texts without platform dressing.

The material is plain JSON, so that a reader may sit in another process. It knows nothing of the questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

from groundswell.records import Part, Post, PostState, Thread, key_of

MOST_POSTS = 200
"""Of one thread are read: the main post, its author's posts, then the others by time. A longer thread is no sample."""

_INVISIBLE = re.compile("[\u200b\u200c\u200e\u200f\u2060\ufeff\u202a-\u202e\u2066-\u2069\u00ad]")
_LEADING_MENTIONS = re.compile(r"^(?:\s*@[\w.-]+(?:@[\w.-]+)?)+\s+")
_SHORT_LINKS = re.compile(r"(?:\s*https?://(?:t\.co|pic\.twitter\.com|pic\.x\.com)/\S+)+\s*$")


class SeenPicture(Part, frozen=True, kw_only=True):
    """A picture of a post; `digest` names its bytes where they are at hand."""

    digest: str | None = None
    width: int | None = None
    height: int | None = None
    alt: str | None = None
    moving: bool = False
    """A video or an animation."""


class SeenPost(Part, frozen=True, kw_only=True):
    """A post of a conversation."""

    key: str
    text: str
    by: Literal["author", "other"] = "other"
    """Whether the author of the main post wrote it."""
    reply_to: int | None = None
    """Place of its parent in the conversation."""
    pictures: tuple[SeenPicture, ...] = ()
    language: str | None = None


class Conversation(Part, frozen=True, kw_only=True):
    """What readers are given: the posts of a thread, parents before replies; `main` is the place of the main one."""

    posts: tuple[SeenPost, ...]
    main: int = 0

    @property
    def opening(self) -> SeenPost:
        """The main post."""
        return self.posts[self.main]

    def digest(self) -> str:
        """Names this very content."""
        return key_of("conversation", 1, self)


def plain(text: str) -> str:
    """A post's words: no invisible marks, no mentions before a reply, no platform's own link at the end."""
    text = _INVISIBLE.sub("", text).replace("\r\n", "\n").replace("\u2028", "\n")
    return _SHORT_LINKS.sub("", _LEADING_MENTIONS.sub("", text)).strip()


def seen(post: Post, main: Post, *, reply_to: int | None = None) -> SeenPost:
    """A post as readers see it beside the main post of its thread (which may be itself)."""
    same = post is main or (post.author is not None and post.author == main.author)
    return SeenPost(
        key=post.key,
        text=plain(f"{post.title}\n{post.text}" if post.title else post.text),
        by="author" if same else "other",
        reply_to=reply_to,
        language=post.language,
        pictures=tuple(
            SeenPicture(
                digest=each.picture.digest if each.picture else None,
                width=each.picture.width if each.picture else None,
                height=each.picture.height if each.picture else None,
                alt=each.alt,
                moving=each.media != "picture",
            )
            for each in post.pictures
        ),
    )


def conversations(
    thread: Thread, posts: Mapping[str, Post], opens: Callable[[SeenPost], bool]
) -> Iterator[Conversation]:
    """What a thread has to be read as: around its main post, and around every reply of somebody else that `opens` one.

    Deleted and blocked posts are not read; where the main post is one, or missing, the first that can be read stands
    for it. A reply is read with the posts above and below it.
    """
    readable = [key for key in thread.members if key in posts and _is_readable(posts[key])]
    if not readable:
        return
    main = thread.main if thread.main in readable else readable[0]
    parents = dict(zip(thread.members, thread.parents, strict=True))
    above = {key: None if parent is None else thread.members[parent] for key, parent in parents.items()}
    yield _around(main, readable, above, posts)
    for key in readable:
        apart = posts[key].author is None or posts[key].author != posts[main].author
        if key != main and apart and opens(seen(posts[key], posts[key])):
            yield _around(key, _branch(key, readable, above), above, posts)


def _branch(main: str, readable: Sequence[str], above: Mapping[str, str | None]) -> list[str]:
    """The posts above a post, itself, and all below it."""
    path = {main}
    up = above[main]
    while up is not None:
        path.add(up)
        up = above[up]
    below = {main}
    for key in readable:  # parents come before children
        if above[key] in below:
            below.add(key)
    return [key for key in readable if key in path or key in below]


def _around(
    main: str, readable: Sequence[str], above: Mapping[str, str | None], posts: Mapping[str, Post]
) -> Conversation:
    """The posts as a conversation about one of them; of very many the first MOST_POSTS by standing."""
    if len(readable) > MOST_POSTS:
        standing = {key: (key != main, posts[key].author != posts[main].author) for key in readable}
        kept = frozenset(sorted(readable, key=standing.__getitem__)[:MOST_POSTS])
        readable = [key for key in readable if key in kept]
    place = {key: index for index, key in enumerate(readable)}
    told = []
    for key in readable:
        up = above[key]
        told.append(seen(posts[key], posts[main], reply_to=None if up is None else place.get(up)))
    return Conversation(posts=tuple(told), main=place[main])


def _is_readable(post: Post) -> bool:
    return post.state is PostState.PRESENT and bool(post.text or post.pictures or post.title)
