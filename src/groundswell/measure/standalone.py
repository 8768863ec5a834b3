"""The command `groundswell metric`: pairs of picture files in, values out, no workspace needed.

A pair that cannot be measured gives null with the reason, and the others go on. It prints nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from groundswell.errors import UserError
from groundswell.files import read_rows, require_columns
from groundswell.measure.color import Color, Pair, pair_of, pooled, set_interval
from groundswell.measure.face import FaceIdentity, with_auraface
from groundswell.measure.intervals import mean_interval
from groundswell.measure.metric import Inapplicable, PictureMetric, Seen
from groundswell.measure.structure import StructureDistance, with_dino
from groundswell.measure.text import WANTED_TEXT, TextByOcr
from groundswell.perception.loading import NotInstalled, NoWeights
from groundswell.records import Check, Sample

Row = Mapping[str, Any]
"""`input` (a path or a list of paths; absent for text), `output` (a path), `wanted` (text or texts, for text)."""

FROM_WEIGHTS: dict[str, dict[str, Callable[[str | None, str | None], PictureMetric]]] = {
    "face": {"auraface": with_auraface},
    "structure": {"dino-vits16": with_dino},
}
"""Backends that read weights, written `NAME:PLACE#SHA256`."""

PACKAGED: dict[str, Callable[[], PictureMetric]] = {
    "color": Color,
    "face": FaceIdentity,
    "structure": StructureDistance,
    "text": TextByOcr,
}


def pairs(
    metric: str, rows: Iterable[Row], backend: str | None = None, *, beside: str | Path | None = None
) -> dict[str, Any]:
    """`{"pairs": [...], "set": {...}}`, pairs in the order of the rows.

    A pair is `{"value", "backend", ...}`, or `{"value": null, "why", "backend"}`. `set` has the mean of the values
    with its interval, and for colour the magnitude of the summed histograms instead. Paths that are not found as they
    stand are looked for in the folder `beside`. Raises UserError for an unknown metric, backend or row without
    `output`.
    """
    chosen = named(metric, backend)
    looked = [_pair(chosen, row, number, beside) for number, row in enumerate(rows, 1)]
    shown = [_shown(chosen, each) for each in looked]
    seen = [each for each in looked if isinstance(each, Seen)]
    together = _colour_set(seen) if isinstance(chosen, Color) else _mean_set(seen)
    return {
        "pairs": shown,
        "set": {**together, "backend": chosen.backend, "scored": len(seen), "wanted": len(looked)},
    }


def pairs_file(metric: str, path: Path, backend: str | None = None) -> dict[str, Any]:
    """The pairs of a JSONL file, as `pairs` gives them; paths start at the file. UserError names a row's line."""
    needed = ["output"] if metric == "text" else ["input", "output"]
    rows = []
    for line, row in read_rows(path):
        require_columns(path, row, needed, line=line)
        if not row["output"]:
            raise UserError("a pair needs `output`, the path of a picture", where=path, line=line)
        rows.append(row)
    return pairs(metric, rows, backend, beside=path.parent)


def pair(
    metric: str,
    input: str | Path | Sequence[str | Path] | None,
    output: str | Path,
    *,
    wanted: str | Sequence[str] | None = None,
    backend: str | None = None,
) -> dict[str, Any]:
    """One pair: `{"value", "backend", ...}`, or a null value with `why`."""
    chosen = named(metric, backend)
    return _shown(chosen, _pair(chosen, {"input": input, "output": output, "wanted": wanted}, 1, None))


def named(metric: str, backend: str | None = None) -> PictureMetric:
    """The metric of the command line, with its packaged backend or one `NAME:PLACE#SHA256`. Raises UserError."""
    if metric not in PACKAGED:
        raise UserError(f"there is no metric {metric!r}; known: {', '.join(PACKAGED)}")
    packaged = PACKAGED[metric]()
    if backend is None or backend == packaged.backend:
        return packaged
    name, _, place_and_digest = backend.partition(":")
    from_weights = FROM_WEIGHTS.get(metric, {})
    if name not in from_weights:
        known = [packaged.backend, *(f"{each}:PLACE#SHA256" for each in from_weights)]
        raise UserError(f"{metric} has no backend {backend!r}; known: {', '.join(known)}")
    place, _, digest = place_and_digest.rpartition("#")
    return from_weights[name](place or None, digest or None)


Looked = Seen | str
"""A reading, or why there is none."""


def _pair(metric: PictureMetric, row: Row, number: int, beside: str | Path | None) -> Looked:
    if not row.get("output"):
        raise UserError("a pair needs `output`, the path of a picture", line=number, where=beside)
    given = row.get("input") or []
    paths = [given] if isinstance(given, str | Path) else list(given)
    try:
        inputs = [_bytes(path, f"input {place}", beside) for place, path in enumerate(paths, 1)]
        output = _bytes(row["output"], "output", beside)
        return metric.look(_sample(row), inputs, output)
    except (Inapplicable, NotInstalled, NoWeights) as silence:
        return str(silence)


def _sample(row: Row) -> Sample:
    """A sample that says no more than the row: the wanted text."""
    wanted = row.get("wanted")
    checks = (Check(name=WANTED_TEXT, args={"text": wanted}),) if wanted else ()
    return Sample(suite="pairs", task="edit", prompts={}, checks=checks)


def _bytes(path: str | Path, side: str, beside: str | Path | None) -> bytes:
    here = Path(path)
    if beside is not None and not here.is_file():
        here = Path(beside) / here
    try:
        return here.read_bytes()
    except OSError as error:
        raise Inapplicable(f"the {side} cannot be read: {path} ({error.strerror})") from error


def _shown(metric: PictureMetric, looked: Looked) -> dict[str, Any]:
    if isinstance(looked, str):
        return {"value": None, "why": looked, "backend": metric.backend}
    detail = {name: value for name, value in looked.detail.items() if name != "histograms"}
    return {"value": looked.value, "backend": metric.backend, **detail}


def _mean_set(seen: Sequence[Seen]) -> dict[str, Any]:
    values = [each.value for each in seen]
    mean = sum(values) / len(values) if values else None
    return {"value": mean, **_ends(msgspec.to_builtins(mean_interval(values)))}


def _colour_set(seen: Sequence[Seen]) -> dict[str, Any]:
    each: list[Pair] = [pair_of(one.detail) for one in seen]
    whole = pooled(each)
    try:
        before, after = whole.means
    except Inapplicable as silence:
        return {"value": None, "why": str(silence)}
    return {
        "value": whole.magnitude,
        "input_mean": before.tolist(),
        "output_mean": after.tolist(),
        **_ends(msgspec.to_builtins(set_interval(each))),
    }


def _ends(interval: Mapping[str, Any]) -> dict[str, Any]:
    """The interval's ends, and why there are none where there are none."""
    shown = {"low": interval["low"], "high": interval["high"]}
    return shown if interval["why"] is None else {**shown, "no_interval": interval["why"]}
