"""What moved: a model's rise since an earlier date, its lead on old prompts, and what its own samples do for it.

Every statement is a difference with an interval, or says that there is none. What caused a change is not known here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from groundswell.boards.making import countable, counted, identified
from groundswell.boards.options import RankOptions
from groundswell.boards.ranking import ladder
from groundswell.boards.tables import Counted
from groundswell.records import Comparison, Json, Rating
from groundswell.stats.bradley_terry import ELO
from groundswell.stats.change import Change, change, freshness_gap


def rises(before: Iterable[Comparison], after: Iterable[Comparison], *, seed: int = 0) -> list[dict[str, Json]]:
    """How many points each model rose from the comparisons `before` to all comparisons `after`.

    Rows {model, rise, low, high, real}: `real` where the interval holds no 0. Points are about the mean of the models
    ranked in both.
    """
    earlier = {identified(each) for each in before}
    everything = countable(after, Counter())
    numbered = counted(everything, {})
    old = np.array([identified(each) in earlier for each in everything], dtype=np.bool_)
    return _rows(change(numbered.votes.only(old), numbered.votes, seed=seed), numbered, "rise") if old.any() else []


def freshness(
    comparisons: Iterable[Comparison], fresh: Mapping[str, bool], tags: Mapping[str, str]
) -> list[dict[str, Json]]:
    """How much better each model is on old prompts than on new ones, against its peers within the same tag.

    `fresh` and `tags` by sample key; samples without either are passed over. A `real` gap above 0 is a sign that the
    old prompts were trained on.
    """
    known = [each for each in comparisons if each.sample in fresh and each.sample in tags]
    if not known:
        return []
    numbered = counted(known, {})
    assert numbered.votes.cluster is not None
    new = np.array([fresh[key] for key in numbered.samples], dtype=np.bool_)
    tag = np.unique([tags[key] for key in numbered.samples], return_inverse=True)[1]
    cluster = numbered.votes.cluster
    return _rows(freshness_gap(numbered.votes, new[cluster], tag[cluster]), numbered, "gap")


def without_own(
    comparisons: Iterable[Comparison], about: Mapping[str, str], options: RankOptions
) -> dict[str, float | None]:
    """Rating of each model that samples are about, without those samples; None where it is unranked then.

    `about` gives the model that a sample's thread is about, by sample key, as its author wrote it; `is_named` tells
    which models that means.
    """
    return without_own_of(
        counted(comparisons, {}), about, lambda rest: ladder(rest, options, simultaneous=False).ratings
    )


def without_own_of(
    numbered: Counted, about: Mapping[str, str], rate: Callable[[Counted], Iterable[Rating]]
) -> dict[str, float | None]:
    """The same for numbered votes, whose ratings `rate` computes."""
    assert numbered.votes.cluster is not None
    found: dict[str, float | None] = {}
    for model in numbered.names:
        own = np.array([is_named(model, about.get(key, "")) for key in numbered.samples], dtype=np.bool_)
        if own.any():
            ratings = rate(numbered.part(np.flatnonzero(~own[numbered.votes.cluster])))
            found[model] = next((rating.rating for rating in ratings if rating.model == model), None)
    return found


def is_named(model: str, text: str) -> bool:
    """Whether `text` names a model: its letters and digits stand in the model's name, in this order.

    "Nano Banana" means nano-banana@host and its elder relative nano-banana-pro: what a thread favours, it may favour
    in both.
    """
    short, whole = ("".join(filter(str.isalnum, name.casefold())) for name in (text, model))
    return bool(short) and short in whole


def _rows(found: Change | None, numbered: Counted, name: str) -> list[dict[str, Json]]:
    if found is None:
        return []
    return [
        {
            "model": numbered.names[model],
            name: ELO * float(difference),
            "low": ELO * float(low),
            "high": ELO * float(high),
            "real": bool(low > 0 or high < 0),
        }
        for model, difference, low, high in zip(found.models, found.difference, found.low, found.high, strict=True)
    ]
