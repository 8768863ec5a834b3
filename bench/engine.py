"""Engine and store: cost of a unit, memory of what is pending, reopening what is finished, and the quick commands.

    python -m bench.engine [--reopen 1000000]

`judged` is the whole way from a unit to a stored judgment, a contender for `bench.wire`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import median

from bench.wire import IN_FLIGHT, RUBRIC, Load
from groundswell.ask.asking import Desk, Question, Shown
from groundswell.judge.stage import AskJudges
from groundswell.providers.openai import OpenAI
from groundswell.records import Done, Edition, Endpoint, Job, Judgment, Output, Picture, Sample, Unit, UnitState
from groundswell.store.sql import open_store
from groundswell.wire.door import Safety, Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Limits, Line
from groundswell.work.engine import Engine, missing
from groundswell.work.local import LocalPool


async def judged(load: Load) -> None:
    """A stage of units through engine, ask, wire and store, to judgments on disk."""
    line = Line("bench", load.base_url, (Key("BENCH_KEY", "sk-bench-0123456789"),), Limits(concurrency=IN_FLIGHT))
    endpoint = Endpoint(name="bench", host="openai", model="bench-1", base_url=load.base_url)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "groundswell.sqlite"
        shutil.copy(_prepared(load), place)
        store = open_store(str(place))
        async with Wire(load.pictures.__getitem__, safety=Safety(ca_file=load.ca_file)) as wire:
            desk = Desk(wire, OpenAI(), endpoint, line)
            stage = AskJudges(_edition(load), [desk], _question)
            async with Engine(store, LocalPool()) as engine:
                tally = await engine.run(stage, width=IN_FLIGHT)
        store.close()
    if tally.done != load.requests:
        raise RuntimeError(f"{tally.done} of {load.requests} units were done")


def _question(sample: Sample, output: Output) -> list[Question]:
    return [
        Question(
            rubric=RUBRIC, sample=output.sample, outputs=(output.key,), parts=(Shown("result", output.pictures[0]),)
        )
    ]


def _sample() -> Sample:
    return Sample(suite="bench", task="t2i", prompts={"en": "a red fox"})


def _edition(load: Load) -> Edition:
    return Edition(suite="bench", label=str(load.requests), samples=(_sample().key,))


@cache
def _prepared_for(requests: int, digests: tuple[str, ...], media_type: str) -> Path:
    """A store that holds the sample and its outputs, made once: what is measured begins at the units."""
    place = Path(tempfile.mkdtemp()) / "groundswell.sqlite"
    store = open_store(str(place))
    sample = _sample()
    outputs = [
        Output(
            job=Job(sample=sample.key, endpoint="e", draw=number).key,
            sample=sample.key,
            endpoint="e",
            pictures=(Picture(digest=digests[number], media_type=media_type, width=1, height=1),),
        )
        for number in range(requests)
    ]
    store.put([sample, *outputs])
    store.close()
    with_checkpoint = open_store(str(place))  # the copy must not need the write-ahead log
    with_checkpoint.close()
    return place


def _prepared(load: Load) -> Path:
    digests = tuple(load.digest(number) for number in range(load.requests))
    return _prepared_for(load.requests, digests, load.media_type)


class Nothing:
    """A stage whose units cost nothing, each with one stored judgment: what is left is engine and store."""

    name = "judge"

    def __init__(self, size: int) -> None:
        self.size = size

    def units(self, store: object) -> Iterator[Unit]:
        return (Unit(key=Job(sample=f"{n:032x}", endpoint="e").key, payload=None, price=0.0) for n in range(self.size))

    async def do(self, unit: Unit) -> Done:
        record = Judgment(
            outputs=(unit.key,), judge="j", rubric="r" * 32, sample="s" * 32, scores={"grade": 7.0}, reply="x" * 400
        )
        return Done(state=UnitState.DONE, records=(record,), cost=0.0)


def cost_of_a_unit(units: int = 20_000) -> float:
    """Milliseconds of CPU a unit, in engine and store together."""

    async def whole(place: str) -> float:
        store = open_store(place)
        async with Engine(store, LocalPool()) as engine:
            started = time.process_time()
            await engine.run(Nothing(units), width=64)
            spent = time.process_time() - started
        store.close()
        return spent / units * 1000

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(whole(f"{folder}/groundswell.sqlite"))


def reopening(units: int) -> tuple[float, float]:
    """Seconds to find nothing to do among finished units, and the peak memory in MB of doing so."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"{folder}/groundswell.sqlite"
        store, stage = open_store(place), Nothing(units)
        worker, batch = store.enlist(), []
        for unit in stage.units(store):
            batch.append((unit, Done(state=UnitState.DONE, cost=0.0)))
            if len(batch) == 5000:
                store.claim(stage.name, [unit.key for unit, _ in batch], worker)
                store.settle(stage.name, batch)
                batch = []
        store.dismiss(worker)
        store.close()
        gc.collect()
        started = time.perf_counter()
        store = open_store(place)
        if missing(store, stage):
            raise RuntimeError("units are missing")
        took = time.perf_counter() - started
        store.close()
    return took, _peak_megabytes()


def pending_memory(units: int = 100_000) -> float:
    """Peak MB of a process that runs this many pending units to their end."""
    return float(
        _in_process(
            f"from bench.engine import *; from bench.engine import _peak_megabytes; "
            f"cost_of_a_unit({units}); print(_peak_megabytes())"
        )
    )


def _in_process(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def _peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def command_milliseconds(*words: str, rounds: int = 11) -> float:
    """Median wall time of a command in a fresh process."""
    command = [str(Path(sys.executable).with_name("groundswell")), *words]
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append((time.perf_counter() - started) * 1000)
    return median(times)


def _median_of(measure: Callable[[], float], rounds: int = 3) -> float:
    return median(measure() for _ in range(rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reopen", type=int, default=1_000_000, help="finished units of the workspace reopened")
    given = parser.parse_args()
    rows = [
        ("engine and store, CPU a unit", f"{_median_of(cost_of_a_unit):.3f} ms", "0.4 ms"),
        ("100,000 pending units, peak memory", f"{pending_memory():.0f} MB", "200 MB"),
        ("`groundswell --help`", f"{command_milliseconds('--help'):.0f} ms", "150 ms"),
    ]
    seconds, peak = reopening(given.reopen)
    rows.append((f"reopening {given.reopen:,} finished units", f"{seconds:.2f} s, {peak:.0f} MB", "5 s"))
    sys.stdout.write("| what | measured | target |\n|---|---|---|\n")
    for row in rows:
        sys.stdout.write("| " + " | ".join(row) + " |\n")


if __name__ == "__main__":
    main()
