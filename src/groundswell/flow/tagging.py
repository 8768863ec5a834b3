"""Tags of a workspace's prompts: proposed by a reader, confirmed by a person, written into the samples only then."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.editions.tagging import AXES, ProposeTags, Terms, confirmations, proposals
from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace, editions
from groundswell.ports import Reader
from groundswell.records import Decision, Ruling, Sample
from groundswell.wire.door import Wire

LOCAL = "local"
WIDTH = 2
"""Prompts read at once by a reader in this process."""

STYLE = "style"


def terms() -> Terms:
    """The taxonomy as readers are told it: by axis the words with their hints in English."""
    from groundswell.vote.taxonomy import taxonomy

    known = taxonomy()
    return {
        axis: {term.id: term.hint.get("en", "") for term in getattr(known, axis)}
        for axis in ("use_case", "capability", STYLE)
    }


# --- proposing ----------------------------------------------------------------------------------------------------


def propose(space: Workspace, reader: str | None = None) -> dict[str, Any]:
    """Ask a reader for the tags of every prompt that lacks some and was not asked about before; what waits then."""
    asked = asyncio.run(_propose(space, reader or space.config.file.reader.use))
    return {**asked, "waiting": waiting(space)}


async def _propose(space: Workspace, name: str) -> dict[str, Any]:
    from groundswell.wire.budget import Budget
    from groundswell.work.engine import Engine
    from groundswell.work.local import LocalPool

    purse = Budget(space.config.file.budget.usd, False)
    async with Wire(space.blobs.get) as wire, Engine(space.store, LocalPool(), purse=purse) as engine:
        reader, width = _reader(space, name, wire)
        stage = ProposeTags(list(_prompts(space)), reader, terms())
        tally = await engine.run(stage, width=width)
    return {
        "reader": reader.name,
        "asked": tally.done,
        "failed": tally.failed,
        "spent_usd": tally.spent,
        "stopped": tally.stopped,
    }


def _reader(space: Workspace, name: str, wire: Wire) -> tuple[Reader, int]:
    """The reader of tags of this name, and how many prompts it may be asked about at once."""
    if name == LOCAL:
        from groundswell.editions.likeness import by_meaning
        from groundswell.editions.tags_by_words import TagsByWords

        meaning = by_meaning()
        return TagsByWords(None if meaning is None else meaning.among), WIDTH
    if name not in {judge.name for judge in space.config.file.judge}:
        found: Reader = plugins.load("reader", name)(space.blobs.get)
        return found, WIDTH
    from groundswell.editions.tags_by_model import TagsByModel
    from groundswell.flow.crew import Crew

    desk = Crew(space, wire).judge(name)
    return TagsByModel(desk, terms()), desk.line.limits.concurrency


def _prompts(space: Workspace) -> Iterator[Sample]:
    """Samples that the arena shows or that wait for it: those of editions, and those with a ruling."""
    from groundswell.flow.arena import rulings

    ruled = {subject for subject, ruling in rulings(space).items() if ruling.what != "reject"}
    wanted = ruled | {key for _, edition in editions(space) for key in edition.samples}
    return (sample for sample in space.store.records(Sample) if sample.task != "chat" and sample.key in wanted)


# --- confirming ---------------------------------------------------------------------------------------------------


def waiting(space: Workspace) -> list[dict[str, Any]]:
    """Prompts whose proposed tags nobody has confirmed, with the reader's reasons."""
    proposed = proposals(space.store.records(Decision))
    if not proposed:
        return []
    told = confirmations(space.store.records(Ruling))
    return [
        {
            "sample": key,
            "prompt": next(iter(sample.prompts.values())),
            "use_case": sample.tags.get("use_case", each.answer.get("use_case")),
            "capability": sample.tags.get("capability", each.answer.get("capability")),
            "style": list(each.answer.get(STYLE, ())),
            "reader": each.reader,
            "why": "; ".join(f"{axis.replace('_', ' ')}: {said}" for axis, said in _reasons(each)),
        }
        for sample in space.store.records(Sample)
        if (each := proposed.get(key := sample.key)) is not None and key not in told
    ]


def _reasons(decision: Decision) -> Iterator[tuple[str, str]]:
    return ((axis, str(decision.evidence[axis])) for axis in (*AXES, STYLE) if axis in decision.evidence)


def offered(space: Workspace, keys: Iterable[str], said: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The tags proposed for some prompts, with what a person `said` in their place. Raises UserError where there are
    none at all."""
    proposed = proposals(space.store.records(Decision))
    found = {key: {**(proposed[key].answer if key in proposed else {}), **said} for key in keys}
    if bare := [key for key, tags in found.items() if not tags]:
        raise UserError(f"no tags were proposed for {', '.join(bare)}; say them as AXIS=WORD")
    return found


def confirm(space: Workspace, tags: Mapping[str, Mapping[str, Any]], *, by: str, why: str = "") -> list[dict[str, Any]]:
    """Write tags as a person confirms them, by the key of the prompt. A confirmation is a ruling, which the audit log
    shows beside what was proposed.

    Raises UserError, and writes nothing, for a prompt that is not known and for a word outside the taxonomy.
    """
    proposed = proposals(space.store.records(Decision))
    made, renewed = [], []
    for key, said in tags.items():
        sample = space.store.get(key)
        if not isinstance(sample, Sample):
            raise UserError(f"there is no prompt {key}; groundswell tag lists those that wait")
        if not said:
            raise UserError(f"there is no tag to confirm for {key}")
        _check(said)
        evidence: dict[str, Any] = {"tags": dict(said)}
        if key in proposed:
            evidence |= {"proposed": proposed[key].answer, "reader": proposed[key].reader}
        because = why or ", ".join(f"{axis}: {_written(word)}" for axis, word in said.items())
        made.append(Ruling(subject=key, what="tag", by=by, why=because, evidence=evidence, time=datetime.now(UTC)))
        renewed.append(msgspec.structs.replace(sample, tags={**sample.tags, **said}))
    space.store.put(made)
    space.store.put(renewed, renew=True)
    return [{"sample": key, "tags": dict(said)} for key, said in tags.items()]


def said_as(tags: Sequence[str]) -> dict[str, Any]:
    """Tags as a person writes them, AXIS=WORD; several styles are several words. Raises UserError."""
    found: dict[str, Any] = {}
    for each in tags:
        axis, _, word = each.partition("=")
        if axis == STYLE:
            found.setdefault(STYLE, []).append(word)
        else:
            found[axis] = word
    _check(found)
    return found


def _check(tags: Mapping[str, Any]) -> None:
    known = terms()
    for axis, word in tags.items():
        for one in word if axis == STYLE else [word]:
            if one not in known.get(axis, ()):
                listed = "; ".join(f"{name}: {', '.join(words)}" for name, words in known.items())
                raise UserError(f"{axis}={one} is no tag; write AXIS=WORD with one of {listed}")


def _written(word: Any) -> str:
    return word if isinstance(word, str) else " + ".join(word)
