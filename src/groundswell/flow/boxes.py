"""The boxes within a workspace's combined pictures, out to COCO's tools and back as a person's word.

A picture is named by its digest, so that what comes back finds its place whatever the tool did to the order. A box that
was drawn otherwise overrules the reader's, as `curate review` does; the others stay as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from groundswell.curate.questions import Question
from groundswell.flow.curation import decisions, gather, reader_of
from groundswell.flow.reviewing import overrule
from groundswell.flow.workspace import Workspace
from groundswell.interchange.coco import Box, Boxed, Found, Role
from groundswell.records import Decision, Picture, Post

UNKNOWN = "no combined picture of this workspace has that digest"
SAME = "the boxes stand as they were"


def boxes_of(space: Workspace) -> Iterator[Boxed]:
    """The combined pictures of the workspace with their boxes, each named by its digest. Raises UserError where there
    are no posts."""
    for _, row, picture in _combined(space):
        boxes: list[tuple[Role, Box]] = [(each["role"], _four(each["box"])) for each in row["boxes"]]
        yield Boxed(file=picture.digest, width=picture.width, height=picture.height, boxes=tuple(boxes))


def overrule_boxes(space: Workspace, found: Found, person: str) -> tuple[int, dict[str, int]]:
    """Keep boxes that a person drew otherwise; gives the number of pictures overruled, and of the others by reason."""
    drawn = {PurePath(picture.file).stem: picture for picture in found.pictures}
    left_out: Counter[str] = Counter()
    changed: dict[str, tuple[Decision, list[dict[str, Any]]]] = {}
    seen: set[str] = set()
    count = 0
    for decision, row, picture in _combined(space):
        theirs = drawn.get(picture.digest)
        if theirs is None:
            continue
        seen.add(picture.digest)
        boxes = [{"role": role, "box": [round(value) for value in box]} for role, box in theirs.boxes]
        if _plain(boxes) == _plain(row["boxes"]):
            left_out[SAME] += 1
            continue
        rows = changed.setdefault(decision.subject, (decision, [dict(each) for each in decision.answer["pictures"]]))[1]
        place = next(n for n, each in enumerate(rows) if (each["post"], each["index"]) == (row["post"], row["index"]))
        rows[place] = {**rows[place], "boxes": boxes, "why": "a person drew the boxes"}
        count += 1
    for subject, (decision, rows) in changed.items():
        overrule(space, subject, Question.ROLES, {**decision.answer, "pictures": rows}, person)
    if unknown := len(drawn.keys() - seen):
        left_out[UNKNOWN] = unknown
    return count, dict(left_out)


def _combined(space: Workspace) -> Iterator[tuple[Decision, Mapping[str, Any], Picture]]:
    """Every combined picture with the decision that says so, and its row there."""
    posts = gather(space).posts
    standing = decisions(space, *reader_of(space)).by_place
    for (_, question), decision in standing.items():
        if question != Question.ROLES or decision.answer is None:
            continue
        for row in decision.answer["pictures"]:
            picture = _picture(posts.get(row["post"]), row["index"])
            if row["role"] == "combined" and picture is not None:
                yield decision, {**row, "boxes": row.get("boxes", [])}, picture


def _picture(post: Post | None, index: int) -> Picture | None:
    return post.pictures[index].picture if post is not None and index < len(post.pictures) else None


def _four(box: list[int]) -> Box:
    x1, y1, x2, y2 = map(float, box)
    return x1, y1, x2, y2


def _plain(boxes: list[dict[str, Any]]) -> list[tuple[str, tuple[int, ...]]]:
    return sorted((each["role"], tuple(each["box"])) for each in boxes)
