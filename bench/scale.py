"""What a unit costs on each store and each pool: the numbers of docs/scale.md.

    python -m bench.scale [--units 5000]
    python -m bench.scale --posts 1000000 --prompts 1000000      what Ray Data reads and joins, with its memory

PostgreSQL and S3 are real servers on this machine; a network between them adds its round trips, which are counted too.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import psutil

from bench.engine import Nothing
from groundswell.records import Job, Post, Unit
from groundswell.store.blobs import ObjectBlobs, open_blobs
from groundswell.store.sql import SqlStore, open_store
from groundswell.testing.servers import S3, PostgreSQL
from groundswell.work.engine import Engine
from groundswell.work.local import LocalPool

PICTURE = bytes(300_000)
"""About what a picture of 1024 x 1024 takes as JPEG."""


def timed(work: Callable[[], object], count: int) -> tuple[float, float]:
    """Milliseconds of wall time and of this process's CPU, for one of `count`."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return (time.perf_counter() - wall) / count * 1000, (time.process_time() - cpu) / count * 1000


def of_store(name: str, store: SqlStore, units: int) -> list[str]:
    """Rows of a table about one store."""

    def run() -> None:
        async def whole() -> None:
            async with Engine(store, LocalPool()) as engine:
                await engine.run(Nothing(units), width=64)

        asyncio.run(whole())

    posts = [Post(platform="x", id=str(number), text="a post of some words " * 8) for number in range(units)]
    known = [Unit(key=Job(sample=f"{number:032x}", endpoint="e").key, payload=None) for number in range(units)]
    work = {
        "a unit through engine and store": run,
        "a post added": lambda: store.put(posts),
        "a post read": lambda: sum(1 for _ in store.records(Post)),
        "a finished unit looked up": lambda: sum(1 for _ in store.unfinished("judge", known, 6)),
    }
    rows = []
    for what, do in work.items():
        wall, cpu = timed(do, units)
        rows.append(f"| {name} | {what} | {wall:.3f} | {cpu:.3f} |")
    return rows


def of_blobs(name: str, blobs: ObjectBlobs, count: int) -> list[str]:
    """Rows of a table about one place for blobs."""
    data = [number.to_bytes(4, "big") + PICTURE for number in range(count)]
    digests: list[str] = []
    wall, cpu = timed(lambda: digests.extend(map(blobs.put, data)), count)
    rows = [f"| {name} | a picture of 300 kB stored | {wall:.2f} | {cpu:.2f} |"]
    wall, cpu = timed(lambda: [blobs.get(digest) for digest in digests], count)
    return [*rows, f"| {name} | a picture of 300 kB read and proved | {wall:.2f} | {cpu:.2f} |"]


class Watch:
    """The memory of this process and all that it began: their own pages, without those of the object store."""

    def __init__(self) -> None:
        self.largest = self.sum = 0.0
        self.cpu: dict[int, float] = {}
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        self._start = time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.wall = time.perf_counter() - self._start
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        here = psutil.Process()
        while not self._ended.wait(0.5):
            sizes = []
            for process in (here, *here.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    memory, times = process.memory_info(), process.cpu_times()
                    sizes.append((memory.rss - memory.shared) / 1e6)
                    self.cpu[process.pid] = times.user + times.system
            self.largest, self.sum = max(self.largest, *sizes), max(self.sum, sum(sizes))


OBJECT_STORE = 100_000_000
"""Bytes of Ray's object store: less than the corpora, so that what waits goes to the disk."""


def of_ray_data(posts: int, prompts: int) -> None:
    """What a corpus larger than the object store costs through Ray Data, and its memory."""
    import ray

    from groundswell.flow.community import ingest
    from groundswell.flow.copies import duplicates

    ray.init(
        num_cpus=2,
        object_store_memory=OBJECT_STORE,
        include_dashboard=False,
        configure_logging=False,
        log_to_driver=False,
    )
    with tempfile.TemporaryDirectory() as folder:
        exports, shards = _exports(Path(folder), posts), _shards(Path(folder), prompts)
        jobs: list[tuple[str, int, list[Path], Callable[[], dict[str, Any]]]] = [
            ("posts read and merged", posts, exports, lambda: ingest(None, exports, format="auto", pool="ray")),
            (
                "near-duplicates of prompts",
                prompts,
                shards,
                lambda: duplicates(shards, column="prompt", threshold=0.8, pool="ray"),
            ),
        ]
        sys.stdout.write("| what | of MB | wall, s | a second | CPU, s | largest process, MB | all, MB | found |\n")
        sys.stdout.write("|---|---|---|---|---|---|---|---|\n")
        for what, count, files, job in jobs:
            if not count:
                continue
            with Watch() as watch:
                found = job()
            size = sum(path.stat().st_size for path in files) / 1e6
            told = found.get("near_duplicates", found.get("posts"))
            sys.stdout.write(
                f"| {count:,} {what} | {size:.0f} | {watch.wall:.0f} | {count / watch.wall:,.0f} "
                f"| {sum(watch.cpu.values()):.0f} | {watch.largest:.0f} | {watch.sum:.0f} | {told:,} |\n"
            )


def _exports(folder: Path, count: int) -> list[Path]:
    """Posts of X, one a line, 100,000 a file; one in ten comes again in the next file."""
    paths = []
    for first in range(0, count, 100_000):
        path = folder / f"posts-{first}.jsonl"
        with path.open("wb") as file:
            for number in range(max(0, first - 10_000), min(count, first + 100_000)):
                parent = [{"type": "replied_to", "id": str(10**18 + number * 7 // 8)}] if number % 3 else []
                row = {
                    "id": str(10**18 + number),
                    "author_id": str(number % 50_000),
                    "created_at": "2026-11-03T12:00:00.000Z",
                    "conversation_id": str(10**18 + number // 2),
                    "text": f"post {number} says what a person says of a picture of a fox in the snow " * 3,
                    "referenced_tweets": parent,
                    "public_metrics": {"like_count": 5, "reply_count": 1, "retweet_count": 0, "quote_count": 0},
                }
                file.write(msgspec.json.encode(row) + b"\n")
        paths.append(path)
    return paths


def _shards(folder: Path, count: int) -> list[Path]:
    """Made-up prompts in Parquet files, a tenth of them others with a changed word."""
    import polars as pl

    dice = random.Random(0)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(2, 9))) for _ in range(20_000)]
    paths, made = [], [""]
    for first in range(0, count, 250_000):
        texts = []
        for _ in range(min(250_000, count - first)):
            text = dice.choices(words, k=dice.randint(10, 25))
            if dice.random() < 0.1:
                text = dice.choice(made).split(" ")
                text[dice.randrange(len(text))] = dice.choice(words)
            texts.append(" ".join(text))
            if len(made) < 100_000:
                made.append(texts[-1])
        paths.append(folder / f"prompts-{first}.parquet")
        pl.DataFrame({"prompt": texts}).write_parquet(paths[-1])
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=5000)
    parser.add_argument(
        "--posts", type=int, default=0, help="so many posts are read through Ray Data, and nothing else"
    )
    parser.add_argument("--prompts", type=int, default=0, help="near-duplicates of so many prompts, likewise")
    given = parser.parse_args()
    units = given.units
    if given.posts or given.prompts:
        of_ray_data(given.posts, given.prompts)
        return
    sys.stdout.write("| where | what | wall, ms | CPU here, ms |\n|---|---|---|---|\n")
    with tempfile.TemporaryDirectory() as folder, PostgreSQL() as postgresql, S3() as s3:
        stores = {"SQLite": str(Path(folder) / "groundswell.sqlite"), "PostgreSQL": postgresql.database()}
        for name, place in stores.items():
            store = open_store(place)
            sys.stdout.write("\n".join(of_store(name, store, units)) + "\n")
            store.close()
        for name, place in {"folder": f"{folder}/blobs", "S3 (moto)": s3.bucket()}.items():
            sys.stdout.write("\n".join(of_blobs(name, open_blobs(place), 200)) + "\n")


if __name__ == "__main__":
    main()
