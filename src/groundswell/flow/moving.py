"""Moves a workspace to other services, looks whether its bytes are whole, and recomputes boards that were published."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from groundswell.errors import StoreError, UserError
from groundswell.flow.workspace import Workspace
from groundswell.records import Board, Output, Picture, Post, Record, Sample
from groundswell.store.blobs import open_blobs
from groundswell.store.copying import copy_blobs, copy_store
from groundswell.store.sql import open_store, shown

STORES = ("postgresql://", "postgres://")
FILES = (".sqlite", ".db")

TOLERANCE = 1e-9
"""Relative: two processors may round the last digits of the same sum differently."""

DEPENDS_ON_THE_MACHINE = frozenset({"seconds"})
"""What a method says of the computation and not of the board."""


def move(space: Workspace, places: Sequence[str], observe: Callable[[str, int], None]) -> dict[str, Any]:
    """Copy the store or the blobs to each place, by its kind, and prove the copies equal.

    Gives `{store?, tables?, blobs?, copied?, damaged, settings}`; `settings` are the lines for the workspace file.
    """
    found: dict[str, Any] = {"damaged": {}, "settings": []}
    for place in places:
        if place.startswith(STORES) or place.endswith(FILES):
            target = open_store(place)
            try:
                tables = copy_store(space.store, target, observe)
            finally:
                target.close()
            found |= {"store": shown(place), "tables": {name: table.rows for name, table in tables.items()}}
            found["settings"].append(f'store = "{shown(place)}"')
        else:
            copied = copy_blobs(space.blobs, open_blobs(place), observe)
            found |= {"blobs": place, "copied": copied.blobs, "damaged": dict(copied.damaged)}
            found["settings"].append(f'blobs = "{place}"')
    return found


def check(space: Workspace) -> dict[str, Any]:
    """Read every picture that a record names: `{records, pictures, damaged{digest: why}}`."""
    records, seen = 0, set()
    damaged: dict[str, str] = {}
    for record in space.store.records(Post, Sample, Output):
        records += 1
        for picture in _pictures(record):
            if picture.digest in seen:
                continue
            seen.add(picture.digest)
            try:
                space.blobs.get(picture.digest)
            except StoreError as error:
                damaged[picture.digest] = str(error)
    return {"records": records, "pictures": len(seen), "damaged": damaged}


def _pictures(record: Record) -> Iterator[Picture]:
    match record:
        case Post():
            yield from (each.picture for each in record.pictures if each.picture is not None)
        case Sample():
            yield from record.inputs
        case Output():
            yield from record.pictures


def replay(space: Workspace, edition: str) -> dict[str, Any]:
    """Recompute every published board of an edition from the facts that the store held then.

    Gives `{boards[{name, modality, equal, differences[]}], withdrawn{kind: n}}`. Raises UserError where no board of
    the edition was published.
    """
    published = [board for board in space.store.records(Board) if edition in _labels(board)]
    if not published:
        known = sorted({label for board in space.store.records(Board) for label in _labels(board)})
        hint = f"published are: {', '.join(known)}" if known else "publish first: groundswell publish"
        raise UserError(f"no board of the edition {edition} was published; {hint}")
    withdrawn = dict(Counter(each["kind"] for each in space.store.tombstones()))
    return {"boards": [_again(space, board) for board in published], "withdrawn": withdrawn}


def _labels(board: Board) -> set[str]:
    return set() if board.edition is None else {board.edition, f"{board.name}/{board.edition}"}


def _again(space: Workspace, board: Board) -> dict[str, Any]:
    from groundswell.flow.standing import standings

    then = msgspec.structs.replace(space, store=space.store.before(board.key), config=_as_judged(space, board))
    now = next(
        (
            each.board
            for each in standings(then)
            if (each.board.name, each.board.modality) == (board.name, board.modality)
        ),
        None,
    )
    found = ["the facts give no such board any more"] if now is None else list(differences(board, now))
    return {"name": board.name, "modality": board.modality, "equal": not found, "differences": found}


def _as_judged(space: Workspace, board: Board) -> Any:
    """The configuration with the panel of the board: what was changed since does not count."""
    file = space.config.file
    if "judges" not in board.method:
        return space.config
    judges = dict.fromkeys(judge.partition("@")[0] for judge in board.method["judges"] if judge != "checks")
    panel = msgspec.structs.replace(
        file.panel, judges=tuple(judges), quorum=board.method["quorum"], checks="checks" in board.method["judges"]
    )
    return msgspec.structs.replace(space.config, file=msgspec.structs.replace(file, panel=panel))


def differences(one: Board, other: Board) -> Iterator[str]:
    """Where two boards say different things, as paths with both values."""
    for field in ("ratings", "unranked", "left_out", "coverage", "method", "calibration"):
        # As JSON, because that is how a published board comes back.
        pair = (msgspec.json.decode(msgspec.json.encode(getattr(each, field))) for each in (one, other))
        yield from _differing(field, *pair)


def _differing(path: str, one: Any, other: Any) -> Iterator[str]:
    match one, other:
        case dict(), dict():
            for name in sorted({*one, *other} - DEPENDS_ON_THE_MACHINE):
                yield from _differing(f"{path}.{name}", one.get(name), other.get(name))
        case list(), list() if len(one) == len(other):
            for place, pair in enumerate(zip(one, other, strict=True)):
                yield from _differing(f"{path}[{place}]", *pair)
        case (int() | float(), int() | float()) if math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            return
        case _ if one != other:
            yield f"{path}: published {one!r}, recomputed {other!r}"
