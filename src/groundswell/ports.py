"""The seams of Groundswell: what a plugin may replace, as Protocols, and nothing else.

Each seam has two implementations from its first day. `groundswell.testing` has the conformance checks that an
implementation must pass.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from groundswell.records import (
    Answer,
    Broken,
    Call,
    Check,
    Declined,
    Done,
    Endpoint,
    Json,
    Measured,
    Picture,
    Post,
    Record,
    Reply,
    Request,
    Sample,
    Understood,
    Unit,
    UnitState,
    Verdict,
)

R = TypeVar("R", bound=Record)


class Source(Protocol):
    """Posts from a file or a live API."""

    name: str

    def posts(self, where: Path) -> Iterator[Post]:
        """Posts in the order of the source. Raises UserError when the material holds no posts."""
        ...


class Reader(Protocol):
    """Who answers the questions of curation: a model, or local rules with small models."""

    name: str

    async def read(self, question: str, material: Json) -> Json:
        """The answer to a named question, or None where the reader is unsure."""
        ...


class Provider(Protocol):
    """A host's dialect as a pure codec: it never opens a socket, reads a clock or a secret."""

    name: str

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """The first call for a request."""
        ...

    def advance(self, reply: Reply) -> Understood:
        """What the reply means: another call to make, or the end."""
        ...


class LocalModel(Protocol):
    """A generator that runs in this process."""

    name: str
    tasks: tuple[str, ...]

    def make(self, sample: Sample, prompt: str, inputs: Sequence[bytes], seed: int) -> Answer | Declined | Broken:
        """Pictures for a sample. `inputs` are the bytes of the sample's inputs, in order."""
        ...


class Judge(Protocol):
    """Who says how good outputs are: a model, or measured checks."""

    name: str

    async def judge(self, sample: Sample, outputs: Sequence[Record]) -> Verdict:
        """A verdict on the outputs in the order given."""
        ...


class CheckRule(Protocol):
    """One kind of verifiable check: it measures whether an output does what the check asks."""

    name: str

    def measure(self, check: Check, inputs: Sequence[bytes], output: bytes) -> Mapping[str, Json]:
        """`{"score": 0..1, ...evidence}`; raises ValueError with the reason where it cannot be measured."""
        ...


class Metric(Protocol):
    """A measurement of an output against its inputs."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    @property
    def version(self) -> int:
        """Raised with every change of arithmetic, so that two versions never share a column."""
        ...

    @property
    def backend(self) -> str:
        """The network or package that computes it."""
        ...

    def applies(self, sample: Sample) -> str | None:
        """None where it applies, else why not."""
        ...

    def measure(self, sample: Sample, output: str, inputs: Sequence[bytes], picture: bytes) -> Measured:
        """The measurement of one output (`output` is its key)."""
        ...


class Suite(Protocol):
    """Samples, rubrics and the scoring arithmetic of one benchmark."""

    name: str

    def samples(self, source: Path, keep: Callable[[bytes], Picture]) -> Iterator[Sample]:
        """Samples of a source in its order; `keep` stores picture bytes. Raises UserError with file and line."""
        ...


class Blobs(Protocol):
    """Bytes by the sha256 of their content."""

    def put(self, data: bytes) -> str:
        """Store bytes (whole or not at all) and give their digest. Storing again costs nothing."""
        ...

    def get(self, digest: str) -> bytes:
        """The bytes. Raises StoreError when they are absent or do not match their digest."""
        ...

    def has(self, digest: str) -> bool:
        """Whether the bytes are there."""
        ...

    def delete(self, digest: str) -> None:
        """Remove the bytes; nothing happens when they are absent."""
        ...


class Store(Protocol):
    """Records by key, and the state of every stage's units."""

    def put(self, records: Iterable[Record]) -> int:
        """Add facts; a key that exists keeps its first record. Gives how many were new."""
        ...

    def get(self, key: str) -> Record | None:
        """The record of a key; None where there is none."""
        ...

    def records(self, *types: type[R]) -> Iterator[R]:
        """Records of these types in the order in which they were added, streamed."""
        ...

    def unfinished(self, stage: str, units: Iterable[Unit], attempts: int | None) -> Iterator[Unit]:
        """Those units that are not done or refused, nor failed for good, nor `attempts` times, streamed; None = all
        that failed, too."""
        ...

    def claim(self, stage: str, keys: Sequence[str], worker: str) -> set[str]:
        """Which of these units this worker may do now; the rest belong to a worker that is alive."""
        ...

    def settle(self, stage: str, results: Sequence[tuple[Unit, Done]]) -> None:
        """Write results and their records in one short transaction."""
        ...

    def states(self) -> Mapping[str, Mapping[UnitState, int]]:
        """Counts by stage and state."""
        ...

    def close(self) -> None:
        """Let go of files and connections; what was put is kept."""
        ...


class Stage(Protocol):
    """One sentence of the engine: for this edition, compute the keys that are missing."""

    name: str

    def units(self, store: Store) -> Iterator[Unit]:
        """Every unit that is wanted, lazily, what unblocks most first; the engine drops what is finished."""
        ...

    async def do(self, unit: Unit) -> Done:
        """Make one unit. Refusals and failures are results; only a defect raises."""
        ...


class Pool(Protocol):
    """Where units are done: in this process, or on a cluster."""

    name: str

    def place(self, stage: Stage) -> Stage:
        """The stage as this pool has it done: itself, or one whose units are done elsewhere."""
        ...

    def run(
        self, do: Callable[[Unit], Awaitable[Done]], units: AsyncIterator[Unit], width: int
    ) -> AsyncIterator[tuple[Unit, Done]]:
        """Results in the order in which they finish, at most `width` units under way at once."""
        ...
