"""Anthropic's messages: judging and visual chat. It draws nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from groundswell.errors import UserError
from groundswell.providers.failures import broken, declined, document, failure, mapping
from groundswell.providers.placing import base_of
from groundswell.providers.writing import JSON, Encoded, json_body
from groundswell.records import (
    Answer,
    Broken,
    Call,
    Declined,
    Endpoint,
    Json,
    Picture,
    Reply,
    Request,
    Understood,
    Usage,
)

VERSION = "2023-06-01"

OURS = frozenset({"json_schema", "omit", "version"})
"""Settings that are not sent in the body. `version`: of the API; `omit`: fields that the model does not take (the
newest take no `temperature`); `json_schema` true: a question's schema goes along."""

ROOM = 4096
"""Tokens where nobody says how many: the API wants a number."""

_FINISH: Mapping[str, Literal["stop", "length"]] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


class Anthropic:
    """The codec; `Provider` of the host name `anthropic`."""

    name = "anthropic"
    base_url = "https://api.anthropic.com/v1"
    auth = "x-api-key: {key}"
    lookup = "models/{model}"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """A message. Raises UserError where a picture is wanted."""
        if request.want == "picture":
            raise UserError(
                "Anthropic's models give text, no pictures; take them as judges or for chat", where=endpoint.name
            )
        base = base_of(endpoint, self.base_url)
        return Call(
            method="POST",
            url=f"{base}/messages",
            body=json_body(_document(endpoint, request)),
            content_type=JSON,
            headers={"anthropic-version": endpoint.settings.get("version", VERSION)},
            auth=self.auth,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: Answer, Declined or Broken."""
        body = document(reply)
        if isinstance(body, Declined | Broken):
            return body
        said = mapping(body)
        if reply.status >= 400 or said.get("type") == "error":
            error = mapping(said.get("error"))
            return failure(reply.status, str(error.get("message") or ""), (error.get("type"),))
        return _answer(reply, said)


def _document(endpoint: Endpoint, request: Request) -> dict[str, Json]:
    settings = endpoint.settings
    fields: dict[str, Json] = {"max_tokens": ROOM}
    fields |= {name: value for name, value in settings.items() if name not in OURS}
    fields |= request.settings
    fields["model"] = request.model
    asked = {"max_tokens": request.max_tokens, "temperature": request.temperature, "system": request.system}
    fields |= {name: value for name, value in asked.items() if value is not None}
    if request.schema is not None and settings.get("json_schema"):
        fields["output_config"] = {"format": {"type": "json_schema", "schema": request.schema}}
    for name in settings.get("omit", ()):
        fields.pop(name, None)
    fields["messages"] = [{"role": "user", "content": [_block(part) for part in request.parts]}]
    return fields


def _block(part: str | Picture) -> Json:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    source = {"type": "base64", "media_type": part.media_type, "data": Encoded(part)}
    return {"type": "image", "source": source}


def _answer(reply: Reply, body: Mapping[str, Any]) -> Answer | Declined | Broken:
    content = body.get("content")
    if not isinstance(content, list):
        return broken("the reply has no content", reply.status)
    blocks = [mapping(block) for block in content]
    text = "".join(block["text"] for block in blocks if isinstance(block.get("text"), str))
    reason = body.get("stop_reason")
    if reason == "refusal":
        details = mapping(body.get("stop_details"))
        return declined(str(details.get("explanation") or text or "stopped by the host's classifier"))
    model, usage = body.get("model"), mapping(body.get("usage"))
    read, written = usage.get("input_tokens"), usage.get("output_tokens")
    counted = isinstance(read, int) and isinstance(written, int)
    return Answer(
        text=text,
        finish=_FINISH.get(str(reason), "other"),
        served_model=model if isinstance(model, str) else None,
        usage=Usage(tokens_in=read, tokens_out=written) if counted else None,
    )
