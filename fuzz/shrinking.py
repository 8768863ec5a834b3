"""Cuts an input that fails down to what it fails by: ever smaller pieces are taken out as long as it fails alike."""

from __future__ import annotations

from collections.abc import Callable

MOST_TRIES = 2_000
"""Inputs tried for one failure: enough for a few kilobytes, and seconds at most."""


def smallest(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """The shortest input found that still fails (`fails`), by taking out halves, quarters, ... single bytes."""
    tries, size = 0, max(1, len(data) // 2)
    while True:
        at, before = 0, len(data)
        while at < len(data) and tries < MOST_TRIES:
            shorter = data[:at] + data[at + size :]
            tries += 1
            if fails(shorter):
                data = shorter
            else:
                at += size
        if tries >= MOST_TRIES or (size == 1 and len(data) == before):
            return data
        size = max(1, size // 2)
