"""The words of a post as a person would read them: entities and HTML; with private contacts masked.

E-mail addresses and telephone numbers become `[email]` and `[phone]`. A name@host that is an account of the fediverse
is no e-mail address. Bare runs of digits are left alone: in prompts they are seeds and sizes. It does not know which
platform a text comes from.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from html.parser import HTMLParser

EMAIL = "[email]"
PHONE = "[phone]"

_ESCAPES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "#39": "'", "#x27": "'"}
_ESCAPE = re.compile(r"&(amp|lt|gt|quot|#39|#x27);")
_ADDRESS = r"(?<![A-Za-z0-9._%+/-])[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}"
_EMAIL = re.compile(_ADDRESS)
_PRIVATE = re.compile(
    r"(?P<url>https?://[^\s<>\"]+)"
    r"|(?P<handle>@[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+)"
    rf"|(?P<email>{_ADDRESS})"
    r"|(?P<phone>(?<![\w.+-])(?:"
    r"\+\d{1,3}[ .()-]{0,2}\d(?:[ .()-]{0,2}\d){6,12}"  # +49 30 1234567
    r"|\(\d{3}\)[ .-]?\d{3}[ .-]\d{4}"  # (555) 123-4567
    r"|\d{3}([ .-])\d{3}\5\d{4}"  # 555-123-4567
    r")(?![\w-]))"
    r"|(?P<cued>(?<![^\W\d_])(?:tel|phone|mobile|whatsapp|电话|手机|電話)[ .:：]{0,3})\d(?:[ -]?\d){6,14}(?!\w)",
    re.IGNORECASE,
)
_BLOCKS = frozenset({"p", "br", "div", "li", "blockquote", "pre"})


def unescape(text: str) -> str:
    """Undo once the few escapes that X and Reddit put into texts and URLs; `&copy=1` in a URL stays as it is."""
    return _ESCAPE.sub(lambda match: _ESCAPES[match[1]], text) if "&" in text else text


def masked(text: str, accounts: Collection[str] = ()) -> str:
    """The text without e-mail addresses and telephone numbers. `accounts` are name@host that are no such addresses."""

    def replace(match: re.Match[str]) -> str:
        if match["url"]:
            return _EMAIL.sub(EMAIL, match[0])
        if match["email"]:
            return match[0] if match[0] in accounts else EMAIL
        if match["phone"]:
            return PHONE
        return match["cued"] + PHONE if match["cued"] else match[0]

    return _PRIVATE.sub(replace, text) if "@" in text or _could_hold_a_number(text) else text


def _could_hold_a_number(text: str) -> bool:
    return sum(map(str.isdigit, text)) >= 7


class _Reader(HTMLParser):
    """Collects text; a link whose shown text is shortened gives its address; a fallback for a quote is left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._skipping: str | None = None
        self._link: tuple[str, int] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        classes = (named.get("class") or "").split()
        if tag in _BLOCKS and self._skipping is None:
            self.pieces.append("\n" if tag == "br" else "\n\n")
        if "quote-inline" in classes:
            self._skipping = tag
        if tag == "a" and not {"mention", "hashtag"} & set(classes):
            self._link = (named.get("href") or "", len(self.pieces))

    def handle_endtag(self, tag: str) -> None:
        if tag == self._skipping:
            self._skipping = None
        elif tag == "a" and self._link is not None:
            address, start = self._link
            shown = "".join(self.pieces[start:])
            if address and shown and (shown in address or shown.endswith(("…", "..."))):
                self.pieces[start:] = [address]
            self._link = None

    def handle_data(self, data: str) -> None:
        if self._skipping is None:
            self.pieces.append(data)


def plain(html: str) -> str:
    """The text of an HTML fragment: paragraphs and breaks as line feeds, entities read, shortened links in full."""
    if "<" not in html and "&" not in html:
        return html
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return re.sub(r"\n{3,}", "\n\n", "".join(reader.pieces)).strip("\n")
