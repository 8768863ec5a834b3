"""Azure's way to the same models: another address for each deployment, and the key in a header of its own."""

from __future__ import annotations

from groundswell.errors import UserError
from groundswell.providers.openai import OpenAI
from groundswell.records import Call, Endpoint, Request


class Azure(OpenAI):
    """The codec; `Provider` of the host name `azure`. The endpoint's model is the deployment's name.

    With the setting `api_version` the address is the dated one (`/openai/deployments/NAME/...?api-version=...`), else
    that of the v1 API (`/openai/v1/...`), which names the deployment in the body.
    """

    name = "azure"
    base_url = ""
    """There is none: each resource has its own address."""
    auth = "api-key: {key}"
    lookup: str | None = None

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """As OpenAI's. Raises UserError where the endpoint says no address."""
        if not endpoint.base_url:
            raise UserError(
                "an endpoint at azure needs a base_url: https://RESOURCE.openai.azure.com", where=endpoint.name
            )
        return super().begin(endpoint, request)

    def _url(self, endpoint: Endpoint, path: str) -> str:
        base = self._base(endpoint).removesuffix("/openai/v1").removesuffix("/openai")
        version = endpoint.settings.get("api_version")
        if version is None:
            return f"{base}/openai/v1/{path}"
        return f"{base}/openai/deployments/{endpoint.model}/{path}?api-version={version}"
