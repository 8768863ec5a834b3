"""Curation of a workspace: posts to conversations, decisions and samples."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.ask.hearing import version_of
from groundswell.curate.conversation import Conversation, conversations
from groundswell.curate.prompts import opens_a_thread
from groundswell.curate.questions import KEPT
from groundswell.curate.samples import SUITE, Standing, compose, standing
from groundswell.curate.shortfalls import first_frame_only, not_runnable, pictures_missing
from groundswell.curate.stage import (
    JudgeRelevance,
    ReadThreads,
    relevance_by_post,
    words_of_people,
)
from groundswell.errors import StoreError, UserError
from groundswell.flow.workspace import Workspace, with_confirmed_tags
from groundswell.ingest.threads import weave
from groundswell.ports import Reader
from groundswell.records import Decision, Edition, Picture, Post, Sample, Thread, UnitState
from groundswell.wire.door import Wire
from groundswell.work.engine import Engine, Tally

LOCAL = "local"
CORPUS_REPORT = "corpus.json"
"""The last report about all posts, in the workspace's folder; it quotes them."""

WIDTH = 2
"""Threads read at once by the local reader; it holds one small model."""


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """The conversations of a workspace and its posts by key."""

    threads: Sequence[Thread]
    conversations: Sequence[Conversation]
    posts: dict[str, Post]


def gather(space: Workspace) -> Gathered:
    """The conversations that can be read. Raises UserError when there are no posts."""
    posts = list(space.store.records(Post))
    if not posts:
        raise UserError("there are no posts here yet; bring some in with: groundswell ingest FILE...")
    woven = weave(posts)
    by_key = {post.key: post for post, given in zip(woven.posts, woven.given, strict=True) if given}
    threads = list(woven.threads())
    found = [talk for thread in threads for talk in conversations(thread, by_key, opens_a_thread)]
    return Gathered(threads=threads, conversations=found, posts=by_key)


def curate(
    space: Workspace, reader: str | None = None, observe: Callable[[Tally], None] | None = None
) -> dict[str, Any]:
    """Ask what has not been asked, make samples of what stands, and freeze them when they changed."""
    return asyncio.run(_curate(space, reader or space.config.file.reader.use, observe))


async def _curate(space: Workspace, name: str, observe: Callable[[Tally], None] | None) -> dict[str, Any]:
    from groundswell.wire.budget import Budget
    from groundswell.work.local import LocalPool

    gathered = gather(space)
    space.store.put(gathered.threads)
    purse = Budget(space.config.file.budget.usd, False)
    tallies: list[Tally] = []
    async with Wire(space.blobs.get) as wire, Engine(space.store, LocalPool(), purse=purse, observe=observe) as engine:
        reader, width = reader_named(space, name, wire, gathered.posts)
        for stage in (JudgeRelevance(gathered.conversations, reader), ReadThreads(gathered.conversations, reader)):
            tallies.append(await engine.run(stage, width=width))
            if tallies[-1].stopped:
                break
    samples = made(space, gathered, reader)
    edition = _frozen(space, samples)
    return _report(space, gathered, reader, samples, edition, tallies)


def reader_named(space: Workspace, name: str, wire: Wire, posts: dict[str, Post]) -> tuple[Reader, int]:
    """A reader and how many questions it may be asked at once. Raises PluginError for an unknown name."""
    if name not in {judge.name for judge in space.config.file.judge}:
        return _in_process(space, name), WIDTH
    from groundswell.curate.by_model import ModelReader
    from groundswell.flow.crew import Crew

    desk = Crew(space, wire).judge(name)
    pictures = {
        shown.picture.digest: shown.picture for post in posts.values() for shown in post.pictures if shown.picture
    }
    return ModelReader(desk, pictures.get), desk.line.limits.concurrency


def _in_process(space: Workspace, name: str) -> Reader:
    """A reader that needs no host: the local one, or a plugin's. Raises PluginError for an unknown name."""
    reader: Reader = plugins.load("reader", name)(space.blobs.get)
    return reader


def made(space: Workspace, gathered: Gathered, reader: Reader) -> list[Sample]:
    """The samples that the standing decisions make, kept in the store."""
    from groundswell.perception.language import UNKNOWN, language

    def spoken(text: str) -> str:
        found = language(text)
        return "en" if found == UNKNOWN else found

    decided = decisions(space, reader.name, version_of(reader))
    found = compose(
        gathered.conversations, gathered.posts, decided, spoken, lambda picture, box: _cut(space, picture, box)
    )
    samples = list({sample.key: sample for sample in found}.values())
    # What was said since belongs to a sample's feedback, which is no part of its identity.
    samples = with_confirmed_tags(space, samples)
    space.store.put(samples, renew=True)
    return samples


def decisions(space: Workspace, reader: str, version: int) -> Standing:
    """The decisions that stand for a reader's work."""
    return standing(space.store.records(Decision), reader, version)


def _cut(space: Workspace, picture: Picture, box: tuple[int, int, int, int]) -> Picture | None:
    """A box of a picture as a picture of its own, kept; None where the picture cannot be read."""
    from groundswell.curate.screenshots import crop
    from groundswell.pictures import UnreadablePicture, encode_png, pixels

    try:
        whole = pixels(space.blobs.get(picture.digest))
    except (UnreadablePicture, StoreError):
        return None
    x1, y1, x2, y2 = crop(box, whole.shape[1], whole.shape[0])
    return space.keep(encode_png(whole[y1:y2, x1:x2])) if x2 > x1 and y2 > y1 else None


def _frozen(space: Workspace, samples: Sequence[Sample]) -> Edition | None:
    """The edition of all samples that are fit for a benchmark; a new one only when they changed."""
    fit = [sample for sample in samples if sample.quality == "Benchmark"]
    if not fit:
        return None
    before = [edition for edition in space.store.records(Edition) if edition.suite == SUITE]
    keys = tuple(sample.key for sample in fit)
    if before and before[-1].samples == keys:
        return before[-1]
    languages = sorted({language for sample in fit for language in sample.prompts})
    edition = Edition(suite=SUITE, label=f"draft-{len(before) + 1}", samples=keys, languages=tuple(languages))
    space.store.put([edition])
    return edition


def _report(
    space: Workspace,
    gathered: Gathered,
    reader: Reader,
    samples: Sequence[Sample],
    edition: Edition | None,
    tallies: Sequence[Tally],
) -> dict[str, Any]:
    scores = relevance_by_post(space.store, reader, words_of_people(space.store))
    relevant = sum(scores.get(talk.opening.key, 0) >= KEPT for talk in gathered.conversations)
    qualities = [sample.quality for sample in samples]
    return {
        "posts": len(gathered.posts),
        "threads": len(gathered.conversations),
        "relevant": relevant,
        "samples": len(samples),
        "t2i": sum(sample.task == "t2i" for sample in samples),
        "edit": sum(sample.task == "edit" for sample in samples),
        "quality": {label: qualities.count(label) for label in ("Benchmark", "Analysis", "Trash")},
        "runnable": sum(sample.not_runnable is None for sample in samples),
        "not_runnable": not_runnable(samples, gathered.posts),
        "pictures_missing": pictures_missing(gathered.posts.values()),
        "first_frame_only": first_frame_only(samples, gathered.posts, space.blobs.get),
        "edition": None if edition is None else {"suite": edition.suite, "label": edition.label},
        "nothing_to_do": not any(tally.ended for tally in tallies),
        "stages": {
            tally.stage: {"done": tally.done, "failed": tally.failed, "refused": tally.refused} for tally in tallies
        },
        "failures": [list(row) for row in space.store.reasons(UnitState.FAILED) if row[0] in ("curate", "relevance")],
        "spent_usd": sum(tally.spent for tally in tallies),
        "stopped": next((tally.stopped for tally in tallies if tally.stopped), None),
    }


def reader_of(space: Workspace, reader: str | None = None) -> tuple[str, int]:
    """The full name and version under which a reader's decisions are kept."""
    name = reader or space.config.file.reader.use
    judge = next((judge for judge in space.config.file.judge if judge.name == name), None)
    if judge is None:
        reader_found = _in_process(space, name)
        return reader_found.name, version_of(reader_found)
    from groundswell.curate import by_model

    return f"{name}@{judge.record().key[:8]}", by_model.VERSION
