"""The arena of a workspace: its pool, its hall and pages, its boards, and the life of its prompts."""

from __future__ import annotations

import socket
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace, editions, workspace
from groundswell.records import Endpoint, Output, Ruling, Sample, Skip, Vote

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from groundswell.vote.hall import Hall
    from groundswell.vote.pairing import Entry

DECOYS = frozenset({"blank", "noise"})
"""Baselines that nobody could prefer to a real answer: they make golden pairs."""


def entries(space: Workspace) -> list[Entry]:
    """What the arena may show: runnable, unretired samples of the editions with the pictures that models made."""
    from groundswell.vote.pairing import Entry, Shown
    from groundswell.vote.quality import names_a_model

    samples = drawable(space)
    endpoints = {each.key: each for each in space.store.records(Endpoint)}
    shown: dict[str, list[Shown]] = defaultdict(list)
    decoys: dict[str, list[Shown]] = defaultdict(list)
    for output in space.store.records(Output):
        endpoint = endpoints.get(output.endpoint)
        if output.sample not in samples or endpoint is None or not output.pictures or output.draw != 0:
            continue
        one = Shown(model=endpoint.name, output=output.key, digest=output.pictures[0].digest)
        if endpoint.family != "baseline":
            shown[output.sample].append(one)
        elif endpoint.name in DECOYS:
            decoys[output.sample].append(one)
    models = {one.model for each in shown.values() for one in each}
    return [
        Entry(sample=sample, cell=_cell(sample), outputs=tuple(shown[key]), decoys=tuple(decoys[key]))
        for key, sample in samples.items()
        if shown[key] and not names_a_model(sample, models)
    ]


def _cell(sample: Sample) -> tuple[str, str, str]:
    return sample.task, str(sample.tags.get("use_case", "")), str(sample.tags.get("capability", ""))


def drawable(space: Workspace) -> dict[str, Sample]:
    """Samples of the workspace's editions that can be run and were not retired, by key."""
    wanted = {key for _, edition in editions(space) for key in edition.samples}
    retired = {subject for subject, ruling in rulings(space).items() if ruling.what in ("retire", "reject", "queue")}
    found = {key: sample for sample in space.store.records(Sample) if (key := sample.key) in wanted}
    return {key: each for key, each in found.items() if key not in retired and each.not_runnable is None}


def rulings(space: Workspace) -> dict[str, Ruling]:
    """The newest ruling on every subject."""
    return {ruling.subject: ruling for ruling in sorted(space.store.records(Ruling), key=lambda each: each.time)}


def hall(space: Workspace) -> Hall:
    """The arena in memory, with all votes of the store counted."""
    import numpy as np

    from groundswell.vote.hall import Hall
    from groundswell.vote.pairing import pool_of

    made = Hall(
        pool_of(entries(space)),
        methodology=space.config.file.arena.methodology,
        clock=time.time,
        rng=np.random.default_rng(),
    )
    made.recall(space.store.records(Vote, Skip))
    return made


def application(space: Workspace) -> Starlette:
    """The arena's pages, with the site beside them where it was built."""
    from groundswell.vote.ballots import Seal, secret
    from groundswell.vote.booth import Booth
    from groundswell.vote.hall import STAGE
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
    site = space.config.folder / "site"
    return pages(
        Parts(
            booth=booth,
            seal=seal,
            gallery=Gallery(space.blobs.get),
            stored=space.store.get,
            clock=time.time,
            site=site if (site / "index.html").exists() else None,
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
            config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False)
            say(f"the arena is open: http://{host}:{listening.getsockname()[1]}/  (stop with Ctrl-C)")
            uvicorn.Server(config).run(sockets=[listening])
