"""An edition: samples drawn once, in a stated way, and never changed.

The draw is stratified by the cells of the taxonomy: every cell gives equally many, as far as it has them, and each
sample's probability of being drawn is kept, so that results can be weighted back to the whole.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import msgspec
import numpy as np

from groundswell.editions.importing import edition_of
from groundswell.errors import UserError
from groundswell.records import Edition, Sample

SEED = 0


def frozen(samples: Sequence[Sample], suite: str, label: str, *, limit: int | None = None, seed: int = SEED) -> Edition:
    """An edition of the runnable ones of these samples; with `limit`, of so many drawn from them.

    Raises UserError when none can be run.
    """
    runnable = [sample for sample in samples if sample.not_runnable is None]
    if not runnable:
        reasons = sorted({str(sample.not_runnable) for sample in samples})
        raise UserError(f"no sample of {suite} can be run ({'; '.join(reasons) or 'there are none'})")
    drawn = {sample.key: 1.0 for sample in runnable} if limit is None else draw(runnable, limit, seed)
    edition = edition_of([sample for sample in runnable if sample.key in drawn], suite, label)
    return msgspec.structs.replace(edition, inclusion=drawn)


def draw(samples: Sequence[Sample], limit: int, seed: int) -> dict[str, float]:
    """Probability of inclusion by key of the drawn samples: what its cell gives on average over what it has."""
    strata: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for sample in samples:
        strata[cell(sample)].append(sample.key)
    rng = np.random.default_rng(seed)
    shares = allocation({each: len(keys) for each, keys in strata.items()}, limit, rng)
    chosen: dict[str, float] = {}
    for each in sorted(strata):
        keys = sorted(strata[each])  # by key: the order in which samples came must not matter
        places = rng.permutation(len(keys))[: shares.given[each]]
        chosen |= {keys[place]: shares.expected[each] / len(keys) for place in places}
    return chosen


def cell(sample: Sample) -> tuple[str, ...]:
    """The stratum of a sample: its task, and its place in the taxonomy or in its suite's own categories."""
    named = ("use_case", "capability") if "use_case" in sample.tags else ("category", "domain", "task")
    return (sample.task, *(str(sample.tags.get(axis, "")) for axis in named))


class Shares(msgspec.Struct, frozen=True, kw_only=True):
    """How many samples each stratum gives, and how many it gives on average over all draws."""

    given: dict[tuple[str, ...], int]
    expected: dict[tuple[str, ...], float]


def allocation(sizes: dict[tuple[str, ...], int], limit: int, rng: np.random.Generator) -> Shares:
    """Equally many from every stratum, as far as it has them, until the limit or all are used.

    What cannot be shared out evenly goes to strata by lot, one each, so that no stratum is sure to be passed over.
    """
    level, left = 0, min(limit, sum(sizes.values()))
    open_ = [each for each in sorted(sizes) if sizes[each]]
    while 0 < len(open_) <= left:
        level, left = level + 1, left - len(open_)
        open_ = [each for each in open_ if sizes[each] > level]
    lucky = {open_[place] for place in rng.permutation(len(open_))[:left]}
    share = left / len(open_) if open_ else 0.0
    return Shares(
        given={each: min(size, level) + (each in lucky) for each, size in sizes.items()},
        expected={each: min(size, level) + share * (size > level) for each, size in sizes.items()},
    )


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """Two editions of a suite: keys that came, that went, and that stayed."""

    came: tuple[str, ...]
    went: tuple[str, ...]
    stayed: tuple[str, ...]


def compared(before: Edition, after: Edition) -> Compared:
    """What changed from one edition to another."""
    old, new = set(before.samples), set(after.samples)
    return Compared(
        came=tuple(key for key in after.samples if key not in old),
        went=tuple(key for key in before.samples if key not in new),
        stayed=tuple(key for key in after.samples if key in old),
    )
