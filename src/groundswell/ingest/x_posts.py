"""What X's export formats share: the platform's name, addresses, the kinds of media. No format's own shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from groundswell.ingest.sightings import Media

PLATFORM: Final = "x"

MEDIA: Mapping[str, Media] = {"photo": "picture", "animated_gif": "animation", "video": "video"}
"""X's word for a medium, and ours."""


def address(id: str) -> str:
    """Canonical address of a post, without its author's name. An edited post keeps the address of its first version."""
    return f"https://x.com/i/status/{id}"


def media_kind(word: str | None) -> Media:
    """Our word for X's word for a medium; a word that is new to us is taken for a video, which nobody looks at."""
    return MEDIA.get(word or "", "video")
