"""Reader of DiscordChatExporter's JSON: one channel with its messages.

The count that the file states is not believed, only its messages are. Attachments may lie beside the file, with
backslashes in their paths. A message that shows a forwarded or cross-posted one is no reply to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundswell.ingest.shapes import dig, moment, record, records, text, whole
from groundswell.ingest.sightings import Media, Scribe, Sighting, engagement
from groundswell.records import Attachment, Json, Post

NAME = "discord"
PLATFORM = "discord"

_PICTURE = re.compile(r"\.(?:png|jpe?g|webp|bmp|avif|heic|gif)$", re.IGNORECASE)
_VIDEO = re.compile(r"\.(?:mp4|mov|webm|mkv|avi)$", re.IGNORECASE)
_REPLY = ("Reply", "19")
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether the value is a channel's export."""
    return isinstance(value, dict) and "channel" in value and isinstance(value.get("messages"), list)


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings in the order of the channel."""
    guild = scribe.id(dig(value, "guild", "id")) or "@me"
    channel = scribe.id(dig(value, "channel", "id")) or ""
    for message in records(value, "messages"):
        if (id := scribe.id(message.get("id"))) is not None:
            yield Sighting(post=_post(message, id, f"https://discord.com/channels/{guild}/{channel}/{id}", scribe))


def _post(message: _Object, id: str, url: str, scribe: Scribe) -> Post:
    edited = moment(message.get("timestampEdited"))
    reply = str(message.get("type")) in _REPLY
    return Post(
        platform=PLATFORM,
        id=id,
        revision=0 if edited is None else max(int(edited.timestamp()), 1),
        url=url,
        author=scribe.author(PLATFORM, dig(message, "author", "id")),
        text=scribe.words(text(message, "content")),
        time=moment(message.get("timestamp")),
        pictures=tuple(_pictures(message, scribe)),
        reply_to=scribe.id(dig(message, "reference", "messageId")) if reply else None,
        engagement=engagement(likes=sum(whole(row, "count") or 0 for row in records(message, "reactions")) or None),
    )


def _pictures(message: _Object, scribe: Scribe) -> Iterator[Attachment]:
    """Attached pictures and videos, then the pictures of embeds that Discord made of a link to a picture."""
    for attached in records(message, "attachments"):
        url, name = text(attached, "url"), text(attached, "fileName") or text(attached, "url") or ""
        name = name.split("?")[0]
        kind: Media | None = "picture" if _PICTURE.search(name) else "video" if _VIDEO.search(name) else None
        if kind is not None:
            yield scribe.shown(url, kind, alt=text(attached, "description"), missing=None if url else "not included")
    for embed in records(message, "embeds"):
        for shown in (record(embed, "image"), *records(embed, "images")):
            if url := text(shown, "url"):
                yield scribe.shown(url)
