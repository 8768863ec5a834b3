"""Replicate: predictions of many models. It holds the request open for a while and is polled after that.

The fields of `input` are the model's own and are the endpoint's settings; only the prompt, the seed and the inputs are
placed here. A model with a colon in its name is a version.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from groundswell.providers.delivery import delivered, opened
from groundswell.providers.failures import broken, failure, mapping
from groundswell.providers.placing import base_of, inputs_of, job_of, placed
from groundswell.providers.writing import JSON, json_body
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Json, Reply, Request, Understood

POLL_SECONDS = 0.5

WAIT = "wait=60"
"""Longest time that the host holds a request open."""

OURS = frozenset({"image_field", "omit", "shape", "wait"})
"""Settings that are not sent. `wait` false: the host is polled from the start."""


class Replicate:
    """The codec; `Provider` of the host name `replicate`."""

    name = "replicate"
    base_url = "https://api.replicate.com/v1"
    auth = "Authorization: Bearer {key}"
    lookup = "models/{model}"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """Create a prediction."""
        base = base_of(endpoint, self.base_url)
        inputs = placed(endpoint, inputs_of(request), one="input_image", several="input_images[]")
        fields = job_of(endpoint, request, inputs, shape="ratio", ours=OURS)
        versioned = ":" in request.model
        document_: dict[str, Json] = {"input": fields}
        if versioned:
            document_["version"] = request.model
        return Call(
            method="POST",
            url=f"{base}/predictions" if versioned else f"{base}/models/{request.model}/predictions",
            body=json_body(document_),
            content_type=JSON,
            headers={} if endpoint.settings.get("wait") is False else {"Prefer": WAIT},
            auth=self.auth,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: the next poll, the picture, or an end."""
        said = opened(reply)
        if isinstance(said, Answer | Declined | Broken):
            return said
        if reply.status >= 400:
            return failure(reply.status, str(said.get("detail") or said.get("title") or ""))
        status = said.get("status")
        if status in ("starting", "processing"):
            url = mapping(said.get("urls")).get("get")
            if not isinstance(url, str):
                return broken("the prediction names no address to ask for it", reply.status)
            return Call(method="GET", url=url, auth=self.auth, phase="wait", delay=POLL_SECONDS, from_reply=True)
        if status in ("succeeded", "successful"):
            return _result(reply, said)
        return _ended(status, said)


def _result(reply: Reply, said: Mapping[str, Any]) -> Understood:
    output = said.get("output")
    links = output if isinstance(output, list) else [output]
    observed: dict[str, Json] = {}
    if isinstance(seconds := mapping(said.get("metrics")).get("predict_time"), int | float):
        observed["inference_seconds"] = seconds
    if (queued := _between(said.get("created_at"), said.get("started_at"))) is not None:
        observed["cold_seconds"] = queued
    if isinstance(version := said.get("version"), str) and version != "hidden":
        observed["version"] = version
    known = Answer(observed=observed)
    return delivered(links, known, reply.status) or broken("the prediction has no output", reply.status)


def _ended(status: Any, said: Mapping[str, Any]) -> Declined | Broken:
    """A prediction that failed says why in words; a picture that its checker threw away is among them."""
    error = str(said.get("error") or f"the prediction is {status}")
    meant = failure(422, error)
    if isinstance(meant, Declined):
        return msgspec.structs.replace(meant, at="output")
    return broken(error, transient=status != "canceled")


def _between(start: Any, end: Any) -> float | None:
    """Seconds from one moment to a later one, in ISO 8601."""
    try:
        return max(0.0, (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
    except (TypeError, ValueError):
        return None
