"""What posts and samples lack, each with its post's address: nothing that was left out is left out in silence.

Where pictures are kept is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from groundswell.records import Post, Sample

MAY_MOVE = frozenset({"image/gif", "image/webp", "image/png", "image/avif"})
"""Formats whose pictures may have several frames."""


def not_runnable(samples: Sequence[Sample], posts: Mapping[str, Post]) -> list[dict[str, Any]]:
    """Samples that cannot be run, with the reason."""
    return [
        {"url": posts[sample.origins[0]].url, "sample": sample.key, "why": sample.not_runnable}
        for sample in samples
        if sample.not_runnable is not None
    ]


def pictures_missing(posts: Iterable[Post]) -> list[dict[str, Any]]:
    """Pictures that could not be had or read, with the reason."""
    return [
        {"url": post.url, "picture": shown.url, "why": shown.missing}
        for post in posts
        for shown in post.pictures
        if shown.picture is None and shown.missing is not None
    ]


def first_frame_only(
    samples: Sequence[Sample], posts: Mapping[str, Post], read: Callable[[str], bytes]
) -> list[dict[str, Any]]:
    """Inputs that are animations: models are given their first frame. `read` gives the bytes of a digest."""
    from groundswell.pictures import facts

    def moves(sample: Sample) -> Iterator[str]:
        for picture in sample.inputs:
            if picture.media_type in MAY_MOVE and facts(read(picture.digest)).frames > 1:
                yield picture.digest

    return [
        {"url": posts[sample.origins[0]].url, "sample": sample.key, "picture": digest}
        for sample in samples
        for digest in moves(sample)
    ]
