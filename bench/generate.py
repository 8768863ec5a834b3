"""Generations: CPU of one picture beside the `openai` package, pictures in flight, and a host that fails in every way.

    python -m bench.generate [--rounds 5] [--pictures 96] [--reliability 2000] [--kills 20]

`ours` is the whole way from a unit to a stored output: request, reply, base64, hash, blob on disk, record in the store.
`openai + file` is the vendor's client with the least that keeps a picture: base64, hash, a file of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import contextlib
import gc
import hashlib
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median

import numpy as np

from groundswell.files import write_rows, write_text
from groundswell.flow.running import RunOptions, run, totals
from groundswell.flow.workspace import workspace
from groundswell.generate.make import Makers
from groundswell.generate.stage import Generate
from groundswell.pictures import encode_png
from groundswell.providers.openai import OpenAI
from groundswell.records import Edition, Endpoint, Failure, Output, Price, Refusal, Sample
from groundswell.store.blobs import open_blobs
from groundswell.store.sql import open_store
from groundswell.testing.host import Seen
from groundswell.testing.misbehaving import Misbehaving
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line
from groundswell.work.engine import Engine
from groundswell.work.local import LocalPool

IN_FLIGHT = 16
SIDE = 1024
SHARE = 0.3

WORKSPACE = """
[[suite]]
name = "custom"
source = "rows.jsonl"

[[endpoint]]
name = "painter"
host = "openai"
base_url = "{url}"
model = "m"
tasks = ["t2i"]
price_per_image = 0.04
limits = {{ concurrency = {concurrency}, timeout = 2.0, deadline = 120.0 }}
"""


async def ours(url: str, pictures: int) -> float:
    """A stage of units through engine, wire, codec, pictures, blobs and store; gives seconds of CPU."""
    samples = [Sample(suite="s", task="t2i", prompts={"en": f"picture {n}"}) for n in range(pictures)]
    endpoint = Endpoint(name="p", host="openai", model="m", base_url=url, tasks=("t2i",), price=Price(per_image=0.04))
    edition = Edition(suite="s", label="e", samples=tuple(sample.key for sample in samples))
    with tempfile.TemporaryDirectory() as folder:
        store, blobs = open_store(f"{folder}/store.sqlite"), open_blobs(f"{folder}/blobs")
        store.put(samples)
        line = Line("p", url, (), Limits(concurrency=IN_FLIGHT))
        async with Wire(blobs.get) as wire, Engine(store, LocalPool()) as engine:
            makers = Makers(blobs, wire, local={}, hosts={"p": (OpenAI(), line)})
            before = time.process_time()
            tally = await engine.run(Generate(edition, [endpoint], makers, blobs), width=IN_FLIGHT)
            spent = time.process_time() - before
        store.close()
    if tally.done != pictures:
        raise RuntimeError(f"{tally.done} of {pictures} came")
    return spent


async def openai_and_file(url: str, pictures: int) -> float:
    """The vendor's async client, and the picture kept as a file under its hash; gives seconds of CPU."""
    import openai

    with tempfile.TemporaryDirectory() as folder:
        async with openai.AsyncOpenAI(api_key="sk-bench-0123456789", base_url=url, max_retries=0) as client:
            numbers = iter(range(pictures))

            async def worker() -> None:
                for number in numbers:
                    reply = await client.images.generate(model="m", prompt=f"picture {number}", n=1)
                    data = base64.b64decode(reply.data[0].b64_json)
                    Path(folder, hashlib.sha256(data).hexdigest()).write_bytes(data)

            before = time.process_time()
            await asyncio.gather(*(worker() for _ in range(IN_FLIGHT)))
            return time.process_time() - before


def _noisy(number: int) -> bytes:
    """A picture of about 1.5 MB, as photographs of this size have."""
    chance = np.random.default_rng(number)
    ramp = np.add.outer(np.arange(SIDE), np.arange(SIDE))[..., None] // 9
    return encode_png((ramp + chance.integers(0, 10, (SIDE, SIDE, 3))).astype(np.uint8))


async def _serve(pictures: int) -> None:
    """Answers each generation at once, with the next picture."""
    heads, bodies = [], []
    for number in range(pictures):
        body = b'{"created":1,"data":[{"b64_json":"' + base64.b64encode(_noisy(number)) + b'"}]}'
        heads.append(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body))
        bodies.append(body)
    numbers = iter(range(10**9))

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
                await reader.readexactly(int(length))
                number = next(numbers) % pictures
                writer.write(heads[number])
                writer.write(bodies[number])
                await writer.drain()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1 {len(bodies[0]) * 3 // 4}\n")
    sys.stdout.flush()
    await server.serve_forever()


@contextlib.contextmanager
def _process(*command: str) -> Iterator[list[str]]:
    """A server in a process of its own; gives the words of its first line."""
    with subprocess.Popen([sys.executable, *command], stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().split()
        finally:
            process.kill()


def cpu(rounds: int, pictures: int) -> Iterator[str]:
    """Milliseconds of CPU a picture, rounds interleaved."""
    contenders: dict[str, Callable[[str, int], Awaitable[float]]] = {"ours": ours, "openai + file": openai_and_file}
    spent: dict[str, list[float]] = {name: [] for name in contenders}
    with _process("-m", "bench.generate", "--serve", str(pictures)) as (url, size):
        for _ in range(rounds):
            for name, contender in contenders.items():
                gc.collect()
                spent[name].append(asyncio.run(contender(url, pictures)) / pictures * 1000)
    middle = {name: median(times) for name, times in spent.items()}
    megabytes = int(size) / 1e6
    yield f"1024 x 1024 PNG, {megabytes:.2f} MB, as base64, {IN_FLIGHT} in flight, {pictures} pictures, {rounds} rounds"
    for name, value in middle.items():
        yield f"  {name}: {value:.2f} ms of CPU a picture"
    yield f"  openai / ours: {middle['openai + file'] / middle['ours']:.2f} (wanted: ours at most 12 ms)"


def _run(folder: Path) -> None:
    with workspace(folder) as space:
        run(space, RunOptions(only=("generate",)))


def reliability(many: int, kills: int, concurrency: int = 64) -> Iterator[str]:
    """A workspace of `many` generations at a misbehaving host, killed on the way, until nothing is missing."""
    with tempfile.TemporaryDirectory() as name:
        folder, log = Path(name), Path(name) / "bought"
        rows = [{"id": n, "suite": "custom", "task": "t2i", "prompts": {"en": f"fox number {n}"}} for n in range(many)]
        write_rows(folder / "rows.jsonl", rows)
        command = ("-m", "groundswell.testing.host", "--misbehave", str(SHARE), "--log", str(log))
        began = time.monotonic()
        with _process(*command) as (url,):
            write_text(folder / "groundswell.toml", WORKSPACE.format(url=url, concurrency=concurrency))
            killed = _killed(folder, log, kills)
            runs = 0
            while runs < 8:
                runs += 1
                _run(folder)
                with workspace(folder) as space:
                    data = totals(space)
                if not data["stages"]["generate"]["missing"]:
                    break
        yield from _report(folder, log, data, killed)
        yield f"  {runs} runs after the last kill, {time.monotonic() - began:.0f} s in all"


def _killed(folder: Path, log: Path, kills: int) -> int:
    chance, killed = random.Random(7), 0
    while killed < kills:
        before = log.stat().st_size if log.exists() else 0
        process = subprocess.Popen([sys.executable, "-m", "bench.generate", "--run", str(folder)])
        while process.poll() is None and (not log.exists() or log.stat().st_size == before):
            time.sleep(0.01)
        time.sleep(chance.uniform(0.0, 0.2))
        if process.poll() is not None:
            return killed
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
    return killed


def _report(folder: Path, log: Path, data: dict, killed: int) -> Iterator[str]:
    script = Misbehaving(SHARE)
    delivered: Counter[str] = Counter()
    bought = 0
    for line in log.read_text().splitlines():
        row = json.loads(line)
        seen = Seen(
            number=0, method="POST", path=row["path"], headers={}, body=b"",
            question=row["question"], sending=row["sending"], at=0.0,
        )  # fmt: skip
        bought += 1
        delivered[row["question"]] += not script.is_lost(seen)
    twice = sum(max(0, count - 1) for count in delivered.values())
    counts = data["stages"]["generate"]
    with workspace(folder) as space:
        outputs = list(space.store.records(Output))
        refusals = [refusal.job for refusal in space.store.records(Refusal)]
        faked = {failure.job for failure in space.store.records(Failure) if not failure.transient}
        whole = all(
            hashlib.sha256(space.blobs.get(output.pictures[0].digest)).hexdigest() == output.pictures[0].digest
            for output in outputs
        )
    jobs = {output.job for output in outputs}
    once = len(refusals) == len(set(refusals)) == counts["refused"]
    done, refused, missing = counts["done"], counts["refused"], counts["missing"]
    yield f"reliability: {SHARE:.0%} of the sendings fail in every way, killed {killed} times"
    yield f"  done {done}, refused {refused}, host's error picture {len(faked)}, missing {missing}"
    yield f"  outputs {len(jobs)}, every blob whole: {whole}; every refusal counted once: {once}"
    yield f"  purchases {bought}; delivered pictures bought again (in flight at a kill): {twice}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--pictures", type=int, default=96)
    parser.add_argument("--reliability", type=int, default=2000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--serve", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        asyncio.run(_serve(given.serve))
    elif given.run:
        _run(given.run)
    else:
        lines = cpu(given.rounds, given.pictures) if given.rounds else iter(())
        for line in lines:
            sys.stdout.write(f"{line}\n")
        for kills in sorted({0, given.kills} if given.reliability else ()):
            for line in reliability(given.reliability, kills):
                sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
