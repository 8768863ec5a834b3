"""Near-duplicates among short texts: one-permutation sketches, sorted bands, and the true Jaccard of what meets.

Likeness is Jaccard's, of the sets of four-letter shingles of a text in small letters with single spaces; a text shorter
than that is its own shingle. Sketch: Li, Owen and Zhang 2012 (one permutation in K bins), empty bins filled by optimal
densification (Shrivastava 2017). It knows texts as letters, not as meanings: a translation is no duplicate.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from numpy.typing import NDArray

SHINGLE = 4
"""Letters of a shingle."""

BINS, ROWS, BANDS = 80, 4, 20
"""Bins of a sketch, bins of a band, bands of a sketch. They find a pair of Jaccard 0.8 with probability
1 - (1 - 0.8^4)^20 = 0.99997."""

COMPARED = 64
"""Members of a band's bucket with which each one is compared: those before it, in the order of the texts. A bucket is
as large as a template is popular, and comparing all with all would take the square of it."""

SLACK = 0.25
"""By how much two sketches may agree in fewer bins than the threshold before the shingles themselves are not compared:
about five standard errors of a sketch."""

THRESHOLD = 0.8
"""Jaccard from which texts are near-duplicates."""


def groups(texts: Sequence[str], threshold: float = THRESHOLD) -> NDArray[np.int64]:
    """For every text the index of the first text of its group, (n,): texts are one group where a chain of pairs of at
    least `threshold` joins them. 1,000,000 short prompts take some seconds."""
    if not texts:
        return np.empty(0, np.int64)
    letters, starts = letters_of(texts)
    sketches = sketch(letters, starts)
    marks = marks_of(sketches)
    root = np.arange(len(texts))
    for band in range(BANDS):
        names = band_names(sketches, band)
        order = np.argsort(names)
        join(order, names[order], marks, letters, starts, threshold, root)
    found: NDArray[np.int64] = roots(root)
    return found


def letters_of(texts: Sequence[str]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Code points of all texts (at least one), one after another, and where each begins (with the end of the last)."""
    joined = "\n".join(" ".join(text.split()) for text in texts).casefold()
    letters = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), np.uint32)
    ends = np.flatnonzero(letters == ord("\n"))
    starts = np.concatenate(([0], ends + 1, [len(letters) + 1]))
    return letters, starts


@njit(cache=True)
def _hash(letters, at, length):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """64 bits of the shingle that begins at a place (the finaliser of splitmix64 over its letters)."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for place in range(at, at + length):
        value = (value ^ np.uint64(letters[place])) * np.uint64(0xBF58476D1CE4E5B9)
        value ^= value >> np.uint64(29)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@njit(cache=True)
def _shingles(start, end):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """How many shingles a text has, and how long they are."""
    length = end - start
    return (1, length) if length < SHINGLE else (length - SHINGLE + 1, SHINGLE)


@njit(cache=True)
def sketch(letters, starts):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """(texts, BINS): the least hash of each bin; an empty bin takes the value of a full one that its number picks."""
    count = len(starts) - 1
    empty = np.uint32(0xFFFFFFFF)
    found = np.full((count, BINS), empty, np.uint32)
    for text in range(count):
        number, length = _shingles(starts[text], starts[text + 1] - 1)
        row = found[text]
        for place in range(number):
            value = _hash(letters, starts[text] + place, length)
            into = (value >> np.uint64(32)) % np.uint64(BINS)
            row[into] = min(row[into], np.uint32(value & np.uint64(0xFFFFFFFE)))
        full = row != empty
        for into in range(BINS):
            attempt = np.uint64(1)
            while row[into] == empty and not full[into]:
                # Which bin is asked next depends on the bin alone, so that like texts ask alike.
                mixed = (np.uint64(into + 1) * np.uint64(0x9E3779B97F4A7C15)) ^ (
                    attempt * np.uint64(0xD6E8FEB86659FD93)
                )
                mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
                other = (mixed >> np.uint64(32)) % np.uint64(BINS)
                if full[other]:
                    row[into] = row[other]
                attempt += np.uint64(1)
    return found


def marks_of(sketches: NDArray[np.uint32]) -> NDArray[np.uint8]:
    """Eight bits of each bin, (texts, BINS): enough to tell how far two sketches agree. The lowest bit says nothing, so
    it is the second byte: a view, where a shift would copy all sketches."""
    return sketches.view(np.uint8)[:, 1::4]


@njit(cache=True)
def band_names(sketches, band):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """One number a text for a band of its sketch; bands have different ones."""
    names = np.empty(len(sketches), np.uint64)
    for text in range(len(sketches)):
        value = np.uint64(band + 1)
        for row in range(ROWS):
            value = (value ^ np.uint64(sketches[text, band * ROWS + row])) * np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(31)
        names[text] = value
    return names


@njit(cache=True)
def join(members, names, marks, letters, starts, threshold, root):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, PLR0913
    """Join in `root` the texts of each bucket that are alike enough, where nothing has joined them before. `members`
    are texts in the order of their `names`: those of one name are a bucket."""
    first = 0
    for place in range(1, len(members) + 1):
        if place < len(members) and names[place] == names[first]:
            continue
        bucket = np.sort(members[first:place])
        for later in range(1, len(bucket)):
            for earlier in range(max(0, later - COMPARED), later):
                one, other = _find(root, bucket[earlier]), _find(root, bucket[later])
                if one == other or not _near(marks[bucket[earlier]], marks[bucket[later]], threshold):
                    continue
                if _alike(letters, starts, bucket[earlier], bucket[later], threshold):
                    root[max(one, other)] = min(one, other)
        first = place


@njit(cache=True)
def _near(one, other, threshold):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Whether two sketches agree in enough bins to look at the texts."""
    allowed = int((1 - threshold + SLACK) * BINS)
    for into in range(BINS):
        if one[into] != other[into]:
            allowed -= 1
            if allowed < 0:
                return False
    return True


@njit(cache=True)
def _find(root, text):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    while root[text] != text:
        root[text] = root[root[text]]
        text = root[text]
    return text


@njit(cache=True)
def _alike(letters, starts, one, other, threshold):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Whether the Jaccard of two texts' shingles is at least `threshold`."""
    left, right = _set(letters, starts, one), _set(letters, starts, other)
    if min(len(left), len(right)) < threshold * max(len(left), len(right)):
        return False
    shared, at, to = 0, 0, 0
    while at < len(left) and to < len(right):
        if left[at] == right[to]:
            shared += 1
            at += 1
            to += 1
        elif left[at] < right[to]:
            at += 1
        else:
            to += 1
    return shared >= threshold * (len(left) + len(right) - shared)


@njit(cache=True)
def _set(letters, starts, text):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Different shingles of a text, as sorted hashes."""
    number, length = _shingles(starts[text], starts[text + 1] - 1)
    hashes = np.empty(number, np.uint64)
    for place in range(number):
        hashes[place] = _hash(letters, starts[text] + place, length)
    hashes.sort()
    kept = 1
    for place in range(1, number):
        if hashes[place] != hashes[kept - 1]:
            hashes[kept] = hashes[place]
            kept += 1
    return hashes[:kept]


@njit(cache=True)
def roots(root):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
    """The first text of each text's group."""
    found = np.empty(len(root), np.int64)
    for text in range(len(root)):
        found[text] = _find(root, text)
    return found


def jaccard(one: str, other: str) -> float:
    """Jaccard of two texts' shingles, 0 to 1, counted plainly: what `groups` compares with its threshold."""
    sets = []
    for text in (one, other):
        letters = " ".join(text.split()).casefold()
        sets.append({letters[at : at + SHINGLE] for at in range(max(1, len(letters) - SHINGLE + 1))})
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])
