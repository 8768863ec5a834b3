"""Where what came is not what was asked: the picture's size, its media type, the model that answered.

Hosts answer with other sizes and other models than they were asked for, and some say that they did not. The record
keeps what was asked (the endpoint's settings and the sample) and what came (the bytes); this says where they disagree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from groundswell.records import Answer, Endpoint, Json, Picture, Sample

ASPECT_SLACK = 0.02
"""Share by which proportions may differ; sizes are rounded to multiples of 8, 16 or 32."""


def differences(endpoint: Endpoint, sample: Sample, pictures: Sequence[Picture], answer: Answer) -> tuple[str, ...]:
    """Each disagreement in one sentence; none where nothing can be compared."""
    found = [text for picture in pictures[:1] for text in _of_picture(endpoint, sample, picture)]
    served = answer.served_model
    if served and not _same_model(endpoint.model, served):
        found.append(f"asked for {endpoint.model}, {served} answered")
    if said := answer.observed.get("size"):
        found += [
            f"the host says {said}, the bytes are {_size(picture)}"
            for picture in pictures[:1]
            if "x" in str(said) and said != _size(picture)
        ]
    return tuple(found)


def _of_picture(endpoint: Endpoint, sample: Sample, picture: Picture) -> Iterator[str]:
    settings = endpoint.settings_for(sized=sample.size is not None, inputs=bool(sample.inputs))
    asked = _asked(settings)
    if asked is not None and sample.size is None and asked != _size(picture):
        yield f"asked for {asked}, {_size(picture)} came"
    if sample.size is not None:
        wanted, came = sample.size[0] / sample.size[1], picture.width / picture.height
        if abs(came / wanted - 1) > ASPECT_SLACK:
            yield f"asked for the proportions of {sample.size[0]}x{sample.size[1]}, {_size(picture)} came"
    kind = str(settings.get("output_format") or "").replace("jpg", "jpeg")
    if kind and picture.media_type != f"image/{kind}":
        yield f"asked for {kind}, {picture.media_type} came"


def _asked(settings: Mapping[str, Json]) -> str | None:
    """The size that settings ask for, however the host spells it; None where they name none in pixels."""
    size = settings.get("size")
    if isinstance(size, str) and "x" in size:
        return size
    sides = settings.get("image_size")
    sides = sides if isinstance(sides, Mapping) else settings
    width, height = sides.get("width"), sides.get("height")
    return None if width is None or height is None else f"{width}x{height}"


def _size(picture: Picture) -> str:
    return f"{picture.width}x{picture.height}"


def _same_model(asked: str, served: str) -> bool:
    """A dated snapshot of an alias, or the same name with or without its maker's prefix, is the same model."""
    asked, served = (name.lower().rpartition("/")[2].partition(":")[0] for name in (asked, served))
    return served.startswith(asked) or asked.startswith(served)
