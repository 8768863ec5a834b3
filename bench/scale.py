"""What a unit costs on each store and each pool: the numbers of docs/scale.md.

    python -m bench.scale [--units 5000]

PostgreSQL and S3 are real servers on this machine; a network between them adds its round trips, which are counted too.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--units", type=int, default=5000)
    units = parser.parse_args().units
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
