"""What may stand in the way of a run: configuration, keys, parts, hosts, clocks, judges, store, disk."""

from __future__ import annotations

import asyncio
import shlex
import shutil
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from groundswell import plugins
from groundswell.config import IN_PROCESS, Config, EndpointSettings, Host, JudgeSettings, SourceSettings, load
from groundswell.errors import GroundswellError
from groundswell.flow.crew import Crew
from groundswell.flow.workspace import Workspace, workspace
from groundswell.ports import Provider
from groundswell.records import Broken, Call, Reply
from groundswell.wire.door import Wire
from groundswell.wire.keys import Key

LEAST_FREE_BYTES = 1_000_000_000

ERROR, UNKNOWN = 400, 404
"""Statuses from which on a reply is an error, and of what is not there."""

PICTURES_READ = 1_000
"""Pictures compared with their digests: seconds, also over a line. `workspace check` reads them all."""

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
            checks += [_check("store"), _pictures(space)]
            checks += asyncio.run(_hosts(space, offline=offline))
    except GroundswellError as error:
        checks.append(_check("store", str(error)))
        checks += [_host(config, host) for host in _all(config)]
    return [*checks, *(_source(config, source) for source in config.file.source), *_disks(config)]


def _source(config: Config, source: SourceSettings) -> dict[str, Any]:
    """The platform's part loads, and it has the key that it needs."""
    name = f"{source.name}: source"
    try:
        platform = plugins.load("source", source.platform or source.name)
        config.secrets(source)
    except GroundswellError as error:
        return _check(name, str(error))
    lacking = platform.key is not None and not source.keys
    return _check(name, f'it needs {platform.key}: keys = ["env:NAME"]' if lacking else None)


def _disks(config: Config) -> list[dict[str, Any]]:
    """Room for facts and for pictures, where they are kept on this machine; both may be on one disk."""
    settings, checks = config.file.workspace, []
    for name, value in (("disk", settings.store), ("disk of the pictures", settings.blobs)):
        if "://" in value:
            continue
        place = Path(config.place(value))
        there = next(each for each in (place, *place.parents) if each.is_dir())
        free = shutil.disk_usage(there).free
        enough = free >= LEAST_FREE_BYTES
        checks.append(_check(name, None if enough else f"{free / 1e9:.2f} GB are free at {there}; make room"))
    return checks


def _pictures(space: Workspace) -> dict[str, Any]:
    """The first pictures are what their digests say."""
    from groundswell.flow.mending import check

    found = check(space, most=PICTURES_READ)
    lost, read = len(found["damaged"]), found["pictures"]
    remedy = f"{lost} of {read} pictures are lost or damaged; get them again: groundswell workspace check --mend"
    return _check("pictures", remedy if lost else None)


def _check(name: str, remedy: str | None = None) -> dict[str, Any]:
    return {"check": name, "ok": remedy is None, "remedy": remedy}


def _all(config: Config) -> list[EndpointSettings | JudgeSettings]:
    return [*config.file.endpoint, *config.file.judge]


async def _hosts(space: Workspace, *, offline: bool) -> list[dict[str, Any]]:
    """Each host's part and key, then the host itself and its clock, then each judge with a question."""
    checks, sound = [], []
    for host in _all(space.config):
        checks.append(_host(space.config, host))
        if checks[-1]["ok"] and host.host in IN_PROCESS:
            checks[-1] = _here(space, host)
        elif checks[-1]["ok"] and host.host != "chain":
            sound.append(host)
    if offline or not sound:
        return checks
    async with Wire(space.blobs.get) as wire:
        crew = Crew(space, wire)
        reached = await asyncio.gather(*(_reached(crew, host) for host in sound))
        there = [host for host, check in zip(sound, reached, strict=True) if check["ok"]]
        known = [check for many in await asyncio.gather(*(_known(crew, host) for host in there)) for check in many]
        judges = [host for host in there if isinstance(host, JudgeSettings)]
        checks += [*reached, *known, *await asyncio.gather(*(_asked(crew, judge) for judge in judges))]
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


def _here(space: Workspace, host: Host) -> dict[str, Any]:
    """A model of this process is known, and a program is there to be started."""
    try:
        Crew(space, Wire(space.blobs.get)).makers(only=host.name)
    except GroundswellError as error:
        return _check(host.name, str(error))
    command = host.settings.get("command") if host.host == "command" else None
    program = (shlex.split(command) if isinstance(command, str) else list(command or ()))[:1]
    if program and shutil.which(program[0]) is None and not (space.config.folder / program[0]).exists():
        return _check(host.name, f"the program {program[0]} is not there; look at settings.command")
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


async def _known(crew: Crew, host: Host) -> list[dict[str, Any]]:
    """The host takes each key and knows the model, where it says so for nothing."""
    dialect = plugins.load("provider", host.host)()
    path = getattr(dialect, "lookup", None)
    if path is None:
        return []
    _, line = crew.reached(host)
    call = Call(method="GET", url=f"{line.base_url.rstrip('/')}/{path.format(model=host.model)}", auth=dialect.auth)
    checks = []
    for key in line.keys or (None,):
        got = await crew.wire.once(call, line, key)
        remedy = _refused(host, dialect, got, key) if isinstance(got, Reply) and got.status >= ERROR else None
        checks.append(_check(f"{host.name}: model" if key is None else f"{host.name}: {key.variable}", remedy))
    return checks


def _refused(host: Host, dialect: Provider, reply: Reply, key: Key | None) -> str | None:
    """What a host has against a key or a model, the key named by its variable; None = nothing that is certain."""
    meant = dialect.advance(reply)
    if key is not None and isinstance(meant, Broken) and meant.key_dead:
        return f"the host refused the key in {key.variable} ({reply.status}); put another one into that variable"
    if key is not None and isinstance(meant, Broken) and meant.exhausted:
        return f"the account of the key in {key.variable} has no quota left ({reply.status})"
    if reply.status == UNKNOWN and host.base_url is None:  # other servers may not have this address at all
        return f"the host knows no model {host.model}; look at the model's name"
    return None


def _skew(date: str | None) -> float | None:
    try:
        return (parsedate_to_datetime(date or "") - datetime.now(UTC)).total_seconds()
    except (TypeError, ValueError):
        return None


async def _asked(crew: Crew, judge: JudgeSettings) -> dict[str, Any]:
    """The judge answers a question, and the answer can be read as a score."""
    from groundswell.judge.desk import fault_of

    return _check(f"{judge.name}: answers", await fault_of(crew.judge(judge.name)))
