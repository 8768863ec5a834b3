"""fal: a queue in front of many models. A job is submitted, asked for, and its result names links to pictures.

With `base_url = "https://fal.run"` the same models answer at once. The fields of a request are the model's own and are
the endpoint's settings; only the prompt, the seed, the size and the inputs are placed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from groundswell.providers.delivery import delivered, opened
from groundswell.providers.failures import broken, declined, failure, mapping
from groundswell.providers.placing import base_of, inputs_of, job_of, placed
from groundswell.providers.writing import JSON, json_body
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Json, Reply, Request, Understood

POLL_SECONDS = 0.5

OURS = frozenset({"image_field", "omit", "shape"})

WAITING = frozenset({"IN_QUEUE", "IN_PROGRESS"})


class Fal:
    """The codec; `Provider` of the host name `fal`."""

    name = "fal"
    base_url = "https://queue.fal.run"
    auth = "Authorization: Key {key}"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """Submit a job, or ask the synchronous service."""
        inputs = placed(endpoint, inputs_of(request), one="image_url", several="image_urls[]")
        fields = job_of(endpoint, request, {"num_images": 1, **inputs}, shape="image_size", ours=OURS)
        return Call(
            method="POST",
            url=f"{base_of(endpoint, self.base_url)}/{request.model}",
            body=json_body(fields),
            content_type=JSON,
            auth=self.auth,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: the next poll, the result, the picture, or an end."""
        said = opened(reply)
        if isinstance(said, Answer | Declined | Broken):
            return said
        if reply.status >= 400 or said.get("error") or said.get("error_type"):
            return _failure(reply, said)
        if "images" in said or "image" in said:
            return _result(reply, said)
        if isinstance(status := said.get("status"), str) or "response_url" in said:
            return self._next(reply, str(status or "IN_QUEUE"), said)
        return broken("the reply is neither a job nor a result", reply.status)

    def _next(self, reply: Reply, status: str, said: Mapping[str, Any]) -> Call | Broken:
        """The poll that comes next, or the call for the result of a job that is done."""
        state = {**mapping(reply.call.state)}
        result = state.setdefault("result", str(said.get("response_url") or reply.call.url.removesuffix("/status")))
        state.setdefault("poll", str(said.get("status_url") or f"{result}/status"))
        if status in WAITING:
            return Call(
                method="GET",
                url=state["poll"],
                auth=self.auth,
                phase="wait",
                delay=POLL_SECONDS,
                from_reply=True,
                state=state,
            )
        if status == "COMPLETED":
            state["metrics"] = mapping(said.get("metrics"))
            return Call(method="GET", url=result, auth=self.auth, phase="wait", from_reply=True, state=state)
        return broken(f"the job is {status}", reply.status)


def _result(reply: Reply, said: Mapping[str, Any]) -> Understood:
    if True in (said.get("has_nsfw_concepts") or ()):
        # The picture that comes along is black: it is the checker's, not the model's.
        return declined("the safety checker flagged the picture")
    images = said.get("images") or [said.get("image")]
    links = [mapping(image).get("url") if isinstance(image, dict) else image for image in images]
    timings = {**mapping(mapping(reply.call.state).get("metrics")), **mapping(said.get("timings"))}
    seconds = timings.get("inference_time", timings.get("inference"))
    observed: dict[str, Json] = {"seed": said["seed"]} if said.get("seed") is not None else {}
    if isinstance(seconds, int | float):
        observed["inference_seconds"] = seconds
    prompt = said.get("prompt")
    known = Answer(observed=observed, rewritten_prompt=prompt if isinstance(prompt, str) and prompt else None)
    return delivered(links, known, reply.status) or broken("the result has no pictures", reply.status)


def _failure(reply: Reply, said: Mapping[str, Any]) -> Declined | Broken:
    """Errors of models are a list with types, those of the platform one text with an error type."""
    detail = said.get("detail", said.get("error"))
    errors = [mapping(error) for error in detail] if isinstance(detail, list) else []
    message = "; ".join(str(error.get("msg")) for error in errors) if errors else str(detail or "")
    status = reply.status if reply.status >= 400 else 500
    meant = failure(status, message, (*(error.get("type") for error in errors), said.get("error_type")))
    if isinstance(meant, Broken) and reply.headers.get("x-fal-retryable") == "false":
        return msgspec.structs.replace(meant, transient=False)
    return meant
