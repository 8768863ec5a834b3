"""A small made-up world for the pages: four models, three tasks, people, probes, posts, and text that attacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import msgspec
import numpy as np
import pytest

from groundswell import pictures
from groundswell.publish import site, snapshot
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
from groundswell.publish.snapshot import Snapshot
from groundswell.records import (
    Attachment,
    Blocked,
    Board,
    Check,
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
    Rating,
    Record,
    Refusal,
    Rubric,
    Sample,
    Thread,
    Timing,
    Truncated,
    Unranked,
    Unread,
    Vote,
    Winner,
)
from groundswell.store.blobs import open_blobs

FREE = Licence(id="CC0-1.0", source="https://example.org/cc0", redistribute=True, derivatives=True)
CLOSED = Licence(id="CC-BY-NC-ND", redistribute=False)
START = datetime(2026, 11, 1, 12, tzinfo=UTC)

ATTACKS = (
    "<script>window.hit=1</script>",
    '"><img src=x onerror="window.hit=2">',
    "' onmouseover='window.hit=3",
    "<svg onload=window.hit=4><a xlink:href='javascript:window.hit=5'>x</a></svg>",
    "javascript:window.hit=6",
    "{{ 7 * 7 }}{% raw %}${7*7}<%= 7*7 %>",
    '=HYPERLINK("https://evil.example","x")',
    "\u202egnp.exe\u2066x\u0000\u001b[31m",
    "</title></style></textarea><iframe src=https://evil.example></iframe>",
    "../../../etc/passwd",
    "data:text/html,<script>window.hit=7</script>",
    "| a | b |\n|---|---|\n[x](javascript:window.hit=8) @everyone",
)
"""Each is somebody's prompt, reply, name, reason or address somewhere in the hostile world."""


@dataclass
class Shelf:
    """A store of records in memory, in the order in which they came."""

    kept: dict[str, Record] = field(default_factory=dict)

    def put(self, records: Iterable[Record]) -> int:
        before = len(self.kept)
        for record in records:
            self.kept.setdefault(record.key, record)
        return len(self.kept) - before

    def get(self, key: str) -> Record | None:
        return self.kept.get(key)

    def records(self, *types: type[Record]) -> Iterator[Record]:
        return (record for record in self.kept.values() if isinstance(record, types))


@dataclass
class World:
    """Facts, bytes, boards, editions and the panel's comparisons of one made-up benchmark."""

    store: Shelf = field(default_factory=Shelf)
    blobs: object = field(default_factory=lambda: open_blobs("memory://"))
    boards: list[Board] = field(default_factory=list)
    editions: list[Edition] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    beside: Sidelights = field(default_factory=Sidelights)

    def picture(self, number: int, licence: Licence | None = FREE, size: tuple[int, int] = (48, 32)) -> Picture:
        """A drawn picture, different for every number."""
        drawn = np.full((size[1], size[0], 3), 40 + 7 * number % 200, dtype=np.uint8)
        drawn[8:16, number % 40 : number % 40 + 8] = (200, number % 255, 60)
        data = pictures.encode_png(drawn)
        self.blobs.put(data)
        return pictures.describe(data, licence)

    def collect(self) -> Snapshot:
        return snapshot.collect(self.store, self.boards, self.editions, self.comparisons, self.beside)

    def write(self, folder: Path) -> Snapshot:
        return snapshot.write(self.collect(), self.blobs, folder)

    def site(self, folder: Path) -> Path:
        """The site of this world, with its snapshot beside it."""
        self.write(folder / "snapshot")
        site.build(folder / "snapshot", folder / "site")
        return folder / "site"


def endpoint(name: str, **more: object) -> Endpoint:
    facts = {"host": "local", "tasks": ("t2i", "edit", "chat"), "family": "studio"} | more
    return Endpoint(name=name, model=name, **facts)


RUBRIC = Rubric(
    name="looks", text="How good is it? End with [[n]].", dimensions=(Dimension(name="grade", low=1, high=10),)
)


def make_world(names: Sequence[str] = ("ada", "bob", "cyd", "copy-input"), attack: Sequence[str] = ()) -> World:
    """Models in order of quality; with `attack`, its texts stand wherever strangers' text stands."""
    world = World()
    models = [
        endpoint(
            name,
            family=f"maker {place % 3}" if not attack else attack[place % len(attack)],
            price=Price(per_image=0.01 * (place + 1), source="price list", date="2026-11-01"),
            service="serverless",
            modified=place == 2,
        )
        for place, name in enumerate(names)
    ]
    said = [*attack] or ["Make it blue.", "A cat in the rain.", "给猫戴上帽子。", "Remove the car."]
    samples = [_sample(world, place, text) for place, text in enumerate(said)]
    chat = Sample(suite="talk", task="chat", prompts={"en": "What is in the picture?"}, inputs=(world.picture(90),),
                  context="a cat, a mat", reference="A cat on a mat.", tags={"category": "conv"})  # fmt: skip
    closed = Sample(suite="closed", task="edit", prompts={"en": "A secret instruction."}, licence=CLOSED,
                    inputs=(world.picture(91, CLOSED),), label="closed-1")  # fmt: skip
    world.store.put([*models, *samples, chat, closed, RUBRIC])
    for sample in (*samples, chat, closed):
        for place, model in enumerate(models):
            world.store.put(_came(world, sample, model, place, attack))
    edits = [sample for sample in samples if sample.task == "edit"]
    world.comparisons = list(_pairs(edits, names))
    world.store.put(_votes([sample for sample in samples if sample.task == "t2i"], names))
    world.store.put(_timings(models))
    world.editions = [
        Edition(suite="looks", label="2026-10", samples=tuple(each.key for each in samples[:2])),
        Edition(suite="looks", label="2026-11", samples=tuple(each.key for each in (*samples, chat, closed))),
    ]
    world.boards = [_judged("looks", names, attack), _board("arena", "t2i", names)]
    world.beside = _beside(samples, names, attack)
    return world


def _sample(world: World, place: int, text: str) -> Sample:
    root = Post(platform="bluesky", id=f"{place}", url=text if text.startswith(("java", "data")) else
                f"https://example.org/{place}", text=f"look: {text}", author="hash", time=START + timedelta(days=place),
                pictures=(Attachment(url="https://example.org/p.png"),))  # fmt: skip
    reply = Post(platform="bluesky", id=f"{place}r", reply_to=f"{place}", text="nice", time=START)
    thread = Thread(root=root.key, main=root.key, members=(root.key, reply.key), parents=(None, 0))
    world.store.put([root, reply, thread])
    edit = place % 2 == 0
    return Sample(
        suite="looks",
        task="edit" if edit else "t2i",
        prompts={"en": text, "zh": f"第{place}"},
        label=f"row {place}",
        inputs=(world.picture(100 + place),) if edit else (),
        tags={"use_case": "consumer" if place % 4 < 2 else "frontier", "style": ["photo", text[:20]]},
        checks=(Check(name="gray", args={"box": [0, 0, 8, 8]}),),
        feedback=(Feedback(post=root.key, text=f"it says: {text}"),),
        origins=(root.key,),
        quality="Benchmark",
    )


def _came(world: World, sample: Sample, model: Endpoint, place: int, attack: Sequence[str]) -> Iterator[Record]:
    """What came of a job and what was said of it: the third model refuses one, the last fails one."""
    job = Job(sample=sample.key, endpoint=model.key)
    facts = {"job": job.key, "sample": sample.key, "endpoint": model.key, "started": START, "seconds": 0.5 + place}
    text = attack[place % len(attack)] if attack else "a plain sentence"
    if place == 2 and sample.label == "row 0":
        yield Refusal(**facts, reason=f"not allowed: {text}", at="input")
        return
    if place == 1 and sample.label == "row 1":
        yield Failure(**facts, what="timeout", reason=f"no answer: {text}", transient=True)
        return
    number = 10 * place + len(sample.prompts["en"]) % 10
    shown = {"text": f"I see {text}"} if sample.task == "chat" else {"pictures": (world.picture(number, None),)}
    output = Output(**facts, **shown, served_model=f"{model.name}-v2", rewritten_prompt=f"rewritten {text}")
    yield output
    about = {"outputs": (output.key,), "rubric": RUBRIC.key, "sample": sample.key, "seconds": 1.0, "cost": 0.01}
    yield Judgment(
        **about, judge="judge-a", scores={"grade": 9.0 - 2 * place}, reply=f"Fine. {text}\nGrade: {9 - 2 * place}"
    )
    match place:
        case 0:
            yield Judgment(**about, judge="judge-b", scores={"grade": 8.0}, reply=f"{text} [[8]]")
        case 1:
            yield Unread(
                **about, judge="judge-b", why="conflict", reply=f"[[3]] or [[4]] {text}", partial={"grade": 3.0}
            )
        case 2:
            yield Blocked(**about, judge="judge-b", why=f"policy {text}")
        case _:
            yield Truncated(**about, judge="judge-b", room=512, reply="I think")
    measured = {"output": output.key, "sample": sample.key, "version": 1}
    levels = [[*range(256)], [5] * 256, [*range(256, 0, -1)]]
    means = {
        "histograms": {"input": levels, "output": levels[::-1]},
        "input_mean": [130.2, 122.2, 113.1],
        "output_mean": [121.3, 107.8, 91.1],
    }
    yield Measurement(**measured, metric="color", backend="histogram", value=27.749, detail=means)
    cells = {"map": [0.0] * 8 + [0.5]}
    yield Measurement(**measured, metric="structure", backend="effnet-lite0", value=0.06, detail=cells)
    if place == 0 and sample.inputs:
        faces = {"input_faces": [{"input": 1, "box": [4.0, 4.0, 20.0, 24.0], "score": 0.9}], "matched": [0, 0]}
        faces |= {"output_faces": [{"box": [8.0, 4.0, 24.0, 24.0], "score": 0.9}], "cosines": [[0.71]]}
        yield Measurement(**measured, metric="face", backend="sface", value=0.71, detail=faces)
    else:
        yield NotApplicable(**measured, metric="face", backend="sface", why="no face in the input")


def _pairs(samples: Sequence[Sample], names: Sequence[str]) -> Iterator[Comparison]:
    """The better-named model wins, but neighbours tie on the first sample."""
    for number, sample in enumerate(samples):
        for (place, left), (other, right) in combinations(enumerate(names), 2):
            winner = Winner.TIE if number == 0 and other == place + 1 else Winner.LEFT
            yield Comparison(sample=sample.key, left=left, right=right, winner=winner, by="panel")


def _votes(samples: Sequence[Sample], names: Sequence[str]) -> Iterator[Vote]:
    for sample in samples:
        for number, (left, right) in enumerate(combinations(names, 2)):
            winner = Winner.BOTH_BAD if number == 0 else Winner.RIGHT if number == 1 else Winner.LEFT
            yield Vote(sample=sample.key, left=left, right=right, winner=winner, by="somebody",
                       ballot=f"{sample.key}{number}", time=START + timedelta(days=20))  # fmt: skip


def _timings(models: Sequence[Endpoint]) -> Iterator[Timing]:
    """The first is steady with one failure, the second only fails, the others are not timed."""
    for number, seconds in enumerate([1.0, 2.0, 3.0, 4.0, None, 100.0]):
        failure = None if seconds else "timeout"
        start = START + timedelta(hours=6 * number)
        yield Timing(endpoint=models[0].key, start=start, seconds=seconds, failure=failure)
    yield Timing(endpoint=models[1].key, start=START, failure="refused")


def _judged(name: str, names: Sequence[str], attack: Sequence[str]) -> Board:
    """The judges' board, with what its judges are trusted by, and what was measured."""
    said = attack[0] if attack else "judge-a"
    near = {"value": 0.8, "low": 0.7, "high": 0.9}
    panel = {
        "agreement": [{"one": said, "other": "judge-b", "pairs": 30, "same": near, "alpha": near}],
        "bias": [
            {"judge": said, "kind": "self-preference", "pairs": 20, "why": None, "flagged": True,
             "excess": {"value": 0.2, "low": 0.1, "high": 0.3}},
            {"judge": "judge-b", "kind": "length", "pairs": 0, "why": "no other judge saw such pairs", "flagged": False,
             "excess": {"value": None, "low": None, "high": None}},
        ],
        "flips": {said: {"flipped": 3, "pairs": 30, "rate": 0.1}},
        "without_judge": {said: [{"model": names[0], "rank_low": 2, "rank_high": 2}]},
        "without_family": {},
    }  # fmt: skip
    calibration = {
        "judges": [
            {
                "judge": said,
                "votes": 40,
                "tau_b": 0.3,
                "tau_b_interval": [0.1, 0.5],
                "accuracy": 0.6,
                "accuracy_interval": None,
            }
        ],
        "people": {"alpha": 0.4, "w": None, "w_samples": 0, "raters": 3, "votes": 40},
        "slices": {
            "style": {"photo": {"votes": 31, "judges": [{"judge": said, "tau_b": 0.2, "tau_b_interval": [0.0, 0.4]}]}}
        },
    }
    board = _board(name, "edit", names)
    row = {"metric": "color", "backend": "histogram", "version": 1, "mean": 27.749, "scored": 2, "wanted": 3,
           "better": "lower", "interval": {"low": 20.0, "high": 30.0}, "set_level": None, "silent": {},
           "worst": [], "best": []}  # fmt: skip
    coverage = {names[0]: {**board.coverage[names[0]], "measured": [row]}}
    method = {**board.method, "judges": [said, "judge-b"], "panel": panel}
    return msgspec.structs.replace(board, method=method, calibration=calibration, coverage=coverage)


def _beside(samples: Sequence[Sample], names: Sequence[str], attack: Sequence[str]) -> Sidelights:
    """What stands beside the boards: complaints, a map, a report card, a change, a withdrawal, a history."""
    text = attack[0] if attack else "yellow tint"
    community = Community(
        judged=8,
        relevant=6,
        qualities={"Benchmark": 4, "Trash": 2},
        releases={"2026-11-02": (attack[1] if attack else "Model One",)},
        complaints=(
            *(
                Complaint(post=each.feedback[0].post, kind="colour", keywords=(text, text))
                for each in samples[:2]
            ),
            Complaint(post="f" * 32, kind=attack[2] if attack else "realism", keywords=("plastic",)),
        ),
        metrics={"colour": "color"},
        novelty=NoveltyMap(
            spots=tuple(
                Spot(sample=each.key, x=place, y=-place, nearest=0.5, novel=place > 1)
                for place, each in enumerate(samples)
            ),
            older=(Older(name=attack[3] if attack else "drawbench", points=((0.0, 0.0), (1.0, 1.0), (-1.0, 0.5))),),
            explained=0.3,
        ),
        task_kinds=(
            TaskKind(kind="several pictures into one", means=text, ours=KindShare(n=4, of=8, low=0.2, high=0.8),
                     older={"drawbench": KindShare(n=0, of=200, low=0, high=0.02)}, lacking_in=("drawbench",),
                     examples=(samples[0].key,)),
        ),
        task_kinds_why=None,
        wording={"near_duplicates": 1, "leading_bigrams": {"at_equal_n": {text: 0.9}}},
    )  # fmt: skip
    findings = (
        Finding(plant="baseline", mark="passed", cases=40, against=0, rate=0.0, low=0.0, high=0.09, may=0.2),
        Finding(plant="degraded", mark="failed", cases=40, against=30, rate=0.75, low=0.6, high=0.9, may=0.3),
        Finding(plant="instruction", mark="undecided", cases=0, against=0),
    )
    card = Card(mark="failed", findings=findings, not_tried=("order",), suite=text, edition="2026-11", outputs=40)
    stood = Place(rating=1200.0, low=1100.0, high=1300.0, rank_low=1, rank_high=2)
    moved = (
        Moved(model=names[0], before=stood, after=stood, difference=30.0, low=10.0, high=50.0, moved=True),
        Moved(model=names[1], before=stood, after=None, why=f"ranked only before {text}"),
    )
    return Sidelights(
        community=community,
        judges={"judge-a": Judge(family=attack[0] if attack else "maker 0", card=card)},
        changes=(
            Change(suite="looks", before="2026-10", after="2026-11", before_key="a" * 32, after_key="b" * 32, stayed=2,
                   came=(Prompt(key=samples[2].key, title=text),), went=(Prompt(key="c" * 32, title=text, why=text),),
                   boards=(BoardMove(board=text, modality="edit", about=text, models=moved),
                           BoardMove(board="other", modality="t2i", why_not=f"the anchor differs: {text}"))),
        ),
        withdrawn=(Withdrawal(key="d" * 32, kind="post", day="2026-11-09"),),
        published=(Published(suite="looks", title=text, source=attack[4] if attack else "https://example.org/table",
                             columns=("all",), rows={attack[5] if attack else "Old Model": (70.1,)}, note=text),),
        scores=(Scored(suite="looks", model=names[0], judge="judge-a", groups={"all": 81.0}, scored={"all": 3},
                       wanted={"all": 4}),),
    )  # fmt: skip


def _board(name: str, modality: str, names: Sequence[str]) -> Board:
    ranked = names[:-1]
    return Board(
        name=name,
        modality=modality,
        edition="2026-11",
        ratings=tuple(
            Rating(model=model, rating=1200.0 - 100 * place, low=1150.0 - 100 * place, high=1250.0 - 100 * place,
                   rank=place + 1, rank_low=place + 1, rank_high=min(len(ranked), place + 2), games=12,
                   win_rate=max(0.0, 0.9 - 0.2 * place))
            for place, model in enumerate(ranked)
        ),
        unranked=(Unranked(model=names[-1], side="below", bound=800.0, why="never won against the ranked models"),),
        left_out={"judges below quorum": 3, "nothing": 0},
        coverage={names[0]: {"scored": 2, "wanted": 3, "refused": 0, "failed": 1}},
        method={"model": "Bradley-Terry", "ties": "half a win each", "interval": "sandwich", "confidence": 0.95,
                "cluster": "sample", "clusters": 3, "centre": "mean of the ranked models = 1000", "anchor": None},
    )  # fmt: skip


@pytest.fixture(scope="session")
def world() -> World:
    return make_world()


@pytest.fixture(scope="session")
def hostile() -> World:
    return make_world(names=[*ATTACKS[:4], *ATTACKS[6:10]], attack=ATTACKS)


@pytest.fixture(scope="session")
def built(world: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the peaceful world."""
    return world.site(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="session")
def attacked(hostile: World, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the hostile world."""
    return hostile.site(tmp_path_factory.mktemp("hostile"))


@pytest.fixture
def fresh() -> World:
    """A world of its own for a test that changes it."""
    return make_world()


@pytest.fixture(scope="session")
def attacks() -> Sequence[str]:
    return ATTACKS
