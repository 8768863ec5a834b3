"""Stability's Stable Image services: one form, one picture, at once.

The endpoint's model is the service's path (`generate/ultra`, `edit/inpaint`) or its last part (`core`), or a model of
the service `sd3` (`sd3.5-large`). With an input, `sd3` and `ultra` become image-to-image.
"""

from __future__ import annotations

from groundswell.providers.delivery import delivered
from groundswell.providers.failures import broken, declined, document, failure, mapping
from groundswell.providers.placing import base_of, inputs_of, only_pictures, prompt_of
from groundswell.providers.shapes import nearest_ratio
from groundswell.providers.writing import FilePart, file_name, form_body
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Json, Reply, Request, Understood

RATIOS = ("1:1", "2:3", "3:2", "4:5", "5:4", "9:16", "16:9", "9:21", "21:9")

STRENGTH = 0.75
"""Of image-to-image, where the endpoint's settings say none: how far the result may go from the input, 0 to 1."""


class Stability:
    """The codec; `Provider` of the host name `stability`."""

    name = "stability"
    base_url = "https://api.stability.ai/v2beta/stable-image"
    auth = "Authorization: Bearer {key}"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """One request for one picture, as JSON with base64 in it."""
        only_pictures(endpoint, request)
        base = base_of(endpoint, self.base_url)
        service = _service(request.model)
        fields: dict[str, Json] = {"prompt": prompt_of(request), "output_format": "png"}
        if service == "generate/sd3":
            fields["model"] = request.model
        if request.seed is not None:
            fields["seed"] = request.seed
        inputs = inputs_of(request)[:1]
        if inputs and service.startswith("generate/"):
            fields |= {"mode": "image-to-image"} if service == "generate/sd3" else {}
            fields["strength"] = STRENGTH
        fields |= endpoint.settings
        if not inputs and request.size is not None:
            fields["aspect_ratio"] = nearest_ratio(request.size, RATIOS)
        fields |= request.settings
        files = [FilePart("image", picture, file_name(picture, 1)) for picture in inputs]
        if request.mask is not None:
            files.append(FilePart("mask", request.mask, "mask.png"))
        kind, body = form_body(fields, files)
        return Call(
            method="POST",
            url=f"{base}/{service}",
            body=body,
            content_type=kind,
            headers={"Accept": "application/json"},
            auth=self.auth,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: Answer, Declined or Broken."""
        body = document(reply)
        if isinstance(body, Declined | Broken):
            return body
        said = mapping(body)
        if reply.status >= 400:
            errors = said.get("errors")
            message = "; ".join(map(str, errors)) if isinstance(errors, list) else str(said.get("message") or "")
            return failure(reply.status, message, (said.get("name"),))
        if said.get("finish_reason") == "CONTENT_FILTERED":
            # The picture that comes along is blurred: it is the filter's, not the model's.
            return declined("CONTENT_FILTERED")
        seed = said.get("seed")
        known = Answer(observed={} if seed is None else {"seed": seed})
        return delivered([said.get("image")], known, reply.status) or broken("the reply has no image", reply.status)


def _service(model: str) -> str:
    if "/" in model:
        return model
    return "generate/sd3" if model.startswith("sd3") else f"generate/{model}"
