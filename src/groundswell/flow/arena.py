"""The arena of a workspace: its pool, its hall, its boards, and the life of its prompts."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from groundswell import __version__
from groundswell.flow.workspace import Workspace, editions
from groundswell.records import Board, Endpoint, Output, Ruling, Sample, Skip, Vote

if TYPE_CHECKING:
    from groundswell.boards import Anchor, Rules
    from groundswell.boards.making import Fitted
    from groundswell.vote.hall import Hall
    from groundswell.vote.pairing import Entry

DECOYS = frozenset({"blank", "noise"})
"""Baselines that nobody could prefer to a real answer: they make golden pairs."""


LEAST_IN_SLICE = 40
"""Votes below which a slice has no board of its own."""


def entries(space: Workspace) -> list[Entry]:
    """What the arena may show: runnable, unretired samples of the editions with the pictures that models made."""
    from groundswell.vote.pairing import Entry, Shown
    from groundswell.vote.quality import names_a_model

    samples = drawable(space)
    endpoints = {each.key: each for each in space.store.records(Endpoint)}
    shown: dict[str, list[Shown]] = defaultdict(list)
    decoys: dict[str, list[Shown]] = defaultdict(list)
    for output in space.store.records(Output):
        endpoint = endpoints.get(output.endpoint)
        if output.sample not in samples or endpoint is None or not output.pictures or output.draw != 0:
            continue
        picture = output.pictures[0]
        one = Shown(model=endpoint.name, output=output.key, digest=picture.copy or picture.digest)
        if endpoint.family != "baseline":
            shown[output.sample].append(one)
        elif endpoint.name in DECOYS:
            decoys[output.sample].append(one)
    models = {one.model for each in shown.values() for one in each}

    def sorted_by_model(outputs: list[Shown]) -> tuple[Shown, ...]:
        return tuple(sorted(outputs, key=lambda each: (each.model, each.output)))

    # by content, so that a seeded draw is the same whatever the order in which outputs were made
    return [
        Entry(
            sample=sample,
            cell=_cell(sample),
            outputs=sorted_by_model(shown[key]),
            decoys=sorted_by_model(decoys[key]),
        )
        for key, sample in sorted(samples.items())
        if shown[key] and not names_a_model(sample, models)
    ]


def _cell(sample: Sample) -> tuple[str, str, str]:
    return sample.task, str(sample.tags.get("use_case", "")), str(sample.tags.get("capability", ""))


def drawable(space: Workspace) -> dict[str, Sample]:
    """Samples of the workspace's editions that can be run and were not retired, by key."""
    wanted = {key for _, edition in editions(space) for key in edition.samples}
    retired = {subject for subject, ruling in rulings(space).items() if ruling.what in ("retire", "reject", "queue")}
    found = {key: sample for sample in space.store.records(Sample) if (key := sample.key) in wanted}
    return {key: each for key, each in found.items() if key not in retired and each.not_runnable is None}


def rulings(space: Workspace) -> dict[str, Ruling]:
    """The newest ruling on every subject that says where it stands; confirmed tags say nothing of that."""
    told = (each for each in space.store.records(Ruling) if each.what != "tag")
    return {ruling.subject: ruling for ruling in sorted(told, key=lambda each: each.time)}


def hall(space: Workspace, seed: int | None = None, clock: Callable[[], float] = time.time) -> Hall:
    """The arena in memory, with all votes of the store counted. `seed` makes its draws the same each time, where the
    clock stands, too: what is believed of the models is renewed with time."""
    import numpy as np

    from groundswell.vote.hall import Hall
    from groundswell.vote.pairing import pool_of

    made = Hall(
        pool_of(entries(space)),
        methodology=space.config.file.arena.methodology,
        clock=clock,
        rng=np.random.default_rng(seed),
    )
    made.recall(space.store.records(Vote, Skip))
    return made


def flagged(space: Workspace, votes: Sequence[Vote]) -> dict[str, str]:
    """The reason by the key of each vote that does not count: the filters', after the operator's rulings."""
    from groundswell.vote.quality import Setting, flags, names_a_model, overruled

    models = {name for vote in votes for name in (vote.left, vote.right)}
    arena = space.config.file.arena
    setting = Setting(
        decoys=DECOYS,
        least_look=arena.min_look_seconds,
        leaking=frozenset(sample.key for sample in space.store.records(Sample) if names_a_model(sample, models)),
    )
    found = flags(votes, space.store.records(Skip), setting) if arena.filters else {}
    return overruled(votes, found, rulings(space))


def arena_boards(space: Workspace, flags: Mapping[str, str] | None = None) -> list[Board]:
    """The boards of people's votes; none where nobody has voted. `flags`: those of `flagged`, where they are known."""
    return [fitted.board for fitted in people_fits(space, flags=flags)]


def people_fits(
    space: Workspace, only: Collection[str] | None = None, flags: Mapping[str, str] | None = None
) -> list[Fitted]:
    """The boards of people's votes with the votes that they were fitted from; `only` on these samples, where given.

    Boards of some samples stand under the methodology that most votes on these were cast under.
    """
    from groundswell.boards import ArenaPlan, arena_fits
    from groundswell.vote.quality import GOLDEN
    from groundswell.vote.voters import is_expert, is_simulated

    cast = [vote for vote in space.store.records(Vote) if not is_expert(vote)]
    asked = cast if only is None else [vote for vote in cast if vote.sample in only]
    real = [vote for vote in asked if not DECOYS & {vote.left, vote.right}]
    planted = [vote for vote in asked if DECOYS & {vote.left, vote.right}]
    if not real:
        return []
    rules = _rules(space, flagged(space, cast) if flags is None else flags)
    if only is not None:
        usual = Counter(vote.methodology for vote in real).most_common(1)[0][0]
        rules = msgspec.structs.replace(rules, methodology=usual)
    plan = ArenaPlan(rules=rules, anchors=_anchors(space, "overall"), category_anchors=_anchors(space, "category"))
    samples = {key: sample for sample in space.store.records(Sample) if (key := sample.key)}
    golden = Counter(str(samples[vote.sample].task) for vote in planted if vote.sample in samples)
    simulated = sum(is_simulated(vote) for vote in real)
    found = [fitted for fitted in arena_fits(real, samples, plan) if _tells(fitted.board)]
    return [
        msgspec.structs.replace(each, board=_said(each.board, golden[each.board.modality], GOLDEN, simulated))
        for each in found
    ]


def _anchors(space: Workspace, which: Literal["overall", "category"]) -> dict[str, Anchor]:
    """The anchors of the overall boards, or of those in categories, by task."""
    from groundswell.boards import Anchor

    return {task: Anchor(each[which]) for task, each in space.config.file.arena.anchor.items() if which in each}


def _tells(board: Board) -> bool:
    """Whether a slice has enough votes to be shown; the boards over everything are, whatever they have."""
    return "/" not in board.name or sum(row.games for row in board.ratings) >= 2 * LEAST_IN_SLICE


def kept_votes(space: Workspace, task: str) -> list[Vote]:
    """The votes of one modality that count."""
    from groundswell.boards import eligible

    cast = list(space.store.records(Vote))
    tasks = {key: sample.task for sample in space.store.records(Sample) if (key := sample.key)}
    of_task = [vote for vote in cast if tasks.get(vote.sample) == task and not DECOYS & {vote.left, vote.right}]
    return eligible(of_task, _rules(space, flagged(space, cast)))[0]


def _rules(space: Workspace, flags: Mapping[str, str]) -> Rules:
    """Which votes count; modified endpoints are shown, marked as such."""
    from groundswell.boards import Rules

    return Rules(
        methodology=space.config.file.arena.methodology,
        endpoints={each.name: each for each in space.store.records(Endpoint)},
        flags=flags,
        modified=True,
    )


def _said(board: Board, golden: int, reason: str, simulated: int) -> Board:
    """The board with what its reader must know of the votes."""
    versions = {"groundswell": __version__}
    method = {
        **board.method,
        "versions": versions,
        "comparisons": "votes of people on two outputs of one sample, shown blind",
    }
    if simulated:
        method["simulated"] = f"{simulated} of the votes were cast by simulated voters, not by people"
    left_out = {**board.left_out, reason: golden} if golden and "/" not in board.name else board.left_out
    return msgspec.structs.replace(board, method=method, left_out=left_out)


def simulate(space: Workspace, taste: Mapping[str, float], *, sessions: int, votes: int, seed: int = 0) -> int:
    """Let simulated voters vote, who see models as strong as `taste` (log odds) says. Gives how many votes are new."""
    import numpy as np

    from groundswell.vote.hall import STAGE
    from groundswell.vote.simulated import Voter, vote

    began = time.time()
    room = hall(space, seed=seed, clock=lambda: began)
    cast = 0
    for place in range(sessions):
        rng = np.random.default_rng((seed, place))
        lean = {model: strength + rng.normal(0, 0.3) for model, strength in taste.items()}
        voter = Voter(name=str(place), kind="honest", taste=lean, rng=rng, decoys=DECOYS)
        answers = vote(room, voter, votes)
        fresh = space.store.finish(STAGE, answers)
        cast += len(fresh)
    return cast
