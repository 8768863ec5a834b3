"""How a board moved from one edition of a suite to another: each model's difference, and whether it is beyond noise.

Both boards are fits whose votes hang together by prompts, and editions share prompts: what a shared prompt says in both
cancels. A difference is of the ratings that the boards show where both stand on the same anchor, else about the mean of
the models that both rank. Boards that were made in different ways are not compared. Why a model moved is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from groundswell.boards.making import Fitted
from groundswell.boards.tables import Counted
from groundswell.records import Json, Rating
from groundswell.stats.bradley_terry import ELO, ranked_set
from groundswell.stats.intervals import CONFIDENCE, influence
from groundswell.stats.votes import Bools, Floats, Votes, tally

DRAWS = 10_000
"""Draws of the largest difference in standard errors."""

NO_DEVIATION = 1e-6
"""Rating points below which nothing differs between the two sides."""

SAME: Mapping[str, str] = {
    "model": "the model of the ratings",
    "ties": "how ties count",
    "comparisons": "what is compared",
    "methodology": "the methodology of the votes",
    "judges": "the judges",
    "quorum": "the quorum of the judges",
    "anchor": "the anchor",
}
"""What two boards must have in common, by its key in `Board.method`."""

ONLY_AFTER, ONLY_BEFORE = "ranked only after", "ranked only before"
ANCHOR = "the anchor, which does not move"
STILL = "nothing that it rests on differs"
UNSURE = "one of the boards gives no intervals"


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Where a model stands on one of the boards."""

    rating: float
    low: float | None
    high: float | None
    rank_low: int
    rank_high: int


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """One model on both boards. `difference` in rating points with its 95 % interval, which holds for all models of the
    board at once; `moved` says whether that interval holds no 0, None that it cannot be said, and `why`."""

    model: str
    before: Place | None
    after: Place | None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    moved: bool | None = None
    why: str | None = None


class Movement(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one board. `why_not` says why the two cannot be compared; then there are no models.

    `about`: what differences are counted from. `models` are in the order of the later board, those that went last.
    """

    board: str
    modality: str
    why_not: str | None = None
    about: str | None = None
    models: tuple[Moved, ...] = ()
    came: tuple[str, ...] = ()
    went: tuple[str, ...] = ()


def movement(before: Fitted, after: Fitted, *, seed: int = 0) -> Movement:
    """How a board moved; `before` and `after` are the same board of two editions."""
    board = after.board
    if (why := not_comparable(before.board.method, board.method)) is not None:
        return Movement(board=board.name, modality=board.modality, why_not=why)
    old, new = ({row.model: row for row in fitted.board.ratings} for fitted in (before, after))
    anchor = (board.method.get("anchor") or {}).get("model")
    common = [model for model in new if model in old]
    told = _differences(before, after, common, anchor, seed) if len(common) > 1 else {}
    return Movement(
        board=board.name,
        modality=board.modality,
        about=f"the anchor {anchor}" if anchor else "the mean of the models ranked in both",
        models=tuple(_models(old, new, told, anchor)),
        came=tuple(model for model in new if model not in old),
        went=tuple(model for model in old if model not in new),
    )


def not_comparable(before: Mapping[str, Json], after: Mapping[str, Json]) -> str | None:
    """Why two boards with these methods cannot be compared; None = they can."""
    for key, name in SAME.items():
        one, other = before.get(key), after.get(key)
        if one != other:
            return f"they differ in {name}: {_said(one)} before, {_said(other)} after"
    return None


def _said(value: Json) -> str:
    if isinstance(value, Mapping):
        return " ".join(f"{each:g}" if isinstance(each, float) else str(each) for each in value.values())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else "none" if value is None else str(value)


def _models(
    old: Mapping[str, Rating], new: Mapping[str, Rating], told: Mapping[str, Moved], anchor: str | None
) -> Iterator[Moved]:
    for model in (*new, *(each for each in old if each not in new)):
        found = told.get(model, Moved(model=model, before=None, after=None))
        why = found.why or (ONLY_AFTER if model not in old else ONLY_BEFORE if model not in new else None)
        yield msgspec.structs.replace(
            found,
            before=_place(old.get(model)),
            after=_place(new.get(model)),
            why=ANCHOR if model == anchor else why,
        )


def _place(row: Rating | None) -> Place | None:
    if row is None:
        return None
    return Place(rating=row.rating, low=row.low, high=row.high, rank_low=row.rank_low, rank_high=row.rank_high)


def _differences(before: Fitted, after: Fitted, common: list[str], anchor: str | None, seed: int) -> dict[str, Moved]:
    """Differences of the models that both boards rank, by name."""
    samples = {key: place for place, key in enumerate(dict.fromkeys((*before.votes.samples, *after.votes.samples)))}
    old, moved_old = _fit(before.votes, samples, common)
    new, moved_new = _fit(after.votes, samples, common)
    from_ = common.index(anchor) if anchor in common else slice(None)
    difference, spread = new - old, moved_new - moved_old
    difference = ELO * (difference - difference[from_].mean())
    spread = ELO * (spread - spread[:, from_].reshape(len(spread), -1).mean(axis=1, keepdims=True))
    deviation = np.sqrt((spread**2).sum(axis=0))
    known = deviation > NO_DEVIATION
    reach = _critical(spread[:, known], deviation[known], seed) * deviation if known.any() else deviation
    sure = all(row.low is not None for fitted in (before, after) for row in fitted.board.ratings)
    return {
        model: _moved(model, float(value), float(width) if differs and sure else None, differs=bool(differs))
        for model, value, width, differs in zip(common, difference, reach, known, strict=True)
    }


def _moved(model: str, difference: float, reach: float | None, *, differs: bool) -> Moved:
    """A model's difference; `reach` is half its interval."""
    if reach is None:
        told = (None, UNSURE) if differs else (False, STILL)
        return Moved(model=model, before=None, after=None, difference=difference, moved=told[0], why=told[1])
    low, high = difference - reach, difference + reach
    return Moved(
        model=model, before=None, after=None, difference=difference, low=low, high=high, moved=low > 0 or high < 0
    )


def _critical(spread: Floats, deviation: Floats, seed: int) -> float:
    """Standard errors within which all differences stay in 95 % of draws: normal ones with the covariance that the
    prompts' influences add up to."""
    root = np.linalg.qr(spread, mode="r")
    drawn = np.random.default_rng(seed).standard_normal((DRAWS, len(root))) @ root
    return float(np.quantile(np.abs(drawn / deviation).max(axis=1), CONFIDENCE))


def _fit(counted: Counted, samples: Mapping[str, int], common: list[str]) -> tuple[Floats, Floats]:
    """Strengths of the `common` models and what each of all prompts moved them by, (prompts, models), fitted among all
    models that this side ranks."""
    votes = counted.votes
    assert votes.cluster is not None
    number = np.array([samples[key] for key in counted.samples], dtype=np.int64)
    renumbered = Votes(
        models=votes.models,
        left=votes.left,
        right=votes.right,
        outcome=votes.outcome,
        weight=votes.weight,
        cluster=number[votes.cluster],
    )
    ranked: Bools = ranked_set(tally(renumbered))
    fitted, moved = influence(renumbered.among(ranked), len(samples))
    names = [name for name, here in zip(counted.names, ranked, strict=True) if here]
    places = [names.index(model) for model in common]
    return fitted.strength[places], moved[:, places]
