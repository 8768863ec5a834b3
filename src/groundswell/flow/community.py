"""The posts of a workspace: how they are kept, and the conversations among them."""

from __future__ import annotations

from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace
from groundswell.ingest import IngestResult
from groundswell.ingest.threads import Woven, canonical_url, weave
from groundswell.records import Post

PICTURES = "pictures"
"""The stage that fetches what posts show."""


def conversations(space: Workspace, url: str | None = None) -> tuple[Woven, frozenset[str]]:
    """The woven posts of the workspace, and the ids of those that `url` names.

    Raises UserError when there are no posts, or none of that address.
    """
    posts = list(space.store.records(Post))
    if not posts:
        raise UserError("there are no posts here yet; bring some in with: groundswell ingest FILE...")
    if url is None:
        return weave(posts), frozenset()
    wanted = canonical_url(url)
    found = frozenset(post.id for post in posts if post.url is not None and canonical_url(post.url) == wanted)
    if not found:
        raise UserError(f"no post here has the address {url}")
    return weave(posts), found


def keep_posts(space: Workspace, found: IngestResult) -> int:
    """Store what was read, from files or from a live platform; gives how many posts are new.

    A post replaces the word that it exists; a word of deletion never replaces a post that is here. Pictures that were
    fetched for a post stay with it.
    """
    if PICTURES in space.store.states():
        from groundswell.ingest.live.fetching import with_fetched

        known = (space.store.get(post.key) for post in found.posts)
        pairs = zip(known, found.posts, strict=True)
        found.posts = [with_fetched(new, old) if isinstance(old, Post) else new for old, new in pairs]
    return space.store.put(found.posts, renew=True) + space.store.put(found.tombstones)
