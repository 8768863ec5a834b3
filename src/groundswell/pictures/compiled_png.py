"""Rows of an 8-bit RGB PNG turned back into pixels (PNG specification, section 9), compiled by numba.

Imported only where numba is installed (the extra `speed`).
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

FILTERS = 5


def unfilter(rows: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Pixels (h, w, 3) of filtered rows (h, 1 + 3w), each begun by its filter's number. Raises ValueError."""
    if int(rows[:, 0].max()) >= FILTERS:
        raise ValueError("a row has an unknown filter")
    height, width = rows.shape
    pixels: NDArray[np.uint8] = _unfilter(rows).reshape(height, width // 3, 3)
    return pixels


@njit(cache=True, nogil=True)
def _unfilter(rows):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    height, width = rows.shape[0], rows.shape[1] - 1
    out = np.empty((height, width), np.uint8)
    above = np.zeros(width, np.uint8)
    for y in range(height):
        line, own = rows[y, 1:], out[y]
        kind = rows[y, 0]
        if kind == 0:
            own[:] = line
        elif kind == 1:
            own[:3] = line[:3]
            for x in range(3, width):
                own[x] = line[x] + own[x - 3]
        elif kind == 2:
            for x in range(width):
                own[x] = line[x] + above[x]
        elif kind == 3:
            for x in range(width):
                left = np.int32(own[x - 3]) if x >= 3 else np.int32(0)
                own[x] = line[x] + np.uint8((left + np.int32(above[x])) >> 1)
        else:
            _paeth(line, above, own)
        above = own
    return out


@njit(cache=True, nogil=True)
def _paeth(line, above, own):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """One row; the three channels side by side, because each pixel waits for the one at its left."""
    left0 = left1 = left2 = np.int32(0)
    corner0 = corner1 = corner2 = np.int32(0)
    for x in range(0, len(line), 3):
        up0, up1, up2 = np.int32(above[x]), np.int32(above[x + 1]), np.int32(above[x + 2])
        left0 = (np.int32(line[x]) + _nearest(left0, up0, corner0)) & 255
        left1 = (np.int32(line[x + 1]) + _nearest(left1, up1, corner1)) & 255
        left2 = (np.int32(line[x + 2]) + _nearest(left2, up2, corner2)) & 255
        own[x], own[x + 1], own[x + 2] = left0, left1, left2
        corner0, corner1, corner2 = up0, up1, up2


@njit(cache=True, inline="always")
def _nearest(left, up, corner):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
    """Of left, up and corner the one nearest to left + up - corner."""
    from_left, from_up = abs(up - corner), abs(left - corner)
    from_corner = abs(left + up - 2 * corner)
    if (from_left <= from_up) & (from_left <= from_corner):
        return left
    return up if from_up <= from_corner else corner
