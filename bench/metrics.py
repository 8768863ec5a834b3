"""Speed of the metrics on one core, and what recolouring and moving cost in structure distance.

Run `OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python bench/metrics.py`; it needs the extras demo, metrics and speed.
Photographs come with scikit-image. Seconds are those of the processor, so that neighbours on the machine count little.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from time import process_time

import numpy as np
import skimage.data
from PIL import Image

from groundswell import pictures
from groundswell.measure.color import Histogram, Pair, measure_pair
from groundswell.measure.face import FaceIdentity
from groundswell.measure.gallery import Gallery
from groundswell.measure.structure import StructureDistance, distances, self_similarity
from groundswell.perception.faces import SFACE
from groundswell.perception.layout import EFFNET_LITE0
from groundswell.pictures.quick import WORTH_COMPILING
from groundswell.pictures.reading import usual_pixels
from groundswell.records import Sample

SIDE = 1024
SAMPLE = Sample(suite="bench", task="edit", prompts={"en": "add a hat"})
TARGETS = {"PNG": 25, "JPEG": 80}
"""Colour pairs of 1024 x 1024 a second and core, decoding included."""
MODELS = 8
"""On a board of usual size."""
OVERHEAD = 0.20
"""What face and structure may cost beyond their networks, without decoding."""


def best(work: Callable[[], object], repeats: int = 9) -> float:
    """Least processor seconds of several runs."""
    taken = []
    for _ in range(repeats):
        start = process_time()
        work()
        taken.append(process_time() - start)
    return min(taken)


def encoded(pixels: np.ndarray, kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, kind, **({"quality": 90} if kind == "JPEG" else {}))
    return buffer.getvalue()


def warm_up(png: bytes) -> None:
    """PNGs are unfiltered by compiled code only in a process that reads many."""
    for _ in range(WORTH_COMPILING + 1):
        pictures.pixels(png)


def of_pair(before: bytes, after: bytes) -> Pair:
    return measure_pair(pictures.pixels(before), pictures.pixels(after))


def one_input(files: list[bytes]) -> None:
    """Colour shift of one input against the outputs of MODELS models."""
    before = Histogram.of(pictures.pixels(files[0]))
    for n in range(MODELS):
        _ = Pair(before, Histogram.of(pictures.pixels(files[1 + n % 2]))).magnitude


def at_size(pixels: np.ndarray) -> np.ndarray:
    return np.asarray(Image.fromarray(pixels).resize((SIDE, SIDE), Image.Resampling.LANCZOS))


def colour() -> bool:
    """Pairs a second by format, and whether the pixels are those of the usual way."""
    photographs = [at_size(each) for each in (skimage.data.astronaut(), skimage.data.coffee(), skimage.data.rocket())]
    good = True
    warm_up(encoded(photographs[0][:64, :64], "PNG"))
    for kind, target in TARGETS.items():
        files = [encoded(each, kind) for each in photographs]
        pairs = list(zip(files, files[1:] + files[:1], strict=True))
        seconds = best(lambda pairs=pairs: [of_pair(*pair).magnitude for pair in pairs])
        usual = best(lambda files=files: [usual_pixels(data) for data in files], 3) / len(files)
        quick = best(lambda files=files: [pictures.pixels(data) for data in files], 3) / len(files)
        exact = all(np.array_equal(pictures.pixels(data), usual_pixels(data)) for data in files)
        rate = len(pairs) / seconds
        # In a run every output is new, and its input has been looked at for another model.
        shared = MODELS / best(lambda files=files: one_input(files))
        good &= exact and rate >= target
        print(
            f"colour {kind:5} {rate:6.1f} pairs/s, {shared:.1f} with one input for {MODELS} models (target {target}); "
            f"decoding {1e3 * quick:.1f} ms, by Pillow {1e3 * usual:.1f} ms; bit-exact {exact}"
        )
    counting = best(lambda: Histogram.of(photographs[0]))
    print(f"histogram of {SIDE} x {SIDE}: {1e3 * counting:.2f} ms")
    return good


def networks() -> bool:
    """Face and structure beside their bare networks, pictures decoded beforehand."""
    before, after = skimage.data.astronaut(), skimage.data.astronaut()[:, ::-1]
    data = encoded(before, "PNG"), encoded(after, "PNG")
    rows = {
        "face": (FaceIdentity, lambda: [SFACE.find(each) for each in (before, after)]),
        "structure": (
            StructureDistance,
            lambda: distances(*(self_similarity(EFFNET_LITE0.cells(each)) for each in (before, after))),
        ),
    }
    good = True
    for name, (metric, network) in rows.items():
        network()

        def whole(metric: type = metric) -> float:
            gallery = Gallery()
            for each in data:
                gallery.view(each)
            chosen = metric(gallery=gallery)
            start = process_time()
            chosen.measure(SAMPLE, "key", [data[0]], data[1])
            return process_time() - start

        runs = [(best(network, 1), whole()) for _ in range(15)]
        bare, measured = (min(side) for side in zip(*runs, strict=True))
        good &= measured <= (1 + OVERHEAD) * bare
        print(
            f"{name:10} {1e3 * measured:6.1f} ms a pair; its network {1e3 * bare:6.1f} ms; {measured / bare - 1:+.1%}"
        )
    return good


def crops() -> list[tuple[str, np.ndarray]]:
    """24 pictures of 224 x 224: corners of six photographs."""
    found = []
    for name in ("astronaut", "coffee", "chelsea", "rocket", "retina", "stereo_motorcycle"):
        pixels = getattr(skimage.data, name)()
        pixels = pixels[0] if isinstance(pixels, tuple) else pixels
        pixels = pixels[::2, ::2] if min(pixels.shape[:2]) >= 448 and name != "astronaut" else pixels
        for corner, (rows, columns) in enumerate([(0, 0), (0, -224), (-224, 0), (-224, -224)], 1):
            found.append((f"{name} {corner}", _window(pixels, rows, columns)))
    return found


def _window(pixels: np.ndarray, rows: int, columns: int) -> np.ndarray:
    top, left = rows % pixels.shape[0], columns % pixels.shape[1]
    return np.ascontiguousarray(pixels[top : top + 224, left : left + 224])


EDITS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "gray": lambda p: np.repeat(p.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8),
    "warm": lambda p: np.clip(p * np.array([1.25, 1.0, 0.7]) + 8, 0, 255).astype(np.uint8),
    "darker": lambda p: (p * 0.6).astype(np.uint8),
    "mirrored": lambda p: p[:, ::-1],
    "halves": lambda p: np.concatenate([p[112:], p[:112]]),
    "quarter turn": np.rot90,
}
RECOLOURING = ("gray", "warm", "darker")


def structure_table() -> bool:
    """Structure distance of edits that recolour and edits that move things."""
    print(f"\nstructure distance (mse x 1000, {EFFNET_LITE0.name})\n{'':22}" + "".join(f"{e:>14}" for e in EDITS))
    table = []
    for name, pixels in crops():
        before = self_similarity(EFFNET_LITE0.cells(pixels))
        after = [self_similarity(EFFNET_LITE0.cells(np.ascontiguousarray(edit(pixels)))) for edit in EDITS.values()]
        table.append([1e3 * distances(before, each)[0] for each in after])
        print(f"{name:22}" + "".join(f"{value:14.2f}" for value in table[-1]))
    means = dict(zip(EDITS, np.mean(table, axis=0), strict=True))
    print(f"{'mean':22}" + "".join(f"{value:14.2f}" for value in means.values()))
    recoloured = max(means[name] for name in RECOLOURING)
    moved = min(value for name, value in means.items() if name not in RECOLOURING)
    print(f"the mildest move costs {moved / recoloured:.1f} times the harshest recolouring")
    return moved > 2 * recoloured


if __name__ == "__main__":
    sys.exit(0 if all([colour(), networks(), structure_table()]) else 1)
