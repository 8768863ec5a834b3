"""Copies a workspace's facts and bytes to another place, and proves that what is there is what was here.

A copy that was interrupted goes on where it ended. Nothing is taken away from the first place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import islice
from typing import Any

import msgspec

from groundswell.errors import StoreError, UserError
from groundswell.store import schema
from groundswell.store.blobs import ObjectBlobs
from groundswell.store.sql import SqlStore

COPIED = {"record": ["key"], "unit": ["stage", "key"], "tombstone": ["key"]}
"""Tables that are copied, and what makes their rows unique. Workers belong to the place where they work."""

OWN = {"seq", "worker"}
"""Columns that each database fills by itself: numbers of rows, and who holds a unit."""

AT_ONCE = 16
"""Blobs under way at once: an object store answers slowly, and many at a time."""

BATCH = 1024

Observe = Callable[[str, int], None]
"""Told the table, or `blobs`, and how many were copied."""


class Fingerprint(msgspec.Struct, frozen=True):
    """A table by its content: two that are equal have equal rows, records in an equal order."""

    rows: int
    digest: str


class Copied(msgspec.Struct, frozen=True):
    """How many blobs are at the new place, and which could not be copied, with the reason."""

    blobs: int
    damaged: Mapping[str, str]


def fingerprints(store: SqlStore) -> dict[str, Fingerprint]:
    """The fingerprint of every copied table."""
    return {name: _fingerprint(name, store) for name in COPIED}


def _fingerprint(name: str, store: SqlStore) -> Fingerprint:
    """Records are hashed in their order; the other tables as a sum, because databases sort text differently."""
    ordered, total, rows = sha256(), 0, 0
    for page in store.pages(schema.metadata.tables[name]):
        for row in page:
            digest = sha256(msgspec.json.encode(_portable(row), order="sorted")).digest()
            ordered.update(digest)
            total += int.from_bytes(digest, "big")
        rows += len(page)
    return Fingerprint(rows, ordered.hexdigest() if name == "record" else f"{total % 2**256:064x}")


def _portable(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in OWN}


def copy_store(source: SqlStore, target: SqlStore, observe: Observe) -> dict[str, Fingerprint]:
    """Copy all facts and unit states; gives the fingerprints that both places have.

    Raises UserError where a run is going on or the target holds something else, StoreError where the copies differ.
    """
    if source.at_work():
        raise UserError("a run is going on in this workspace; stop it, then move")
    for name, unique in COPIED.items():
        table = schema.metadata.tables[name]
        for page in source.pages(table):
            target.fill(table, [_portable(row) for row in page], unique)
            observe(name, len(page))
    here, there = fingerprints(source), fingerprints(target)
    differing = [name for name in COPIED if here[name] != there[name]]
    if differing:
        counts = ", ".join(f"{name}: {here[name].rows} here, {there[name].rows} there" for name in differing)
        raise StoreError(f"the copy is not equal ({counts}); move to a place that holds nothing else")
    return there


def copy_blobs(source: ObjectBlobs, target: ObjectBlobs, observe: Observe) -> Copied:
    """Copy all bytes and read every one back by its digest. A damaged blob is not copied; it is named."""
    damaged: dict[str, str] = {}

    def carry(digest: str) -> None:
        try:
            if not target.has(digest):
                target.put(source.get(digest))
            target.get(digest)
        except StoreError as error:
            damaged[digest] = str(error)

    digests, copied = source.digests(), 0
    with ThreadPoolExecutor(AT_ONCE) as threads:
        while batch := _take(digests):
            list(threads.map(carry, batch))
            copied += len(batch)
            observe("blobs", len(batch))
    return Copied(copied - len(damaged), damaged)


def _take(digests: Iterator[str]) -> list[str]:
    return list(islice(digests, BATCH))
