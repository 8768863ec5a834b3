"""What may stand in the way of a run: configuration, keys, parts, hosts, clocks, judges, store, disk."""

from __future__ import annotations

import asyncio
import shutil
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from groundswell import plugins
from groundswell.config import IN_PROCESS, Config, EndpointSettings, Host, JudgeSettings, load
from groundswell.errors import GroundswellError
from groundswell.flow.crew import Crew
from groundswell.flow.workspace import Workspace, workspace
from groundswell.records import Call, Reply
from groundswell.wire.door import Wire

LEAST_FREE_BYTES = 1_000_000_000

MOST_SKEW_SECONDS = 60.0
"""A clock that is further off makes signed links fail and dates of measurements wrong."""


def examine(folder: Path, *, offline: bool = False) -> list[dict[str, Any]]:
    """Checks of a workspace as {check, ok, remedy}. Raises UserError when there is no workspace to examine.

    Unless `offline`, every host is reached, and every judge is asked a question that costs what one short answer costs.
    """
    config = load(folder)
    checks = [_check("configuration")]
    try:
        with workspace(folder) as space:
            checks.append(_check("store"))
            checks += asyncio.run(_hosts(space, offline=offline))
    except GroundswellError as error:
        checks.append(_check("store", str(error)))
        checks += [_host(config, host) for host in _all(config)]
    free = shutil.disk_usage(folder).free
    enough = free >= LEAST_FREE_BYTES
    checks.append(_check("disk", None if enough else f"{free / 1e9:.2f} GB are free; make room for pictures"))
    return checks


def _check(name: str, remedy: str | None = None) -> dict[str, Any]:
    return {"check": name, "ok": remedy is None, "remedy": remedy}


def _all(config: Config) -> list[EndpointSettings | JudgeSettings]:
    return [*config.file.endpoint, *config.file.judge]


async def _hosts(space: Workspace, *, offline: bool) -> list[dict[str, Any]]:
    """Each host's part and key, then the host itself and its clock, then each judge with a question."""
    checks, sound = [], []
    for host in _all(space.config):
        checks.append(_host(space.config, host))
        if checks[-1]["ok"] and host.host not in {*IN_PROCESS, "chain"}:
            sound.append(host)
    if offline or not sound:
        return checks
    async with Wire(space.blobs.get) as wire:
        crew = Crew(space, wire)
        reached = await asyncio.gather(*(_reached(crew, host) for host in sound))
        there = [host for host, check in zip(sound, reached, strict=True) if check["ok"]]
        judges = [host for host in there if isinstance(host, JudgeSettings)]
        checks += [*reached, *await asyncio.gather(*(_asked(crew, judge) for judge in judges))]
    return checks


def _host(config: Config, host: Host) -> dict[str, Any]:
    """The dialect or the package loads, and every key's variable is set."""
    try:
        if host.host == "diffusers" and find_spec("diffusers") is None:
            return _check(host.name, "diffusers is not installed; pip install 'groundswell[local]'")
        if host.host not in {*IN_PROCESS, "chain"}:
            plugins.load("provider", host.host)
        config.secrets(host)
    except GroundswellError as error:
        return _check(host.name, str(error))
    return _check(host.name)


async def _reached(crew: Crew, host: Host) -> dict[str, Any]:
    """Something answers at the host, and its clock and ours agree."""
    name = f"{host.name}: host"
    _, line = crew.reached(host)
    got = await crew.wire.once(Call(method="GET", url=line.base_url, auth=None), line)
    if not isinstance(got, Reply):
        return _check(name, f"{line.base_url} cannot be reached ({got.reason}); look at base_url and at the network")
    skew = _skew(got.headers.get("date"))
    if skew is not None and abs(skew) > MOST_SKEW_SECONDS:
        return _check(name, f"the host's clock and this machine's differ by {skew:.0f} s; set the clock")
    return _check(name)


def _skew(date: str | None) -> float | None:
    try:
        return (parsedate_to_datetime(date or "") - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return None


async def _asked(crew: Crew, judge: JudgeSettings) -> dict[str, Any]:
    """The judge answers a question, and the answer can be read as a score."""
    from groundswell.ask.asking import Question, Unanswered, put
    from groundswell.records import Dimension, Judgment, Rubric

    rubric = Rubric(
        name="smoke",
        text="This is a test of the connection. Answer with this line and nothing else:\nScore: 7",
        dimensions=(Dimension(name="Score", low=1, high=10, step=1),),
        rules={"max_tokens": 256},
    )
    name = f"{judge.name}: answers"
    came = await put(Question(rubric=rubric, sample="", outputs=()), crew.judge(judge.name))
    match came:
        case Judgment():
            return _check(name)
        case Unanswered(broken=broken):
            return _check(name, f"{broken.reason}; look at the judge's model, key and base_url")
        case _:
            return _check(name, f"its answer cannot be read as a score: {(came.reply or 'empty')[:120]!r}")
