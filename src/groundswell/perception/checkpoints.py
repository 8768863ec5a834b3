"""Weights out of PyTorch's first file format (before 1.6), read without PyTorch and without running what is in them.

Such a file is five pickles (magic number, version, sizes, the tensors' shapes, the storages' keys) and then the raw
storages. Only the names that a dictionary of tensors needs are resolved; anything else in the file is an error.
"""

from __future__ import annotations

import io
import pickle
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAGIC = 0x1950A86A20F9469CFC6C
STORAGES: dict[str, np.dtype[Any]] = {"FloatStorage": np.dtype("<f4"), "LongStorage": np.dtype("<i8")}


@dataclass(frozen=True)
class _Tensor:
    storage: tuple[str, str]
    offset: int
    shape: Sequence[int]
    strides: Sequence[int]


def _tensor(storage: tuple[str, str], offset: int, shape: Sequence[int], strides: Sequence[int], *_: Any) -> _Tensor:
    return _Tensor(storage, offset, shape, strides)


class _Unpickler(pickle.Unpickler):
    """Resolves four names; a checkpoint that wants more is refused."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _tensor
        if module == "torch" and name in STORAGES:
            return name
        raise ValueError(f"the checkpoint wants {module}.{name}, which is not a tensor")

    def persistent_load(self, pid: Any) -> tuple[str, str]:
        _, kind, key, *_ = pid
        return kind, key


def read_tensors(data: bytes) -> dict[str, NDArray[Any]]:
    """Tensors by name. Raises ValueError for anything but a dictionary of tensors in the old format."""
    stream = io.BytesIO(data)
    try:
        magic, _, _, tensors, keys = (_Unpickler(stream).load() for _ in range(5))
    except (pickle.UnpicklingError, EOFError, AttributeError, TypeError) as error:
        raise ValueError(f"this is no checkpoint of the old format: {error}") from None
    if magic != MAGIC:
        raise ValueError("this is no checkpoint of the old format")
    kinds = {tensor.storage[1]: tensor.storage[0] for tensor in tensors.values()}
    storages: dict[str, NDArray[Any]] = {}
    for key in keys:
        count = int.from_bytes(stream.read(8), "little")
        dtype = STORAGES[kinds[key]]
        storages[key] = np.frombuffer(stream.read(count * dtype.itemsize), dtype)
    return {name: _view(storages[tensor.storage[1]], tensor) for name, tensor in tensors.items()}


def _view(storage: NDArray[Any], tensor: _Tensor) -> NDArray[Any]:
    steps = [step * storage.itemsize for step in tensor.strides]
    return np.lib.stride_tricks.as_strided(storage[tensor.offset :], tensor.shape, steps)
