"""The stage `measure`: one unit for every output and metric that may say something about it.

Outputs of one sample come one after another and the gallery keeps their inputs, so a worker decodes and looks at each
picture once. A metric that does not apply leaves a record that says why; only missing bytes make a unit fail.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from groundswell.errors import HostError, StoreError, UserError
from groundswell.measure.applicability import ASKS, LOCAL_RULES, ask
from groundswell.ports import Metric, Reader, Store
from groundswell.records import (
    Done,
    Measured,
    NotApplicable,
    Output,
    Part,
    Sample,
    Unit,
    UnitState,
    key_of,
)

Load = Callable[[str], bytes]
"""Bytes of a picture by its digest. Raises StoreError where they are absent."""


class Wanted(Part, frozen=True, kw_only=True):
    """Payload of a unit: which output of which sample, and the metric's name."""

    sample: Sample
    output: Output
    metric: str


class MeasureStage:
    """A `ports.Stage` over `metrics`. `only` confines it to an edition's samples.

    The `reader`, a model or local rules, is asked once a sample whether a metric applies, where the question exists;
    where it is unsure the metric's own rule decides.
    """

    name = "measure"

    def __init__(
        self,
        metrics: Sequence[Metric],
        load: Load,
        *,
        only: Collection[str] | None = None,
        reader: Reader = LOCAL_RULES,
    ) -> None:
        self._metrics: Mapping[str, Metric] = {metric.name: metric for metric in metrics}
        if len(self._metrics) < len(metrics):
            raise UserError("two metrics have one name; choose one backend for each")
        self._load = load
        self._only = only
        self._reader = reader
        self._answers: dict[tuple[str, str], asyncio.Task[str | None]] = {}

    def __getstate__(self) -> dict[str, Any]:
        # Answers under way belong to this process's event loop; another machine asks for itself.
        return {**self.__dict__, "_answers": {}}

    def units(self, store: Store) -> Iterator[Unit]:
        """Units of all outputs with a picture, sample by sample."""
        samples = {
            sample.key: sample for sample in store.records(Sample) if self._only is None or sample.key in self._only
        }
        outputs: dict[str, list[Output]] = defaultdict(list)
        for output in store.records(Output):
            if output.sample in samples and output.pictures:
                outputs[output.sample].append(output)
        for key, of_sample in outputs.items():
            for output in of_sample:
                output_key = output.key
                for metric in self._metrics.values():
                    yield Unit(
                        key=key_of(self.name, output_key, metric.name, metric.version, metric.backend),
                        payload=Wanted(sample=samples[key], output=output, metric=metric.name),
                        price=0.0,
                    )

    async def do(self, unit: Unit) -> Done:
        """Measure one output; the work runs in a thread, for networks release the interpreter while they compute."""
        wanted: Wanted = unit.payload
        metric = self._metrics[wanted.metric]
        try:
            why = await self._why_not(wanted.sample, metric)
        except HostError as error:
            del self._answers[wanted.sample.key, metric.name]
            return Done(state=UnitState.FAILED, why=str(error), transient=error.transient)
        if why is not None:
            silent = NotApplicable(
                output=wanted.output.key,
                sample=wanted.sample.key,
                metric=metric.name,
                version=metric.version,
                backend=metric.backend,
                why=why,
            )
            return Done(state=UnitState.DONE, records=(silent,), cost=0.0)
        try:
            measured = await asyncio.to_thread(self._measured, metric, wanted.sample, wanted.output)
        except (StoreError, UserError) as error:
            return Done(state=UnitState.FAILED, why=str(error), cost=0.0)
        return Done(state=UnitState.DONE, records=(measured,), cost=0.0)

    def _measured(self, metric: Metric, sample: Sample, output: Output) -> Measured:
        inputs = [self._load(picture.digest) for picture in sample.inputs]
        # Of several pictures the first is measured, as the published protocol asks for one.
        return metric.measure(sample, output.key, inputs, self._load(output.pictures[0].digest))

    async def _why_not(self, sample: Sample, metric: Metric) -> str | None:
        why = metric.applies(sample)
        if why is not None or metric.name not in ASKS:
            return why
        asked = (sample.key, metric.name)
        if asked not in self._answers:
            self._answers[asked] = asyncio.create_task(_asked(self._reader, sample, metric.name))
        return await self._answers[asked]


async def _asked(reader: Reader, sample: Sample, metric: str) -> str | None:
    answer = await ask(reader, sample, metric)
    return None if answer is None or answer.applies else f"{reader.name} judged that it does not apply: {answer.why}"
