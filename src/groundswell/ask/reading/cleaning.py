"""Takes off a reply what hides its words: wide characters, thinking, fences, content parts, emphasis, quotations.

It knows nothing of scales or labels; every function is linear in the length of the text.
"""

from __future__ import annotations

import re

from groundswell.ask.reading.loose_json import Malformed, Pairs, parse_whole

GAP = "\x00"
"""Stands where something was taken out: no label and number are read across it."""

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_SIGNS = {
    0x3000: " ", 0x00A0: " ", 0x202F: " ", 0x2028: "\n", 0x2029: "\n", 0x2212: "-", 0x2013: "-", 0x2014: "-",
    0x3010: "[", 0x3011: "]", 0x200B: None, 0x200C: None, 0x200D: None, 0xFEFF: None, 0x00: " ", 0x2019: "'",
    0x2018: "'", 0x3002: ".", 0xFE0F: None,
}  # fmt: skip
_PLAIN: dict[int, int | str | None] = {**_WIDE, **_SIGNS}

_THINKING = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>|(◁/?)think▷", re.IGNORECASE)
_FINAL_CHANNEL = "<|channel|>final<|message|>"
_FENCE = re.compile(
    r"(?:`{3,}|~{3,})[ \t]*(?:(?:json5?|jsonc|te?xt|plaintext|markdown|md|ya?ml|xml|html|python)\b)?", re.I
)
_EMPHASIS = re.compile(r"(?<!\d)\*+|\*+(?!\d)|(?<![A-Za-z0-9])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![A-Za-z0-9_])|`")
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<\n]{0,200}</\1>", re.IGNORECASE)
_QUOTED = re.compile(
    r"(?<![\w\"\\])\"(?:[^\"\\]++|\\.)*+\"(?![\w\"])|“[^“”]*”|「[^「」]*」|『[^『』]*』|«[^«»]*»|(?<![\w'])'[^'\n]*'(?![\w'])",
    re.DOTALL,
)
_TRIPLE = re.compile(r"\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)", re.DOTALL)
_BLOCKQUOTE = re.compile(r"^[ \t]*>.*$", re.MULTILINE)


_HALVES = {"¼": ".25", "½": ".5", "¾": ".75"}
_FRACTION = re.compile(r"(?<=\d) ?([¼½¾])")
_REORDERS = re.compile(r"[\u202a-\u202e\u2066-\u2069]|(?<=\d)[\u200e\u200f\u061c]+(?=\d)")
_MARKS = dict.fromkeys((0x200E, 0x200F, 0x061C))


def plain(reply: str) -> str:
    """The reply with line ends as \\n, full-width signs as ASCII, 3½ as 3.5, and without invisible characters."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n").translate(_PLAIN).translate(_MARKS).strip()
    return _FRACTION.sub(lambda match: _HALVES[match.group(1)], text)


def reordered(reply: str) -> bool:
    """Whether signs of direction make a person see other characters, or others first, than stand in the reply."""
    return _REORDERS.search(reply) is not None


def unwrapped(text: str) -> str:
    """The text inside a list of content parts or a JSON string, where the whole reply is one."""
    for _ in range(3):
        if text[:1] not in "[\"'":
            return text
        try:
            value = parse_whole(text)
        except Malformed:
            return text
        inner = _inner_text(value)
        if inner is None:
            return text
        text = inner.strip()
    return text


def _inner_text(value: object) -> str | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or isinstance(value, Pairs) or not value:
        return None
    if not all(isinstance(part, Pairs) and part.get("type") is not None for part in value):
        return None
    texts = [part.get("text") for part in value if part.get("type") in ("text", "output_text")]
    return "\n".join(text for text in texts if isinstance(text, str))


def without_thinking(text: str) -> tuple[str, bool]:
    """The text outside of thinking blocks, and whether thinking was cut before it ended.

    A closing tag without an opening one ends thinking that began before the reply did. Tags inside a quotation are
    words of the quotation.
    """
    text = text.rpartition(_FINAL_CHANNEL)[2]
    kept: list[str] = []
    start = 0
    inside = False
    for tag in _THINKING.finditer(text):
        if _in_quotation(text, tag.start(), tag.end()):
            continue
        if _closes(tag):
            if not inside:
                kept.clear()
            inside = False
            start = tag.end()
        elif not inside:
            kept.append(text[start : tag.start()])
            inside = True
    if inside:
        return "".join(kept).strip(), True
    kept.append(text[start:])
    return "\n".join(kept).strip(), False


def _closes(tag: re.Match[str]) -> bool:
    return "/" in (tag.group(1) or tag.group(2) or "")


def _in_quotation(text: str, start: int, end: int) -> bool:
    """Whether an odd number of quotation marks stands before it on its line, and one after it."""
    line_start = max(text.rfind("\n", 0, start) + 1, start - 2000)
    line_end = text.find("\n", end, end + 2000)
    before = text[line_start:start].replace('\\"', "")
    return before.count('"') % 2 == 1 and '"' in text[end : len(text) if line_end < 0 else line_end]


def without_fences(text: str) -> str:
    """The text with the marks of code fences replaced by line ends; what is inside stays."""
    return _FENCE.sub("\n", text)


def without_emphasis(text: str) -> str:
    """The text without bold, italic and code marks, and without what is struck out; 5*8 keeps its sign."""
    return _EMPHASIS.sub("", without_struck(text))


def without_struck(text: str) -> str:
    """The text without what is struck out, in Markdown or in HTML."""
    return _STRUCK.sub("", text)


def without_quotations(text: str, is_claim: re.Pattern[str]) -> tuple[str, bool]:
    """The text with quotations that hold a claim taken out, and whether there was one.

    A quoted label or a quoted number alone stays: judges write `"Score": "8"`.
    """
    found = False

    def mask(match: re.Match[str]) -> str:
        nonlocal found
        if not is_claim.search(match.group()):
            return match.group()
        found = True
        return GAP + "\n" * match.group().count("\n")

    for pattern in (_TRIPLE, _BLOCKQUOTE, _QUOTED):
        text = pattern.sub(mask, text)
    return text, found
