"""A request's parts as hosts of many models take them: one prompt, inputs under the model's own names, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

from groundswell.errors import UserError
from groundswell.providers.shapes import nearest_ratio
from groundswell.providers.writing import data_url
from groundswell.records import Endpoint, Json, Picture, Request


def base_of(endpoint: Endpoint, usual: str) -> str:
    """The address that paths are put after: the endpoint's own, else the host's usual one."""
    return (endpoint.base_url or usual).rstrip("/")


def prompt_of(request: Request) -> str:
    """The texts of a request as one; picture APIs take one prompt."""
    return "\n\n".join(part for part in request.parts if isinstance(part, str))


def only_pictures(endpoint: Endpoint, request: Request) -> None:
    """Raises UserError where text is wanted of a host that only draws."""
    if request.want != "picture":
        raise UserError(f'{endpoint.host} gives pictures, no text; leave "chat" out of tasks', where=endpoint.name)


def inputs_of(request: Request) -> list[Picture]:
    """The pictures of a request, in order."""
    return [part for part in request.parts if isinstance(part, Picture)]


def placed(endpoint: Endpoint, pictures: Sequence[Picture], *, one: str, several: str) -> dict[str, Json]:
    """Fields that hold the inputs as data: URLs; `one` and `several` are the host's usual names.

    The setting `image_field` names another; `[]` at a name's end means a list. Raises UserError where several pictures
    would have to go into a field for one: the others would be lost in silence.
    """
    if not pictures:
        return {}
    field = str(endpoint.settings.get("image_field") or (several if len(pictures) > 1 else one))
    if field.endswith("[]"):
        return {field.removesuffix("[]"): [data_url(picture) for picture in pictures]}
    if len(pictures) > 1:
        raise UserError(
            f'{len(pictures)} inputs do not fit into the field {field}; name a list: image_field = "...[]"',
            where=endpoint.name,
        )
    return {field: data_url(pictures[0])}


RATIOS = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "9:21", "21:9")
"""Proportions that models which take no pixels usually know."""


def shaped(endpoint: Endpoint, size: tuple[int, int] | None, usual: str) -> dict[str, Json]:
    """Fields that ask for a size; none where none is wanted. The setting `shape` says how the model is asked, else it
    is `usual`: "image_size" (an object), "sides" (width and height), "custom" (the same under a ratio of that name) or
    "ratio" (`aspect_ratio`, the nearest one). Raises UserError for another word."""
    if size is None:
        return {}
    sides: dict[str, Json] = {"width": size[0], "height": size[1]}
    match shape := endpoint.settings.get("shape", usual):
        case "image_size":
            return {"image_size": sides}
        case "sides":
            return sides
        case "custom":
            return {"aspect_ratio": "custom", **sides}
        case "ratio":
            return {"aspect_ratio": nearest_ratio(size, RATIOS)}
    raise UserError(f"shape is {shape!r}; it can be image_size, sides, custom or ratio", where=endpoint.name)


def job_of(
    endpoint: Endpoint,
    request: Request,
    more: Mapping[str, Json],
    *,
    shape: str,
    ours: AbstractSet[str],
) -> dict[str, Json]:
    """Fields of one picture's job: prompt, seed and `more`, then the endpoint's settings without `ours`, the sample's
    size in the host's usual `shape`, the request's settings; without what the setting `omit` names.

    Raises UserError where text is wanted.
    """
    only_pictures(endpoint, request)
    fields: dict[str, Json] = {"prompt": prompt_of(request)}
    if request.seed is not None:
        fields["seed"] = request.seed
    fields |= {**more, **{name: value for name, value in endpoint.settings.items() if name not in ours}}
    fields |= {**shaped(endpoint, request.size, shape), **request.settings}
    for name in endpoint.settings.get("omit", ()):
        fields.pop(name, None)
    return fields
