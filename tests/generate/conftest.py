"""A stage `generate` of many pictures at a scripted host."""

from collections import Counter
from dataclasses import dataclass

import pytest

from groundswell.generate.make import Makers
from groundswell.generate.repeats import withdraw_repeated
from groundswell.generate.stage import Generate
from groundswell.providers.openai import OpenAI
from groundswell.records import Edition, Endpoint, Output, Price, Sample
from groundswell.store.blobs import open_blobs
from groundswell.store.sql import open_store
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line
from groundswell.work.engine import Engine, missing
from groundswell.work.local import LocalPool


@dataclass
class Bench:
    """A store, blobs, and samples that want one picture each."""

    store: object
    blobs: object
    samples: list

    async def generate(self, host, *, runs=6, width=48, **limits):
        """Run until nothing is missing; gives the runs that it took."""
        endpoint = Endpoint(
            name="painter",
            host="openai",
            model="m",
            base_url=host.base_url,
            tasks=("t2i",),
            price=Price(per_image=0.04),
        )
        edition = Edition(suite="s", label="e", samples=tuple(sample.key for sample in self.samples))
        self.store.put([*self.samples, endpoint, edition])
        line = Line("painter", host.base_url, (), Limits(concurrency=width, **limits))
        for run in range(1, runs + 1):
            async with Wire(self.blobs.get, chance=lambda: 0.02) as wire, Engine(self.store, LocalPool()) as engine:
                makers = Makers(self.blobs, wire, local={}, hosts={"painter": (OpenAI(), line)})
                stage = Generate(edition, [endpoint], makers, self.blobs)
                await engine.run(stage, width=width)
            withdraw_repeated(self.store, {"local"})
            if not missing(self.store, stage):
                return run
        return None

    def outputs(self):
        return list(self.store.records(Output))


@pytest.fixture
def bench(tmp_path):
    def make(count):
        samples = [Sample(suite="s", task="t2i", prompts={"en": f"fox number {n}"}) for n in range(count)]
        return Bench(open_store(str(tmp_path / "store.sqlite")), open_blobs(str(tmp_path / "blobs")), samples)

    return make


@pytest.fixture
def sendings():
    """How often each question was sent."""

    def count(host):
        return Counter(seen.question for seen in host.seen)

    return count
