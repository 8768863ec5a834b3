import numpy as np
import pytest

from groundswell.records import Licence, Picture, Sample
from groundswell.vote.booth import Booth
from groundswell.vote.hall import Hall
from groundswell.vote.pairing import Entry, Shown, pool_of
from groundswell.vote.sealing import Seal
from groundswell.vote.writing import Writer


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = 1_700_000_000.0

    def __call__(self):
        return self.now


class Box:
    """A ballot box in memory."""

    def __init__(self):
        self.units, self.records = {}, {}

    def finish(self, stage, results):
        fresh = set()
        for unit, done in results:
            if unit.key not in self.units:
                self.units[unit.key] = done
                self.records |= {record.key: record for record in done.records}
                fresh.add(unit.key)
        return fresh


def sample(place, task="t2i", **tags):
    return Sample(suite="arena", task=task, prompts={"en": f"Prompt number {place}.", "zh": f"提示 {place}"}, tags=tags)


def entry(place, models=("ada", "bob", "cyd"), cell=("t2i", "consumer", "layout"), decoys=()):
    made = sample(place, cell[0], use_case=cell[1], capability=cell[2])
    shown = tuple(Shown(model=name, output=f"{place}-{name}", digest=f"digest-{place}-{name}") for name in models)
    planted = tuple(Shown(model=name, output=f"{place}-{name}", digest=name) for name in decoys)
    return Entry(sample=made, cell=cell, outputs=shown, decoys=planted)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def box():
    return Box()


@pytest.fixture
def seal(clock):
    return Seal(b"secret", clock)


@pytest.fixture
def hall(clock):
    return new_hall(clock, [entry(place) for place in range(4)])


def new_hall(clock, entries, seed=0):
    return Hall(pool_of(entries), methodology="2026-11", clock=clock, rng=np.random.default_rng(seed))


@pytest.fixture
def booth(hall, seal, box, clock):
    return Booth(hall, seal, Writer(box, "vote"), least_look=2.0, clock=clock)


FREE = Licence(id="CC0-1.0", redistribute=True, derivatives=True)


def picture(digest="p", **terms):
    return Picture(digest=digest, media_type="image/png", width=512, height=512, licence=terms.get("licence", FREE))


LOOK = 0.4
"""Seconds of the minimum look of the arenas that tests open."""


class Desk:
    """An operator's desk that remembers what it was told."""

    def __init__(self):
        self.ruled = []

    def simulated(self):
        return False

    def overview(self):
        from groundswell.vote.operator import Overview

        waiting = [{"prompt": "A cat <script>", "why": "language: is it English?", "subject": "k"}]
        tags = {
            "prompt": "A <b>sign</b>",
            "use_case": "consumer",
            "capability": None,
            "style": ["anime"],
            "why": "words",
        }
        terms = {"use_case": ["consumer", "frontier"], "capability": ["layout"], "style": ["anime"]}
        none = {name: [] for name in ("sessions", "boards", "cells", "proposals", "retired", "withdrawn", "log")}
        return Overview(
            counts={"votes": 3}, reasons={}, queue=waiting, tags=[tags | {"subject": "k"}], terms=terms, **none
        )

    def rule(self, subject, what, why):
        self.ruled.append((subject, what))

    def tag(self, subject, tags):
        self.ruled.append((subject, tags))

    def propose(self):
        self.ruled.append("propose")

    def reload(self):
        pass

    def rankings(self):
        return ""


def drawn_picture(digest):
    """A picture that is different for every digest, as PNG bytes."""
    from hashlib import sha256

    from groundswell.pictures import encode_png

    colours = sha256(digest.encode()).digest()
    pixels = np.zeros((96, 96, 3), dtype=np.uint8)
    pixels[:48] = list(colours[:3])
    pixels[48:] = list(colours[3:6])
    return encode_png(pixels)


class Open:
    """An arena that is open on a port of this machine."""

    def __init__(self, clock, entries):
        from groundswell.vote.experts import Panel
        from groundswell.vote.operator import OperatorPages
        from groundswell.vote.showing import Gallery
        from groundswell.vote.web import Parts, application

        self.clock, self.box, self.desk, self.token = clock, Box(), Desk(), "the-token"
        self.box.put = lambda records: self.box.records.update({each.key: each for each in records})
        seal = Seal(b"secret", clock)
        booth = Booth(new_hall(clock, entries), seal, Writer(self.box, "vote"), least_look=LOOK, clock=clock)
        operator = OperatorPages(self.desk, seal, self.token, clock)
        panel = Panel(booth, seal, self.box)
        self.booth = booth
        self.load = drawn_picture
        self.app = application(
            Parts(
                booth=booth,
                seal=seal,
                gallery=Gallery(lambda digest: self.load(digest)),
                stored=self.box.records.get,
                clock=clock,
                more=(*operator.routes(), *panel.routes()),
            )
        )

    def __enter__(self):
        import socket
        import threading
        import time

        import uvicorn

        listening = socket.socket()
        listening.bind(("127.0.0.1", 0))
        self.base = f"http://127.0.0.1:{listening.getsockname()[1]}"
        self._server = uvicorn.Server(uvicorn.Config(self.app, log_level="error", lifespan="off"))
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [listening]}, daemon=True)
        self._thread.start()
        while not self._server.started:
            time.sleep(0.005)
        return self

    def __exit__(self, *_):
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture
def arena(clock):
    with Open(clock, [entry(place) for place in range(4)]) as opened:
        yield opened
