"""Text in pictures, Chinese and English, at any of the four quarter turns, read by PP-OCRv4 from a package.

It knows no other scripts, drops most spaces between Latin words that stand close, and reads handwriting badly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundswell.perception.loading import Once, need, one_thread_opencv

PACKAGE = "rapidocr-onnxruntime"

LONGEST_SIDE = 2000
"""Pixels to which the engine shrinks the longest side before it looks."""

LEAST_SIDE = 8
"""Pixels under which, after shrinking, no letter is left to read; the engine fails on such strips."""


@dataclass(frozen=True)
class Line:
    """One line of text: what was read, how sure (0..1), and the four corners in pixels, clockwise from its start."""

    text: str
    score: float
    corners: tuple[tuple[float, float], ...]


class _Reader:
    """The engine keeps state while it reads, so one thread uses it at a time."""

    def __init__(self) -> None:
        one_thread_opencv()
        module = need("rapidocr_onnxruntime", package=PACKAGE, extra="metrics")
        self._engine: Any = module.RapidOCR(intra_op_num_threads=1, inter_op_num_threads=1, max_side_len=LONGEST_SIDE)
        self._lock = Lock()

    def read(self, pixels: NDArray[np.uint8]) -> tuple[Line, ...]:
        with self._lock:
            found, _ = self._engine(np.ascontiguousarray(pixels[..., ::-1]))
        return tuple(
            Line(text=text, score=float(score), corners=tuple((float(x), float(y)) for x, y in corners))
            for corners, text, score in found or ()
        )


_reader = Once(_Reader)


def read(pixels: NDArray[np.uint8]) -> tuple[Line, ...]:
    """Lines of text in (h, w, 3) uint8 RGB, top to bottom, left to right. Raises NotInstalled."""
    shrunk = min(1.0, LONGEST_SIDE / max(pixels.shape[:2]))
    if min(pixels.shape[:2]) * shrunk < LEAST_SIDE:
        return ()
    return _reader().read(pixels)


def joined(lines: Sequence[Line]) -> str:
    """The lines as one text, in reading order."""
    return "\n".join(line.text for line in lines)
