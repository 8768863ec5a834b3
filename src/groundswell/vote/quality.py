"""Which votes look wrong, and why. Nothing is thrown away: a flag is a reason that the operator can overrule.

Rules look at sessions, not persons, and only at sessions with enough votes to say something. What people agree on is
the consensus: Bradley-Terry of all votes that are not flagged. A single look at a clock is never enough: whoever is
fast and right is kept. Formulas: exact binomial test of sides; likelihood ratio of the consensus against coin tossing,
its p-value by simulation under the consensus; Fisher's exact test of votes against skips; Benjamini and Hochberg
(1995) over sessions.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from scipy.special import expit
from scipy.stats import binomtest, hypergeom

from groundswell.records import Ruling, Sample, Skip, Vote, Winner
from groundswell.stats.pairing import believe
from groundswell.stats.votes import LEFT, RIGHT, TIE, Bools, Floats, Ints, Votes, tally

LEAST = 20
"""Votes below which a session says too little about itself."""

FALSE_DISCOVERIES = 0.01
"""Share of flagged sessions that may be honest, for each rule."""

GOLDEN_RIGHT = 0.97
"""How often an attentive person prefers a real answer to a decoy."""

FAST_MARGIN = 0.75
"""Seconds beyond the minimum look in which nobody decides on most ballots."""

FAST_EVIDENCE = 2.0
"""Log likelihood by which a fast session must beat coin tossing to be kept."""

DRIP = 4.0
"""Standard errors by which short sessions may favour a model over what long ones say."""

DRIP_VOTES = 200
"""Votes of long sessions below which short ones are not measured by them."""

SUSPECT = -1.5
"""Standard scores of the likelihood ratio from which its p-value is simulated."""

DRAWS = 20_000
SHORTEST_NAME = 4

DUPLICATE = "the same pair again in one session"
LEAK = "the prompt names a model"
SIDE = "always the same side"
FAST = "too fast to have looked, and no better than chance"
DISAGREES = "disagrees with everybody and with the planted pairs"
BOOSTS = "skips until one model shows"
DRIPS = "short sessions that favour one model"
RULES = (DUPLICATE, LEAK, SIDE, FAST, DISAGREES, BOOSTS, DRIPS)

GOLDEN = "golden pair: planted to check the voter"
EXCLUDED = "excluded by the operator"


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """What the rules must know of the arena: the decoys' names, the minimum look, and samples that name a model."""

    decoys: frozenset[str] = frozenset()
    least_look: float = 2.0
    leaking: frozenset[str] = frozenset()


def names_a_model(sample: Sample, models: Collection[str]) -> bool:
    """Whether a prompt names one of the models, so that the ballot would not be blind."""
    text = " ".join(sample.prompts.values()).lower()
    names = [model.lower() for model in models if len(model) >= SHORTEST_NAME]
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names)


def flags(votes: Sequence[Vote], skips: Iterable[Skip], setting: Setting) -> dict[int, str]:
    """The reason by the place of each doubtful vote in `votes`."""
    found: dict[int, str] = dict.fromkeys(_duplicates(votes), DUPLICATE)
    found |= {place: LEAK for place, vote in enumerate(votes) if vote.sample in setting.leaking}
    table = _table(votes, setting)
    tests = _Tests(table, skips)
    found |= {place: SIDE for place in tests.of(tests.sided()) if place not in found}
    for _ in range(2):  # the second time without the votes that spoiled the consensus
        out = np.zeros(len(votes), dtype=np.bool_)
        out[list(found)] = True
        ratio = tests.likelihood(_consensus(table, ~out))
        for reason, sessions in (
            (BOOSTS, tests.boosting()),
            (FAST, tests.fast(setting.least_look, ratio)),
            (DISAGREES, tests.disagreeing(ratio)),
        ):
            found |= {place: reason for place in tests.of(sessions) if place not in found}
    out = np.zeros(len(votes), dtype=np.bool_)
    out[list(found)] = True
    found |= {place: DRIPS for place in _dripping(table, tests, out) if place not in found}
    return found


def overruled(votes: Sequence[Vote], found: Mapping[int, str], rulings: Mapping[str, Ruling]) -> dict[str, str]:
    """Flags by the key of a vote, after the operator's rulings on single votes (by key) and sessions (by hash).

    A ruling on a vote goes before one on its session.
    """
    flagged: dict[str, str] = {}
    for place, vote in enumerate(votes):
        ruling = (rulings.get(vote.key) or rulings.get(vote.by)) if rulings else None
        match ruling.what if ruling else None:
            case "reinstate":
                continue
            case "exclude":
                flagged[vote.key] = EXCLUDED
            case _ if place in found:
                flagged[vote.key] = found[place]
    return flagged


def _duplicates(votes: Sequence[Vote]) -> list[int]:
    seen: set[tuple[object, ...]] = set()
    again = []
    for place, vote in enumerate(votes):
        outputs = (vote.left_output or vote.left, vote.right_output or vote.right)
        asked = (vote.by, vote.sample, *sorted(outputs))
        if asked in seen:
            again.append(place)
        seen.add(asked)
    return again


@dataclass(frozen=True, slots=True, kw_only=True)
class _Table:
    """Votes as columns. Models are numbered with the decoys among them."""

    session: Ints
    sessions: tuple[str, ...]
    left: Ints
    right: Ints
    outcome: Ints
    both_bad: Bools
    seconds: Floats
    """How long the voter looked; NaN where it is not known."""
    golden: Ints
    """LEFT or RIGHT: where the real answer of a golden pair is; 0 = no golden pair."""
    numbers: Mapping[str, int]

    @property
    def models(self) -> int:
        return len(self.numbers)


def _table(votes: Sequence[Vote], setting: Setting) -> _Table:
    sessions: dict[str, int] = {}
    models: dict[str, int] = {}
    outcomes = {Winner.LEFT: LEFT, Winner.RIGHT: RIGHT, Winner.TIE: TIE, Winner.BOTH_BAD: TIE}
    rows = [
        (
            sessions.setdefault(vote.by, len(sessions)),
            models.setdefault(vote.left, len(models)),
            models.setdefault(vote.right, len(models)),
            outcomes[vote.winner],
            vote.winner is Winner.BOTH_BAD,
            (vote.right in setting.decoys) - (vote.left in setting.decoys),
        )
        for vote in votes
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 6).T
    looked = [max(vote.seconds_left or 0.0, vote.seconds_right or 0.0) or float("nan") for vote in votes]
    return _Table(
        session=columns[0],
        sessions=tuple(sessions),
        left=columns[1],
        right=columns[2],
        outcome=columns[3],
        both_bad=columns[4].astype(np.bool_),
        seconds=np.array(looked),
        golden=columns[5],
        numbers=models,
    )


def _consensus(table: _Table, kept: Bools) -> Floats:
    """Probability that the left one wins, for every vote (votes,); golden pairs have their own."""
    keep = kept & (table.golden == 0)
    strength = np.zeros(table.models)
    if keep.any():
        votes = Votes(models=table.models, left=table.left[keep], right=table.right[keep], outcome=table.outcome[keep])
        strength = believe(tally(votes)).strength
    chance = expit(strength[table.left] - strength[table.right])
    planted = np.where(table.golden == LEFT, GOLDEN_RIGHT, 1 - GOLDEN_RIGHT)
    return np.asarray(np.where(table.golden == 0, chance, planted))


class _Tests:
    """Tests of the sessions that have LEAST votes."""

    def __init__(self, table: _Table, skips: Iterable[Skip]) -> None:
        self.table = table
        self.skips: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for skip in skips:
            # a model that nobody voted on has no number; it is none of those that a session could favour
            self.skips[skip.by].append(
                (table.numbers.get(skip.left, table.models), table.numbers.get(skip.right, table.models))
            )
        self.size = np.bincount(table.session, minlength=len(table.sessions))
        self.order = np.argsort(table.session, kind="stable")
        self.begins = np.concatenate([[0], np.cumsum(self.size)])
        self.long = [int(each) for each in np.flatnonzero(self.size >= LEAST)]

    def places(self, session: int) -> Ints:
        return np.asarray(self.order[self.begins[session] : self.begins[session + 1]])

    def of(self, sessions: Iterable[int]) -> list[int]:
        """Places of all votes of some sessions."""
        return [int(place) for session in sessions for place in self.places(session)]

    def sided(self) -> list[int]:
        """Sessions that choose one side more often than chance; sides are tossed, so that neither is better."""
        p = []
        for session in self.long:
            outcome = self.table.outcome[self.places(session)]
            left, right = int((outcome == LEFT).sum()), int((outcome == RIGHT).sum())
            p.append(binomtest(left, left + right).pvalue if left + right else 1.0)
        return [session for session, found in zip(self.long, discoveries(p), strict=True) if found]

    def likelihood(self, chance: Floats) -> dict[int, tuple[float, float]]:
        """By session: log likelihood ratio of the consensus against coin tossing, and its p-value under the consensus.

        Ties say nothing, but for golden pairs, where a tie is a miss and only `both bad` says nothing.
        """
        table = self.table
        said = np.where((table.golden != 0) & (table.outcome == TIE) & ~table.both_bad, -table.golden, table.outcome)
        gain_left, gain_right = np.log(2 * chance), np.log(2 * (1 - chance))
        rng = np.random.default_rng(0)
        found = {}
        for session in self.long:
            places = self.places(session)
            places = places[said[places] != TIE]
            p, up, down = chance[places], gain_left[places], gain_right[places]
            ratio = float(np.where(said[places] == LEFT, up, down).sum())
            mean, variance = float((p * up + (1 - p) * down).sum()), float((p * (1 - p) * (up - down) ** 2).sum())
            p_value = 1.0
            if variance > 0 and (ratio - mean) / variance**0.5 < SUSPECT:
                drawn = np.where(rng.random((DRAWS, len(p))) < p, up, down).sum(axis=1)
                p_value = (1 + int((drawn <= ratio + 1e-9).sum())) / (DRAWS + 1)
            found[session] = (ratio, p_value)
        return found

    def fast(self, least_look: float, ratio: Mapping[int, tuple[float, float]]) -> list[int]:
        """Sessions that mostly vote as soon as they may, and do not show that they looked."""
        found = []
        for session in self.long:
            seconds = self.table.seconds[self.places(session)]
            known = seconds[~np.isnan(seconds)]
            quick = len(known) >= LEAST and float(np.median(known)) < least_look + FAST_MARGIN
            if quick and ratio[session][0] < FAST_EVIDENCE:
                found.append(session)
        return found

    def disagreeing(self, ratio: Mapping[int, tuple[float, float]]) -> list[int]:
        found = discoveries([ratio[session][1] for session in self.long])
        return [session for session, hit in zip(self.long, found, strict=True) if hit]

    def boosting(self) -> list[int]:
        """Sessions whose skips avoid one model: Fisher's exact test that it stands in votes as often as in skips."""
        table, p = self.table, []
        for session in self.long:
            places, skipped = self.places(session), self.skips.get(table.sessions[session], [])
            pairs = np.array([*zip(table.left[places], table.right[places], strict=True), *skipped]).reshape(-1, 2)
            voted = np.arange(len(pairs)) < len(places)
            model = int(np.bincount(pairs[voted].ravel()).argmax())
            shows = (pairs == model).any(axis=1)
            found = hypergeom.sf(int(shows[voted].sum()) - 1, len(pairs), int(shows.sum()), len(places))
            p.append(min(1.0, float(found) * table.models))
        return [session for session, hit in zip(self.long, discoveries(p), strict=True) if hit]


def _dripping(table: _Table, tests: _Tests, out: Bools) -> list[int]:
    """Votes of short sessions on models that these favour far beyond what long sessions say."""
    is_long = tests.size[table.session] >= LEAST
    usual = ~out & is_long & (table.golden == 0)
    short = ~out & ~is_long & (table.golden == 0)
    if int(usual.sum()) < DRIP_VOTES or not short.any():
        return []
    chance = _consensus(table, usual)
    surprise = np.where(short, (1 + table.outcome) / 2 - chance, 0.0)
    spread = np.where(short, chance * (1 - chance), 0.0)
    total = np.bincount(table.left, surprise, table.models) - np.bincount(table.right, surprise, table.models)
    variance = np.bincount(table.left, spread, table.models) + np.bincount(table.right, spread, table.models)
    favoured = total > DRIP * np.sqrt(np.maximum(variance, 1.0))
    return [int(place) for place in np.flatnonzero(short & (favoured[table.left] | favoured[table.right]))]


def discoveries(p: Sequence[float], rate: float = FALSE_DISCOVERIES) -> list[bool]:
    """Which p-values are discoveries at a false discovery rate (Benjamini and Hochberg 1995)."""
    order = np.argsort(p)
    below = np.flatnonzero(np.asarray(p)[order] <= rate * np.arange(1, len(p) + 1) / max(1, len(p)))
    found = np.zeros(len(p), dtype=np.bool_)
    if len(below):
        found[order[: below[-1] + 1]] = True
    return found.tolist()
