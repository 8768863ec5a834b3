"""From a judgment's scores to one grade or one verdict, as each mode of judging declares it.

A rubric names its arithmetic in `rules.arithmetic`; a rubric of mode `pair` is asked in both orders. The arithmetic of
LLaVA and CPI belongs to `suites`. Nothing here knows how scores were read.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches

import msgspec

from groundswell.errors import UserError
from groundswell.judge.panel import turned
from groundswell.records import Comparison, Dimension, Judgment, Rubric, Winner

Scores = Mapping[str, float]


class Settled(msgspec.Struct, frozen=True):
    """What both orders of one pair say together. `flipped` = the two answers differ, and so it is a tie."""

    winner: Winner
    flipped: bool


class Duel(msgspec.Struct, frozen=True, kw_only=True):
    """Two models on one sample, and what a judge said in each order; None = that order was not read.

    `forward` was asked with `left` shown first, `backward` with `right` shown first; both name the winner by where it
    was shown: LEFT is the one shown first.
    """

    sample: str
    left: str
    right: str
    judge: str
    forward: Winner | None
    backward: Winner | None
    left_output: str | None = None
    right_output: str | None = None


class Duels(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's comparisons after the rule of both orders."""

    comparisons: tuple[Comparison, ...]
    flips: Mapping[str, tuple[int, int]]
    """By judge: (pairs whose verdict flipped, pairs read in both orders)."""
    left_out: Mapping[str, int]


def grade(rubric: Rubric, scores: Scores) -> float:
    """One grade from all scores of a rubric, by the arithmetic that it declares (`mean` where it does not say).

    Raises UserError for an arithmetic that does not exist, KeyError for a dimension without a score.
    """
    name = rubric.rules.get("arithmetic", "mean")
    if name not in ARITHMETIC:
        near = get_close_matches(str(name), ARITHMETIC, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(ARITHMETIC)}"
        raise UserError(f"the rubric {rubric.name} wants the arithmetic {name!r}; {hint}")
    return ARITHMETIC[name](rubric, scores)


def mean(rubric: Rubric, scores: Scores) -> float:
    """Weighted mean of the dimensions; those without a weight have the weight 1 (ECHO: one dimension, 1 to 10)."""
    weights = [1.0 if dimension.weight is None else dimension.weight for dimension in rubric.dimensions]
    total = math.fsum(w * scores[d.name] for w, d in zip(weights, rubric.dimensions, strict=True))
    return total / math.fsum(weights)


def lowest(rubric: Rubric, scores: Scores) -> float:
    """The lowest dimension: a picture is as good as its worst side."""
    return min(scores[dimension.name] for dimension in rubric.dimensions)


def viescore(rubric: Rubric, scores: Scores) -> float:
    """sqrt(min SC * min PQ) (VIEScore, Ku et al. 2024): `rules.groups` names the dimensions of each group.

    Generally the geometric mean over the groups of the lowest dimension of each; without groups each dimension is one.
    """
    groups = rubric.rules.get("groups") or [[dimension.name] for dimension in rubric.dimensions]
    return geometric_mean([min(scores[name] for name in names) for names in groups])


def checklist(rubric: Rubric, scores: Scores) -> float:
    """Weighted share of the questions answered yes (1), 0..1."""
    return mean(rubric, scores)


ARITHMETIC: Mapping[str, Callable[[Rubric, Scores], float]] = {
    "mean": mean,
    "lowest": lowest,
    "viescore": viescore,
    "checklist": checklist,
}


def geometric_mean(values: Sequence[float]) -> float:
    """n-th root of the product of n values of at least 0."""
    return float(math.prod(values) ** (1 / len(values)))


def pair_verdict(judgment: Judgment, dimensions: Sequence[Dimension]) -> Winner:
    """The winner of a judgment of mode `pair`, by where it was shown: the higher of the two scores, equal = tie."""
    first, second = (judgment.scores[dimension.name] for dimension in dimensions)
    if first == second:
        return Winner.TIE
    return Winner.LEFT if first > second else Winner.RIGHT


def both_orders(forward: Winner, backward: Winner) -> Settled:
    """A verdict that changes with the order is a tie (METHODS, section 6)."""
    if forward is turned(backward):
        return Settled(forward, False)
    return Settled(Winner.TIE, True)


def duels(pairs: Iterable[Duel]) -> Duels:
    """Comparisons of pairs that were read in both orders; the others are left out and counted."""
    comparisons: list[Comparison] = []
    flips: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    one_order = none = 0
    for pair in pairs:
        if pair.forward is None or pair.backward is None:
            one_order += (pair.forward is None) != (pair.backward is None)
            none += pair.forward is None and pair.backward is None
            continue
        settled = both_orders(pair.forward, pair.backward)
        flipped, read = flips[pair.judge]
        flips[pair.judge] = (flipped + settled.flipped, read + 1)
        comparisons.append(
            Comparison(
                sample=pair.sample,
                left=pair.left,
                right=pair.right,
                winner=settled.winner,
                by=pair.judge,
                left_output=pair.left_output,
                right_output=pair.right_output,
            )
        )
    left_out = {"read in one order only": one_order, "read in neither order": none}
    return Duels(
        comparisons=tuple(comparisons),
        flips=dict(flips),
        left_out={reason: count for reason, count in left_out.items() if count},
    )
