"""Black Forest Labs: a task is submitted and polled under the address that the host names; its result is a link.

Polls go to sibling names of the host with the same key. Links live for ten minutes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundswell.providers.delivery import delivered, opened
from groundswell.providers.failures import broken, declined, failure, mapping
from groundswell.providers.placing import base_of, inputs_of, job_of
from groundswell.providers.writing import JSON, Encoded, json_body
from groundswell.records import Answer, Broken, Call, Declined, Endpoint, Json, Reply, Request, Understood

POLL_SECONDS = 0.5

CREDIT = 0.01
"""USD of one credit, in which the host says what a task cost."""

OURS = frozenset({"omit", "shape"})
"""Settings that are not sent."""

WAITING = frozenset({"Pending", "Queued", "Processing", "Generating"})


class BlackForestLabs:
    """The codec; `Provider` of the host name `bfl`."""

    name = "bfl"
    base_url = "https://api.bfl.ai/v1"
    auth = "x-key: {key}"
    lookup = "credits"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """Submit a task."""
        inputs: dict[str, Json] = {
            "input_image" if number == 1 else f"input_image_{number}": Encoded(picture)
            for number, picture in enumerate(inputs_of(request), start=1)
        }
        fields = job_of(endpoint, request, inputs, shape="sides", ours=OURS)
        return Call(
            method="POST",
            url=f"{base_of(endpoint, self.base_url)}/{request.model}",
            body=json_body(fields),
            content_type=JSON,
            auth=self.auth,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: the next poll, the picture, or an end."""
        said = opened(reply)
        if isinstance(said, Answer | Declined | Broken):
            return said
        if reply.status >= 400 and "status" not in said:
            return _failure(reply.status, said)
        if isinstance(url := said.get("polling_url"), str):
            return self._poll(url, said.get("cost"))
        return self._state(reply, said)

    def _poll(self, url: str, cost: Any) -> Call:
        return Call(
            method="GET", url=url, auth=self.auth, phase="wait", delay=POLL_SECONDS, from_reply=True, state=cost
        )

    def _state(self, reply: Reply, said: Mapping[str, Any]) -> Understood:
        status, result = said.get("status"), mapping(said.get("result"))
        if status in WAITING:
            return self._poll(reply.call.url, reply.call.state)
        if status == "Ready":
            return _result(reply, result)
        if status == "Request Moderated":
            return declined(_reason(status, said), "input")
        if status == "Content Moderated":
            return declined(_reason(status, said))
        return broken(_reason(str(status), said), reply.status)


def _result(reply: Reply, result: Mapping[str, Any]) -> Understood:
    cost = reply.call.state
    prompt = result.get("prompt")
    known = Answer(
        cost=cost * CREDIT if isinstance(cost, int | float) else None,
        rewritten_prompt=prompt if isinstance(prompt, str) and prompt else None,
        observed={"seed": result["seed"]} if result.get("seed") is not None else {},
    )
    return delivered([result.get("sample")], known, reply.status) or broken("the result has no sample", reply.status)


def _reason(status: Any, said: Mapping[str, Any]) -> str:
    reasons = mapping(said.get("details")).get("Moderation Reasons") or said.get("details")
    return f"{status}: {reasons}" if reasons else str(status)


def _failure(status: int, said: Mapping[str, Any]) -> Declined | Broken:
    detail = said.get("detail")
    message = (
        "; ".join(str(mapping(one).get("msg")) for one in detail) if isinstance(detail, list) else str(detail or "")
    )
    dead = status == 403 and "authenticated" in message.lower()
    return failure(status, message, ("invalid_api_key",) if dead else ())
