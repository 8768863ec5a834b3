"""Five kinds of attack on an arena of honest voters: how much is excluded, and how far ratings move.

10,000 honest votes in sessions of 40, one ballot in ten a golden pair; then one attack at a time in sessions of 40 (the
slow drip: sessions of 3). `python -m bench.arena_attacks` prints the table; a short run of it is a test.
"""

from __future__ import annotations

import numpy as np

from groundswell.records import Sample, Skip, Vote
from groundswell.stats.bradley_terry import ELO
from groundswell.stats.pairing import believe
from groundswell.stats.votes import LEFT, RIGHT, TIE, Votes, tally
from groundswell.vote.hall import Hall
from groundswell.vote.pairing import Entry, Shown, pool_of
from groundswell.vote.quality import Setting, flags
from groundswell.vote.simulated import ATTACKS, Kind, Voter, vote

MODELS = {f"model-{place}": (4 - place) * 0.35 for place in range(8)}
SAMPLES = 120
SESSION, DRIP_SESSION = 40, 3
TARGET = "model-5"
DECOYS = frozenset({"blank"})
OUTCOMES = {"left": LEFT, "right": RIGHT, "tie": TIE, "both_bad": TIE}


def new_hall(seed: int) -> Hall:
    """A hall of made-up prompts and outputs."""
    cells = [("t2i", use, able) for use in ("consumer", "frontier") for able in ("layout", "physics")]
    entries = []
    for place in range(SAMPLES):
        sample = Sample(suite="made-up", task="t2i", prompts={"en": f"prompt {place}"})
        shown = tuple(Shown(model=name, output=f"{place}-{name}", digest=f"{place}-{name}") for name in MODELS)
        blank = Shown(model="blank", output=f"{place}-blank", digest="blank")
        entries.append(Entry(sample=sample, cell=cells[place % 4], outputs=shown, decoys=(blank,)))
    now = iter(range(10**9))
    return Hall(
        pool_of(entries),
        methodology="bench",
        clock=lambda: 1.7e9 + next(now) / 100,
        rng=np.random.default_rng(seed),
    )


def cast(hall: Hall, kind: Kind, votes: int, seed: int) -> list[Vote | Skip]:
    """Votes of one kind of voter, and skips, in sessions of the usual size."""
    size = DRIP_SESSION if kind == "slow drip" else SESSION
    records: list[Vote | Skip] = []
    for place in range(votes // size):
        rng = np.random.default_rng((seed, place))
        voter = Voter(name=f"{kind}-{place}", kind=kind, taste=MODELS, rng=rng, target=TARGET, decoys=DECOYS)
        answers = vote(hall, voter, 1 if kind == "replay" else size)
        left = [each for _, done in answers for each in done.records if isinstance(each, Vote | Skip)]
        if kind == "replay":
            left = [each for each in left if isinstance(each, Vote)]
            left += [_again(each, copy) for each in left for copy in range(size - 1)]
        records += left
    return records


def _again(one: Vote, copy: int) -> Vote:
    """The same answer once more, as if the ballot had not been single-use."""
    from msgspec.structs import replace

    return replace(one, ballot=f"{one.ballot}-{copy}")


def ratings(votes: list[Vote]) -> dict[str, tuple[float, float]]:
    """Rating points about the mean and half width of the 95 % interval, by model; golden pairs are left out."""
    real = [each for each in votes if not DECOYS & {each.left, each.right}]
    names = sorted(MODELS)
    number = {name: place for place, name in enumerate(names)}
    counted = Votes(
        models=len(names),
        left=np.array([number[each.left] for each in real]),
        right=np.array([number[each.right] for each in real]),
        outcome=np.array([OUTCOMES[each.winner] for each in real]),
    )
    found = believe(tally(counted))
    centring = np.eye(len(names)) - 1 / len(names)
    spread = np.sqrt(np.diag(centring @ found.covariance @ centring))
    strength = found.strength - found.strength.mean()
    return {name: (ELO * strength[n], 1.96 * ELO * spread[n]) for name, n in number.items()}


def attack(kind: Kind, *, honest: int = 10_000, attacking: int = 2_000, seed: int = 1) -> dict[str, float | str]:
    """Shares excluded of attack and honest votes, and the largest move of a rating in units of its half interval."""
    hall = new_hall(seed)
    good = cast(hall, "honest", honest, seed)
    bad = cast(hall, kind, attacking, seed + 1)
    votes = [each for each in good + bad if isinstance(each, Vote)]
    skips = [each for each in good + bad if isinstance(each, Skip)]
    found = flags(votes, skips, Setting(decoys=DECOYS))
    cut = sum(isinstance(each, Vote) for each in good)
    before = ratings(votes[:cut])
    after = ratings([each for place, each in enumerate(votes) if place not in found])
    raw = ratings(votes)
    return {
        "attack": kind,
        "attack votes": len(votes) - cut,
        "excluded": sum(place >= cut for place in found) / max(1, len(votes) - cut),
        "honest excluded": sum(place < cut for place in found) / cut,
        "largest move": max(abs(after[name][0] - before[name][0]) / before[name][1] for name in MODELS),
        "unfiltered": max(abs(raw[name][0] - before[name][0]) / before[name][1] for name in MODELS),
    }


def main() -> None:
    for kind in ATTACKS:
        row = attack(kind)
        print(
            "  ".join(
                f"{name} {value:.3f}" if isinstance(value, float) else f"{name} {value}" for name, value in row.items()
            )
        )


if __name__ == "__main__":
    main()
