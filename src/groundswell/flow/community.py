"""The posts of a workspace: how they are kept, and the conversations among them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace, author_salt, pictures_of
from groundswell.ingest import IngestResult, read_files
from groundswell.ingest.reading import files_of
from groundswell.ingest.threads import Woven, find, weave
from groundswell.ports import Blobs
from groundswell.records import Output, Picture, Post, Sample, key_of

PICTURES = "pictures"
"""The stage that fetches what posts show."""


def conversations(space: Workspace, url: str | None = None) -> tuple[Woven, frozenset[str]]:
    """The woven posts of the workspace, and the keys of those that `url` names.

    Raises UserError when there are no posts, or none of that address.
    """
    posts = list(space.store.records(Post))
    if not posts:
        raise UserError("there are no posts here yet; bring some in with: groundswell ingest FILE...")
    found = frozenset() if url is None else frozenset(find(posts, url))
    if url is not None and not found:
        raise UserError(f"no post here has the address {url}")
    return weave(posts), found


@dataclass(frozen=True, slots=True)
class Keeper:
    """Stores the bytes of pictures; unlike a workspace it can be sent to another machine."""

    blobs: Blobs

    def __call__(self, data: bytes) -> Picture:
        """Store and describe. Raises ValueError where the bytes are no picture."""
        from groundswell.pictures import describe

        picture = describe(data)
        self.blobs.put(data)
        return picture


def ingest(space: Workspace | None, paths: Sequence[Path], *, format: str, pool: str) -> dict[str, Any]:
    """Read exports; in a workspace the posts are kept. Gives the JSON object of `groundswell ingest`.

    With the pool `ray`, files are read by its workers and merged part by part: no process holds more than a part.
    """
    # Without a workspace nothing is kept, so nobody needs the same hash for the same author tomorrow.
    salt = os.urandom(16) if space is None else author_salt(space)
    keep = None if space is None else Keeper(space.blobs)
    if pool != "ray":
        found = read_files(paths, format=format, salt=salt, keep=keep)
        return found.report() if space is None else {**found.report(), "new": keep_posts(space, found)}
    from groundswell.ingest import spread
    from groundswell.work.ray_data import exchanged

    files = files_of(paths)
    reading = spread.Reading(salt=salt, parts=spread.parts_for(files), format=format, keep=keep)
    gathering, new = spread.Gathering(), 0
    dropped: list[Post] = []
    sources = [(number, path.absolute()) for number, path in enumerate(files)]
    for rows in exchanged(sources, reading.rows, [spread.joined]):
        found = gathering.take(rows)
        if space is not None:
            dropped += _without_forgotten(space, found)
            new += _put(space, found)
    if space is not None:
        _clear(space, dropped)  # at last, since a part that comes later may show the same pictures
    report = gathering.report(files)
    return report if space is None else {**report, "new": new}


def keep_posts(space: Workspace, found: IngestResult) -> int:
    """Store what was read, from files or from a live platform; gives how many posts are new.

    A post replaces the word that it exists; a word of deletion never replaces a post that is here. Pictures that were
    fetched for a post stay with it. What was forgotten does not come back, in no version and from no other instance.
    """
    dropped = _without_forgotten(space, found)
    new = _put(space, found)
    _clear(space, dropped)
    return new


def _put(space: Workspace, found: IngestResult) -> int:
    if PICTURES in space.store.states():
        from groundswell.ingest.live.fetching import with_fetched

        known = (space.store.get(post.key) for post in found.posts)
        pairs = zip(known, found.posts, strict=True)
        found.posts = [with_fetched(new, old) if isinstance(old, Post) else new for old, new in pairs]
    return space.store.put(found.posts, renew=True) + space.store.put(found.tombstones)


def names_of(post: Post) -> set[str]:
    """Keys under which a post is forgotten: this version of it, its first version, and its address."""
    address = set() if post.url is None else {key_of("address", post.url)}
    return {post.key, Post(platform=post.platform, id=post.id).key} | address


def _without_forgotten(space: Workspace, found: IngestResult) -> list[Post]:
    """Take out what was forgotten, and give it."""
    buried = {stone["key"] for stone in space.store.tombstones()}
    dropped = [post for post in found.posts if buried and not buried.isdisjoint(names_of(post))]
    if dropped:
        gone = {post.key for post in dropped}
        found.posts = [post for post in found.posts if post.key not in gone]
    return dropped


def _clear(space: Workspace, dropped: Sequence[Post]) -> None:
    """Delete the pictures of posts that were not stored, unless something else shows them: a reader of exports keeps
    what lies beside them before anybody knows whose it is."""
    digests = {picture.digest for post in dropped for picture in pictures_of(post)}
    if digests:
        shown = {
            picture.digest for record in space.store.records(Post, Sample, Output) for picture in pictures_of(record)
        }
        for digest in digests - shown:
            space.blobs.delete(digest)
