"""Reader of Telegram Desktop's JSON export: one chat, or the whole account with its list of chats.

A message's number is only unique in its chat, so its id here is `<chat>/<message>`. Service messages are counted, not
read. Two people may share a name: authors are told apart by their ids. A date without a Unix time is a local time of a
zone that the export does not name, and is read as UTC.
"""

from __future__ import annotations

from collections.abc import Iterator

from groundswell.ingest.shapes import moment, records, rows, text, whole
from groundswell.ingest.sightings import NOT_INCLUDED, Media, Scribe, Sighting, engagement
from groundswell.records import Attachment, Json, Post

NAME = "telegram"
PLATFORM = "telegram"

_ABSENT = {
    "(File not included": NOT_INCLUDED,
    "(File exceeds maximum size": "too large",
    "(File unavailable": "expired",
}
_MEDIA: dict[str, Media] = {"animation": "animation", "video_file": "video", "video_message": "video"}
_Object = dict[str, Json]


def owns(value: Json) -> bool:
    """Whether the value is a chat of an export, or a whole export."""
    if not isinstance(value, dict):
        return False
    chats = list(_chats(value))
    if not chats and isinstance(value.get("chats"), dict):
        return True
    return any("type" in chat and "channel" not in chat and isinstance(chat.get("messages"), list) for chat in chats)


def read(value: Json, scribe: Scribe) -> Iterator[Sighting]:
    """Sightings, chat by chat."""
    for chat in _chats(value):
        name = scribe.id(chat.get("id")) or "unnamed"
        for message in records(chat, "messages"):
            if text(message, "type") == "service":
                scribe.notes["service"] += 1
            elif (number := scribe.id(message.get("id"))) is not None:
                yield Sighting(post=_post(message, name, number, scribe))


def _chats(value: Json) -> Iterator[_Object]:
    """The chats of an export: itself, or those in its lists."""
    if isinstance(value, dict) and "messages" in value:
        yield value
    for part in ("chats", "left_chats"):
        yield from records(value, part, "list")


def _post(message: _Object, chat: str, number: str, scribe: Scribe) -> Post:
    parent = scribe.id(message.get("reply_to_message_id"))
    elsewhere = text(message, "reply_to_peer_id")
    edited = moment(message.get("edited_unixtime")) or moment(message.get("edited"))
    return Post(
        platform=PLATFORM,
        id=f"{chat}/{number}",
        revision=0 if edited is None else max(int(edited.timestamp()), 1),
        author=scribe.author(PLATFORM, message.get("from_id") or message.get("from")),
        text=scribe.words(_words(message)),
        time=moment(message.get("date_unixtime")) or moment(message.get("date")),
        pictures=tuple(_pictures(message, scribe)),
        reply_to=f"{_peer(elsewhere) if elsewhere else chat}/{parent}" if parent else None,
        engagement=engagement(likes=sum(whole(row, "count") or 0 for row in records(message, "reactions")) or None),
    )


def _peer(peer: str) -> str:
    return peer.lstrip("abcdefghijklmnopqrstuvwxyz")


def _words(message: _Object) -> str:
    """The text, which is a text, or a list of texts and of marked-up pieces."""
    pieces = rows(message, "text") or [message.get("text")]
    return "".join(piece if isinstance(piece, str) else text(piece, "text") or "" for piece in pieces)


def _pictures(message: _Object, scribe: Scribe) -> Iterator[Attachment]:
    if photo := text(message, "photo"):
        yield _file(photo, "picture", scribe)
    file, kind = text(message, "file"), _MEDIA.get(text(message, "media_type") or "")
    picture = (text(message, "mime_type") or "").startswith("image/") and "media_type" not in message
    if file and (kind or picture):
        yield _file(file, kind or "picture", scribe)


def _file(name: str, media: Media, scribe: Scribe) -> Attachment:
    for words, why in _ABSENT.items():
        if name.startswith(words):
            return scribe.shown(None, media, missing=why)
    return scribe.shown(name, media)
