"""How varied prompts are, and when they were posted.

Leading bigrams: the share of different first two words among n prompts (words by whitespace, letters as they are). The
share falls with n, so sets are compared at equal n, by subsampling. It knows prompts as texts only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, datetime

import numpy as np

DRAWS = 200
"""Subsamples of which the mean is given."""


def leading_bigram(prompt: str) -> str:
    """The first two words."""
    return " ".join(prompt.split()[:2])


def bigram_share(prompts: Sequence[str], n: int | None = None, *, seed: int = 0) -> float | None:
    """Share of different leading bigrams among `n` prompts: the mean over DRAWS subsamples, or the share of all where
    `n` is None or all of them. None where there are fewer than `n` prompts, or none."""
    bigrams = np.unique([leading_bigram(prompt) for prompt in prompts], return_inverse=True)[1]
    count = len(bigrams)
    if not count or (n is not None and not 0 < n <= count):
        return None
    if n is None or n == count:
        return float(len(np.unique(bigrams)) / count)
    rng = np.random.default_rng(seed)
    shares = [len(np.unique(rng.choice(bigrams, n, replace=False))) / n for _ in range(DRAWS)]
    return float(np.mean(shares))


def compared(sets: Mapping[str, Sequence[str]], *, seed: int = 0) -> dict[str, float]:
    """Share of every set at the size of the smallest, by name; sets without prompts are left out."""
    filled = {name: prompts for name, prompts in sets.items() if prompts}
    n = min((len(prompts) for prompts in filled.values()), default=0)
    found = {name: bigram_share(prompts, n, seed=seed) for name, prompts in filled.items()}
    return {name: share for name, share in found.items() if share is not None}


def by_day(times: Sequence[datetime], releases: Mapping[str, date]) -> list[dict[str, object]]:
    """Posts a day, from the first day to the last without gaps, each with the models released on it."""
    if not times:
        return []
    counts = Counter(time.date() for time in times)
    first, last = min(counts), max(counts)
    days = [date.fromordinal(number) for number in range(first.toordinal(), last.toordinal() + 1)]
    out_on = {day: [name for name, released in releases.items() if released == day] for day in days}
    return [{"day": day.isoformat(), "posts": counts[day], "released": out_on[day]} for day in days]
