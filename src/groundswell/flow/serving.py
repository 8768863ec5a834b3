"""The arena of a workspace as a web server: the pages of voters, operator and panel, with the site beside them."""

from __future__ import annotations

import gc
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from groundswell.errors import UserError
from groundswell.flow.arena import hall
from groundswell.flow.operating import WorkspaceDesk
from groundswell.flow.workspace import Workspace, workspace

if TYPE_CHECKING:
    from starlette.applications import Starlette

OPERATOR_TOKEN = ".operator-token"


def application(space: Workspace) -> Starlette:
    """The arena's pages, the operator's and the panel's, with the site beside them where it was built."""
    from groundswell.vote.booth import Booth
    from groundswell.vote.experts import Panel
    from groundswell.vote.hall import STAGE
    from groundswell.vote.operator import OperatorPages
    from groundswell.vote.sealing import Seal, secret
    from groundswell.vote.showing import Gallery
    from groundswell.vote.web import Parts
    from groundswell.vote.web import application as pages
    from groundswell.vote.writing import Writer

    seal = Seal(secret(space.config.folder), time.time)
    booth = Booth(
        hall(space),
        seal,
        Writer(space.store, STAGE),
        least_look=space.config.file.arena.min_look_seconds,
        clock=time.time,
    )
    token = secret(space.config.folder, OPERATOR_TOKEN).decode()
    operator = OperatorPages(WorkspaceDesk(space, booth), seal, token, time.time)
    panel = Panel(booth, seal, space.store)
    site = space.config.folder / "site"
    return pages(
        Parts(
            booth=booth,
            seal=seal,
            gallery=Gallery(space.blobs.get),
            stored=space.store.get,
            clock=time.time,
            site=site if (site / "index.html").exists() else None,
            more=(*operator.routes(), *panel.routes()),
        )
    )


def serve(folder: Path, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until the person stops it. Raises UserError where the extra is not installed or the port is taken."""
    try:
        import uvicorn
    except ImportError:
        raise UserError("serving needs a web server; install it with: pip install 'groundswell[arena]'") from None
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, port))
        except OSError as error:
            raise UserError(f"{host}:{port} cannot be used ({error.strerror}); name another --port") from None
        with workspace(folder) as space:
            app = application(space)
            gc.freeze()  # what was loaded stays: no collection walks through a million votes while somebody waits
            config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
            listening.listen()  # whoever reads the next line may connect at once
            here = f"http://{host}:{listening.getsockname()[1]}/"
            say(f"the arena is open: {here}  (stop with Ctrl-C)")
            say(f"its operator: {here}operator  (token in {space.config.folder / OPERATOR_TOKEN})")
            uvicorn.Server(config).run(sockets=[listening])
