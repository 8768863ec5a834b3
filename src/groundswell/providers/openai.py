"""The dialect of OpenAI and of the many hosts that speak it, as a pure codec: chat with pictures, and Images.

Replies are taken as they come in the field, not as they are documented: content as text or as a list of parts, usage
missing or null, no choices, errors in four shapes, refusals as a status, a finish reason or a field, pictures in a
field of their own, among the parts or inside the text. The codec knows no secret and no clock and reads no scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from groundswell.providers.delivery import delivered, fetched
from groundswell.providers.failures import LONGEST_REASON, broken, document, failure, in_words, mapping
from groundswell.providers.openai_images import images_answer, images_request
from groundswell.providers.placing import base_of
from groundswell.providers.shapes import nearest_ratio
from groundswell.providers.writing import JSON, Body, data_url, json_body
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

DEFAULT_BASE_URL = "https://api.openai.com/v1"

OURS = frozenset(
    {"api", "api_version", "detail", "image_field", "json_schema", "max_tokens_field", "omit", "seed", "sizes"}
)
"""Settings of an endpoint that say how to write a request and are not sent themselves.

`api`: how pictures are asked for: "images" (the default) or "chat". `json_schema` true: the schema of a question goes
along as `response_format`. `max_tokens_field`: the name under which the host wants the room for the answer. `omit`:
names of fields that the host does not take. `detail`: of pictures. The others are of the Images API.
"""

RATIOS = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9")
"""Proportions that chat models which draw take as `image_config.aspect_ratio`."""

_LINKED = re.compile(r"!\[[^\]]*\]\(\s*(data:image/[^)\s]+|https?://[^)\s]+)\s*\)")
"""A picture in Markdown: how some hosts put what was drawn into the text."""

Want = Literal["text", "chat-picture", "images"]


class OpenAI:
    """The codec; `Provider` of the host name `openai`."""

    name = "openai"
    base_url = DEFAULT_BASE_URL
    """Where an endpoint without a base_url is reached."""
    auth = "Authorization: Bearer {key}"
    lookup: str | None = "models/{model}"
    """Path under the base URL that tells for nothing whether the key is good and the model known; None = none does."""

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """A chat completion, a generation or an edit, by what is wanted."""
        want = _want(endpoint, request)
        if want == "images":
            path, kind, body = images_request(endpoint, request)
        else:
            default = self._base(endpoint) == DEFAULT_BASE_URL
            path, kind, body = "chat/completions", JSON, _chat(endpoint, request, default=default)
        return Call(
            method="POST",
            url=self._url(endpoint, path),
            body=body,
            content_type=kind,
            auth=self.auth,
            state=None if want == "text" else want,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: Answer, Declined, Broken, or the Call that fetches a picture."""
        if reply.call.phase == "fetch":
            return fetched(reply)
        body = document(reply)
        if isinstance(body, Declined | Broken):
            return body
        if reply.status >= 400 or (isinstance(body, dict) and body.get("error")):
            return _failure(reply.status, _error_of(body))
        if reply.call.state == "images":
            return images_answer(reply, body)
        return _answer(reply, body)

    def _base(self, endpoint: Endpoint) -> str:
        return base_of(endpoint, self.base_url)

    def _url(self, endpoint: Endpoint, path: str) -> str:
        return f"{self._base(endpoint)}/{path}"


def _want(endpoint: Endpoint, request: Request) -> Want:
    if request.want == "text":
        return "text"
    return "chat-picture" if endpoint.settings.get("api") == "chat" else "images"


def _chat(endpoint: Endpoint, request: Request, *, default: bool) -> Body:
    settings = endpoint.settings
    fields: dict[str, Json] = {name: value for name, value in settings.items() if name not in OURS}
    fields |= request.settings
    fields["model"] = request.model
    room = settings.get("max_tokens_field", "max_completion_tokens" if default else "max_tokens")
    asked = {room: request.max_tokens, "temperature": request.temperature, "seed": request.seed}
    fields |= {name: value for name, value in asked.items() if value is not None}
    if request.want == "picture":
        fields.setdefault("modalities", ["image", "text"])
        if request.size is not None:
            ratio = {"aspect_ratio": nearest_ratio(request.size, RATIOS)}
            fields["image_config"] = {**mapping(fields.get("image_config")), **ratio}
    if request.schema is not None and settings.get("json_schema"):
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": request.schema},
        }
    for name in settings.get("omit", ()):
        fields.pop(name, None)
    messages: list[Json] = [] if request.system is None else [{"role": "system", "content": request.system}]
    messages.append({"role": "user", "content": _content(request, settings.get("detail"))})
    return json_body({**fields, "messages": messages})


def _content(request: Request, detail: str | None) -> Json:
    """The parts in order; texts alone are one text, which every host takes."""
    if all(isinstance(part, str) for part in request.parts):
        return "\n\n".join(map(str, request.parts))
    more = {} if detail is None else {"detail": detail}
    return [
        {"type": "image_url", "image_url": {"url": data_url(part), **more}}
        if isinstance(part, Picture)
        else {"type": "text", "text": part}
        for part in request.parts
    ]


def _answer(reply: Reply, body: Any) -> Understood:
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return broken("the reply has no choices", reply.status)
    choice = choices[0]
    if (error := mapping(choice.get("error"))) and choice.get("finish_reason") != "stop":
        return _failure(reply.status, error)
    message = mapping(choice.get("message"))
    text = _text(message.get("content"))
    if refusal := message.get("refusal"):
        return Declined(reason=str(refusal)[:LONGEST_REASON], at="output", raw=str(refusal))
    if choice.get("finish_reason") == "content_filter":
        return Declined(reason="content_filter", at="output", raw=text or None)
    model = body.get("model")
    fingerprint = body.get("system_fingerprint")
    answer = Answer(
        text=text,
        finish=_finish(choice.get("finish_reason")),
        served_model=model if isinstance(model, str) else None,
        usage=_usage(body.get("usage")),
        cost=_cost(body.get("usage")),
        observed={"system_fingerprint": fingerprint} if isinstance(fingerprint, str) else {},
    )
    if reply.call.state != "chat-picture":
        return answer
    return delivered(_pictures(message, text), answer, reply.status) or in_words(text)


def _pictures(message: Mapping[str, Any], text: str) -> Iterator[Any]:
    """Where a message keeps what was drawn: a field of its own, its parts, links in its text."""
    images, content = message.get("images"), message.get("content")
    parts = [*(images if isinstance(images, list) else ()), *(content if isinstance(content, list) else ())]
    for part in map(mapping, parts):
        image = part.get("image_url")
        yield mapping(image).get("url") if isinstance(image, dict) else image or part.get("b64_json")
    yield from _LINKED.findall(text)


def _text(content: Any) -> str:
    """Text of a message's content, which is text, null, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [part.get("text") if isinstance(part, dict) else part for part in content]
    return "".join(text for text in texts if isinstance(text, str))


def _finish(reason: Any) -> Literal["stop", "length", "other"]:
    if reason in ("length", "max_tokens"):
        return "length"
    return "stop" if reason in ("stop", "end_turn", "eos") else "other"


def _usage(usage: Any) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    read = _count(usage, "prompt_tokens", "input_tokens")
    written = _count(usage, "completion_tokens", "output_tokens")
    return None if read is None and written is None else Usage(tokens_in=read, tokens_out=written)


def _count(usage: Mapping[str, Any], *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            return value
    return None


def _cost(usage: Any) -> float | None:
    cost = usage.get("cost") if isinstance(usage, dict) else None
    return float(cost) if isinstance(cost, int | float) and not isinstance(cost, bool) and cost >= 0 else None


def _error_of(body: Any) -> dict[str, Any]:
    """The error in a reply: an object, a text, or the body itself."""
    if not isinstance(body, dict):
        return {"message": str(body)}
    error = body.get("error") or body
    if not isinstance(error, dict):
        return {"message": str(error)}
    if "message" not in error and "detail" in error:
        return error | {"message": str(error["detail"])}
    return error


def _failure(status: int, error: Mapping[str, Any]) -> Declined | Broken:
    """What an error means; one that comes with status 200 may carry its own status as a number in `code`."""
    if status < 400 and isinstance(error.get("code"), int):
        status = error["code"]
    inner = mapping(error.get("innererror")) or mapping(error.get("inner_error"))
    codes = (error.get("code"), error.get("type"), error.get("error_type"), inner.get("code"))
    return failure(status, str(error.get("message") or ""), codes)
