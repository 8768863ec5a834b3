"""A board of people's votes, narrowed by a judge's many verdicts on the same samples (METHODS, section 6).

Votes and verdicts meet by sample and pair of models. The board carries how much the judge was worth, and the intervals
that the votes alone would have. Which votes count was decided before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import msgspec
import numpy as np

from groundswell.boards.agreement import PairKey, opinions_of, settle
from groundswell.boards.making import countable, counted
from groundswell.boards.options import CENTRE, DEFAULTS, RankOptions
from groundswell.boards.tables import OUTCOMES
from groundswell.errors import UserError
from groundswell.records import Board, Comparison, Json, Rating, Unranked, Vote, Winner
from groundswell.stats.bradley_terry import ELO, ranked_set
from groundswell.stats.fusion import Fused, draw_weights, fuse
from groundswell.stats.intervals import NORMAL, rank_ranges, simultaneous, surpassed
from groundswell.stats.votes import Floats, Votes, tally


def fused_board(
    votes: Iterable[Vote],
    verdicts: Iterable[Comparison],
    *,
    name: str,
    modality: str,
    options: RankOptions = DEFAULTS,
    left_out: Mapping[str, int] | None = None,
) -> Board:
    """Ratings of people's votes corrected by one judge's verdicts. Raises UserError where the votes rank nobody."""
    out: Counter[str] = Counter(left_out or {})
    cast = countable(votes, out)
    drawn = [vote for vote in cast if vote.probability is not None]
    out["it was not drawn with a known probability"] += len(cast) - len(drawn)
    numbered = counted(drawn, {})
    ranked = ranked_set(tally(numbered.votes)) if drawn else np.zeros(0, dtype=np.bool_)
    if not ranked.any():
        raise UserError("the votes rank nobody, so that there is nothing to narrow; more votes are needed")
    names = [model for model, here in zip(numbered.names, ranked, strict=True) if here]
    kept = [vote for vote in drawn if vote.left in names and vote.right in names]
    out["a model of it is unranked"] += len(drawn) - len(kept)
    settled = settle(opinions_of(verdicts)).verdicts
    people, judge, said, cut = _arrays(kept, settled, names)
    found = fuse(people, judge, said, seed=options.seed)
    method = {**_method(found, options), "votes": len(kept), "verdicts": len(judge.left), "weights_cut": cut}
    shift, method["anchor"] = _shift(found, names, options)
    return Board(
        name=name,
        modality=modality,
        ratings=_ratings(found, names, people.games().tolist(), shift, options.seed),
        unranked=tuple(
            Unranked(model=model, side="apart", bound=None, why="the votes alone do not rank it")
            for model in numbered.names
            if model not in names
        ),
        left_out={why: number for why, number in out.items() if number},
        method=method,
    )


def _arrays(kept: list[Vote], settled: Mapping[PairKey, Winner], names: list[str]) -> tuple[Votes, Votes, Floats, int]:
    """People's votes, the judge's verdicts, its points for each vote's left output, and how many weights were cut."""
    number = {model: place for place, model in enumerate(names)}
    pairs = [pair for pair in settled if pair[1] in number and pair[2] in number]
    samples: dict[str, int] = {}
    for key in (*(vote.sample for vote in kept), *(pair[0] for pair in pairs)):
        samples.setdefault(key, len(samples))
    said = np.full(len(kept), np.nan)
    for place, vote in enumerate(kept):
        first, second = sorted((vote.left, vote.right))
        verdict = settled.get((vote.sample, first, second))
        if verdict is not None:
            points = (1 + OUTCOMES[verdict]) / 2
            said[place] = points if vote.left == first else 1 - points
    weight, cut = draw_weights(np.array([vote.probability for vote in kept], dtype=np.float64))
    people = Votes(
        models=len(names),
        left=np.array([number[vote.left] for vote in kept]),
        right=np.array([number[vote.right] for vote in kept]),
        outcome=np.array([OUTCOMES[vote.winner] for vote in kept]),
        weight=weight,
        cluster=np.array([samples[vote.sample] for vote in kept]),
    )
    judge = Votes(
        models=len(names),
        left=np.array([number[pair[1]] for pair in pairs], dtype=np.int64),
        right=np.array([number[pair[2]] for pair in pairs], dtype=np.int64),
        outcome=np.array([OUTCOMES[settled[pair]] for pair in pairs], dtype=np.int64),
        cluster=np.array([samples[pair[0]] for pair in pairs], dtype=np.int64),
    )
    return people, judge, said, cut


def _shift(found: Fused, names: list[str], options: RankOptions) -> tuple[float, Json]:
    anchor = options.anchor
    if anchor is None or anchor.model not in names:
        return CENTRE, None
    shift = anchor.rating - ELO * float(found.strength[names.index(anchor.model)])
    return shift, msgspec.to_builtins(anchor)


def _ratings(found: Fused, names: list[str], games: list[int], shift: float, seed: int) -> tuple[Rating, ...]:
    better = surpassed(found.strength, found.covariance, simultaneous(found.covariance, seed=seed))
    low, high = rank_ranges(better)
    spread = NORMAL * np.sqrt(np.diag(found.covariance))
    return tuple(
        Rating(
            model=names[model],
            rating=ELO * float(found.strength[model]) + shift,
            low=ELO * float(found.strength[model] - spread[model]) + shift,
            high=ELO * float(found.strength[model] + spread[model]) + shift,
            rank=int(low[model]),
            rank_low=int(low[model]),
            rank_high=int(high[model]),
            games=games[model],
        )
        for model in np.argsort(-found.strength, kind="stable")
    )


def _method(found: Fused, options: RankOptions) -> dict[str, Json]:
    fused, alone = (float(np.sqrt(np.diag(c)).mean()) for c in (found.covariance, found.votes_covariance))
    return {
        "model": "Bradley-Terry on people's votes, corrected by a judge (prediction-powered)",
        "target": "uniform over pairs and cells: votes weighted by inverse draw probability",
        "interval": "sandwich",
        "cluster": "sample",
        "ranks": "simultaneous differences",
        "judge_share": found.share,
        "doubly_labelled": found.doubly,
        "mean_half_width": NORMAL * ELO * fused,
        "mean_half_width_votes_alone": NORMAL * ELO * alone,
        "converged": found.converged,
        "seed": options.seed,
    }
