"""The stage `generate`: an outcome for every sample x endpoint x language x draw of an edition.

It makes requests and turns what came into records; how a host is spoken to is the business of the `make` it is given.
A refusal is a result, a failure says at which step it happened, and neither is ever a picture.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

import msgspec

from groundswell.generate.differing import differences
from groundswell.generate.prices import cost_after, expected
from groundswell.pictures import UnreadablePicture, describe, smaller_copy
from groundswell.ports import Blobs, Store
from groundswell.records import (
    Answer,
    Broken,
    Declined,
    Done,
    Edition,
    Endpoint,
    Failure,
    Job,
    Licence,
    Output,
    Picture,
    Record,
    Refusal,
    Sample,
    Unit,
    UnitState,
)

LONGEST_REASON = 300
"""Characters of a reason that are kept."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What `make` is given: a job with everything that it names."""

    job: Job
    sample: Sample
    endpoint: Endpoint
    prompt: str
    language: str


Make = Callable[[Wanted], Awaitable[Answer | Declined | Broken]]


class Generate:
    """`ports.Stage` of one edition. `make` asks one endpoint for one output."""

    name = "generate"

    def __init__(
        self,
        edition: Edition,
        endpoints: Sequence[Endpoint],
        make: Make,
        blobs: Blobs,
        *,
        draws: int = 1,
        price: Callable[[Wanted], float | None] | None = None,
    ) -> None:
        """`price`: USD expected for an output; None = by the endpoint's own price."""
        self._edition = edition
        self._endpoints = [(endpoint, endpoint.key) for endpoint in endpoints]
        self._make = make
        self._blobs = blobs
        self._draws = draws
        self._price = price or (lambda wanted: expected(wanted.endpoint, wanted.sample))

    def units(self, store: Store) -> Iterator[Unit]:
        """Sample by sample, so that a sample has all its outputs before the next begins."""
        members = set(self._edition.samples)
        for sample in store.records(Sample):
            if (key := sample.key) not in members or sample.not_runnable is not None:
                continue
            for draw in range(self._draws):
                for language in languages_of(sample, self._edition):
                    yield from self._units_of(sample, key, language, draw)

    def _units_of(self, sample: Sample, key: str, language: str, draw: int) -> Iterator[Unit]:
        settings = {"prompt_language": language} if len(sample.prompts) > 1 else {}
        for endpoint, endpoint_key in self._endpoints:
            if sample.task not in endpoint.tasks:
                continue
            job = Job(sample=key, endpoint=endpoint_key, settings=settings, draw=draw)
            wanted = Wanted(
                job=job, sample=sample, endpoint=endpoint, prompt=sample.prompts[language], language=language
            )
            yield Unit(key=job.key, payload=wanted, price=self._price(wanted))

    def travels(self, unit: Unit) -> bool:
        """Whether the output can be made anywhere: by a model that needs no host."""
        travels = getattr(self._make, "travels", None)
        return travels is not None and bool(travels(unit.payload))

    async def do(self, unit: Unit) -> Done:
        """Ask for one output and record what came."""
        wanted: Wanted = unit.payload
        started, before = datetime.now(UTC), perf_counter()
        came = await self._make(wanted)
        facts = {
            "job": unit.key,
            "sample": wanted.job.sample,
            "endpoint": wanted.job.endpoint,
            "draw": wanted.job.draw,
            "language": wanted.language,
            "started": started,
            "seconds": perf_counter() - before,
            "cost": cost_after(came, wanted.endpoint, unit.price),
        }
        return await asyncio.to_thread(self._record, came, facts, wanted)

    def _record(self, came: Answer | Declined | Broken, facts: Mapping[str, Any], wanted: Wanted) -> Done:
        cost, licence = facts["cost"], _licence(wanted.sample)
        if isinstance(came, Answer) and not came.pictures and wanted.sample.task != "chat":
            # Words, or nothing at all, are no output where a picture was wanted.
            came = Declined(reason=f"made no picture: {came.text or 'nothing came'}"[:LONGEST_REASON], at="output")
        if isinstance(came, Declined):
            refusal = Refusal(**facts, reason=came.reason, at=came.at, observed=came.observed)
            return Done(state=UnitState.REFUSED, records=(refusal,), cost=cost, why=came.reason)
        if isinstance(came, Broken):
            return _failed(came, facts)
        try:
            pictures = tuple(self._kept(data, licence) for data in came.pictures)
        except UnreadablePicture as error:
            return _failed(Broken(what="decode", reason=str(error), transient=False), facts)
        output = Output(
            **facts,
            pictures=pictures,
            text=came.text,
            served_model=came.served_model,
            rewritten_prompt=came.rewritten_prompt,
            observed=came.observed,
            differs=differences(wanted.endpoint, wanted.sample, pictures, came),
        )
        return Done(state=UnitState.DONE, records=(output,), cost=cost)

    def _kept(self, data: bytes, licence: Licence | None) -> Picture:
        """The picture, its bytes stored, with a smaller copy beside them where they are more than people compare."""
        picture = describe(data, licence)
        copy = smaller_copy(data)
        self._blobs.put(data)
        return picture if copy is None else msgspec.structs.replace(picture, copy=self._blobs.put(copy))


def languages_of(sample: Sample, edition: Edition) -> list[str]:
    """Languages in which a sample is asked: those of the edition that it has, or its only one."""
    if len(sample.prompts) == 1:
        return list(sample.prompts)
    return [language for language in edition.languages if language in sample.prompts]


def _licence(sample: Sample) -> Licence | None:
    """An output of a picture that may not be passed on may not be passed on either."""
    closed = [picture.licence for picture in sample.inputs if picture.licence and not picture.licence.derivatives]
    return closed[0] if closed else None


def _failed(came: Broken, facts: Mapping[str, Any]) -> Done:
    no_key = came.key_dead or came.exhausted
    # Without a key nobody could be asked: another key, or a paid bill, and it is asked as if for the first time.
    transient = came.transient or no_key
    failure: Record = Failure(
        **facts,
        what=came.what,
        reason=came.reason,
        transient=transient,
        observed=came.observed,
    )
    return Done(
        state=UnitState.FAILED,
        records=(failure,),
        cost=facts["cost"],
        why=f"{came.what}: {came.reason}",
        transient=transient,
        retry_after=came.retry_after,
        tried=not no_key,
    )
