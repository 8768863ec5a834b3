"""Removes a post and what was made of it, and leaves what boards are counted from: keys, winners and numbers.

The post itself, decisions about it and pictures that nothing else shows are gone. Of samples, outputs and failures a
content-free remainder stays under their tombstones, verdicts lose their raw replies, measurements their words. Posts of
other people that quote it are theirs and stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundswell.curate.stage import PERSON
from groundswell.editions.remains import (
    QUOTED,
    WITHDRAWN,
    Quotes,
    failure_left,
    numbers,
    output_left,
    quotation_of,
    sample_left,
    unquoting,
    without_reply,
)
from groundswell.errors import UserError
from groundswell.flow.community import names_of
from groundswell.flow.curation import CORPUS_REPORT
from groundswell.flow.workspace import Workspace, pictures_of
from groundswell.ingest.threads import find
from groundswell.records import (
    Board,
    Comparison,
    Decision,
    Endpoint,
    Failure,
    Measured,
    Measurement,
    NotApplicable,
    Outcome,
    Output,
    Post,
    Record,
    Refusal,
    Ruling,
    Sample,
    Thread,
    Verdict,
)

WHY = "forgotten by request"
"""Without the address: it may hold the author's name."""

PUBLISHED = ("snapshot", "site", "report")
"""Folders that a later `publish` or `report` writes again without what was forgotten."""


class Doomed(msgspec.Struct, frozen=True, kw_only=True):
    """A post and everything that was made of it."""

    posts: Mapping[str, Post]
    samples: Mapping[str, Sample]
    outcomes: Sequence[Outcome]
    decisions: Sequence[Decision]

    @property
    def outputs(self) -> list[Output]:
        return [each for each in self.outcomes if isinstance(each, Output)]


def forget(space: Workspace, url: str) -> dict[str, Any]:
    """Remove a post and what was made of it. Gives how much of what is gone, `write_again`: published folders that may
    still show it, `exports`: other files of the workspace's folder that hold its words, and `scrubbed`: whether the
    database file was written anew.

    Raises UserError when no post has this address.
    """
    doomed = _doomed(space, url)
    quotes = quotation_of(_texts(doomed))
    verdicts = [each for each in space.store.records(Verdict) if each.sample in doomed.samples]
    space.store.put((without_reply(each, quotes) for each in verdicts), renew=True)
    space.store.put(_kept_without_words(space, doomed, quotes), renew=True)
    space.store.hush(quotes)
    pictures = _drop_pictures(space, doomed)
    # The post goes last: whoever was interrupted before can ask again.
    names = (name for post in doomed.posts.values() for name in sorted(names_of(post)))
    gone = [*doomed.posts, *names, *(record.key for record in doomed.decisions)]
    space.store.forget(gone, WHY, list(_remains(space, doomed)))
    (space.config.folder / CORPUS_REPORT).unlink(missing_ok=True)
    return {
        "posts": len(doomed.posts),
        "samples": len(doomed.samples),
        "outputs": len(doomed.outputs),
        "decisions": len(doomed.decisions),
        "replies": len(verdicts),
        "pictures": pictures,
        "scrubbed": space.store.scrub(),
        "write_again": [name for name in PUBLISHED if (space.config.folder / name).exists()],
        "exports": _exports(space, doomed.posts.values()),
    }


def _doomed(space: Workspace, url: str) -> Doomed:
    posts = list(space.store.records(Post))
    asked = frozenset(find(posts, url))
    doomed = {key: post for post in posts if (key := post.key) in asked}
    if not doomed:
        raise UserError(f"no post here has the address {url}")
    samples = {each.key: each for each in space.store.records(Sample) if not asked.isdisjoint(each.origins)}
    threads = [thread for thread in space.store.records(Thread) if not asked.isdisjoint(thread.members)]
    near = frozenset(key for thread in threads for key in thread.members)
    # Readers quote replies in their answers about a thread; a person's word about another post is not this post's.
    decided = [
        each
        for each in space.store.records(Decision)
        if each.subject in asked
        or each.subject in samples  # tags proposed for a prompt quote its words
        or (each.subject in near and not each.reader.startswith(PERSON))
    ]
    outcomes = [each for each in space.store.records(Outcome) if each.sample in samples]
    return Doomed(posts=doomed, samples=samples, outcomes=outcomes, decisions=decided)


def _texts(doomed: Doomed) -> Iterator[str]:
    """Everything that somebody wrote in it, or that a model answered to it."""
    for post in doomed.posts.values():
        yield from (post.text, post.title or "", *(shown.alt or "" for shown in post.pictures))
    for sample in doomed.samples.values():
        yield from (*sample.prompts.values(), sample.context or "", sample.reference or "")
        yield from (each.text for each in sample.feedback)
    for output in doomed.outputs:
        yield from (output.text or "", output.rewritten_prompt or "")


def _kept_without_words(space: Workspace, doomed: Doomed, quotes: Quotes) -> Iterator[Record]:
    """What keeps its key without its words: measurements, refusals, rulings, boards that count reasons by their words,
    feedback in samples of others, and the comments that a person picked."""
    keys = {*doomed.posts, *doomed.samples, *(each.key for each in doomed.outputs)}
    for measured in space.store.records(Measured):
        match measured:
            case Measurement() if measured.sample in doomed.samples:
                yield msgspec.structs.replace(measured, detail=numbers(measured.detail))
            case NotApplicable() if measured.sample in doomed.samples and quotes(measured.why):
                yield msgspec.structs.replace(measured, why=WITHDRAWN)
    for outcome in doomed.outcomes:
        if isinstance(outcome, Refusal):
            yield msgspec.structs.replace(outcome, reason=WITHDRAWN, observed={})
    for ruling in space.store.records(Ruling):
        if ruling.subject in keys:
            yield msgspec.structs.replace(ruling, why=WITHDRAWN, evidence=numbers(ruling.evidence))
    for board in space.store.records(Board):
        yield msgspec.structs.replace(board, coverage=unquoting(board.coverage, quotes))
    for sample in space.store.records(Sample):
        kept = tuple(each for each in sample.feedback if each.post not in doomed.posts)
        if len(kept) < len(sample.feedback) and sample.key not in doomed.samples:
            yield msgspec.structs.replace(sample, feedback=kept)
    for decision in space.store.records(Decision):
        if decision.question == "feedback" and decision.reader.startswith(PERSON):
            yield msgspec.structs.replace(decision, answer=unquoting(decision.answer, quotes))


def _remains(space: Workspace, doomed: Doomed) -> Iterator[Record]:
    from groundswell.vote.quality import names_a_model

    models = {endpoint.name for endpoint in space.store.records(Endpoint)}
    models |= {name for each in space.store.records(Comparison) for name in (each.left, each.right)}
    for sample in doomed.samples.values():
        yield sample_left(sample, [model for model in models if names_a_model(sample, {model})])
    for outcome in doomed.outcomes:
        match outcome:
            case Output():
                yield output_left(outcome)
            case Failure():
                yield failure_left(outcome)


def _drop_pictures(space: Workspace, doomed: Doomed) -> int:
    """Delete the bytes that nothing else shows; gives how many."""
    going = [*doomed.posts.values(), *doomed.samples.values(), *doomed.outputs]
    keys = {record.key for record in going}
    staying = (record for record in space.store.records(Post, Sample, Output) if record.key not in keys)
    gone = _digests(going) - _digests(staying)
    for digest in gone:
        space.blobs.delete(digest)
    return len(gone)


def _digests(records: Iterable[Record]) -> set[str]:
    pictures = (picture for record in records for picture in pictures_of(record))
    return {digest for picture in pictures for digest in (picture.digest, picture.copy) if digest is not None}


def _exports(space: Workspace, posts: Iterable[Post]) -> list[str]:
    """Files in the workspace's folder, beside what is published, that hold the words of a post: they are the person's
    own, and are named and not changed."""
    lines = [max(post.text.splitlines(), key=len, default="") for post in posts]
    needles = {form for line in lines if len(line) >= QUOTED for form in _written(line)}
    folder = space.config.folder
    passed = [folder / name for name in (*PUBLISHED, space.config.file.workspace.blobs)]
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(path.is_relative_to(each) for each in passed):
            data = path.read_bytes()
            if any(needle in data for needle in needles):
                found.append(str(path.relative_to(folder)))
    return found


def _written(line: str) -> set[bytes]:
    """A line as files hold it: plain, and as JSON with and without escapes."""
    return {line.encode(), json.dumps(line)[1:-1].encode(), json.dumps(line, ensure_ascii=False)[1:-1].encode()}
