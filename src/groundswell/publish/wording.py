"""Numbers and names as a reader sees them, and text of strangers made harmless.

Absence is an en dash with the reason in words beside it, never a number. Escaping for HTML is done by the templates;
here are the things that escaping does not stop: controls, bidirectional overrides, addresses that run, formulas in
CSV cells. It knows nothing of boards.
"""

from __future__ import annotations

import math
import re
import unicodedata
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

NONE: Final = "–"
"""Stands where there is no number."""

_OVERRIDES: Final = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""Embeddings, overrides and isolates: they reorder the page around them. The plain marks (U+200E, U+200F) do not."""

_CONTROLS: Final = {*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF} - {0x09, 0x0A, 0x0D}

_VISIBLE: Final = {code: f"[U+{code:04X}]" for code in _OVERRIDES | _CONTROLS}

_SURROGATES: Final = re.compile("[\ud800-\udfff]")

SLUG_LENGTH: Final = 60

_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#+!|~>])")

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def clean(text: str) -> str:
    """Text whose invisible controls are written out, so that what is read is what is there."""
    if text.isascii() and text.isprintable():  # most of a page, and a tenth of the time
        return text
    return _SURROGATES.sub("\ufffd", text.translate(_VISIBLE))


def one_line(text: str, limit: int = 90) -> str:
    """The first words of a text on one line, with an ellipsis where it was cut."""
    flat = " ".join(text.split())
    return flat if len(flat) <= limit else flat[: limit - 1].rstrip() + "…"


def slug(name: str) -> str:
    """A file name for a name: readable, safe on every system, different for different names."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SLUG_LENGTH]
    if plain and plain == name and plain != "index":
        return plain
    return f"{plain or 'x'}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def web_address(url: str | None) -> str | None:
    """The address where following it can only open a page of the web, else None."""
    if url is None or any(ord(character) <= 0x20 for character in url):
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    return url if parts.scheme.lower() in ("http", "https") and parts.netloc else None


def csv_cell(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def markdown(text: str) -> str:
    """Text on one line that Markdown prints as it is."""
    return _MARKDOWN.sub(r"\\\1", " ".join(clean(text).split())).replace("<", "&lt;").replace("@", "@\u200b")


def number(value: float | None, digits: int = 0) -> str:
    """A number with thousands separated and a real minus sign."""
    if value is None:
        return NONE
    text = f"{value:,.{digits}f}"
    return text.replace("-", "\u2212") if float(text.replace(",", "")) else text.lstrip("-")


def signed(value: float) -> str:
    """A difference, with its sign even where it is a plus."""
    return f"+{number(value)}" if value > 0 else number(value)


def plain(value: float) -> str:
    """A round number with no more digits than it needs, as on an axis."""
    return f"{value:,.6g}".replace("-", "\u2212")


def short(value: float | None) -> str:
    """Three significant digits, for values of any size."""
    if value is None:
        return NONE
    size = abs(value)
    if size >= 100 or value == int(value):
        return number(value)
    if size >= 0.01:
        return number(value, 1 if size >= 10 else 2 if size >= 1 else 3)
    return number(value, min(8, 1 - math.floor(math.log10(size))))


def percent(share: float | None) -> str:
    """A share of 1 as per cent; a dash where there is none."""
    return NONE if share is None else f"{number(100 * share, 0)} %"


def seconds(value: float | None) -> str:
    """A time a person can compare: milliseconds below a tenth of a second."""
    if value is None:
        return NONE
    return f"{number(1000 * value)} ms" if value < 0.1 else f"{number(value, 1 if value < 100 else 0)} s"


def dollars(value: float | None) -> str:
    """An amount in USD, with cents below 100; a dash where there is none."""
    if value is None:
        return NONE
    return f"${number(value, 0 if value >= 100 else 2)}"


def words(name: str) -> str:
    """A field's name as words: left_out -> left out."""
    return name.replace("_", " ").replace("-", " ")


def plural(count: int, one: str, many: str | None = None) -> str:
    """`3 samples`, `1 sample`."""
    return f"{number(count)} {one if count == 1 else many or one + 's'}"


def ranks(low: int, high: int) -> str:
    """`2`, or `1–3` where the range is wider than one rank."""
    return str(low) if low == high else f"{low}–{high}"
