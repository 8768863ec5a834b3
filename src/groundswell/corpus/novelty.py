"""What prompts ask for that older sets do not: a map in two dimensions, and how far each prompt is from the nearest old
one.

The map is a plain principal component analysis, so that the same prompts always lie at the same places; distances are
taken before it, because a map in two dimensions is for looking at and not for measuring.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class NoveltyMap:
    """Places (n, 2) of new prompts, then of old ones (m, 2), the share of variance that two axes keep, and for every
    new prompt its cosine to the nearest old one, (n,)."""

    new: NDArray[np.float64]
    old: NDArray[np.float64]
    explained: float
    nearest: NDArray[np.float64]


def novelty_map(new: NDArray[np.float32], old: NDArray[np.float32]) -> NoveltyMap | None:
    """The map of unit vectors (n, d) and (m, d). None where there are fewer than three, which have no map."""
    from sklearn.decomposition import PCA

    both = np.concatenate([new, old])
    if len(new) == 0 or len(old) == 0 or len(both) < 3:
        return None
    fitted = PCA(2, svd_solver="full").fit(both)
    places = fitted.transform(both)
    return NoveltyMap(
        new=places[: len(new)],
        old=places[len(new) :],
        explained=float(fitted.explained_variance_ratio_.sum()),
        nearest=np.asarray((new @ old.T).max(axis=1), np.float64),
    )


def novel(found: NoveltyMap, old: NDArray[np.float32], *, percentile: float = 1.0) -> NDArray[np.bool_]:
    """Which new prompts are farther from every old one than all but `percentile` % of the old are from each other."""
    likeness = old @ old.T
    np.fill_diagonal(likeness, -1.0)
    usual = np.percentile(likeness.max(axis=1), percentile)
    return np.asarray(found.nearest < usual)
