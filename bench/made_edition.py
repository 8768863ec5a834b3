"""A made-up edition for the benchmark of the site: samples with threads, outputs, grades, metrics, votes, probes, and
everything that stands beside the boards. Pictures are few and shown often. It knows nothing of pages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import combinations
from typing import Any

import numpy as np

from groundswell import pictures
from groundswell.boards import board_from
from groundswell.publish import snapshot
from groundswell.publish.sidelights import (
    BoardMove,
    Card,
    Change,
    Community,
    Complaint,
    Finding,
    Judge,
    KindShare,
    Moved,
    NoveltyMap,
    Older,
    Place,
    Prompt,
    Published,
    Scored,
    Sidelights,
    Spot,
    TaskKind,
    Withdrawal,
)
from groundswell.records import (
    Attachment,
    Board,
    Comparison,
    Dimension,
    Edition,
    Endpoint,
    Failure,
    Feedback,
    Job,
    Judgment,
    Licence,
    Measurement,
    NotApplicable,
    Output,
    Picture,
    Post,
    Price,
    Record,
    Refusal,
    Rubric,
    Sample,
    Thread,
    Timing,
    Unread,
    Vote,
    Winner,
)
from groundswell.store.blobs import open_blobs

START = datetime(2026, 11, 1, 9, tzinfo=UTC)
FREE = Licence(id="CC0-1.0", source="https://example.org/cc0", redistribute=True, derivatives=True)
FAMILIES = ("alder", "birch", "cedar", "dogwood")
USES = ("consumer", "frontier", "retail & e-commerce", "UI/UX design", "marketing & advertising")
CAPABILITIES = ("layout", "lighting", "material", "text rendering", "human anatomy")
WORDS = ("yellow tint", "face changed", "floating", "typo", "plastic", "wrong hand", "blurred", "不见了", "no shadow")
KINDS = {"yellow tint": "colour", "face changed": "identity", "floating": "structure", "typo": "text"}
ASKS = (
    "Make the sky a late evening one, and keep the house as it is",
    "把背景换成下雪的街道，人物保持不变",
    "A poster that says “OPEN ALL NIGHT” in tall letters over a wet street",
    "Put her into a space suit, same face",
    "Remove the two people at the left and mend what was behind them",
)
RUBRIC = Rubric(
    name="looks", text="How good is it? End with [[n]].", dimensions=(Dimension(name="grade", low=1, high=10),)
)


@dataclass
class Made:
    """A made-up workspace: records in memory, as a store gives them, and bytes."""

    kept: dict[str, Record]
    blobs: Any
    rng: np.random.Generator
    pool: list[Picture]

    def put(self, record: Record) -> str:
        key = record.key
        self.kept[key] = record
        return key

    def records(self, *types: type[Record]) -> Iterator[Any]:
        return (record for record in self.kept.values() if isinstance(record, types))


def made(samples: int, models: int, seed: int = 0, shown: int = 64) -> tuple[snapshot.Snapshot, Made]:
    """A snapshot of an edition of so many samples and models, with the bytes of its pictures."""
    rng = np.random.default_rng(seed)
    world = Made({}, open_blobs("memory://"), rng, [])
    world.pool = [_picture(world, number) for number in range(shown)]
    endpoints = [_endpoint(number) for number in range(models)]
    for endpoint in endpoints:
        world.put(endpoint)
        _timings(world, endpoint)
    world.put(RUBRIC)
    asked = [_sample(world, number) for number in range(samples)]
    strength = np.linspace(1.5, -1.5, models)
    quality = {sample.key: strength + rng.normal(0, 0.8, models) for sample in asked}
    for sample in asked:
        for number, endpoint in enumerate(endpoints):
            _outcome(world, sample, endpoint, float(quality[sample.key][number]))
    keys = tuple(sample.key for sample in asked)
    edition = Edition(suite="community", label="2026-11", samples=keys, languages=("en", "zh"))
    before = Edition(suite="community", label="2026-10", samples=keys[: samples * 3 // 4])
    names = [endpoint.name for endpoint in endpoints]
    pairs = {task: list(_pairs(asked, task, quality, names)) for task in ("edit", "t2i")}
    for vote in _votes(world, asked, quality, names):
        world.put(vote)
    boards = [_board(task, many, names, endpoints) for task, many in pairs.items()]
    boards.append(_voted(world, "t2i"))
    beside = _beside(world, asked, names, (before, edition))
    comparisons = [each for many in pairs.values() for each in many]
    return snapshot.collect(world, boards, [before, edition], comparisons, beside), world  # type: ignore[arg-type]


def _picture(world: Made, number: int) -> Picture:
    """A soft landscape of 1024 x 768 with a disc, different for every number."""
    y, x = np.mgrid[0:768, 0:1024].astype(np.float32)
    hue = world.rng.uniform(40, 220, (2, 3))
    mixed = hue[0] + (hue[1] - hue[0]) * (y / 768 + 0.1 * np.sin(x / 90 + number))[..., None]
    middle = world.rng.uniform((200, 200), (824, 568))
    mixed[(x - middle[0]) ** 2 + (y - middle[1]) ** 2 < 120**2] = world.rng.uniform(0, 255, 3)
    data = pictures.encode_jpeg(np.clip(mixed, 0, 255).astype(np.uint8), quality=88)
    world.blobs.put(data)
    return pictures.describe(data, FREE)


def _endpoint(number: int) -> Endpoint:
    family = FAMILIES[number % len(FAMILIES)]
    return Endpoint(
        name=f"{family}-{'pro' if number % 2 else 'fast'}-{number // 4 + 1}",
        host="openai",
        model=f"{family}-{number}",
        tasks=("t2i", "edit"),
        family=family,
        modified=number % 9 == 8,
        public_from=(START + timedelta(days=number % 12)).date().isoformat() if number % 4 == 0 else None,
        price=Price(per_image=round(0.004 * 1.4 ** (number % 9), 4), source="price list", date="2026-11-01"),
    )


def _timings(world: Made, endpoint: Endpoint) -> None:
    middle = float(world.rng.uniform(2, 14))
    for quarter in range(56):
        failed = world.rng.random() < 0.04
        seconds = None if failed else float(middle * world.rng.lognormal(0, 0.25))
        world.put(
            Timing(
                endpoint=endpoint.key,
                start=START + timedelta(hours=6 * quarter + float(world.rng.uniform(0, 5))),
                seconds=seconds,
                failure="timeout: no answer in 120 s" if failed else None,
            )
        )


def _sample(world: Made, number: int) -> Sample:
    edit = number % 3 != 0
    text, word = f"{ASKS[number % len(ASKS)]} ({number})", WORDS[number % len(WORDS)]
    root = Post(
        platform=("x", "reddit", "bluesky")[number % 3],
        id=str(number),
        url=f"https://example.org/{number}",
        text=text,
        time=START + timedelta(hours=int(world.rng.integers(0, 24 * 28))),
        pictures=(Attachment(url="https://example.org/p.png"),),
    )
    reply = Post(platform=root.platform, id=f"{number}r", reply_to=str(number), text=word, time=root.time)
    thread = Thread(root=root.key, main=root.key, members=(root.key, reply.key), parents=(None, 0))
    sample = Sample(
        suite="community",
        task="edit" if edit else "t2i",
        prompts={"en": text, "zh": f"第{number}条"},
        inputs=(world.pool[number % len(world.pool)],) if edit else (),
        tags={
            "use_case": USES[number % 5],
            "capability": CAPABILITIES[number % 4],
            "style": ["photo", "drawing"][: 1 + number % 2],
        },
        feedback=(Feedback(post=reply.key, text=f"nice light, but {word}, look at the left"),),
        origins=(root.key,),
        about=FAMILIES[number % 4],
        quality=("Benchmark", "Benchmark", "Analysis")[number % 3],
    )
    for record in (root, reply, thread, sample):
        world.put(record)
    return sample


def _outcome(world: Made, sample: Sample, endpoint: Endpoint, quality: float) -> None:
    """What came of a job, three judges' word on it and four metrics."""
    rng = world.rng
    key = sample.key
    facts: dict[str, Any] = {
        "job": Job(sample=key, endpoint=endpoint.key).key,
        "sample": key,
        "endpoint": endpoint.key,
        "started": START,
        "seconds": float(rng.uniform(1, 9)),
    }
    if (chance := rng.random()) < 0.01:
        world.put(Refusal(**facts, reason="moderation: the picture shows a person", at="input"))
        return
    if chance < 0.02:
        world.put(Failure(**facts, what="timeout", reason="no answer in 120 s", transient=True))
        return
    output = world.put(Output(**facts, pictures=(world.pool[int(rng.integers(len(world.pool)))],), text=None))
    for judge in ("judge-a", "judge-b", "judge-c"):
        grade = float(np.clip(round(6 + 1.5 * quality + rng.normal(0, 1)), 1, 10))
        about: dict[str, Any] = {"outputs": (output,), "rubric": RUBRIC.key, "sample": key, "judge": judge}
        reply = f"The wording is followed closely and the light is right.\nOne edge is soft.\n[[{grade:g}]]"
        lost = rng.random() < 0.01
        world.put(
            Unread(**about, why="conflict", reply="[[3]] or [[4]]")
            if lost
            else Judgment(**about, scores={"grade": grade}, reply=reply, seconds=2.0, cost=0.004)
        )
    measured: dict[str, Any] = {"output": output, "sample": key, "version": 1}
    cells = [float(f"{cell:.3g}") for cell in rng.gamma(0.3, 0.02, 196)]
    world.put(Measurement(**measured, metric="color", backend="histogram", value=float(rng.gamma(2, 4)), detail={}))
    world.put(
        Measurement(
            **measured, metric="structure", backend="effnet-lite0", value=float(np.mean(cells)), detail={"map": cells}
        )
    )
    world.put(NotApplicable(**measured, metric="face", backend="sface", why="no face in the input"))
    world.put(NotApplicable(**measured, metric="text", backend="judge-a", why="no text is wanted"))


def _pairs(asked: Sequence[Sample], task: str, quality: Any, names: Sequence[str]) -> Iterator[Comparison]:
    for sample in (each for each in asked if each.task == task):
        found = quality[sample.key]
        for left, right in combinations(range(len(names)), 2):
            gap = found[left] - found[right]
            winner = Winner.TIE if abs(gap) < 0.15 else Winner.LEFT if gap > 0 else Winner.RIGHT
            yield Comparison(sample=sample.key, left=names[left], right=names[right], winner=winner, by="panel")


def _votes(world: Made, asked: Sequence[Sample], quality: Any, names: Sequence[str]) -> Iterator[Vote]:
    pictured = [each for each in asked if each.task == "t2i"]
    for number in range(4 * len(asked)):
        sample = pictured[int(world.rng.integers(len(pictured)))]
        left, right = (int(each) for each in world.rng.choice(len(names), 2, replace=False))
        gap = quality[sample.key][left] - quality[sample.key][right] + world.rng.logistic(0, 0.6)
        yield Vote(
            sample=sample.key,
            left=names[left],
            right=names[right],
            winner=Winner.LEFT if gap > 0 else Winner.RIGHT,
            by=f"simulated-{number // 40}",
            ballot=f"{number:032x}",
            time=START + timedelta(minutes=number),
        )


def _board(task: str, many: Sequence[Comparison], names: Sequence[str], endpoints: Sequence[Endpoint]) -> Board:
    """The panel's board with everything that its judges are trusted by."""
    board = board_from(many, name="community", modality=task, edition="2026-11")
    judges = ["judge-a", "judge-b", "judge-c"]
    ranks = [
        {
            "model": row.model,
            "rating": row.rating,
            "low": row.low,
            "high": row.high,
            "rank": row.rank,
            "rank_low": max(1, row.rank_low - row.rank % 2),
            "rank_high": row.rank_high,
        }
        for row in board.ratings
    ]
    estimate = {"value": 0.71, "low": 0.68, "high": 0.74}
    panel = {
        "agreement": [
            {"one": one, "other": other, "pairs": 900, "same": estimate, "alpha": {**estimate, "value": 0.55}}
            for one, other in combinations(judges, 2)
        ],
        "bias": [
            {
                "judge": judge,
                "kind": kind,
                "pairs": 420,
                "why": None,
                "flagged": kind == "self-preference",
                "excess": {"value": 0.06 - 0.02 * place, "low": 0.02 - 0.02 * place, "high": 0.1 - 0.02 * place},
            }
            for place, (judge, kind) in enumerate(
                [("judge-a", "self-preference"), ("judge-b", "position"), ("judge-c", "length")]
            )
        ],
        "flips": {"judge-b": {"flipped": 31, "pairs": 300, "rate": 31 / 300}},
        "without_judge": dict.fromkeys(judges, ranks),
        "without_family": {"alder": ranks},
    }
    told = [
        {
            "judge": judge,
            "votes": 800,
            "flip_rate": None,
            **{name: value - 0.05 * place for name, value in (("tau_b", 0.31), ("accuracy", 0.64), ("alpha", 0.29))},
            **{
                f"{name}_interval": [value - 0.06 - 0.05 * place, value + 0.05 - 0.05 * place]
                for name, value in (("tau_b", 0.31), ("accuracy", 0.64), ("alpha", 0.29))
            },
        }
        for place, judge in enumerate(judges)
    ]
    people = {"alpha": 0.42, "w": 0.49, "w_samples": 40, "raters": 37, "votes": 800}
    measured = [
        {
            "metric": metric,
            "backend": backend,
            "version": 1,
            "better": better,
            "scored": 600,
            "wanted": 660,
            "set_level": None,
            "silent": {},
            "worst": (),
            "best": (),
        }
        for metric, backend, better in (("color", "histogram", "lower"), ("structure", "effnet-lite0", "lower"))
    ]
    coverage = {
        endpoint.name: {
            "scored": 640,
            "wanted": 660,
            "refused": 10,
            "failed": 10,
            "measured": [
                {
                    **row,
                    "model": endpoint.name,
                    "mean": 0.1 * place + 1,
                    "interval": {"low": 0.1 * place + 0.8, "high": 0.1 * place + 1.3},
                }
                for row in measured
            ],
        }
        for place, endpoint in enumerate(endpoints)
    }
    calibration = {"judges": told, "people": people, "slices": {"style": {"photo": {"votes": 300, "judges": told}}}}
    return Board(
        name=board.name,
        modality=task,
        edition=board.edition,
        ratings=board.ratings,
        unranked=board.unranked,
        left_out={"below the quorum": 12},
        coverage=coverage,
        calibration=calibration,
        method={**board.method, "judges": judges, "quorum": 2, "panel": panel},
    )


def _voted(world: Made, task: str) -> Board:
    votes = list(world.records(Vote))
    board = board_from(votes, name=f"arena-{task}", modality=task)
    said = f"{len(votes)} of the votes were cast by simulated voters, not by people"
    return Board(name=board.name, modality=task, ratings=board.ratings, method={**board.method, "simulated": said})


# --- beside the boards --------------------------------------------------------------------------------------------


def _beside(
    world: Made, asked: Sequence[Sample], names: Sequence[str], editions: tuple[Edition, Edition]
) -> Sidelights:
    before, after = editions
    return Sidelights(
        community=_community(world, asked),
        judges={
            name: Judge(family=family, card=_card(mark))
            for name, family, mark in (
                ("judge-a", "alder", "passed"),
                ("judge-b", "elm", "failed"),
                ("judge-c", None, "undecided"),
            )
        },
        changes=(
            Change(
                suite="community",
                before=before.label,
                after=after.label,
                before_key=before.key,
                after_key=after.key,
                stayed=len(before.samples),
                came=tuple(Prompt(key=each.key, title=each.prompts["en"]) for each in asked[len(before.samples) :]),
                went=(Prompt(key="0" * 32, title="A fox in the snow", why="retired: told nothing apart"),),
                boards=(_moved(names),),
            ),
        ),
        withdrawn=(
            Withdrawal(key="f" * 32, kind="post", day="2026-11-09"),
            Withdrawal(key="e" * 32, kind="sample", day="2026-11-09"),
        ),
        published=(
            Published(
                suite="echo",
                title="ECHO, charts of the site",
                source="https://echo-bench.github.io",
                columns=("i2i", "t2i"),
                rows={"4o": (0.81, 0.76), "Nano Banana": (0.66, 0.74)},
            ),
        ),
        scores=(Scored(suite="community", model=names[0], judge="judge-a", groups={"i2i": 0.7, "t2i": 0.6}),),
    )


def _community(world: Made, asked: Sequence[Sample]) -> Community:
    told = [
        Complaint(post=each.feedback[0].post, kind=KINDS.get(word, "realism"), keywords=(word,))
        for number, each in enumerate(asked)
        for word in [WORDS[number % len(WORDS)]]
    ]
    rng = world.rng
    step = -(-len(asked) // 600)
    spots = [
        Spot(sample=each.key, x=float(x), y=float(y), nearest=float(rng.uniform(0.5, 0.95)), novel=bool(x > 0.4))
        for each, (x, y) in zip(asked[::step], rng.normal(0.2, 0.4, (len(asked), 2)), strict=False)
    ]
    older = tuple(
        Older(name=name, points=tuple((float(x), float(y)) for x, y in rng.normal(-0.2, 0.25, (300, 2))))
        for name in ("drawbench", "partiprompts")
    )
    kinds = tuple(
        TaskKind(
            kind=name,
            means="what it means, in a few words",
            ours=KindShare(n=n, of=400, low=n / 400 * 0.8, high=n / 400 * 1.25),
            older={
                "drawbench": KindShare(n=2, of=200, low=0.002, high=0.036),
                "partiprompts": KindShare(n=0, of=1600, low=0, high=0.002),
            },
            lacking_in=("drawbench", "partiprompts") if n > 30 else (),
            examples=(asked[0].key,),
        )
        for name, n in (("several pictures into one", 60), ("same person elsewhere", 44), ("words in the picture", 25))
    )
    return Community(
        judged=len(asked) * 2,
        relevant=len(asked),
        qualities={"Benchmark": 600, "Analysis": 300, "Trash": 120},
        releases={"2026-11-06": ("Cedar 3",), "2026-11-19": ("Alder Pro", "Birch 2")},
        complaints=tuple(told),
        metrics={"colour": "color", "identity": "face", "structure": "structure", "text": "text"},
        novelty=NoveltyMap(spots=tuple(spots), older=older, explained=0.21),
        task_kinds=kinds,
        task_kinds_why=None,
    )


def _card(mark: Any) -> Card:
    kinds = ("baseline", "copy", "swap", "degraded", "repeat", "instruction")
    against = {
        "baseline": 0,
        "copy": 1,
        "swap": 2,
        "degraded": 5 if mark == "passed" else 22,
        "repeat": 4,
        "instruction": 9,
    }
    findings = tuple(
        Finding(
            plant=kind,
            mark="failed" if mark == "failed" and kind == "degraded" else "passed",
            cases=40,
            against=against[kind],
            rate=against[kind] / 40,
            low=max(0.0, against[kind] / 40 - 0.08),
            high=against[kind] / 40 + 0.12,
            may=None if kind == "instruction" else 0.2,
            moved=0.01 if kind == "instruction" else None,
        )
        for kind in kinds
    )
    return Card(
        mark=mark,
        findings=findings,
        not_tried=("order",),
        suite="community",
        edition="2026-11",
        outputs=40,
        time="2026-11-28T10:00:00+00:00",
    )


def _moved(names: Sequence[str]) -> BoardMove:
    rows = []
    for place, name in enumerate(names):
        stood = Place(
            rating=1300.0 - 40 * place,
            low=1260.0 - 40 * place,
            high=1340.0 - 40 * place,
            rank_low=place + 1,
            rank_high=place + 2,
        )
        shift = 24.0 - 6 * place
        rows.append(
            Moved(
                model=name,
                before=stood,
                after=stood,
                difference=shift,
                low=shift - 14,
                high=shift + 14,
                moved=abs(shift) > 14,
            )
        )
    return BoardMove(
        board="community", modality="edit", about="the mean of the models ranked in both", models=tuple(rows)
    )
