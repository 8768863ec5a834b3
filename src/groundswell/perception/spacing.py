"""The spaces of a line of text, which a reader of small letters drops, put back where its picture shows wide gaps.

Columns without ink that are wide for the height of the letters part words; the letters are dealt out to the words so
that each gets as much as its width can hold. A line whose letters do not fit its words keeps the text it had. It knows
scripts that part words by spaces, in one size along a line, not upright ones.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

WIDE = 0.23
"""Of the height of the ink: a gap from which words are parted. Spaces are 0.25 to 0.33 of a font's size, gaps between
letters under 0.15, in sans, serif and condensed faces alike."""

INK = 0.3
"""Share of the strongest difference from the ground from which a pixel is ink."""

FITS = 0.35
"""Relative error of a word's width, with one letter's beside it, up to which letters fit a word."""

_WIDTHS = {
    **dict.fromkeys("ijl.,:;'|!`", 0.3),
    **dict.fromkeys('ftrI()[]{}"-/\\*', 0.4),
    **dict.fromkeys("mwMW@%", 0.85),
    **dict.fromkeys("ABCDEFGHJKLNOPQRSTUVXYZ&+=<>_~#", 0.66),
}
_USUAL = 0.53
_CLOSING = frozenset(",.;:!?)]}%")


def spaced(text: str, line: NDArray[np.uint8]) -> str:
    """`text` with the spaces that the picture (h, w, 3) of its line shows; as it was where they do not fit."""
    letters = [letter for letter in text if not letter.isspace()]
    if len(letters) < 3 or not _parts_words(letters):
        return text
    words = _words(line)
    known = _known_spaces(text)
    if not len(known) + 1 < len(words) <= len(letters):
        return text
    dealt = _dealt(np.array([_WIDTHS.get(letter, _USUAL) for letter in letters]), words, known, letters)
    if dealt is None:
        return text
    ends = [*dealt, len(letters)]
    return " ".join("".join(letters[start:end]) for start, end in zip([0, *dealt], ends, strict=True))


def _parts_words(letters: list[str]) -> bool:
    """Whether most letters are of a script that parts words by spaces."""
    return sum(ord(letter) < 0x2E80 for letter in letters) > 0.8 * len(letters)


def _known_spaces(text: str) -> frozenset[int]:
    """How many letters stand before each space that was read."""
    before = 0
    found = set()
    for letter in text.strip():
        if letter.isspace():
            found.add(before)
        else:
            before += 1
    return frozenset(found)


def _words(line: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Widths of the words that the picture shows, left to right."""
    gray = line.astype(np.float32).mean(axis=2)
    differs = np.abs(gray - np.median(gray))
    ink = differs > max(INK * float(differs.max()), 12.0)
    rows = np.flatnonzero(ink.any(axis=1))
    columns = np.flatnonzero(ink.any(axis=0))
    if not len(rows) or not len(columns):
        return np.empty(0)
    wide = WIDE * (rows[-1] - rows[0] + 1)
    breaks = np.flatnonzero(np.diff(columns) - 1 > wide)
    starts = columns[np.concatenate(([0], breaks + 1))]
    ends = columns[np.concatenate((breaks, [len(columns) - 1]))]
    return np.asarray(ends - starts + 1, np.float64)


def _dealt(
    widths: NDArray[np.float64], words: NDArray[np.float64], known: frozenset[int], letters: list[str]
) -> list[int] | None:
    """Where each word but the first begins, among the letters: the cut with the least squared error of widths, a space
    that was read being one and none standing before a closing sign. None where no cut fits."""
    count, parts = len(letters), len(words)
    sums = np.concatenate(([0.0], np.cumsum(widths))) * (words.sum() / widths.sum())
    letter = float(words.sum() / count)
    best = np.full((parts + 1, count + 1), np.inf)
    before = np.zeros((parts + 1, count + 1), dtype=np.int64)
    best[0, 0] = 0.0
    barred = [0 < at < count and letters[at] in _CLOSING for at in range(count + 1)]
    for part in range(1, parts + 1):
        for end in range(part, count - (parts - part) + 1):
            if barred[end] or (part == parts and end != count):
                continue
            # A word never reaches across a space that was read.
            lowest = max((space for space in known if space < end), default=0)
            starts = np.arange(max(part - 1, lowest), end)
            errors = best[part - 1, starts] + (sums[end] - sums[starts] - words[part - 1]) ** 2
            chosen = int(errors.argmin()) if len(errors) else 0
            if len(errors) and np.isfinite(errors[chosen]):
                best[part, end], before[part, end] = errors[chosen], starts[chosen]
    if not np.isfinite(best[parts, count]):
        return None
    cuts = [count]
    for part in range(parts, 0, -1):
        cuts.insert(0, int(before[part, cuts[0]]))
    errors = np.abs(np.diff(sums[cuts]) - words)
    return cuts[1:-1] if bool((errors <= FITS * words + letter).all()) else None
