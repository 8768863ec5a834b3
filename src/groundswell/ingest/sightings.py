"""What a reader of exports gives: sightings of posts, made by a `Scribe` that keeps everybody's privacy.

The scribe turns authors into salted hashes, masks private contacts, looks up pictures that lie beside the export, and
counts what is no post but must be said (errors, stubs, rounded ids). It does not know any platform's format.
"""

from __future__ import annotations

import hmac
import re
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Literal

from groundswell.ingest import wording
from groundswell.records import Attachment, Json, Picture, Post, PostState

FAILED = "failed"
"""The platform itself could not keep the picture."""
NO_ENTRY = "no media entry"
"""A post names a medium that the export does not describe, so even its type is unknown."""
NOT_INCLUDED = "not included"
"""The export was made without its pictures."""

UNCOUNTED = frozenset({FAILED, NO_ENTRY})
"""A missing picture of these kinds is not counted among the pictures."""

_FLOAT = re.compile(r"\d\.\d+[eE]\+?\d\d")
_EXACT = 2**53
"""Whole numbers up to here survive a passage through a JavaScript number or a float."""

Media = Literal["picture", "animation", "video"]
Keep = Callable[[bytes], Picture]
"""Stores picture bytes and describes them; raises ValueError with the reason where they cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One post object of a file. The same post may be seen many times."""

    post: Post
    stub: bool = False
    """The file only says that this post exists and is deleted or blocked; it does not carry it."""
    repost: bool = False
    """It only repeats another post."""
    gone: bool = False
    """Its words are deleted or removed."""


@dataclass(slots=True, kw_only=True)
class Scribe:
    """Writes posts for one file; `notes` counts by name what else was seen in it."""

    salt: bytes
    folder: Path | None
    """Where pictures may lie beside the export; None = there is no export, so nothing on this machine is looked up."""
    keep: Keep | None = None
    instance: str | None = None
    """Host of the server that gave the file, for platforms whose ids are a server's own; None = not known."""
    notes: Counter[str] = field(default_factory=Counter)
    numbers: int = 0
    """Ids seen only as numbers above 2^53."""
    suspects: int = 0
    """Those among them that look like the printed form of a rounded float."""
    broken: int = 0
    """Ids whose text is that of a float, as spreadsheets write long numbers."""

    def author(self, platform: str, account: Json) -> str | None:
        """Salted hash of an account, or None where it is not named."""
        if isinstance(account, bool) or not isinstance(account, str | int) or account == "":
            return None
        message = f"{platform}:{account}".encode()
        return hmac.digest(self.salt, message, "sha256").hex()[:32]

    def words(self, text: str | None, accounts: Collection[str] = ()) -> str:
        """A text that may be kept: private contacts masked."""
        return wording.masked(text, accounts) if text else ""

    def id(self, exact: Json, number: Json = None) -> str | None:
        """An id as text. `exact` is the platform's text form and wins over `number`, which clients round."""
        if isinstance(exact, str) and exact:
            if isinstance(number, int | float) and str(number) != exact:
                self.notes["rounded_ids"] += 1
            self.broken += _FLOAT.fullmatch(exact) is not None
            return exact
        value = exact if number is None else number
        if isinstance(value, bool) or not isinstance(value, str | int | float) or value == "":
            return None
        if isinstance(value, str):
            return value
        if isinstance(value, float) and not value.is_integer():
            return None
        if abs(value) > _EXACT:
            self.numbers += 1
            self.suspects += looks_rounded(value)
        return str(int(value))

    @property
    def unsafe_ids(self) -> int:
        """How many ids of this file are known only as numbers that were rounded. Whole numbers count if most of them
        look so; floats always."""
        whole = self.suspects if self.suspects > 1 and 2 * self.suspects > self.numbers else 0
        return whole + self.broken

    def shown(
        self, url: str | None, media: Media = "picture", *, alt: str | None = None, missing: str | None = None
    ) -> Attachment:
        """A picture as a post shows it. A relative address is looked up in the folder of the export."""
        url = url or ""
        alt = self.words(alt) or None
        picture = None
        if missing is None and not url:
            missing = NOT_INCLUDED
        if missing is None and "://" not in url:
            picture, missing = self._beside(url, wanted=media == "picture")
        return Attachment(url=url, media=media, alt=alt, picture=picture, missing=missing)

    def _beside(self, name: str, *, wanted: bool) -> tuple[Picture | None, str | None]:
        if self.folder is None:
            return None, "no address on the web"
        try:
            folder = self.folder.resolve()
            path = (folder / name.replace("\\", "/")).resolve()
            if not path.is_relative_to(folder):
                return None, "outside the folder of the export"
            if not path.is_file():
                return None, "not on disk"
            return (self.keep(path.read_bytes()) if self.keep is not None and wanted else None), None
        except (OSError, ValueError) as error:
            return None, f"unreadable: {error}"


def looks_rounded(number: int | float) -> bool:
    """Whether a number above 2^53 reads like a float printed with 16 or 17 digits, as JavaScript and jq print it.

    One true id in about ten looks so by chance: judge many together.
    """
    if isinstance(number, float):
        return True
    try:
        return any(int(Decimal(form)) == number for form in (repr(float(number)), f"{float(number):.17g}"))
    except OverflowError:
        return False


def engagement(**counts: int | None) -> dict[str, int]:
    """Counts that the platform gave; those that it did not give are left out."""
    return {name: count for name, count in counts.items() if count is not None}


def tombstone(platform: str, id: str, state: PostState, *, reply_to: str | None = None) -> Sighting:
    """A post that a file names as deleted or blocked without carrying it."""
    return Sighting(post=Post(platform=platform, id=id, state=state, reply_to=reply_to), stub=True)
