"""A ranking with names on it: ratings about an anchor, unranked models with the reason, and the method in full.

`ladder` turns a numbered `stats` ranking into the parts of a board; `rank_file` is the command `rank`, `rank_frame` the
same for a frame. Which comparisons count was decided before.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from groundswell.boards.options import CENTRE, DEFAULTS, RankOptions
from groundswell.boards.tables import Counted, frame_votes, read_votes
from groundswell.errors import UserError
from groundswell.records import Json, Rating, Unranked
from groundswell.stats.bradley_terry import ELO
from groundswell.stats.ranking import Plan, Ranking, rank
from groundswell.stats.unranked import Side
from groundswell.stats.votes import Votes
from groundswell.stats.win_rate import win_rate

if TYPE_CHECKING:
    import polars

WIDE_WEIGHTS = 1000.0
"""Ratio of the largest to the smallest weight from which the ranking warns that few votes decide it."""


class Ladder(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a board that a ranking gives."""

    ratings: tuple[Rating, ...]
    unranked: tuple[Unranked, ...]
    left_out: Mapping[str, int]
    method: Mapping[str, Json]


def rank_file(path: str | Path, options: RankOptions = DEFAULTS) -> dict[str, Json]:
    """The answer of `groundswell rank` for a CSV, JSONL or Parquet file (DESIGN, section 7)."""
    return _answer(ladder(read_votes(path, options), options, simultaneous=False))


def rank_frame(frame: polars.DataFrame, options: RankOptions = DEFAULTS, *, where: str = "rows") -> dict[str, Json]:
    """The same answer for a frame with the columns of such a file; `where` is what a fault calls it."""
    return _answer(ladder(frame_votes(frame, options, where), options, simultaneous=False))


def rank_votes(votes: Counted, options: RankOptions = DEFAULTS) -> dict[str, Json]:
    """The same answer for votes from elsewhere."""
    return _answer(ladder(votes, options, simultaneous=False))


def _answer(found: Ladder) -> dict[str, Json]:
    answer: dict[str, Json] = msgspec.to_builtins(found)
    fields = ("model", "rating", "low", "high", "rank", "rank_low", "rank_high", "games")
    answer["ratings"] = [{name: getattr(rating, name) for name in fields} for rating in found.ratings]
    answer["unranked"] = [
        {"model": model.model, "side": model.side, "bound": model.bound, "why": model.why, "games": model.games}
        for model in found.unranked
    ]
    return answer


def ladder(counted: Counted, options: RankOptions, *, simultaneous: bool) -> Ladder:
    """Rank the models of some votes and name everything."""
    votes, names = counted.votes, counted.names
    plan = _plan(options, simultaneous=simultaneous)
    try:
        ranking = rank(votes, plan)
    except ValueError as error:
        if options.ties == "half":
            raise
        raise UserError(f"{error}; choose --ties half") from None
    anchored, shift = _shift(ranking, names, options)
    games, rates = votes.games(), win_rate(votes, ranking.tally)
    ratings = tuple(
        Rating(
            model=names[number],
            rating=ELO * float(ranking.strength[place]) + shift,
            low=None if ranking.low is None else ELO * float(ranking.low[place]) + shift,
            high=None if ranking.high is None else ELO * float(ranking.high[place]) + shift,
            rank=int(ranking.rank_low[place]),
            rank_low=int(ranking.rank_low[place]),
            rank_high=int(ranking.rank_high[place]),
            games=int(games[number]),
            win_rate=float(rates.over_opponents[number]),
        )
        for place, number in enumerate(ranking.order)
    )
    left_out = dict(counted.left_out)
    fitted = _fitted(ranking)
    if fitted < votes.total:
        left_out["a model of it is unranked"] = votes.total - fitted
    method = {**_method(ranking, options, simultaneous=simultaneous), **anchored}
    method |= {"votes": votes.total, "votes_fitted": fitted, "winners": dict(counted.winners), **_weights(votes)}
    return Ladder(
        ratings=ratings,
        unranked=_unranked(ranking, names, games.tolist(), shift),
        left_out=left_out,
        method=method,
    )


def _plan(options: RankOptions, *, simultaneous: bool) -> Plan:
    prior = None if options.prior is None else options.prior / ELO
    if prior is not None and (options.cluster or options.weights or options.bootstrap or options.ties != "half"):
        raise UserError(
            "a prior's interval is its posterior's and knows plain votes only; "
            "leave out --cluster, --weights, --bootstrap and --ties davidson"
        )
    return Plan(ties=options.ties, draws=options.bootstrap, seed=options.seed, simultaneous=simultaneous, prior=prior)


def _shift(ranking: Ranking, names: tuple[str, ...], options: RankOptions) -> tuple[dict[str, Json], float]:
    """What is said of the anchor, and what is added to ratings about the mean."""
    if options.anchor is None:
        return {"anchor": None, "centre": f"mean of the ranked models = {CENTRE:g}"}, CENTRE
    anchor = options.anchor
    for place, number in enumerate(ranking.order):
        if names[number] == anchor.model:
            said = {"model": anchor.model, "rating": anchor.rating}
            return {"anchor": said, "centre": "anchor"}, anchor.rating - ELO * float(ranking.strength[place])
    why = "is not ranked" if anchor.model in names else "is not on this board"
    note = f"anchor {anchor.model} {why}; mean of the ranked models = {CENTRE:g}"
    return {"anchor": None, "centre": note}, CENTRE


def _fitted(ranking: Ranking) -> int:
    """Number of votes between ranked models."""
    tallied = ranking.tally
    ranked = np.isin(np.arange(tallied.models), ranking.order)
    return int(tallied.count[ranked[tallied.first] & ranked[tallied.second]].sum())


def _method(ranking: Ranking, options: RankOptions, *, simultaneous: bool) -> dict[str, Json]:
    method: dict[str, Json] = {
        "model": "Bradley-Terry, maximum likelihood, 400 points = odds of 10",
        "ties": "half a win each" if options.ties == "half" else "Davidson",
        "both_bad": "counts as a tie in the fit",
        "interval": None if ranking.low is None else _interval(ranking, options),
        "confidence": 0.95,
        "cluster": options.cluster,
        "clusters": ranking.clusters,
        "ranks": "simultaneous differences" if simultaneous else "pointwise differences",
        "critical": round(ranking.critical, 6),
        "seed": options.seed,
        "warnings": list(ranking.warnings),
    }
    if ranking.why_none is not None:
        method["no_interval"] = ranking.why_none
    if ranking.fit is not None:
        method |= {
            "solver": "Newton",
            "iterations": ranking.fit.iterations,
            "last_step": ranking.fit.step * ELO,
            "converged": ranking.fit.converged,
        }
        if options.ties == "davidson":
            method["nu"] = ranking.fit.nu
    if options.prior is not None:
        method |= _prior(options.prior)
    if ranking.draws is not None:
        method["bootstrap"] = {
            "draws": ranking.draws.wanted,
            "without_maximum": ranking.draws.without,
            "refit": "one step" if ranking.draws.one_step else "full",
        }
    return method


def _prior(deviation: float) -> dict[str, Json]:
    return {
        "model": "Bradley-Terry with a normal prior on ratings: not maximum likelihood, 400 points = odds of 10",
        "prior": {
            "shape": "normal about the mean of the ranked models",
            "deviation": deviation,
            "effect": "draws all ratings together; a model that never lost or never won has a finite one only by it",
        },
    }


def _interval(ranking: Ranking, options: RankOptions) -> str:
    if options.prior is not None:
        return "posterior"
    return "bootstrap" if ranking.draws else "sandwich"


def _weights(votes: Votes) -> dict[str, Json]:
    if votes.weight is None:
        return {}
    times = 1 if votes.times is None else votes.times
    smallest, largest = float(votes.weight.min()), float(votes.weight.max())
    effective = float((votes.weight * times).sum() ** 2 / (votes.weight**2 * times).sum())
    weights: dict[str, Json] = {"smallest": smallest, "largest": largest, "effective_votes": effective}
    if largest / smallest >= WIDE_WEIGHTS:
        weights["warning"] = f"weights span a factor of {largest / smallest:.3g}: few votes decide this ranking"
    return {"weights": weights}


def _unranked(ranking: Ranking, names: tuple[str, ...], games: list[int], shift: float) -> tuple[Unranked, ...]:
    """Unranked models, those above first, each with its reason."""
    order = sorted(ranking.side, key=lambda model: (list(Side).index(ranking.side[model]), names[model]))
    someone = len(ranking.order) > 0
    return tuple(
        Unranked(
            model=names[model],
            side=ranking.side[model].value,
            bound=ELO * ranking.bound[model] + shift if model in ranking.bound else None,
            why=WHY[ranking.side[model]] if someone else NOBODY,
            games=games[model],
        )
        for model in order
    )


WHY: Mapping[Side, str] = {
    Side.ABOVE: "never lost to the ranked models, so that its rating has no upper end",
    Side.BELOW: "never won against the ranked models, so that its rating has no lower end",
    Side.APART: "no chain of wins or ties connects it with the ranked models",
}
NOBODY = "nobody is ranked: no set of models is connected by wins both ways, or two such sets are equally large"
