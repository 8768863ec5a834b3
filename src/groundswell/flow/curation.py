"""Curation of a workspace: posts to conversations, decisions and samples; what people overrule; what is forgotten."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.curate.conversation import Conversation, conversations
from groundswell.curate.prompts import opens_a_thread
from groundswell.curate.questions import KEPT, OF_THREADS, Question
from groundswell.curate.samples import SUITE, Standing, compose, standing
from groundswell.curate.stage import PERSON, JudgeRelevance, ReadThreads, check_answer, version_of
from groundswell.errors import PluginError, StoreError, UserError
from groundswell.flow.workspace import Workspace
from groundswell.ingest.threads import find, weave
from groundswell.ports import Reader
from groundswell.records import Decision, Edition, Json, Output, Picture, Post, Sample, Thread, UnitState, Verdict
from groundswell.wire.door import Wire
from groundswell.work.engine import Engine, Tally

LOCAL = "local"
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
    return _report(space, gathered, samples, edition, tallies)


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
    samples: Sequence[Sample],
    edition: Edition | None,
    tallies: Sequence[Tally],
) -> dict[str, Any]:
    mains = {talk.opening.key for talk in gathered.conversations}
    scored = [
        decision.answer["score"]
        for decision in space.store.records(Decision)
        if decision.question == Question.RELEVANCE and decision.subject in mains and decision.answer
    ]
    qualities = [sample.quality for sample in samples]
    return {
        "posts": len(gathered.posts),
        "threads": len(gathered.conversations),
        "relevant": sum(score >= KEPT for score in scored),
        "samples": len(samples),
        "t2i": sum(sample.task == "t2i" for sample in samples),
        "edit": sum(sample.task == "edit" for sample in samples),
        "quality": {label: qualities.count(label) for label in ("Benchmark", "Analysis", "Trash")},
        "runnable": sum(sample.not_runnable is None for sample in samples),
        "edition": None if edition is None else {"suite": edition.suite, "label": edition.label},
        "nothing_to_do": not any(tally.ended for tally in tallies),
        "stages": {
            tally.stage: {"done": tally.done, "failed": tally.failed, "refused": tally.refused} for tally in tallies
        },
        "failures": [list(row) for row in space.store.reasons(UnitState.FAILED) if row[0] in ("curate", "relevance")],
        "spent_usd": sum(tally.spent for tally in tallies),
        "stopped": next((tally.stopped for tally in tallies if tally.stopped), None),
    }


# --- what a person says -------------------------------------------------------------------------------------------


def to_review(space: Workspace, reader: str | None = None, url: str | None = None) -> list[dict[str, Any]]:
    """The decisions that stand, with the posts that they are about, the least sure first."""
    gathered = gather(space)
    wanted = None if url is None else frozenset(find(gathered.posts.values(), url))
    if wanted is not None and not wanted:
        raise UserError(f"no post here has the address {url}")
    name, version = _reader_of(space, reader)
    decided = decisions(space, name, version).by_place
    rows = []
    for talk in gathered.conversations:
        main = talk.opening
        if wanted is not None and not wanted & {post.key for post in talk.posts}:
            continue
        asked = (decided.get((main.key, question)) for question in (Question.RELEVANCE, *OF_THREADS))
        rows += [_row(decision, talk, gathered.posts[main.key].url) for decision in asked if decision is not None]
    return sorted(rows, key=lambda row: row["doubt"], reverse=True)


def _reader_of(space: Workspace, reader: str | None) -> tuple[str, int]:
    """The full name and version under which a reader's decisions are kept."""
    name = reader or space.config.file.reader.use
    judge = next((judge for judge in space.config.file.judge if judge.name == name), None)
    if judge is None:
        reader_found = _in_process(space, name)
        return reader_found.name, version_of(reader_found)
    from groundswell.curate import by_model

    return f"{name}@{judge.record().key[:8]}", by_model.VERSION


def _row(decision: Decision, talk: Conversation, url: str | None) -> dict[str, Any]:
    return {
        "subject": decision.subject,
        "question": decision.question,
        "reader": decision.reader,
        "answer": decision.answer,
        "why": decision.evidence.get("why"),
        "url": url,
        "text": talk.opening.text,
        "doubt": _doubt(decision),
    }


def _doubt(decision: Decision) -> int:
    """How much a person's look is worth: 2 unsure or a middle score, 1 in between, 0 clear or a person's own."""
    if decision.reader.startswith(PERSON):
        return 0
    answer = decision.answer
    if answer is None:
        return 2
    match decision.question:
        case Question.RELEVANCE:
            return {3: 2, 2: 1, 4: 1}.get(answer["score"], 0)
        case Question.BLANKS:
            return 2 if answer.get("blanks") and answer.get("filled") is None else 0
        case Question.QUALITY:
            return 1 if answer["label"] != "Benchmark" else 0
        case _:
            return 0


def overrule(space: Workspace, subject: str, question: str, answer: Json, person: str) -> Decision:
    """Keep a person's answer; it wins over every reader's and survives every run. Raises UserError for a wrong form."""
    try:
        check_answer(question, answer)
    except PluginError as error:
        raise UserError(str(error)) from None
    if space.store.get(subject) is None:
        raise UserError(f"there is no post with the key {subject}; groundswell curate review lists them")
    evidence = {"why": "a person said so", "time": datetime.now(UTC).isoformat()}
    decision = Decision(
        subject=subject, question=question, reader=f"{PERSON}{person}", answer=answer, evidence=evidence
    )
    space.store.put([decision], renew=True)
    return decision


# --- forgetting ---------------------------------------------------------------------------------------------------


def forget(space: Workspace, url: str) -> dict[str, Any]:
    """Remove a post and what was made of it: decisions, samples, outputs, raw replies, pictures. Tombstones stay.

    Raises UserError when no post has this address.
    """
    posts = list(space.store.records(Post))
    doomed = {post.key: post for post in posts if post.key in frozenset(find(posts, url))}
    if not doomed:
        raise UserError(f"no post here has the address {url}")
    keys = frozenset(doomed)
    samples = [sample for sample in space.store.records(Sample) if keys.intersection(sample.origins)]
    quoting = [sample for sample in space.store.records(Sample) if not keys.isdisjoint(_quoted(sample))]
    sample_keys = frozenset(sample.key for sample in samples)
    outputs = [output for output in space.store.records(Output) if output.sample in sample_keys]
    verdicts = [verdict for verdict in space.store.records(Verdict) if verdict.sample in sample_keys]
    threads = [thread for thread in space.store.records(Thread) if keys.intersection(thread.members)]
    near = frozenset(key for thread in threads for key in thread.members)
    # Readers quote replies in their answers about a thread; a person's word about another post is not this post's.
    decided = [
        each
        for each in space.store.records(Decision)
        if each.subject in keys or (each.subject in near and not each.reader.startswith(PERSON))
    ]
    # A verdict is content-free without its raw reply, and a board must still be recomputed from it.
    space.store.put((msgspec.structs.replace(verdict, reply=None) for verdict in verdicts), renew=True)
    space.store.put((_without_words_of(sample, keys) for sample in quoting), renew=True)
    gone = [*keys, *(record.key for record in (*samples, *outputs, *decided))]
    space.store.forget(gone, f"forgotten by request: {url}")
    pictures = _drop_pictures(space, doomed.values(), samples, outputs)
    return {"posts": len(keys), "samples": len(samples), "outputs": len(outputs), "decisions": len(decided),
            "replies": len(verdicts), "pictures": pictures}  # fmt: skip


def _without_words_of(sample: Sample, posts: frozenset[str]) -> Sample:
    kept = tuple(feedback for feedback in sample.feedback if feedback.post not in posts)
    return msgspec.structs.replace(sample, feedback=kept)


def _quoted(sample: Sample) -> Iterator[str]:
    return (feedback.post for feedback in sample.feedback)


def _drop_pictures(space: Workspace, posts: Any, samples: Sequence[Sample], outputs: Sequence[Output]) -> int:
    """Delete the bytes that nothing else shows; gives how many."""
    doomed = {shown.picture.digest for post in posts for shown in post.pictures if shown.picture}
    doomed |= {picture.digest for each in samples for picture in each.inputs}
    doomed |= {picture.digest for each in outputs for picture in each.pictures}
    kept = {shown.picture.digest for post in space.store.records(Post) for shown in post.pictures if shown.picture}
    kept |= {picture.digest for sample in space.store.records(Sample) for picture in sample.inputs}
    kept |= {picture.digest for output in space.store.records(Output) for picture in output.pictures}
    for digest in doomed - kept:
        space.blobs.delete(digest)
    return len(doomed - kept)


# --- one picture --------------------------------------------------------------------------------------------------


def screenshot(path: Path) -> dict[str, Any]:
    """What a picture of a program's window shows, without a workspace. Raises UserError naming the file."""
    from groundswell.curate.screenshots import read_screenshot
    from groundswell.files import read_bytes
    from groundswell.pictures import UnreadablePicture

    try:
        found = read_screenshot(read_bytes(path))
    except UnreadablePicture as error:
        raise UserError(f"this picture cannot be read: {error}", where=path) from None
    boxes = [{"role": box.role, "box": list(box.box)} for box in found.boxes]
    return {"prompt": found.prompt, "boxes": boxes, "why": re.sub(r"\s+", " ", found.why)}


# --- the demo -----------------------------------------------------------------------------------------------------


def demo_posts(space: Workspace) -> dict[str, Any]:
    """Bring the example posts into a workspace, from exports written beside it, and curate them with the local reader.

    Running it again finds nothing to do.
    """
    from importlib.resources import files as resources

    from groundswell.curate.demo import drawing
    from groundswell.files import write_bytes
    from groundswell.flow.workspace import author_salt
    from groundswell.ingest import read_files

    folder = space.config.folder / "posts"
    exports = [folder / f"{name}.json" for name in ("x", "reddit", "bluesky")]
    for path in exports:
        if not path.exists():
            write_bytes(path, resources("groundswell.curate.demo").joinpath(path.name).read_bytes())
    for name in drawing.names():
        if not (picture := folder / "pictures" / f"{name}.png").exists():
            write_bytes(picture, drawing.draw(name))
    found = read_files(exports, salt=author_salt(space), keep=space.keep)
    space.store.put([*found.posts, *found.tombstones])
    return curate(space, LOCAL)
