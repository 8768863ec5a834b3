"""Together's Images API: OpenAI's answer, but width and height apart, and inputs as addresses in the same JSON."""

from __future__ import annotations

from groundswell.providers.openai import OpenAI
from groundswell.providers.openai_images import image_fields
from groundswell.providers.placing import inputs_of, placed
from groundswell.providers.writing import JSON, json_body
from groundswell.records import Call, Endpoint, Request


class Together(OpenAI):
    """The codec; `Provider` of the host name `together`. Chat is OpenAI's."""

    name = "together"
    base_url = "https://api.together.ai/v1"
    lookup: str | None = "models"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """A chat completion, or a picture with or without inputs."""
        if request.want == "text" or endpoint.settings.get("api") == "chat":
            return super().begin(endpoint, request)
        fields = image_fields(endpoint, request)
        fields.pop("size", None)
        fields.setdefault("response_format", "base64")
        if request.size is not None:
            fields |= {"width": request.size[0], "height": request.size[1]}
        if request.seed is not None:
            fields["seed"] = request.seed
        fields |= placed(endpoint, inputs_of(request), one="image_url", several="reference_images[]")
        for name in endpoint.settings.get("omit", ()):
            fields.pop(name, None)
        return Call(
            method="POST",
            url=self._url(endpoint, "images/generations"),
            body=json_body(fields),
            content_type=JSON,
            auth=self.auth,
            state="images",
        )
