"""Measure an output against its inputs: the command `metric`, on pictures in memory or in files."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec

from groundswell import plugins
from groundswell.errors import UserError
from groundswell.files import read_bytes
from groundswell.measure.standalone import PACKAGED, named
from groundswell.measure.text import WANTED_TEXT
from groundswell.pictures import UnreadablePicture, describe, encode_png
from groundswell.records import Check, Measurement, NotApplicable, Picture, Sample

PictureLike = Any
"""A path, bytes of a file, a PIL image, or an array (h, w, 3) uint8 sRGB."""


def measure_pair(
    metric: str,
    input: PictureLike | Sequence[PictureLike] | None,
    output: PictureLike,
    *,
    wanted: str | Sequence[str] | None = None,
    backend: str | None = None,
) -> Measurement | NotApplicable:
    """Measure one output against its input or inputs.

    `metric` is color, face, structure, text, or any metric that `groundswell plugins` lists. Pictures are paths, bytes,
    PIL images or arrays of shape (h, w, 3), uint8, sRGB. `wanted` is the text that should be in the output (metric
    text). The answer is a `Measurement` in the metric's own unit (docs/metrics.md), or `NotApplicable` with the reason.
    Raises UserError for an unknown metric or backend, and a file that is not there.
    """
    chosen = named(metric, backend) if metric in PACKAGED or backend is not None else plugins.load("metric", metric)()
    given = [] if input is None else list(input) if isinstance(input, list | tuple) else [input]
    inputs, picture = [_bytes(one) for one in given], _bytes(output)
    sample = Sample(
        suite="pairs",
        task="edit" if inputs else "t2i",
        prompts={},
        inputs=tuple(filter(None, map(_described, inputs))),
        checks=(Check(name=WANTED_TEXT, args={"text": wanted}),) if wanted else (),
    )
    found = chosen.measure(sample, sha256(picture).hexdigest(), inputs, picture)
    if isinstance(found, Measurement):  # 1,536 counts behind a colour are nothing to look at
        detail = {name: value for name, value in found.detail.items() if name != "histograms"}
        return msgspec.structs.replace(found, detail=detail)
    return found if isinstance(found, NotApplicable) else msgspec.convert(found, NotApplicable)


def _bytes(picture: PictureLike) -> bytes:
    if isinstance(picture, bytes | bytearray | memoryview):
        return bytes(picture)
    if isinstance(picture, str | Path):
        return read_bytes(picture)
    if hasattr(picture, "save") and hasattr(picture, "getexif"):
        buffer = BytesIO()
        picture.save(buffer, "PNG", exif=picture.getexif())  # a turned photograph stays one
        return buffer.getvalue()
    import numpy as np

    pixels = np.asarray(picture)
    if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3 or not pixels.size:
        seen = f"{pixels.shape} of {pixels.dtype}"
        raise UserError(f"a picture in an array is (height, width, 3) of uint8 from 0 to 255, not {seen}")
    return encode_png(np.ascontiguousarray(pixels))


def _described(data: bytes) -> Picture | None:
    """The picture by its content; None where it cannot be read, which the metric will say."""
    try:
        return describe(data)
    except UnreadablePicture:
        return None
