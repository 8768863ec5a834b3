"""Files of others into rows of ours, and ours into theirs.

Comparisons are rows {sample, left, right, winner, judge | rater}, grades {sample, model, judge, grade}, boxes {file,
prompt, boxes}: what `rank`, `agree`, `score echo` and `curate screenshot` read and write.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from groundswell import files
from groundswell.config import FILE_NAME
from groundswell.errors import UserError
from groundswell.flow.opinions import UNREAD
from groundswell.interchange import coco, mt_bench, ours, reading, writing
from groundswell.interchange.carried import OPINIONS
from groundswell.records import Vote

PICTURES = frozenset({".jpeg", ".jpg", ".png", ".webp"})
"""Files of a folder that are looked at for boxes."""


def bring_in(source: Path, target: Path, person: str) -> dict[str, Any]:
    """Write the rows of a foreign file; `{format, what, rows, target, left_out, not_carried}`.

    A verdict that could not be read stays a row whose winner or grade is null. Boxes go to a file, or to a workspace,
    where those that `person` drew otherwise overrule the reader's.
    """
    _refuse_itself(source, target)
    if source.is_file() and coco.fits(reading.columns_of(source)):
        found = coco.read(source)
        if is_workspace(target):
            return _overruled(found, target, person)
        files.write_rows(target, map(_boxes_row, found.pictures))
        return _told(coco.FORMAT, "pictures", len(found.pictures), target, left_out=found.left_out)
    carried = reading.read_folder(source) if source.is_dir() else reading.read(source)
    files.write_rows(target, ours.rows_of(carried))
    what = "grades" if carried.graded else "comparisons"
    return _told(
        carried.format, what, carried.frame.height, target, left_out=carried.left_out, not_carried=carried.lost
    )


def _refuse_itself(source: Path, target: Path) -> None:
    """Raise UserError where the file that is read would be lost: what a format cannot carry stands only there."""
    if source.is_file() and target.resolve() == source.resolve():
        raise UserError("this file is the one that is read; name another to write", where=target)


def write_out(source: Path, target: Path, to: str) -> dict[str, Any]:
    """Write a file of our rows, the votes of a workspace, or for coco the boxes in a folder of screenshots, as `to`."""
    _refuse_itself(source, target)
    if to == coco.FORMAT:
        return _told(coco.FORMAT, "boxes", coco.write(target, _boxed(source)), target)
    left_out: dict[str, int] = {}
    if source.is_dir():
        frame, left_out = votes_of(source)
    else:
        frame = ours.read(source)
    unread = frame.filter(pl.col("winner").is_null()).height if "winner" in frame.columns else 0
    if unread and to != mt_bench.PAIR:
        left_out[UNREAD] = unread
    return _told(to, "rows", writing.write(target, frame, to), target, left_out=left_out)


def votes_of(folder: Path) -> tuple[pl.DataFrame, dict[str, int]]:
    """The votes of a workspace as opinions, and how many only tested the voter. Raises UserError where none are."""
    from groundswell.flow.arena import DECOYS
    from groundswell.flow.workspace import workspace
    from groundswell.vote.quality import GOLDEN

    with workspace(folder) as space:
        votes = list(space.store.records(Vote))
        real = [vote for vote in votes if not DECOYS & {vote.left, vote.right}]
        rows = [
            {
                "sample": vote.sample,
                "left": vote.left,
                "right": vote.right,
                "winner": str(vote.winner),
                "by": vote.by,
                "who": "person",
                "id": vote.ballot,
                "time": None if vote.time is None else vote.time.timestamp(),
            }
            for vote in real
        ]
    if not rows:
        raise UserError("nobody has voted in this workspace yet", where=folder)
    planted = len(votes) - len(real)
    return pl.DataFrame(rows, schema=pl.Schema(OPINIONS)), {GOLDEN: planted} if planted else {}


def is_workspace(folder: Path) -> bool:
    """Whether a folder is a workspace."""
    return (folder / FILE_NAME).is_file()


def _overruled(found: coco.Found, folder: Path, person: str) -> dict[str, Any]:
    from groundswell.flow.boxes import overrule_boxes
    from groundswell.flow.workspace import workspace

    with workspace(folder) as space:
        count, left_out = overrule_boxes(space, found, person)
    return _told(coco.FORMAT, "overrulings", count, folder, left_out={**found.left_out, **left_out})


def _boxed(source: Path) -> list[coco.Boxed]:
    """The boxes of a workspace's combined pictures, or those that are found in a folder of screenshots."""
    if is_workspace(source):
        from groundswell.flow.boxes import boxes_of
        from groundswell.flow.workspace import workspace

        with workspace(source) as space:
            return list(boxes_of(space))
    if not source.is_dir():
        raise UserError("for coco, name a folder of screenshots, or a workspace", where=source)
    return [boxed(path) for path in sorted(source.iterdir()) if path.suffix.lower() in PICTURES]


def boxed(path: Path) -> coco.Boxed:
    """What `curate screenshot` finds in a picture, as COCO wants it."""
    from groundswell.curate.screenshots import read_screenshot
    from groundswell.pictures import UnreadablePicture, facts

    data = files.read_bytes(path)
    try:
        found, seen = read_screenshot(data), facts(data)
    except UnreadablePicture as error:
        raise UserError(f"this picture cannot be read: {error}", where=path) from None
    boxes = tuple((each.role, (*map(float, each.box),)) for each in found.boxes)
    return coco.Boxed(file=path.name, width=seen.width, height=seen.height, boxes=boxes, prompt=found.prompt)  # type: ignore[arg-type]  # four numbers


def _boxes_row(picture: coco.Boxed) -> dict[str, Any]:
    boxes = [{"role": role, "box": list(box)} for role, box in picture.boxes]
    return {"file": picture.file, "prompt": picture.prompt, "boxes": boxes}


def _told(
    form: str,
    what: str,
    rows: int,
    target: Path,
    *,
    left_out: Mapping[str, int] | None = None,
    not_carried: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    return {
        "format": form,
        "what": what,
        "rows": rows,
        "target": str(target),
        "left_out": dict(left_out or {}),
        "not_carried": dict(not_carried or {}),
    }
