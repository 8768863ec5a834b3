"""Whether ratings changed by more than noise: between two dates, and between old and new prompts.

Both questions are differences of two fits whose votes share clusters, so that the noise common to both cancels. Models
are compared about the mean of those ranked on both sides, which makes every difference one against the peers. What
happened between the dates is not known here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from groundswell.stats.bradley_terry import ranked_set
from groundswell.stats.intervals import CONFIDENCE, NORMAL, influence
from groundswell.stats.votes import Bools, Floats, Ints, Votes, tally

DRAWS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Differences of strength of the models numbered `models`, each with its 95 % interval."""

    models: Ints
    difference: Floats
    low: Floats
    high: Floats


def change(before: Votes, after: Votes, *, seed: int = 0) -> Change | None:
    """How far each model rose from `before` to `after`, by a paired one-step bootstrap over clusters.

    Both number models and clusters alike; `after` may contain `before`. None where no two models are ranked in both.
    """
    common = _ranked_in_both(before, after)
    if common is None:
        return None
    clusters = _clusters(before, after)
    old, moved_old = influence(before.among(common), clusters)
    new, moved_new = influence(after.among(common), clusters)
    difference = new.strength - old.strength
    moved = moved_new - moved_old
    rng = np.random.default_rng(seed)
    times = rng.multinomial(clusters, np.full(clusters, 1 / clusters), DRAWS)
    drawn = difference + (times - 1) @ moved
    low, high = np.quantile(drawn, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return Change(models=np.flatnonzero(common), difference=difference, low=low, high=high)


def freshness_gap(votes: Votes, fresh: Bools, tag: Ints) -> Change | None:
    """How much better each model is on old prompts than on new ones, against its peers, within tags.

    `fresh` and `tag` (votes,) say of each vote's prompt whether it is new, and its tag's number. Tags are averaged by
    the votes they hold on their thinner side; one where some model ranked elsewhere is missing is passed over for that
    model. A gap whose interval lies above 0 is a sign that old prompts were trained on. None where nothing compares.
    """
    weight = np.zeros(votes.models)
    total, variance = np.zeros(votes.models), np.zeros(votes.models)
    clusters = _clusters(votes)
    for number in np.unique(tag):
        old, new = votes.only((tag == number) & ~fresh), votes.only((tag == number) & fresh)
        common = _ranked_in_both(old, new)
        if common is None:
            continue
        thinner = float(min(old.total, new.total))
        fit_old, moved_old = influence(old.among(common), clusters)
        fit_new, moved_new = influence(new.among(common), clusters)
        weight[common] += thinner
        total[common] += thinner * (fit_old.strength - fit_new.strength)
        variance[common] += thinner**2 * ((moved_old - moved_new) ** 2).sum(axis=0)
    known = np.flatnonzero(weight)
    if len(known) == 0:
        return None
    gap = total[known] / weight[known]
    spread = NORMAL * np.sqrt(variance[known]) / weight[known]
    return Change(models=known, difference=gap, low=gap - spread, high=gap + spread)


def _ranked_in_both(one: Votes, two: Votes) -> Bools | None:
    """Models that both sets of votes rank when only these models' votes are read; None = fewer than two."""
    common = np.ones(one.models, dtype=np.bool_)
    while True:
        ranked = common.copy()
        for votes in (one, two):
            inside = votes.among(common)
            if inside.total == 0:
                return None
            ranked[np.flatnonzero(common)] &= ranked_set(tally(inside))
        if ranked.sum() < 2:
            return None
        if (ranked == common).all():
            return common
        common = ranked


def _clusters(*sets: Votes) -> int:
    if any(votes.cluster is None for votes in sets):
        raise ValueError("changes are told from clusters")
    return 1 + max(int(votes.cluster.max()) for votes in sets if votes.cluster is not None)
