"""The ghost overlay: input and output in one picture, so that a person sees what moved.

What is bright only in the output shines red, what was bright only in the input blue-green; what stayed is gray.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from groundswell.measure.keeping import resized

_LUMA = np.array([0.299, 0.587, 0.114])
"""Weights of red, green, blue in brightness (ITU-R BT.601)."""


def ghost(input_pixels: NDArray[np.uint8], output_pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """(h, w, 3) uint8 at the input's size: brightness of the output as red, of the input as green and blue."""
    height, width = input_pixels.shape[:2]
    before, after = (
        np.rint(pixels @ _LUMA).astype(np.uint8) for pixels in (input_pixels, resized(output_pixels, width, height))
    )
    return np.stack([after, before, before], axis=2)
