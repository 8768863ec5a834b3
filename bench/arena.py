"""The arena under load, over loopback: page, two pictures, vote; and what a million stored votes cost a ballot.

    python -m bench.arena [--seconds 10] [--stored 1000000] [--only sqlite|postgresql]

Client and server share the machine's cores. A ballot is complete when the page that names the models has come. Targets:
150 complete ballots a second, p99 of a request under 150 ms, no vote lost, at most 20 % slower with the stored votes:
that one is told by the processor time of the servers for one ballot, which other work on the machine hardly changes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from groundswell.flow.workspace import Workspace, workspace
from groundswell.pictures import encode_png
from groundswell.records import (
    Done,
    Edition,
    Endpoint,
    Job,
    Output,
    Record,
    Sample,
    Unit,
    UnitState,
    Vote,
    Winner,
    key_of,
)
from groundswell.vote.hall import STAGE

VOTERS = 12
"""Connections that vote at once."""

BALLOTS_IN_SESSION = 100
MODELS, SAMPLES, SIDE = 8, 20, 512
WARM = 5 * MODELS * SAMPLES
"""Ballots before the clock starts, so that nearly every picture was shown."""

CONFIG = '[workspace]\nstore = "{store}"\n[arena]\nmin_look_seconds = 0.0\n'
BALLOT = re.compile(rb'name="ballot" value="([^"]+)"')
SIDES = re.compile(rb'data-side="(?:left|right)">\s*<img src="([^"]+)"')


def fill(space: Workspace) -> list[Vote]:
    """Models with pictures for every sample; gives one vote a pair of models, to be multiplied."""
    rng = np.random.default_rng(0)
    endpoints = [Endpoint(name=f"model-{place}", host="file", model=f"model-{place}") for place in range(MODELS)]
    samples = [
        Sample(
            suite="arena",
            task="t2i",
            prompts={"en": f"Prompt {place}"},
            tags={"use_case": f"use {place % 5}", "capability": f"skill {place % 4}"},
        )
        for place in range(SAMPLES)
    ]
    records: list[Record] = [*endpoints, *samples]
    for sample in samples:
        for endpoint in endpoints:
            rough = rng.integers(0, 255, (SIDE // 16, SIDE // 16, 3), dtype=np.uint8).repeat(16, 0).repeat(16, 1)
            job = Job(sample=sample.key, endpoint=endpoint.key)
            picture = space.keep(encode_png(rough))
            records.append(Output(job=job.key, sample=job.sample, endpoint=job.endpoint, pictures=(picture,)))
    records.append(Edition(suite="arena", label="bench", samples=tuple(sample.key for sample in samples)))
    space.store.put(records)
    return [
        Vote(
            sample=samples[0].key,
            left=one.name,
            right=other.name,
            winner=Winner.LEFT,
            by="",
            ballot="",
            probability=0.1,
        )
        for one in endpoints
        for other in endpoints
        if one is not other
    ]


def store_votes(space: Workspace, like: list[Vote], count: int) -> None:
    """Votes of sessions of 40, as many as asked."""
    from msgspec.structs import replace

    samples = [sample.key for sample in space.store.records(Sample)]
    now = datetime.now(UTC)
    for begin in range(0, count, 20_000):
        votes = [
            replace(
                like[place % len(like)],
                sample=samples[place % SAMPLES],
                by=f"session-{place // 40}",
                ballot=key_of("old", place),
                left_output=f"left-{place}",
                right_output=f"right-{place}",
                time=now,
            )
            for place in range(begin, min(count, begin + 20_000))
        ]
        done = [Done(state=UnitState.DONE, records=(vote,), cost=0.0) for vote in votes]
        space.store.finish(
            STAGE, [(Unit(key=vote.ballot, payload=None), each) for vote, each in zip(votes, done, strict=True)]
        )


class Voter:
    """One keep-alive connection that votes as fast as it may."""

    def __init__(self, port: int, took: list[float]) -> None:
        self._port = port
        self._took = took
        self._cookie = b""

    async def run(self, until: float) -> int:
        """Complete ballots until then."""
        self._in, self._out = await asyncio.open_connection("127.0.0.1", self._port, limit=2**20)
        done = 0
        while time.perf_counter() < until:
            if done % BALLOTS_IN_SESSION == 0:
                self._cookie = b""
            page = await self._ask(b"GET / HTTP/1.1\r\n")
            for address in SIDES.findall(page):
                await self._ask(b"GET " + address + b" HTTP/1.1\r\n")
            ballot = BALLOT.search(page)
            assert ballot is not None, page[:400]
            body = b"ballot=" + ballot.group(1) + b"&choice=" + (b"left", b"right", b"tie")[done % 3]
            after = await self._ask(b"POST /vote HTTP/1.1\r\ncontent-length: %d\r\n" % len(body), body)
            assert b"revealed" in after, after[:400]
            done += 1
        self._out.close()
        return done

    async def _ask(self, head: bytes, body: bytes = b"") -> bytes:
        began = time.perf_counter()
        cookie = b"cookie: session=" + self._cookie + b"\r\n" if self._cookie else b""
        self._out.write(head + b"host: localhost\r\n" + cookie + b"\r\n" + body)
        answer = await self._in.readuntil(b"\r\n\r\n")
        if match := re.search(rb"set-cookie: session=([^;]+)", answer):
            self._cookie = match.group(1)
        length = re.search(rb"content-length: (\d+)", answer)
        data = await self._in.readexactly(int(length.group(1)) if length else 0)
        self._took.append(time.perf_counter() - began)
        return data


class Load(NamedTuple):
    """Ballots, the seconds that they took, the times of all requests, and the servers' processor seconds."""

    ballots: int
    seconds: float
    times: list[float]
    cpu: float


async def load(running: Sequence[tuple[subprocess.Popen[bytes], int]], seconds: float) -> Load:
    """The load when every picture was shown before: each is encoded once, at about 40 ms, and then kept."""
    servers, ports = zip(*running, strict=True)
    warm = 0
    while warm < WARM:
        warm += await everybody(ports, [], time.perf_counter() + 1)
    took: list[float] = []
    began, used = time.perf_counter(), processor_seconds(servers)
    done = await everybody(ports, took, began + seconds)
    return Load(done, time.perf_counter() - began, took, processor_seconds(servers) - used)


async def everybody(ports: Sequence[int], took: list[float], until: float) -> int:
    """Ballots that all voters complete until then, spread over the servers."""
    voters = [Voter(ports[place % len(ports)], took) for place in range(VOTERS)]
    return sum(await asyncio.gather(*(voter.run(until) for voter in voters)))


def served(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A server of the workspace that answers, and its port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [Path(sys.executable).with_name("groundswell"), "serve", "--dir", folder, "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(1_800):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return server, port
        time.sleep(0.1)
    raise SystemExit("the server did not come up")


class Measured(NamedTuple):
    """Ballots a second; p50 and p99 of a request and the servers' processor time for a ballot, in ms; votes that were
    acknowledged and are not in the store."""

    rate: float
    p50: float
    p99: float
    cpu: float
    lost: int

    def row(self, store: str, stored: int) -> str:
        speed = f"{self.rate:.0f} | {self.p50:.1f} | {self.p99:.1f} | {self.cpu:.2f}"
        return f"| {store} | {stored:,} | {speed} | {self.lost} |"


def processor_seconds(servers: Sequence[subprocess.Popen[bytes]]) -> float:
    """What some processes have used of the processors so far, by /proc."""
    ticks = [Path(f"/proc/{server.pid}/stat").read_text().rpartition(") ")[2].split()[11:13] for server in servers]
    return sum(int(user) + int(system) for user, system in ticks) / os.sysconf("SC_CLK_TCK")


def measured(folder: Path, seconds: float, servers: int) -> Measured:
    """What a load of so many seconds finds."""
    with workspace(folder) as space:
        before = sum(1 for _ in space.store.records(Vote))
    running = [served(folder) for _ in range(servers)]
    try:
        found = asyncio.run(load(running, seconds))
    finally:
        for server, _ in running:
            server.kill()  # as hard as it comes: what was acknowledged must be there
            server.wait()
    with workspace(folder) as space:
        stored = sum(1 for _ in space.store.records(Vote)) - before
    p50, p99 = np.percentile(found.times, [50, 99]) * 1000
    return Measured(
        rate=found.ballots / found.seconds,
        p50=float(p50),
        p99=float(p99),
        cpu=1000 * found.cpu / found.ballots,
        lost=max(0, found.ballots - stored),
    )


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--stored", type=int, default=1_000_000)
    options.add_argument("--only", choices=("sqlite", "postgresql"))
    chosen = options.parse_args()
    print("| store | stored votes | complete ballots/s | p50 ms | p99 ms | server CPU ms a ballot | lost |")
    print("|---|---|---|---|---|---|---|", flush=True)
    missed = False
    if chosen.only != "postgresql":
        missed |= compare("groundswell.sqlite", 1, chosen.seconds, chosen.stored)
    if chosen.only != "sqlite":
        from groundswell.testing.servers import PostgreSQL

        with PostgreSQL() as postgres:
            missed |= compare(postgres.database(), 2, chosen.seconds, chosen.stored)
    sys.exit(missed)


def compare(store: str, servers: int, seconds: float, stored: int) -> bool:
    """Print the table; True where a target was missed."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "groundswell.toml").write_text(CONFIG.format(store=store))
        with workspace(folder) as space:
            like = fill(space)
        name = "SQLite" if servers == 1 else f"PostgreSQL, {servers} servers"
        empty = measured(folder, seconds, servers)
        print(empty.row(name, 0), flush=True)
        missed = empty.rate < 150 or empty.p99 > 150 or empty.lost > 0
        if stored:
            with workspace(folder) as space:
                store_votes(space, like, stored)
            full = measured(folder, seconds, servers)
            print(full.row(name, stored), flush=True)
            missed = missed or full.cpu > 1.2 * empty.cpu or full.lost > 0
    return missed


if __name__ == "__main__":
    main()
