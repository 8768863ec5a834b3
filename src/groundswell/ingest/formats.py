"""Every format that can be read, how it is told by content, and the names of what holds no posts.

A value is asked of each format in turn; the cheap and narrow questions come first. What no format owns is named for
what it is, so that a person knows why a file was refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from groundswell.ingest import (
    bluesky,
    discord,
    hackernews,
    mastodon,
    reddit,
    telegram,
    x_archive,
    x_graphql,
    x_v1,
    x_v2,
)
from groundswell.ingest.shapes import dig, record, records, rows, text
from groundswell.ingest.sightings import Scribe, Sighting
from groundswell.records import Json


@dataclass(frozen=True, slots=True)
class Format:
    """How the exports of one kind are recognised and read, one JSON value at a time."""

    name: str
    owns: Callable[[Json], bool]
    read: Callable[[Json, Scribe], Iterator[Sighting]]
    instance_of: Callable[[Json], str | None] | None = None
    """Finds the server that gave a value, where the platform's ids are a server's own."""


FORMATS: Mapping[str, Format] = {
    each.name: each
    for each in (
        Format(x_archive.NAME, x_archive.owns, x_archive.read),
        Format(discord.NAME, discord.owns, discord.read),
        Format(telegram.NAME, telegram.owns, telegram.read),
        Format(x_v2.NAME, x_v2.owns, x_v2.read),
        Format(x_v1.NAME, x_v1.owns, x_v1.read),
        Format(reddit.NAME, reddit.owns, reddit.read),
        Format(reddit.PUSHSHIFT, reddit.owns_pushshift, reddit.read_pushshift),
        Format(hackernews.NAME, hackernews.owns, hackernews.read),
        Format(bluesky.NAME, bluesky.owns, bluesky.read),
        Format(mastodon.NAME, mastodon.owns, mastodon.read, mastodon.instance_of),
        Format(x_graphql.NAME, x_graphql.owns, x_graphql.read),
    )
}
"""By name, in the order in which they are asked."""


def format_of(value: Json, *, likely: Format | None = None, assigned: str | None = None) -> Format | None:
    """The format that owns a value; `likely` is asked first, since the lines of a file are mostly of one kind.

    A list that is `assigned` to a name comes from an archive, also where it holds its posts bare, as it once did.
    """
    if assigned is not None and x_v1.owns(value):
        return FORMATS[x_archive.NAME]
    if likely is not None and likely.owns(value):
        return likely
    return next((each for each in FORMATS.values() if each.owns(value)), None)


_PEOPLE = ("username", "screen_name", "followers_count", "karma", "acct", "followersCount")
_PEOPLE_LISTS = ("users", "followers", "follows", "profiles", "actors", "accounts", "likes", "repostedBy")
_REDDIT = {"t2": "user profiles", "t4": "private messages", "t5": "subreddits", "UserList": "user profiles"}


def what_it_is(value: Json, assigned: str | None = None) -> str:
    """A name for a value that holds no posts."""
    if assigned is not None and assigned.startswith("window.YTD."):
        return f"the part {assigned.split('.')[2]!r} of an X archive"
    first = value[0] if isinstance(value, list) and value else value
    if isinstance(value, dict) and value.get("data"):
        first = next(iter(rows(value, "data")), value["data"])
    known = _known(value, first)
    if known is not None:
        return known
    if isinstance(value, dict):
        return f"JSON with the keys {_some(value)}" if value else "an empty JSON object"
    if isinstance(value, list) and value:
        inside = (
            f"objects with the keys {_some(first)}" if isinstance(first, dict) else f"{type(first).__name__} values"
        )
        return f"a JSON list of {inside}"
    return "an empty JSON list" if isinstance(value, list) else f"a single JSON {type(value).__name__}"


def _known(value: Json, first: Json) -> str | None:
    """Kinds of answers of the same platforms that carry no posts."""
    kind = text(value, "kind") if isinstance(value, dict) else text(first, "kind")
    if kind == "Listing":
        kind = text(next(records(value, "data", "children"), {}), "kind")
    if kind is not None and isinstance(dig(value if isinstance(value, dict) else first, "data"), dict | list):
        return _REDDIT.get(kind, f"Reddit's {kind[:40]}")
    if dig(first, "tweet_count") is not None or dig(value, "total_tweet_count") is not None:
        return "post counts"
    if dig(first, "action") is not None and dig(first, "created_at") is not None:
        return "compliance events (deletions)"
    if dig(first, "download_url") is not None or dig(first, "upload_url") is not None:
        return "a compliance job"
    if x_graphql.holds_people(value):
        return "user profiles"
    people = isinstance(first, dict) and any(key in first for key in _PEOPLE)
    if people or any(rows(value, key) for key in _PEOPLE_LISTS) or "actors" in record(value, "data"):
        return "user profiles"
    if isinstance(value, dict) and "labels" in value:
        return "labels about posts"
    if isinstance(value, dict) and {"error", "errors"} & value.keys() and len(value) <= 4:
        return "an error answer"
    if isinstance(value, list) and value and all(isinstance(item, int) for item in value[:5]):
        return "a list of ids"
    return None


def _some(value: dict[str, Json]) -> str:
    names = [str(name)[:40] for name in list(value)[:5]]
    return ", ".join(names) + (", ..." if len(value) > len(names) else "")
