"""How wrong the probe's times are: against a host of known delays, in one call and in submit, polls and download.

    python -m bench.probe [--shots 60]

The error is what was measured less what the host slept; polls are taken to end on their step of 100 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from groundswell.ports import Provider
from groundswell.probe.shot import POLL_SECONDS, Target, shoot
from groundswell.providers.openai import OpenAI
from groundswell.records import Endpoint, Request
from groundswell.testing.queued import Queued
from groundswell.wire.door import Wire
from groundswell.wire.lines import Line

DELAYS = (0.05, 0.2, 0.5)
POLLS = 3
"""Asked in vain before a job is done: the first poll comes 100 ms after the submission."""


async def errors(shots: int, *, queued: bool) -> list[float]:
    """Seconds of error of each shot, each against a delay drawn at random."""
    chance, found = random.Random(3), []
    for delay in DELAYS:
        script = f'{{"default": {{"latency": {delay}, "polls": {POLLS}}}}}'
        command = [sys.executable, "-m", "groundswell.testing.host", "--script", script]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as host:
            try:
                url = host.stdout.readline().strip()
                provider: Provider = Queued() if queued else OpenAI()
                target = Target(Endpoint(name="e", host="h", model="m", base_url=url), provider, Line("e", url))
                # Submit, polls and download each take the delay, and every poll waits its step.
                truth = delay + (POLLS + 1) * (POLL_SECONDS + delay) + delay if queued else delay
                async with Wire(lambda digest: b"") as wire:
                    for number in range(shots // len(DELAYS)):
                        request = Request(model="m", want="picture", parts=(f"{number} {chance.random()}",))
                        timing = await shoot(wire, target, request)
                        found.append(timing.seconds - truth)
            finally:
                host.kill()
    return found


def table(shots: int) -> Iterator[str]:
    yield "| dialect | shots | median error ms | p95 of the error ms | wanted |"
    yield "|---|---|---|---|---|"
    for name, queued in (("one call", False), ("submit, 4 polls, download", True)):
        milliseconds = np.abs(asyncio.run(errors(shots, queued=queued))) * 1000
        middle, high = np.quantile(milliseconds, [0.5, 0.95])
        yield f"| {name} | {len(milliseconds)} | {middle:.2f} | {high:.2f} | 5 and 10 |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shots", type=int, default=60)
    for line in table(parser.parse_args().shots):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
