"""The stage `measure`: one unit for every output and metric that may say something about it.

Outputs of one sample come one after another and the gallery keeps their inputs, so a worker decodes and looks at each
picture once. A metric that does not apply leaves a record that says why; only missing bytes make a unit fail.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from groundswell.errors import BlobLost, StoreError, UserError
from groundswell.measure.applicability import Applies, decided, is_asked, why_not
from groundswell.ports import Metric, Store
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
    """Payload of a unit: which output of which sample, the metric's name, and what a model said of its applying."""

    sample: Sample
    output: Output
    metric: str
    answer: Applies | None = None


class MeasureStage:
    """A `ports.Stage` over `metrics`. `only` confines it to an edition's samples.

    Whether a metric applies is what a model (`reader`, its judge's name) has decided of the sample, and a unit waits
    for that; without a reader local rules say it. Where either is unsure the metric's own rule decides.
    """

    name = "measure"

    def __init__(
        self,
        metrics: Sequence[Metric],
        load: Load,
        *,
        only: Collection[str] | None = None,
        reader: str | None = None,
    ) -> None:
        self._metrics: Mapping[str, Metric] = {metric.name: metric for metric in metrics}
        if len(self._metrics) < len(metrics):
            raise UserError("two metrics have one name; choose one backend for each")
        self._load = load
        self._only = only
        self._reader = reader

    def units(self, store: Store) -> Iterator[Unit]:
        """Units of all outputs with a picture, sample by sample."""
        samples = {
            sample.key: sample for sample in store.records(Sample) if self._only is None or sample.key in self._only
        }
        outputs: dict[str, list[Output]] = defaultdict(list)
        for output in store.records(Output):
            if output.sample in samples and output.pictures:
                outputs[output.sample].append(output)
        answers = {} if self._reader is None else decided(store, self._reader)
        for key, of_sample in outputs.items():
            sample = samples[key]
            ready = [name for name in self._metrics if (key, name) in answers or not self._waits(sample, name)]
            for output in of_sample:
                output_key = output.key
                for name in ready:
                    metric, answer = self._metrics[name], answers.get((key, name))
                    yield Unit(
                        key=key_of(self.name, output_key, name, metric.version, metric.backend),
                        payload=Wanted(sample=sample, output=output, metric=name, answer=answer),
                        price=0.0,
                    )

    def _waits(self, sample: Sample, metric: str) -> bool:
        return self._reader is not None and is_asked(sample, metric)

    def travels(self, unit: Unit) -> bool:
        """Pictures can be measured anywhere; whether a metric applies was decided before."""
        return True

    def gpus(self, unit: Unit) -> float:
        """Share of a GPU that a unit's network fills."""
        return float(getattr(self._metrics[unit.payload.metric], "gpus", 0.0))

    async def do(self, unit: Unit) -> Done:
        """Measure one output; the work runs in a thread, for networks release the interpreter while they compute."""
        wanted: Wanted = unit.payload
        metric = self._metrics[wanted.metric]
        why = metric.applies(wanted.sample) or why_not(wanted.sample, metric.name, wanted.answer, self._reader)
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
        except BlobLost:
            raise
        except (StoreError, UserError) as error:
            return Done(state=UnitState.FAILED, why=str(error), cost=0.0)
        return Done(state=UnitState.DONE, records=(measured,), cost=0.0)

    def _measured(self, metric: Metric, sample: Sample, output: Output) -> Measured:
        inputs = [self._load(picture.digest) for picture in sample.inputs]
        # Of several pictures the first is measured, as the published protocol asks for one.
        return metric.measure(sample, output.key, inputs, self._load(output.pictures[0].digest))
