"""Judges against people: what a judge is worth (METHODS, section 6).

Rows are pairwise verdicts or rankings, of judges in one file and of people in the other. A judge that saw a pair in
both orders and changed its mind said tie, and its flip rate is given. A verdict that is null is one that could not be
read: it is counted, and agrees with nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from groundswell.boards.tables import OUTCOMES
from groundswell.errors import UserError
from groundswell.files import misfit, read_rows
from groundswell.records import Comparison, Json, Winner
from groundswell.stats import agreement as measures
from groundswell.stats.agreement import Estimate
from groundswell.stats.votes import Floats, Ints

PairKey = tuple[str, str, str]
"""Sample, and two models in the order of their names."""


class Opinion(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody said of two outputs of a sample; winner None = it could not be read."""

    sample: str
    left: str
    right: str
    winner: Winner | None
    by: str


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row of either file: a pairwise verdict, or a ranking from best to worst with ties grouped."""

    sample: str | int
    left: str | None = None
    right: str | None = None
    winner: Winner | None = None
    order: list[list[str]] | None = None
    judge: str | int | None = None
    rater: str | int | None = None


def agree_files(judgments: str | Path, votes: str | Path, *, seed: int = 0) -> dict[str, Json]:
    """The answer of `groundswell agree` for a file of judgments and one of people's votes (DESIGN, section 7)."""
    return agree_opinions(read_opinions(judgments, "judge"), read_opinions(votes, "rater"), seed=seed)


def agree_opinions(judgments: Iterable[Opinion], votes: Iterable[Opinion], *, seed: int = 0) -> dict[str, Json]:
    """The same answer for opinions from elsewhere. A vote that somebody gives twice in the same words counts once."""
    people, repeated = _once(votes)
    return {**agree(judgments, people, seed=seed), "left_out": {"repeated vote": repeated}}


def _once(opinions: Iterable[Opinion]) -> tuple[list[Opinion], int]:
    """Opinions without those that somebody gives a second time in the same words, and the number of these."""
    everything = list(opinions)
    kept = list({(*turned(one)[:2], one.by): one for one in everything}.values())
    return kept, len(everything) - len(kept)


def read_opinions(path: str | Path, who: Literal["judge", "rater"]) -> Iterator[Opinion]:
    """Opinions of a JSONL file; a ranking becomes its pairs. Raises UserError with file and line."""
    return opinions_in(read_rows(path), who, path)


def opinions_in(
    rows: Iterable[tuple[int, dict[str, Json]]], who: Literal["judge", "rater"], path: str | Path
) -> Iterator[Opinion]:
    """The same for rows with their numbers; `path` is what a fault calls them."""
    for line, fields in rows:
        try:
            row = msgspec.convert(fields, _Row)
        except msgspec.ValidationError as error:
            raise misfit(error, _Row, path, line) from None
        by = row.judge if who == "judge" else row.rater
        if by is None:
            raise UserError(f"this row does not say its {who}", where=path, line=line)
        if row.order is not None:
            yield from _pairs_of_ranking(str(row.sample), str(by), row.order, path, line)
        elif row.left is None or row.right is None or "winner" not in fields:
            raise UserError("a row needs left, right and winner, or order", where=path, line=line)
        elif row.left == row.right:
            raise UserError(f"{row.left} is compared with itself; remove the row", where=path, line=line)
        else:
            yield Opinion(sample=str(row.sample), left=row.left, right=row.right, winner=row.winner, by=str(by))


def _pairs_of_ranking(sample: str, by: str, order: list[list[str]], path: str | Path, line: int) -> Iterator[Opinion]:
    place = {model: group for group, models in enumerate(order) for model in models}
    if len(place) != sum(len(models) for models in order):
        raise UserError("a model stands twice in this ranking", where=path, line=line)
    for left, right in combinations(sorted(place), 2):
        ahead = place[right] - place[left]
        winner = Winner.LEFT if ahead > 0 else Winner.RIGHT if ahead < 0 else Winner.TIE
        yield Opinion(sample=sample, left=left, right=right, winner=winner, by=by)


def opinions_of(comparisons: Iterable[Comparison]) -> Iterator[Opinion]:
    """Comparisons of the store as opinions."""
    for each in comparisons:
        yield Opinion(sample=each.sample, left=each.left, right=each.right, winner=each.winner, by=each.by)


def agree(judgments: Iterable[Opinion], votes: Iterable[Opinion], *, seed: int = 0) -> dict[str, Json]:
    """How far each judge agrees with people, and people among themselves, with 95 % intervals by sample."""
    people = list(votes)
    by_judge: dict[str, list[Opinion]] = defaultdict(list)
    for opinion in judgments:
        by_judge[opinion.by].append(opinion)
    return {
        "judges": [_judge(name, by_judge[name], people, seed) for name in sorted(by_judge)],
        "people": _people(people, seed),
        "method": {
            "tau_b": "pooled over pairs of outputs of one sample",
            "accuracy": "share of votes whose winner the judge named, both_bad apart from tie",
            "alpha": "Krippendorff, nominal over left, right, tie",
            "spearman": "of outputs' mean points within their sample",
            "interval": f"95 %, bootstrap over samples, {measures.DRAWS} draws",
            "seed": seed,
        },
    }


def turned(opinion: Opinion) -> tuple[PairKey, Winner | None, bool]:
    """An opinion with its models in the order of their names, and whether they were swapped for that."""
    swapped = opinion.left > opinion.right
    first, second = (opinion.right, opinion.left) if swapped else (opinion.left, opinion.right)
    winner = opinion.winner
    if swapped and winner is not None:
        winner = SWAPPED.get(winner, winner)
    return (opinion.sample, first, second), winner, swapped


SWAPPED: Mapping[Winner, Winner] = {Winner.LEFT: Winner.RIGHT, Winner.RIGHT: Winner.LEFT}


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """A judge's verdict on every pair after the both-orders rule, how often it flipped, and what was not read."""

    verdicts: Mapping[PairKey, Winner]
    both_orders: int
    flipped: int
    unread: int


def settle(opinions: Iterable[Opinion]) -> Settled:
    """One verdict a pair. Repeats in one order: what was said most, else a tie; two orders that differ: a tie."""
    said: dict[PairKey, tuple[list[Winner], list[Winner]]] = defaultdict(lambda: ([], []))
    unread = 0
    for opinion in opinions:
        pair, winner, swapped = turned(opinion)
        if winner is None:
            unread += 1
        else:
            said[pair][swapped].append(winner)
    verdicts, both, flipped = {}, 0, 0
    for pair, orders in said.items():
        found = [_most(order) for order in orders if order]
        both += len(found) == 2
        flipped += len(set(found)) == 2
        verdicts[pair] = found[0] if len(set(found)) == 1 else Winner.TIE
    return Settled(verdicts=verdicts, both_orders=both, flipped=flipped, unread=unread)


def _most(winners: list[Winner]) -> Winner:
    counts = sorted(((winners.count(winner), winner) for winner in set(winners)), reverse=True)
    return Winner.TIE if len(counts) > 1 and counts[0][0] == counts[1][0] else counts[0][1]


def _judge(name: str, opinions: list[Opinion], people: list[Opinion], seed: int) -> dict[str, Json]:
    settled = settle(opinions)
    wanted = [(pair, winner) for pair, winner, _ in map(turned, people) if winner is not None]
    met = [(pair, settled.verdicts[pair], winner) for pair, winner in wanted if pair in settled.verdicts]
    hits = sum(verdict == winner for _, verdict, winner in met)
    row: dict[str, Json] = {
        "judge": name,
        "tau_b": None,
        "accuracy": None,
        "accuracy_decisive": None,
        "alpha": None,
        "spearman": None,
        "flip_rate": settled.flipped / settled.both_orders if settled.both_orders else None,
        "both_orders": settled.both_orders,
        "votes": len(wanted),
        "votes_judged": len(met),
        "unread": settled.unread,
        "accuracy_worst": hits / len(wanted) if wanted else None,
        "accuracy_best": (hits + len(wanted) - len(met)) / len(wanted) if wanted else None,
    }
    if not met:
        return row
    samples = {sample: place for place, sample in enumerate(dict.fromkeys(pair[0] for pair, _, _ in met))}
    cluster = np.array([samples[pair[0]] for pair, _, _ in met])
    judge = np.array([OUTCOMES[verdict] for _, verdict, _ in met])
    person = np.array([OUTCOMES[winner] for _, _, winner in met])
    hit = np.array([float(verdict == winner) for _, verdict, winner in met])
    decisive = np.where((judge != 0) & (person != 0), hit, np.nan)
    units = np.arange(len(met))
    given = (np.tile(units, 2), np.concatenate([judge, person]) + 1)
    statistics = {
        "tau_b": measures.tau_b(judge, person, cluster),
        "accuracy": measures.share(hit, cluster),
        "accuracy_decisive": measures.share(decisive, cluster),
        "alpha": measures.alpha(*given, cluster, 3),
        "spearman": measures.spearman(*_points([pair for pair, _, _ in met], judge, person, samples)),
    }
    for column, found in measures.estimates(statistics, len(samples), seed).items():
        row |= _columns(column, found)
    return row


def _columns(name: str, found: Estimate) -> dict[str, Json]:
    interval = None if found.low is None else [found.low, found.high]
    return {name: found.value, f"{name}_interval": interval}


def _points(pairs: list[PairKey], judge: Ints, person: Ints, samples: Mapping[str, int]) -> tuple[Floats, Floats, Ints]:
    """Mean points of every output by judge and by people over the same comparisons, and the sample it is of."""
    outputs: dict[tuple[str, str], int] = {}
    for sample, first, second in pairs:
        outputs.setdefault((sample, first), len(outputs))
        outputs.setdefault((sample, second), len(outputs))
    firsts = np.array([outputs[sample, first] for sample, first, _ in pairs])
    seconds = np.array([outputs[sample, second] for sample, _, second in pairs])
    games = np.bincount(firsts, minlength=len(outputs)) + np.bincount(seconds, minlength=len(outputs))

    def mean(sign: Ints) -> Floats:
        total = np.bincount(firsts, sign, len(outputs)) - np.bincount(seconds, sign, len(outputs))
        return np.asarray(total / games)

    return mean(judge), mean(person), np.array([samples[sample] for sample, _ in outputs])


# --- people among themselves --------------------------------------------------------------------------------------


def _people(people: list[Opinion], seed: int) -> dict[str, Json]:
    read = [
        (pair, OUTCOMES[winner], opinion.by) for opinion in people for pair, winner, _ in [turned(opinion)] if winner
    ]
    if not read:
        return {"w": None, "alpha": None, "raters": 0, "votes": 0}
    units = {pair: place for place, pair in enumerate(dict.fromkeys(pair for pair, _, _ in read))}
    samples = {sample: place for place, sample in enumerate(dict.fromkeys(pair[0] for pair in units))}
    unit = np.array([units[pair] for pair, _, _ in read])
    value = np.array([sign + 1 for _, sign, _ in read])
    cluster = np.array([samples[pair[0]] for pair in units])
    found = measures.estimates({"alpha": measures.alpha(unit, value, cluster, 3)}, len(samples), seed)["alpha"]
    concordances = [w for w in map(measures.kendall_w, _rankings(read)) if w is not None]
    concordance: dict[str, Json] = {"w": None, "w_interval": None}
    if concordances:
        each = measures.share(np.array(concordances), np.arange(len(concordances)))
        concordance = _columns("w", measures.estimates({"w": each}, len(concordances), seed)["w"])
    return {
        **concordance,
        "w_samples": len(concordances),
        **_columns("alpha", found),
        "raters": len({by for _, _, by in read}),
        "votes": len(read),
    }


def _rankings(read: list[tuple[PairKey, int, str]]) -> Iterator[Floats]:
    """Scores (raters, models) of every sample that at least two raters compared in full, for Kendall's W."""
    votes: dict[str, dict[str, dict[tuple[str, str], int]]] = defaultdict(lambda: defaultdict(dict))
    for (sample, first, second), sign, by in read:
        votes[sample][by][first, second] = sign
    for by_rater in votes.values():
        models = sorted({model for pairs in by_rater.values() for pair in pairs for model in pair})
        whole = len(models) * (len(models) - 1) // 2
        full = [pairs for pairs in by_rater.values() if len(pairs) == whole]
        if len(full) < 2 or len(models) < 3:
            continue
        scores = np.zeros((len(full), len(models)))
        number = {model: place for place, model in enumerate(models)}
        for row, pairs in enumerate(full):
            for (first, second), sign in pairs.items():
                scores[row, number[first]] += sign
                scores[row, number[second]] -= sign
        yield scores
