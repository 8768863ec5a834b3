"""How wrong the probe's times are: one call, and a queue's submission and download.

    python -m bench.probe [--shots 60]

The error is what was measured less what the host says that it took; a sleep of a busy machine is late, and that is the
host's lateness and not the probe's. What a queue's wait lasts beyond its steps of 100 ms is shown apart: it is the
lateness of this machine's own sleeps.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from groundswell.ports import Provider
from groundswell.probe.shot import POLL_SECONDS, Target, shoot
from groundswell.providers.openai import OpenAI
from groundswell.records import Call, Endpoint, Reply, Request, Timing, Understood
from groundswell.testing.host import SERVED
from groundswell.testing.queued import Queued
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line

DELAYS = (0.05, 0.1, 0.2)
POLLS = 3
"""Asked in vain before a job is done: the first poll comes 100 ms after the submission."""


class Noting:
    """A dialect that notes what the host took for each phase of the current shot."""

    name = "noting"

    def __init__(self, dialect: Provider) -> None:
        self._dialect = dialect
        self.took: dict[str, float] = {}

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        self.took = {}
        return self._dialect.begin(endpoint, request)

    def advance(self, reply: Reply) -> Understood:
        phase = reply.call.phase
        self.took[phase] = self.took.get(phase, 0.0) + float(reply.headers[SERVED.lower()])
        return self._dialect.advance(reply)


async def timings(shots: int, *, queued: bool) -> list[tuple[dict[str, float], Timing]]:
    """What the host took by phase with what was measured, for delays of several lengths."""
    found = []
    for delay in DELAYS:
        script = f'{{"default": {{"latency": {delay}, "polls": {POLLS}}}}}'
        command = [sys.executable, "-m", "groundswell.testing.host", "--script", script]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
            try:
                url = host.stdout.readline().strip()
                noting = Noting(Queued() if queued else OpenAI())
                target = Target(Endpoint(name="e", host="h", model="m", base_url=url), noting, Line("e", url))
                async with Wire(lambda digest: b"") as wire:
                    for number in range(shots // len(DELAYS)):
                        request = Request(model="m", want="picture", parts=(f"{number} of {delay}",))
                        timing = await shoot(wire, target, request)
                        found.append((noting.took, timing))
            finally:
                host.kill()
    return found


def table(shots: int) -> Iterator[str]:
    """Markdown rows."""
    yield "| what | shots | median error ms | p95 of the error ms | wanted |"
    yield "|---|---|---|---|---|"
    single = asyncio.run(timings(shots, queued=False))
    yield _row("one call", [timing.seconds - took["submit"] for took, timing in single])
    queued = asyncio.run(timings(shots, queued=True))
    yield _row("a queue's submission", [timing.submit - took["submit"] for took, timing in queued])
    yield _row("a queue's download", [timing.fetch - took["fetch"] for took, timing in queued])
    steps = POLLS + 1
    late = [timing.wait - steps * POLL_SECONDS - took["wait"] for took, timing in queued]
    yield _row(f"a queue's wait beyond {steps} polls", late, wanted="poll granularity")


def _row(name: str, errors: list[float], wanted: str = "5 and 10") -> str:
    middle, high = np.quantile(np.abs(errors) * 1000, [0.5, 0.95])
    return f"| {name} | {len(errors)} | {middle:.2f} | {high:.2f} | {wanted} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shots", type=int, default=60)
    for line in table(parser.parse_args().shots):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
