"""Decoded pictures, kept while they are of use: each is decoded once, however many metrics look at it.

What was seen in a picture (its histogram, its faces, its text) is kept beside it, so the inputs of a sample are looked
at once for all models' outputs. It does not know what is looked for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from groundswell import pictures

T = TypeVar("T")

ROOM = 120_000_000
"""Pixels that a gallery keeps, 3 bytes each: about a hundred pictures of 1024 x 1024."""


class View:
    """One picture: its pixels, decoded on first use, and what has been seen in them."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._pixels: NDArray[np.uint8] | None = None
        self._seen: dict[Hashable, Any] = {}
        self._lock = Lock()

    @property
    def pixels(self) -> NDArray[np.uint8]:
        """(h, w, 3) uint8 sRGB, not to be written to. Raises UnreadablePicture."""
        if self._pixels is None:
            with self._lock:
                if self._pixels is None:
                    pixels = pictures.pixels(self._data)
                    pixels.setflags(write=False)
                    self._pixels = pixels
        return self._pixels

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels."""
        height, width = self.pixels.shape[:2]
        return width, height

    def seen(self, what: Hashable, look: Callable[[NDArray[np.uint8]], T]) -> T:
        """What `look` sees in the pixels, computed once under the name `what`."""
        pixels = self.pixels
        if what not in self._seen:
            with self._lock:
                if what not in self._seen:
                    self._seen[what] = look(pixels)
        return cast(T, self._seen[what])


class Gallery:
    """The most recently used pictures, up to a number of pixels."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._views: OrderedDict[bytes, View] = OrderedDict()
        self._lock = Lock()

    def view(self, data: bytes) -> View:
        """The view of these bytes, decoded or not. Raises UnreadablePicture when they are no picture."""
        with self._lock:
            # Keyed by the bytes themselves: Python keeps their hash, and equal objects are told by identity first.
            view = self._views.setdefault(data, View(data))
            self._views.move_to_end(data)
        pixels = view.pixels
        with self._lock:
            self._make_room(keep=pixels.size // 3)
        return view

    def __reduce__(self) -> str | tuple[type[Gallery], tuple[int]]:
        # Pictures stay here; on another machine the process's own gallery takes this one's place.
        return "GALLERY" if self is GALLERY else (Gallery, (self._room,))

    def _make_room(self, keep: int) -> None:
        held = [(data, view._pixels) for data, view in self._views.items()]
        total = sum(pixels.size // 3 for _, pixels in held if pixels is not None)
        for data, pixels in held[:-1]:
            if total <= max(self._room, keep):
                return
            total -= 0 if pixels is None else pixels.size // 3
            del self._views[data]


GALLERY = Gallery()
"""The pictures of this process."""
