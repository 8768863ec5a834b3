"""Finds pictures whose bytes are lost or damaged, gets them again where their origin is known, and says what depends on
the others.

An origin is the address under which a post shows the picture, or the source of a configured suite. What came is kept
only when it has the very digest; what models made cannot be made again, and is only named.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any

from groundswell.errors import GroundswellError, StoreError
from groundswell.flow.workspace import Workspace, editions, of_source, pictures_of
from groundswell.records import Call, Comparison, Endpoint, Output, Picture, Post, Record, Reply, Sample, Verdict
from groundswell.wire.door import Wire
from groundswell.wire.lines import Limits, Line

NOWHERE = "https://public.invalid"
"""Base of the way to a post's pictures: addresses of strangers lead into no private network."""

PATIENCE_SECONDS = 30.0


def check(space: Workspace, *, mend: bool = False, most: int | None = None) -> dict[str, Any]:
    """Read every picture that a record names (`most`: at most so many) and compare it with its digest.

    Gives `{records, pictures, damaged{digest: why}, mended{digest: from where}, depends[{digest, kind, key, name,
    verdicts, comparisons}]}`. With `mend` damaged pictures are got again from their origins; those that were are no
    longer among the damaged.
    """
    records = 0
    seen: set[str] = set()
    damaged: dict[str, str] = {}
    for record in space.store.records(Post, Sample, Output):
        records += 1
        for picture in pictures_of(record):
            if picture.digest in seen or (most is not None and len(seen) >= most):
                continue
            seen.add(picture.digest)
            try:
                space.blobs.get(picture.digest)
            except StoreError as error:
                damaged[picture.digest] = str(error)
    mended = _mend(space, damaged.keys()) if mend and damaged else {}
    damaged = {digest: why for digest, why in damaged.items() if digest not in mended}
    return {
        "records": records,
        "pictures": len(seen),
        "damaged": damaged,
        "mended": mended,
        "depends": list(_dependents(space, damaged.keys())) if damaged else [],
    }


def _dependents(space: Workspace, damaged: Collection[str]) -> Iterator[dict[str, Any]]:
    """The records that show a damaged picture, and how many verdicts and comparisons rest on each."""
    verdicts = Counter(key for verdict in space.store.records(Verdict) for key in verdict.outputs)
    compared = Counter(
        key for each in space.store.records(Comparison) for key in (each.left_output, each.right_output) if key
    )
    names = {endpoint.key: endpoint.name for endpoint in space.store.records(Endpoint)}
    for record in space.store.records(Post, Sample, Output):
        for digest in {picture.digest for picture in pictures_of(record)} & set(damaged):
            key = record.key
            yield {
                "digest": digest,
                "kind": type(record).__name__.lower(),
                "key": key,
                "name": _name(record, names),
                "verdicts": verdicts[key],
                "comparisons": compared[key],
            }


def _name(record: Record, endpoints: Mapping[str, str]) -> str | None:
    match record:
        case Post():
            return record.url or record.id
        case Sample():
            return record.label
        case Output():
            return endpoints.get(record.endpoint)
    return None


def _mend(space: Workspace, damaged: Collection[str]) -> dict[str, str]:
    """Where each of the damaged pictures came from that could be had again."""
    mended = _from_sources(space, damaged)
    left = set(damaged) - mended.keys()
    return mended | (asyncio.run(_from_posts(space, left)) if left else {})


def _from_sources(space: Workspace, damaged: Collection[str]) -> dict[str, str]:
    """Read the sources of the suites again; a source that is gone mends nothing."""
    mended: dict[str, str] = {}
    for suite, _ in editions(space):

        def keep(data: bytes, suite: str = suite.name) -> Picture:
            if (digest := sha256(data).hexdigest()) in damaged:
                space.blobs.mend(data)
                mended[digest] = f"the source of {suite}"
            return Picture(digest=digest, media_type="", width=0, height=0)

        with suppress(GroundswellError):
            for _ in of_source(space, suite, keep):
                if len(mended) == len(damaged):
                    return mended
    return mended


async def _from_posts(space: Workspace, damaged: Collection[str]) -> dict[str, str]:
    """Ask the addresses under which posts show the pictures."""
    mended: dict[str, str] = {}
    bases = {source.platform or source.name: source.base_url for source in space.config.file.source}
    async with Wire(space.blobs.get) as wire:
        for post in space.store.records(Post):
            for shown in post.pictures:
                wanted = shown.picture is not None and shown.picture.digest in damaged
                if not wanted or not shown.url.startswith(("https://", "http://")):
                    continue
                limits = Limits(timeout=PATIENCE_SECONDS, deadline=PATIENCE_SECONDS)
                line = Line("pictures", bases.get(post.platform) or NOWHERE, (), limits)
                call = Call(method="GET", url=shown.url, auth=None, phase="fetch", from_reply=True)
                got = await wire.once(call, line)
                if isinstance(got, Reply) and sha256(got.body).hexdigest() in damaged:
                    mended[space.blobs.mend(got.body)] = shown.url
    return mended
