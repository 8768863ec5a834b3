"""The arena's boards: one overall board a modality, and one for every slice.

Slices are use case, capability, style, language and age of the prompts, cohort of the models, standard or modified.

The overall board weighs votes so that every use case and every capability has an equal say, and is marked where a
category of the taxonomy is missing. Votes were cast elsewhere; which of them count is decided by `eligibility`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

import msgspec
import numpy as np

from groundswell.boards.change import without_own_of
from groundswell.boards.eligibility import Rules, eligible
from groundswell.boards.making import Fitted, board_of, counted
from groundswell.boards.options import Anchor, RankOptions
from groundswell.boards.ranking import ladder
from groundswell.boards.tables import Counted
from groundswell.records import Board, Endpoint, Json, Rating, Sample, Task, Vote
from groundswell.stats.raking import rake
from groundswell.stats.votes import Ints, Votes, grouped

USE_CASES = (
    "marketing & advertising",
    "retail & e-commerce",
    "live-action film",
    "animation & gaming",
    "architecture & real estate",
    "productivity & knowledge work",
    "UI/UX design",
    "consumer",
    "social media & creator content",
    "frontier",
)
CAPABILITIES = (
    "reasoning",
    "knowledge",
    "text rendering",
    "layout",
    "complex compositions",
    "lighting",
    "material",
    "physics",
    "human anatomy",
)
AXES: Mapping[str, tuple[str, ...]] = {"use_case": USE_CASES, "capability": CAPABILITIES}


class ArenaPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Rules of what counts, anchors by task (overall and in categories), age group by sample key, and the seed."""

    rules: Rules
    anchors: Mapping[str, Anchor] = msgspec.field(default_factory=dict)
    category_anchors: Mapping[str, Anchor] = msgspec.field(default_factory=dict)
    ages: Mapping[str, str] = msgspec.field(default_factory=dict)
    seed: int = 0


def arena_boards(votes: Iterable[Vote], samples: Mapping[str, Sample], plan: ArenaPlan) -> Iterator[Board]:
    """Every board of the arena; `samples` by key. The overall boards are named `arena-<task>`."""
    return (each.board for each in arena_fits(votes, samples, plan))


def arena_fits(votes: Iterable[Vote], samples: Mapping[str, Sample], plan: ArenaPlan) -> Iterator[Fitted]:
    """The same boards, each with the votes that it was fitted from."""
    by_task: dict[Task, list[Vote]] = defaultdict(list)
    unknown = 0
    for vote in votes:
        sample = samples.get(vote.sample)
        if sample is None:
            unknown += 1
        else:
            by_task[sample.task].append(vote)
    for task, cast in by_task.items():
        kept, left_out = eligible(cast, plan.rules)
        if unknown:
            left_out["its sample is not known"] = unknown
        said = {"methodology": plan.rules.methodology}
        for fitted in (_overall(task, kept, samples, plan, left_out), *_slices(task, kept, samples, plan)):
            board = msgspec.structs.replace(fitted.board, method={**fitted.board.method, **said})
            yield Fitted(board=board, votes=fitted.votes)


def _overall(
    task: Task, votes: list[Vote], samples: Mapping[str, Sample], plan: ArenaPlan, left_out: Mapping[str, int]
) -> Fitted:
    """All kept votes of a task, with equal weight to every use case and capability that is present."""
    tagged = [vote for vote in votes if all(axis in samples[vote.sample].tags for axis in AXES)]
    options = RankOptions(anchor=plan.anchors.get(task), seed=plan.seed, cluster="sample")
    if not tagged:
        plain = counted(votes, left_out)
        board = board_of(plain, name=f"arena-{task}", modality=task, options=options)
        note = "not equal-weight: no sample has both a use case and a capability"
        board = msgspec.structs.replace(board, method={**board.method, "equal_weight": False, "weighting": note})
        return Fitted(board=board, votes=plain)
    out = Counter(left_out)
    if len(tagged) < len(votes):
        out["its sample has no use case or capability"] = len(votes) - len(tagged)
    numbered = counted(tagged, out)
    weighted, weighting = _raked(numbered, samples)
    board = board_of(weighted, name=f"arena-{task}", modality=task, options=options)
    method = {**board.method, **weighting, **_own(numbered, samples, options)}
    return Fitted(board=msgspec.structs.replace(board, method=method), votes=weighted)


def _own(numbered: Counted, samples: Mapping[str, Sample], options: RankOptions) -> dict[str, Json]:
    """Ratings without the samples about each model, raked anew."""

    def rate(rest: Counted) -> Iterable[Rating]:
        return ladder(_raked(rest, samples)[0], options, simultaneous=False).ratings if rest.votes.total else ()

    about = {key: named for key in numbered.samples if (named := samples[key].about) is not None}
    found = without_own_of(numbered, about, rate)
    return {"without_own": found} if found else {}


def _raked(numbered: Counted, samples: Mapping[str, Sample]) -> tuple[Counted, dict[str, Json]]:
    """The votes with raked weights, and what is said of them."""
    assert numbered.votes.cluster is not None
    tags = {axis: [str(samples[key].tags[axis]) for key in numbered.samples] for axis in AXES}
    codes = [np.unique(tags[axis], return_inverse=True)[1][numbered.votes.cluster] for axis in AXES]
    raked = rake(*codes)
    missing = {axis: [name for name in names if name not in set(tags[axis])] for axis, names in AXES.items()}
    complete = not any(missing.values())
    weighting: dict[str, Json] = {
        "equal_weight": complete,
        "weighting": "raked to equal margins" if complete else "not equal-weight: categories are missing",
        "missing_categories": {axis: names for axis, names in missing.items() if names},
        "effective_votes": raked.effective,
        "margin_error": raked.residual,
        "weights_cut": raked.cut,
    }
    votes = numbered.votes
    weighted = Votes(
        models=votes.models,
        left=votes.left,
        right=votes.right,
        outcome=votes.outcome,
        weight=raked.weight,
        cluster=votes.cluster,
    )
    return msgspec.structs.replace(numbered, votes=weighted), weighting


def _slices(task: Task, votes: list[Vote], samples: Mapping[str, Sample], plan: ArenaPlan) -> Iterator[Fitted]:
    """One board for every slice; votes are numbered once and every board takes its part."""
    numbered = counted(votes, {})
    assert numbered.votes.cluster is not None
    order, begins = grouped(numbered.votes.cluster)
    members: dict[tuple[str, str], list[Ints]] = defaultdict(list)
    for place, key in enumerate(numbered.samples):
        for kind, value in slices_of(samples[key], plan.ages.get(key)):
            members[kind, value].append(order[begins[place] : begins[place + 1]])
    members |= _by_endpoint(numbered, plan.rules.endpoints)
    options = RankOptions(anchor=plan.category_anchors.get(task), seed=plan.seed, cluster="sample")
    for kind, value in sorted(members):
        part = numbered.part(np.concatenate(members[kind, value]))
        board = board_of(part, name=f"arena-{task}/{kind}={value}", modality=task, options=options)
        yield Fitted(board=board, votes=part)


def _by_endpoint(numbered: Counted, endpoints: Mapping[str, Endpoint]) -> dict[tuple[str, str], list[Ints]]:
    """Places of the votes whose two models are both of one cohort, or both standard; a slice of all votes is none."""
    found: dict[tuple[str, str], list[Ints]] = {}
    votes = numbered.votes
    known = [endpoints[name] for name in numbered.names]
    for kind, values in (
        ("cohort", np.array([endpoint.cohort for endpoint in known])),
        ("endpoints", np.array(["modified" if endpoint.modified else "standard" for endpoint in known])),
    ):
        for value in np.unique(values):
            inside = values == value
            places = np.flatnonzero(inside[votes.left] & inside[votes.right])
            if 0 < len(places) < len(votes.left):
                found[kind, str(value)] = [places]
    return found


def slices_of(sample: Sample, age: str | None) -> Iterator[tuple[str, str]]:
    """Slices that a sample belongs to: kind and value."""
    for axis in AXES:
        if axis in sample.tags:
            yield axis, str(sample.tags[axis])
    for style in sample.tags.get("style", ()):
        yield "style", str(style)
    for language in sample.prompts:
        yield "language", language
    if age is not None:
        yield "age", age
