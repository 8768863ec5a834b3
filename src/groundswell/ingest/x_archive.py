"""Reader of the archive that X gives to an account's owner: tweets.js, deleted-tweets.js and note-tweet.js.

Every file assigns a list to `window.YTD.<part>`. Pictures lie in a folder `<part>_media` beside it. The full words of
a long post stand in note-tweet.js under another id: they are joined to the post of the same second that they continue,
and are no posts of their own. The archive does not name the account inside its posts: their author stays unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

import msgspec

from groundswell.errors import UserError
from groundswell.ingest import x_v1
from groundswell.ingest.rows import Foreign, pieces
from groundswell.ingest.shapes import dig, moment, record, records, rows, text
from groundswell.ingest.sightings import Scribe, Sighting
from groundswell.ingest.wording import unescape
from groundswell.ingest.x_posts import address
from groundswell.records import Attachment, Json, Post, PostState

NAME = "x-archive"

_LONG = 270
"""Characters from which a post may be the cut form of a long one (X cuts at 280, links shortened)."""
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether the value is the list of an archive's posts or long texts."""
    first = next(records({"list": value}, "list"), {}) if isinstance(value, list) else {}
    return ("tweet" in first and x_v1.is_post(record(first, "tweet"))) or "core" in record(first, "noteTweet")


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings of the archive's posts in its order; long texts by themselves are only counted."""
    notes = {} if "noteTweet" in next(records({"list": value}, "list"), {}) else _notes_beside(scribe.folder)
    for row in records({"list": value}, "list"):
        if "noteTweet" in row:
            scribe.notes["note_tweets"] += 1
        entry = record(row, "tweet") or (row if x_v1.is_post(row) else {})
        post = x_v1.read_post(entry, scribe) if entry else None
        if post is not None:
            yield Sighting(post=_completed(post, entry, notes, scribe), repost=post.text.startswith("RT @"))


def _notes_beside(folder: Path | None) -> Mapping[datetime, str]:
    """The long texts of the same archive by the second in which they were posted."""
    notes: dict[datetime, str] = {}
    try:
        for path in sorted(folder.glob("note-tweet*.js")) if folder is not None else ():
            for row in (row for piece in pieces(path) for row in records({"list": piece.value}, "list")):
                time, words = moment(dig(row, "noteTweet", "createdAt")), text(row, "noteTweet", "core", "text")
                if time is not None and words is not None:
                    notes[time.replace(microsecond=0)] = words
    except (Foreign, UserError):
        return {}  # the file is reported when it is read itself
    return notes


def _completed(post: Post, entry: _Object, notes: Mapping[datetime, str], scribe: Scribe) -> Post:
    history = rows(entry, "edit_info", "initial", "editTweetIds") or rows(
        entry, "edit_info", "edit", "editControlInitial", "editTweetIds"
    )
    long = notes.get(post.time) if post.time is not None and len(post.text) >= _LONG else None
    return msgspec.structs.replace(
        post,
        revision=history.index(post.id) if post.id in history else 0,
        url=address(str(history[0])) if post.id in history else post.url,
        text=post.text if long is None else scribe.words(unescape(long)),
        pictures=tuple(_local(picture, post.id, scribe) for picture in post.pictures),
        state=PostState.DELETED if text(entry, "deleted_at") else post.state,
    )


def _local(picture: Attachment, id: str, scribe: Scribe) -> Attachment:
    """The same picture with its bytes, where the archive holds them."""
    for part in ("tweets_media", "tweet_media", "deleted_tweets_media"):
        beside = f"{part}/{id}-{picture.url.rsplit('/', 1)[-1]}"
        if picture.media == "picture" and (found := scribe.shown(beside)).missing is None:
            return msgspec.structs.replace(picture, picture=found.picture)
    return picture
