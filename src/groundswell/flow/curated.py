"""How far the posts of a workspace have come: read in, woven into threads, answered by each reader."""

from __future__ import annotations

from collections.abc import Iterator

from groundswell.curate.stage import JudgeRelevance, ReadThreads
from groundswell.errors import GroundswellError
from groundswell.flow.curation import Gathered, gather, reader_named
from groundswell.flow.workspace import Workspace
from groundswell.ports import Stage
from groundswell.records import Decision, Post, PostState, Thread
from groundswell.wire.door import Wire
from groundswell.work.engine import RUNS_THAT_TRY

Counts = dict[str, int]


def curation_totals(space: Workspace) -> dict[str, Counts]:
    """By stage what is done, failed, refused and missing; nothing where there are no posts.

    `ingest` counts posts: failed are those of which a picture could not be had, refused those that the platform took
    away, missing the parents that nobody gave us. `threads` counts conversations, of which those that grew since the
    last run are missing. `relevance:READER` and `curate:READER` count what that reader was asked; failed is what is
    not tried again.
    """
    if next(space.store.records(Post), None) is None:
        return {}
    gathered = gather(space)
    counts = {"ingest": _ingested(gathered), "threads": _woven(space, gathered)}
    for name in _readers(space):
        try:
            reader, _ = reader_named(space, name, Wire(space.blobs.get), gathered.posts)
        except GroundswellError:
            continue  # a plugin or a judge that is no longer here: nothing can be asked of it
        for stage in (JudgeRelevance(gathered.conversations, reader), ReadThreads(gathered.conversations, reader)):
            counts[f"{stage.name}:{name}"] = _answered(space, stage)
    return counts


def _readers(space: Workspace) -> Iterator[str]:
    """The configured reader, then those that have answered here; a judge's name stands before its key."""
    answered = (each.reader.rpartition("@")[0] or each.reader for each in space.store.records(Decision))
    yield from dict.fromkeys([space.config.file.reader.use, *(name for name in answered if ":" not in name)])


def _ingested(gathered: Gathered) -> Counts:
    posts = gathered.posts.values()
    gone = sum(post.state is not PostState.PRESENT for post in posts)
    lacking = sum(
        post.state is PostState.PRESENT
        and any(shown.media == "picture" and shown.picture is None and shown.missing for shown in post.pictures)
        for post in posts
    )
    parents = sum(len(thread.missing) for thread in gathered.threads)
    return {"done": len(posts) - gone - lacking, "failed": lacking, "refused": gone, "missing": parents}


def _woven(space: Workspace, gathered: Gathered) -> Counts:
    kept = {thread.key for thread in space.store.records(Thread)}
    done = sum(thread.key in kept for thread in gathered.threads)
    return {"done": done, "failed": 0, "refused": 0, "missing": len(gathered.threads) - done}


def _answered(space: Workspace, stage: Stage) -> Counts:
    wanted = {unit.key: unit for unit in stage.units(space.store)}
    unanswered, missing = (
        sum(1 for _ in space.store.unfinished(stage.name, wanted.values(), runs)) for runs in (None, RUNS_THAT_TRY)
    )
    return {"done": len(wanted) - unanswered, "failed": unanswered - missing, "refused": 0, "missing": missing}
