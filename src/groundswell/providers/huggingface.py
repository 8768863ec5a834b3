"""Hugging Face's inference: a prompt in, the picture itself out as bytes.

The fields of `parameters` are the model's own and are the endpoint's settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundswell.errors import UserError
from groundswell.providers.failures import broken, document, failure, mapping
from groundswell.providers.placing import base_of, inputs_of, only_pictures, prompt_of
from groundswell.providers.writing import JSON, Encoded, json_body
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Json, Reply, Request, Understood


class HuggingFace:
    """The codec; `Provider` of the host name `huggingface`."""

    name = "huggingface"
    base_url = "https://router.huggingface.co/hf-inference"
    auth = "Authorization: Bearer {key}"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """Text to image, or image to image where there is an input; the API takes one."""
        only_pictures(endpoint, request)
        base = base_of(endpoint, self.base_url)
        parameters: dict[str, Json] = {**endpoint.settings, **request.settings}
        if request.seed is not None:
            parameters["seed"] = request.seed
        if request.size is not None:
            parameters |= {"width": request.size[0], "height": request.size[1]}
        inputs = inputs_of(request)
        if len(inputs) > 1:
            raise UserError(f"the host takes one input and the sample has {len(inputs)}", where=endpoint.name)
        content: Json = prompt_of(request)
        if inputs:
            parameters["prompt"] = content
            content = Encoded(inputs[0])
        return Call(
            method="POST",
            url=f"{base}/models/{request.model}",
            body=json_body({"inputs": content, "parameters": parameters}),
            content_type=JSON,
            headers={"Accept": "image/png", "x-use-cache": "false"},
            auth=self.auth,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: Answer, Declined or Broken."""
        if reply.status < 400 and reply.headers.get("content-type", "").startswith("image/"):
            return Answer(pictures=(reply.body,))
        body = document(reply)
        if isinstance(body, Declined | Broken):
            return body
        said = mapping(body)
        if reply.status < 400 and not said.get("error"):
            return broken("the reply is no picture", reply.status)
        return _failure(reply.status, said)


def _failure(status: int, said: Mapping[str, Any]) -> Declined | Broken:
    """An error is a text, a list of texts or an object; a model that is being loaded says for how long."""
    error = said.get("error")
    if isinstance(error, list):
        message = "; ".join(map(str, error))
    else:
        message = str(mapping(error).get("message") or error or said.get("message") or "")
    meant = failure(status if status >= 400 else 500, message)
    wait = said.get("estimated_time")
    if isinstance(meant, Broken) and isinstance(wait, int | float):
        return msgspec.structs.replace(meant, retry_after=float(wait))
    return meant
