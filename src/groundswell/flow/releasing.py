"""Releases of a workspace's editions, with what was withdrawn, and the yields from posts to samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from groundswell.config import SuiteSettings
from groundswell.errors import UserError
from groundswell.flow.arena import rulings
from groundswell.flow.workspace import Workspace, editions
from groundswell.records import Edition, Post, Sample


def release(space: Workspace, suite: str | None, out: Path | None) -> dict[str, Any]:
    """Write the newest edition of a suite as a folder. Raises UserError when there is none, or several suites."""
    from groundswell.editions.releases import Material, write

    found: dict[str, tuple[SuiteSettings, Edition]] = {each[1].suite: each for each in editions(space)}
    if suite is None and len(found) != 1:
        raise UserError(f"name a suite: {', '.join(sorted(found)) or 'there is none yet'}")
    name = suite or next(iter(found))
    if name not in found:
        raise UserError(f"there is no edition of {name}; there are: {', '.join(sorted(found)) or 'none'}")
    stored = [edition for edition in space.store.records(Edition) if edition.suite == name]
    edition = stored[-1] if stored else found[name][1]
    members = {key: sample for sample in space.store.records(Sample) if (key := sample.key) in set(edition.samples)}
    posts = {post.key: post.url for post in space.store.records(Post) if post.url is not None}
    material = Material(
        edition=edition,
        samples=[members[key] for key in edition.samples if key in members],
        pointers=posts,
        withdrawn=_withdrawn(space, stored or [edition]),
        yields=_yields(space, edition),
    )
    return write(material, out or space.config.folder / "releases" / f"{name}-{edition.label}", space.blobs.get)


def _withdrawn(space: Workspace, held: Sequence[Edition]) -> dict[str, list[str]]:
    """Samples of some editions that were forgotten, with the labels of the editions; not the address that was named
    then, which would point to what should be gone."""
    gone = {row["key"] for row in space.store.tombstones()}
    labels: dict[str, list[str]] = {}
    for edition in held:
        for key in gone.intersection(edition.samples):
            labels.setdefault(key, []).append(edition.label)
    return dict(sorted(labels.items()))


def _yields(space: Workspace, edition: Edition) -> dict[str, int]:
    """How many there were at each step from posts to the edition."""
    ruled = Counter(ruling.what for ruling in rulings(space).values())
    samples = [sample for sample in space.store.records(Sample) if sample.origins]
    return {
        "posts": sum(1 for _ in space.store.records(Post)),
        "samples made of posts": len(samples),
        "of these fit for a benchmark": sum(sample.quality == "Benchmark" for sample in samples),
        "prompts admitted by rule or person": ruled["admit"] + ruled["restore"],
        "prompts that wait for a person": ruled["queue"],
        "prompts rejected": ruled["reject"],
        "prompts retired": ruled["retire"],
        "samples of this edition": len(edition.samples),
    }
