"""OpenAI's Images API, and what other hosts made of it: generations as JSON, edits as a multipart form.

Hosts differ in how they spell several inputs (`image` or `image[]`), whether they return base64 or a link, and what
they say of what they made; all of it is read here. Sizes, qualities and formats are the endpoint's settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundswell.errors import UserError
from groundswell.providers.delivery import delivered
from groundswell.providers.failures import broken, declined, mapping
from groundswell.providers.placing import inputs_of, prompt_of
from groundswell.providers.shapes import nearest_size, size_of, text_of
from groundswell.providers.writing import JSON, Body, FilePart, file_name, form_body, json_body
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Json, Reply, Request, Usage

IMAGE_SETTINGS = frozenset({"api", "api_version", "image_field", "omit", "seed", "sizes"})
"""Settings that say how a request for a picture is written and are not sent.

`image_field`: `image` or `image[]`, under which inputs go; by itself `image` for one and `image[]` for several.
`sizes`: what the model supports, as `["1024x1024", ...]`, or "any". `seed` true: the host takes one. `omit`: names of
fields that are not sent.
"""

STANDARD_SIZES = ("1024x1024", "1536x1024", "1024x1536")
"""Supported by every GPT image model."""

SAID = ("size", "quality", "background", "output_format")
"""What hosts say of the picture that they made."""


def images_request(endpoint: Endpoint, request: Request) -> tuple[str, str, Body]:
    """Path, content type and body of a generation, or of an edit where the request has inputs."""
    fields = image_fields(endpoint, request)
    inputs = inputs_of(request)
    if not inputs:
        return "images/generations", JSON, json_body(fields)
    field = endpoint.settings.get("image_field") or ("image[]" if len(inputs) > 1 else "image")
    files = [FilePart(field, picture, file_name(picture, number)) for number, picture in enumerate(inputs, start=1)]
    if request.mask is not None:
        files.append(FilePart("mask", request.mask, "mask.png"))
    kind, body = form_body(fields, files)
    return "images/edits", kind, body


def image_fields(endpoint: Endpoint, request: Request) -> dict[str, Json]:
    """The fields of a request for one picture, without its inputs."""
    settings = endpoint.settings
    fields: dict[str, Json] = {name: value for name, value in settings.items() if name not in IMAGE_SETTINGS}
    fields |= request.settings
    fields |= {"model": request.model, "prompt": prompt_of(request), "n": 1}
    if request.size is not None:
        fields["size"] = _size(endpoint, request.size)
    if request.seed is not None and settings.get("seed"):
        fields["seed"] = request.seed
    for name in settings.get("omit", ()):
        fields.pop(name, None)
    return fields


def _size(endpoint: Endpoint, wanted: tuple[int, int]) -> str:
    sizes = endpoint.settings.get("sizes", STANDARD_SIZES)
    if sizes == "any":
        return text_of(wanted)
    known = [size for text in sizes if (size := size_of(text)) is not None]
    if not known:
        raise UserError('sizes must be "any" or a list like ["1024x1024"]', where=endpoint.name)
    return text_of(nearest_size(wanted, known))


def images_answer(reply: Reply, body: Json) -> Answer | Call | Declined | Broken:
    """What a good reply holds. An empty list is how some hosts decline: the request was fine and nothing came."""
    document = mapping(body)
    data = document.get("data")
    if not isinstance(data, list):
        return broken("the reply has no data", reply.status)
    items = [mapping(item) for item in data]
    if any(item.get("respect_moderation") is False for item in items):
        return declined("the picture did not pass the host's moderation")
    if not items:
        return declined("the host gave an empty list of pictures")
    known = Answer(
        served_model=_text(document.get("model")),
        rewritten_prompt=_text(items[0].get("revised_prompt")),
        usage=_usage(document.get("usage")),
        observed={name: document[name] for name in SAID if document.get(name)},
    )
    sources = (item.get("b64_json") or item.get("url") for item in items)
    return delivered(sources, known, reply.status) or declined("the host gave a picture without content")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _usage(value: Any) -> Usage | None:
    usage: Mapping[str, Any] = mapping(value)
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    if not isinstance(read, int) or not isinstance(written, int):
        return None
    return Usage(tokens_in=read, tokens_out=written)
