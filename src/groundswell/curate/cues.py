"""Words by which people on any platform show what a text is, in several languages, and finding them.

The words stand in `cues.json`; they were written from how people post about image models, before anything was scored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

INFLECTED = 6
"""A cue of so many letters also counts with an ending (generate, generated)."""

_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LINK = re.compile(r"https?://\S+")
DRESSING = re.compile(r"(?:https?://\S+|[#＃@]\S+|[^\w\s{}\[\]<>(\"“「『'`]|_|\s)+")
"""Links, hashtags, mentions, emoji, punctuation."""


@cache
def _all() -> Mapping[str, Any]:
    content: Mapping[str, Any] = msgspec.json.decode(files(__package__).joinpath("cues.json").read_bytes())
    return content


@cache
def pattern(group: str, kind: str | None = None) -> re.Pattern[str]:
    """One expression for all cues of a group (`failure` and `models` have kinds)."""
    found = _all()[group]
    words = found[kind] if kind else found
    return re.compile("|".join(_bounded(word) for word in sorted(words, key=len, reverse=True)), re.IGNORECASE)


def _bounded(cue: str) -> str:
    before = r"(?<![a-z0-9])" if re.match(r"[a-z0-9]", cue, re.IGNORECASE) else ""
    letters = sum(letter.isascii() and letter.isalpha() for letter in cue)
    ends_in_letter = re.search(r"[a-z0-9]$", cue, re.IGNORECASE) is not None
    after = (r"[a-z]{0,4}(?![a-z0-9])" if letters >= INFLECTED else r"(?![a-z0-9])") if ends_in_letter else ""
    return before + re.escape(cue) + after


def kinds(group: str) -> Iterable[str]:
    """Kinds of a group that has them, in order."""
    return tuple(_all()[group])


def hits(text: str, group: str) -> list[str]:
    """Different cues of a group in a text, in the order in which they come."""
    return list(dict.fromkeys(match.group().casefold() for match in pattern(group).finditer(text)))


def begins(text: str, group: str) -> bool:
    """Whether a text begins with a cue of a group, dressing aside."""
    start = DRESSING.match(text)
    return pattern(group).match(text, start.end() if start else 0) is not None


def has(text: str, group: str) -> bool:
    """Whether any cue of a group is in a text."""
    return pattern(group).search(text) is not None


def models(text: str) -> list[str]:
    """Usual names of the image models that a text names, the longest name at each place."""
    named = []
    covered: set[int] = set()
    spans = [
        (match.start(), match.end(), name)
        for name in kinds("models")
        for match in pattern("models", name).finditer(text)
    ]
    for start, end, name in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if not covered.intersection(range(start, end)):
            covered.update(range(start, end))
            named.append((start, name))
    return list(dict.fromkeys(name for _, name in sorted(named)))


def size(text: str) -> int:
    """Length in the width of Latin letters: a Chinese character tells as much as about three."""
    return len(text) + 2 * len(_CJK.findall(text))


def bare(line: str) -> bool:
    """Whether a line has nothing but links, hashtags, mentions, emoji and punctuation."""
    return DRESSING.fullmatch(line) is not None or not line.strip()
