"""Moves a workspace to other services, and recomputes boards that were published."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from groundswell import __version__
from groundswell.editions.remains import WITHDRAWN
from groundswell.errors import UserError
from groundswell.flow.workspace import Workspace
from groundswell.records import Board
from groundswell.store.blobs import open_blobs
from groundswell.store.copying import copy_blobs, copy_store
from groundswell.store.sql import open_store, shown

STORES = ("postgresql://", "postgres://")
FILES = (".sqlite", ".db")

TOLERANCE = 1e-9
"""Relative: two processors may round the last digits of the same sum differently."""

NOT_OF_THE_NUMBERS = frozenset({"seconds", "groundswell", "withdrawn"})
"""What a method says of the computation and not of the board: how long it took, by which version, and how much of what
it counted is withdrawn by now."""


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


def replay(space: Workspace, edition: str) -> dict[str, Any]:
    """Recompute every published board of an edition, or with `arena` those of people's votes, from the facts that the
    store held then; of what was withdrawn since, from the verdicts that are left.

    Gives `{boards[{name, modality, equal, differences[], withdrawn, groundswell{published, recomputed}}],
    withdrawn{kind: n}}`; a board's `withdrawn` is how many samples and comparisons it counts by what is left of them.
    Raises UserError where no board of the edition was published.
    """
    published = [board for board in space.store.records(Board) if edition in _labels(board)]
    if not published:
        known = sorted({label for board in space.store.records(Board) for label in _labels(board)})
        hint = f"published are: {', '.join(known)}" if known else "publish first: groundswell publish"
        raise UserError(f"no board of the edition {edition} was published; {hint}")
    withdrawn = dict(Counter(each["kind"] for each in space.store.tombstones()))
    boards = [
        _compared(board, now) for then, group in _together(space, published) for board, now in _again(then, group)
    ]
    return {"boards": boards, "withdrawn": withdrawn}


def _labels(board: Board) -> set[str]:
    if board.edition is None:
        return {board.name.partition("-")[0]}
    return {board.edition, f"{board.name}/{board.edition}"}


def _together(space: Workspace, published: Sequence[Board]) -> Iterator[tuple[Workspace, list[Board]]]:
    """Boards that were published at once, with the workspace as it was: their facts need counting once."""
    last: int | None = None
    group: list[Board] = []
    then = space
    for board in published:
        store, config = space.store.before(board.key), _as_judged(space, board)
        if group and (last is None or store.until != last + 1 or config != then.config):
            yield then, group
            group = []
        if not group:
            then = msgspec.structs.replace(space, store=store, config=config)
        last = store.until
        group.append(board)
    yield then, group


def _again(then: Workspace, published: Sequence[Board]) -> Iterator[tuple[Board, Board | None]]:
    from groundswell.flow.standing import standings

    found = {(each.board.name, each.board.modality): each.board for each in standings(then)}
    return ((board, found.get((board.name, board.modality))) for board in published)


def _compared(board: Board, now: Board | None) -> dict[str, Any]:
    found = ["the facts give no such board any more"] if now is None else list(differences(board, now))
    method = {} if now is None else now.method
    return {
        "name": board.name,
        "modality": board.modality,
        "equal": not found,
        "differences": found,
        "withdrawn": method.get("withdrawn", {}),
        "groundswell": {"published": _version(board.method), "recomputed": __version__},
    }


def _version(method: Mapping[str, Any]) -> str | None:
    """The version of Groundswell that computed a board; None = it was published before boards said it."""
    versions: Mapping[str, str] = method.get("versions", {})
    return versions.get("groundswell")


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
    """Where two boards say different things, as paths with both values. A board from before boards said by which
    versions they were computed is not held to it."""
    if "versions" not in one.method:
        other = msgspec.structs.replace(other, method={k: v for k, v in other.method.items() if k != "versions"})
    for field in ("ratings", "unranked", "left_out", "coverage", "method", "calibration"):
        # As JSON, because that is how a published board comes back.
        pair = (msgspec.json.decode(msgspec.json.encode(getattr(each, field))) for each in (one, other))
        yield from _differing(field, *pair)


def _differing(path: str, one: Any, other: Any) -> Iterator[str]:
    match one, other:
        case dict(), dict() if path.endswith(".silent") and _same_silences(one, other):
            return
        case dict(), dict():
            for name in sorted({*one, *other} - NOT_OF_THE_NUMBERS):
                yield from _differing(f"{path}.{name}", one.get(name), other.get(name))
        case list(), list() if len(one) == len(other):
            for place, pair in enumerate(zip(one, other, strict=True)):
                yield from _differing(f"{path}[{place}]", *pair)
        case (int() | float(), int() | float()) if math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
            return
        case _ if one != other:
            yield f"{path}: published {one!r}, recomputed {other!r}"


def _same_silences(one: Mapping[str, int], other: Mapping[str, int]) -> bool:
    """Whether reasons of silence differ only in that some, which quoted withdrawn words, are counted as withdrawn."""
    then, now = Counter(one), Counter(other)
    moved = now.pop(WITHDRAWN, 0) - then.pop(WITHDRAWN, 0)
    return not now - then and (then - now).total() == moved
