"""What may stand in the way of a run: configuration, keys, parts, store, disk."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from groundswell import plugins
from groundswell.config import IN_PROCESS, Config, Host, load
from groundswell.errors import GroundswellError
from groundswell.flow.workspace import workspace

LEAST_FREE_BYTES = 1_000_000_000


def examine(folder: Path) -> list[dict[str, Any]]:
    """Checks of a workspace as {check, ok, remedy}. Raises UserError when there is no workspace to examine."""
    config = load(folder)
    hosts = [*config.file.endpoint, *config.file.judge]
    checks = [{"check": "configuration", "ok": True, "remedy": None}]
    checks += [_host(config, host) for host in hosts]
    try:
        with workspace(folder):
            checks.append({"check": "store", "ok": True, "remedy": None})
    except GroundswellError as error:
        checks.append({"check": "store", "ok": False, "remedy": str(error)})
    free = shutil.disk_usage(folder).free
    enough = free >= LEAST_FREE_BYTES
    remedy = None if enough else f"{free / 1e9:.2f} GB are free; make room for pictures"
    checks.append({"check": "disk", "ok": enough, "remedy": remedy})
    return checks


def _host(config: Config, host: Host) -> dict[str, Any]:
    """The dialect loads, and every key's variable is set."""
    try:
        if host.host not in IN_PROCESS and host.host != "chain":
            plugins.load("provider", host.host)
        config.secrets(host)
    except GroundswellError as error:
        return {"check": host.name, "ok": False, "remedy": str(error)}
    return {"check": host.name, "ok": True, "remedy": None}
