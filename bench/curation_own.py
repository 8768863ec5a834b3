"""The local reader on material that code makes: drawn windows, collages, split scenes, and templates in our own words.

The rules were changed while one half of it was looked at (`--seen`). What is printed is the other half: drawn with
another seed, and templates and tasks of which only the totals were looked at. It was made by whoever wrote the rules,
so it is kinder than the world. Shares stand with their 95 % Wilson intervals.

    python -m bench.curation_own [--seen] [--only windows|scenes|templates|tasks]
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import defaultdict

from bench.curation import RECOVERED, overlap, similarity, wilson
from bench.own import scenes, tasks, templates, windows

SEEN, UNSEEN = 1, 2026
"""Seeds of what was looked at while rules were written, and of what was not."""

COUNT = 4

Row = tuple[str, bool, str]
"""A measure, whether it was hit, and what it was about."""


def png(picture) -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def window_rows(seed: int):
    """What was typed, and the pictures with their roles; nothing where nothing is."""
    from groundswell.curate.screenshots import read_screenshot

    for window in windows.windows(seed, COUNT):
        found = read_screenshot(png(window.picture))
        if window.prompt is None:
            yield "windows without an instruction stay without", found.prompt is None, f"{window.kind} {found.prompt}"
            continue
        near = similarity(found.prompt or "", window.prompt)
        yield f"prompt recovered, {window.kind}", near >= RECOVERED, f"{near:.2f} {window.how}: {found.prompt}"
        for role, box in window.boxes:
            hits = [each for each in found.boxes if overlap(each.box, box) >= 0.5]
            where = f"{window.kind}, {window.how}"
            yield "boxes in windows, IoU >= 0.5", bool(hits), where
            yield "boxes in windows with their role", any(each.role == role for each in hits), where
        yield "no box too many in a window", len(found.boxes) <= len(window.boxes), window.kind


def scene_rows(seed: int):
    """Collages are cut at their panels, single scenes are not."""
    from groundswell.curate.panels import panels

    for scene in [*scenes.split_scenes(seed), *scenes.collages(seed)]:
        found = panels(scenes.as_pixels(scene.picture))
        if len(scene.boxes) == 1:
            yield f"{scene.kind} is not cut", len(found) == 1, f"{scene.how}: {len(found)}"
        else:
            hits = [any(overlap(a, b) >= 0.8 for a in found) for b in scene.boxes]
            yield (
                f"{scene.kind}: all panels found",
                all(hits) and len(found) == len(scene.boxes),
                f"{scene.how}: {found}",
            )


def template_rows(seed: int):
    """Open places filled with what the author says of them; what nobody says for sure stays open."""
    from groundswell.curate.blanks import fill
    from groundswell.curate.conversation import Conversation, SeenPost

    for case in templates.SEEN if seed == SEEN else templates.UNSEEN:
        said = [*(("author", text) for text in case.replies), *(("other", text) for text in case.others)]
        replies = [SeenPost(key=f"r{n}", text=text, by=by, reply_to=0) for n, (by, text) in enumerate(said)]
        main_post = SeenPost(key="main", text=case.template, by="author")
        filled = fill(case.template, Conversation(posts=(main_post, *replies))).filled
        if case.filled is not None:
            yield "blanks filled right", filled == case.filled, f"{case.replies}: {filled}"
        yield "blanks not filled wrongly", filled in (None, case.filled), f"{case.replies}: {filled}"


def task_rows(seed: int):
    """Whether an instruction works on a picture that was given, by its words alone."""
    from groundswell.curate.prompts import edits

    for task, prompts in (tasks.SEEN if seed == SEEN else tasks.UNSEEN).items():
        for prompt in prompts:
            yield f"task told, {task}", edits(prompt) == (task == "edit"), prompt


MEASURES = {"windows": window_rows, "scenes": scene_rows, "templates": template_rows, "tasks": task_rows}


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seen", action="store_true")
    parser.add_argument("--only", choices=tuple(MEASURES))
    parser.add_argument("--misses", action="store_true", help="name what was missed")
    given = parser.parse_args()
    seed = SEEN if given.seen else UNSEEN
    print("| measure | hits | of | share | 95 % interval |\n|---|---|---|---|---|")
    for name, rows in MEASURES.items():
        counted: dict[str, list[bool]] = defaultdict(list)
        for measure, hit, about in rows(seed) if given.only in (None, name) else ():
            counted[measure].append(hit)
            if given.misses and not hit:
                print(f"missed: {measure}: {about}", file=sys.stderr)
        for measure, hits in counted.items():
            low, high = wilson(sum(hits), len(hits))
            share = f"{sum(hits) / len(hits):.2f}"
            print(f"| {measure} | {sum(hits)} | {len(hits)} | {share} | {low:.2f}–{high:.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
