"""What is fuzzed: each target takes damaged bytes, may raise only errors for a person, and keeps its promises."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz import seeds
from groundswell import config
from groundswell.ask import rubrics
from groundswell.ask.reading import parse_file, read, read_verdict
from groundswell.boards.agreement import agree_files
from groundswell.boards.echo import score_echo_file
from groundswell.boards.options import RankOptions
from groundswell.boards.tables import read_votes
from groundswell.errors import UserError
from groundswell.files import write_bytes
from groundswell.ingest.reading import read_files
from groundswell.ingest.threads import weave
from groundswell.records import Dimension, Picture
from groundswell.suites import cpi, exchange, llava, registry, templates

DIMENSIONS = (
    Dimension(name="Instruction Following", low=1, high=5, step=1),
    Dimension(name="Visual Quality", low=1, high=10),
)
ONE = (Dimension(name="grade", low=1, high=10, step=1),)


def posts(data: bytes, folder: Path) -> None:
    """Any file is posts, or is told not to be; posts of any kind make threads in which each stands once."""
    path = folder / "posts.json"
    path.write_bytes(data)
    found = read_files([path], salt=b"salt")
    report = found.report()
    if report["posts"] != len({(post.platform, post.id) for post in found.posts}):
        raise AssertionError(f"{report['posts']} posts are counted, and {len(found.posts)} versions given")
    woven = weave([*found.posts, *found.tombstones])
    members = [key for thread in woven.threads() for key in thread.members]
    if len(members) != len(set(members)):
        raise AssertionError("a post stands in two places")


def replies(data: bytes, folder: Path) -> None:
    """A score that is read is on its scale; there is one for each dimension, or the reason why not."""
    reply = data.decode("utf-8", "replace")
    for dimensions in (DIMENSIONS, ONE):
        found = read(reply, dimensions)
        if (found.why is None) != (set(found.scores) == {each.name for each in dimensions}):
            raise AssertionError(f"scores {found.scores}, and why not: {found.why}")
        for each in dimensions:
            if not each.low <= found.scores.get(each.name, each.low) <= each.high:
                raise AssertionError(f"{each.name} is {found.scores[each.name]}")
    read_verdict(reply)


def batteries(data: bytes, folder: Path) -> None:
    """A file of replies with their scales is read row by row; a score stands only where each dimension was read."""
    path = folder / "battery.jsonl"
    path.write_bytes(data)
    for row in parse_file(path):
        if (row["scores"] is None) == (row["why"] is None):
            raise AssertionError(f"neither or both of scores and why: {row}")


def votes(data: bytes, folder: Path) -> None:
    """A file of votes is counted, or its first fault is named."""
    path = folder / ("votes.jsonl" if data[:1] == b"{" else "votes.parquet" if data[:4] == b"PAR1" else "votes.csv")
    path.write_bytes(data)
    found = read_votes(path, RankOptions())
    if not all(math.isfinite(weight) for weight in (found.votes.weight if found.votes.weight is not None else ())):
        raise AssertionError("a weight is not finite")


def opinions(data: bytes, folder: Path) -> None:
    """Judgments and people's votes agree to a degree between -1 and 1, or the line that is wrong is named."""
    judgments, people = folder / "judgments.jsonl", folder / "people.jsonl"
    judgments.write_bytes(data)
    if not people.exists():
        write_bytes(people, seeds.OPINIONS[0])
    for judge in agree_files(judgments, people)["judges"]:
        if judge["tau_b"] is not None and not -1 <= judge["tau_b"] <= 1:
            raise AssertionError(f"tau-b is {judge['tau_b']}")


def settings(data: bytes, folder: Path) -> None:
    """A workspace file is understood, or the line that is wrong is named."""
    (folder / config.FILE_NAME).write_bytes(data)
    config.load(folder)


def rubric(data: bytes, folder: Path) -> None:
    """A rubric has scales on which a number can lie, or the line that is wrong is named."""
    path = folder / "rubric.md"
    path.write_bytes(data)
    if any(not each.low < each.high for each in rubrics.load(path).dimensions):
        raise AssertionError("a scale of no length")


def rules(data: bytes, folder: Path) -> None:
    """A rule file or a template of a suite becomes rubrics, or what is wrong with it is named."""
    path = folder / "rules" / "rules.json"
    write_bytes(path, data)
    read = templates.rule_file if b'"role"' in data else lambda path: templates.template_folder(path.parent)
    if any(not each.low < each.high for one in read(path).of.values() for each in one.dimensions):
        raise AssertionError("a scale of no length")


def samples(data: bytes, folder: Path) -> None:
    """A file of samples is recognised and read, or the line that is wrong is named. No path leads out of its folder."""
    path = folder / "samples.jsonl"
    path.write_bytes(data)
    for sample in registry.load(registry.detect(path), path, _keep):
        if not sample.key:
            raise AssertionError("a sample without a key")


def _keep(data: bytes) -> Picture:
    if data[:4] != b"\x89PNG":
        raise ValueError("no picture")
    return Picture(digest="0" * 64, media_type="image/png", width=1, height=1)


def results(data: bytes, folder: Path) -> None:
    """Results belong to samples of the suite, each at most one, or the line that is wrong is named."""
    path, suite = folder / "results.jsonl", folder / "suite"
    path.write_bytes(data)
    if not suite.exists():
        write_bytes(suite / "samples.jsonl", seeds.SAMPLES[0])
    wanted = list(registry.load("custom", suite / "samples.jsonl", _keep))
    found = exchange.read_results(path, wanted)
    if len(found.texts) + len(found.pictures) + len(found.missing) != len(wanted):
        raise AssertionError("a sample is lost")


def scores(data: bytes, folder: Path) -> None:
    """Reviews, cases and grades are scored on their scales, or the line that is wrong is named."""
    path = folder / "scores.jsonl"
    path.write_bytes(data)
    if b"sample_index" in data:
        cpi.score_cases(path)
    elif b"question_id" in data:
        llava.score_reviews([path])
    else:
        score_echo_file(path)


@dataclass(frozen=True)
class Target:
    """A parser with good input to damage, and its share of all inputs by what one of them costs."""

    check: Callable[[bytes, Path], None]
    seeds: Sequence[bytes]
    share: float


TARGETS = {
    "replies": Target(replies, seeds.REPLIES, 0.30),
    "batteries": Target(batteries, seeds.BATTERIES, 0.08),
    "settings": Target(settings, seeds.SETTINGS, 0.17),
    "rubrics": Target(rubric, seeds.RUBRICS, 0.10),
    "rules": Target(rules, seeds.RULES, 0.05),
    "posts": Target(posts, seeds.POSTS, 0.14),
    "samples": Target(samples, seeds.SAMPLES, 0.05),
    "results": Target(results, seeds.RESULTS, 0.03),
    "scores": Target(scores, seeds.SCORES, 0.04),
    "opinions": Target(opinions, seeds.OPINIONS, 0.01),
    "votes": Target(votes, seeds.VOTES, 0.03),
}


def holds(name: str, data: bytes, folder: Path) -> bool:
    """Give damaged input to a target, which takes it or says in one line what is wrong. Gives whether it was taken."""
    try:
        TARGETS[name].check(data, folder)
    except UserError as error:
        if "Traceback" in str(error):
            raise AssertionError("a traceback in an error for a person") from error
        return False
    return True
