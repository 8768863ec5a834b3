"""The dialect of OpenAI and of the many hosts that speak it: chat completions with pictures, as a pure codec.

Replies are taken as they come in the field, not as they are documented: content as text or as a list of parts, usage
missing or null, no choices, errors in four shapes, refusals as a status, a finish reason or a field. The codec knows
no secret and no clock; it does not read scores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from groundswell.errors import UserError
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
    Splice,
    Understood,
    Usage,
)

DEFAULT_BASE_URL = "https://api.openai.com/v1"

OURS = frozenset({"json_schema", "max_tokens_field", "omit", "detail"})
"""Settings of an endpoint that say how to write a request and are not sent themselves.

`json_schema` true: the schema of a question goes along as `response_format`. `max_tokens_field`: the name under which
the host wants the room for the answer. `omit`: names of fields that the host does not take. `detail`: of pictures.
"""

REFUSAL_CODES = frozenset(
    {
        "content_filter",
        "content_policy_violation",
        "data_inspection_failed",
        "moderation_blocked",
        "responsibleaipolicyviolation",
        "safety",
    }
)
REFUSAL_WORDS = ("content policy", "content management policy", "safety system", "usage policies", "moderation")
DEAD_KEY_CODES = frozenset({"account_deactivated", "api_key_invalid", "invalid_api_key"})
EMPTY_ACCOUNT_CODES = frozenset({"billing_hard_limit_reached", "billing_not_active", "insufficient_quota"})
TRANSIENT = frozenset({408, 409, 425, 429})
LONGEST_REASON = 300

_json = msgspec.json.Encoder().encode


class OpenAI:
    """The codec; `Provider` of the host name `openai`."""

    name = "openai"
    base_url = DEFAULT_BASE_URL
    """Where an endpoint without a base_url is reached."""

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """A chat completion. Raises UserError for what this dialect cannot ask."""
        if request.want != "text":
            raise UserError("chat completions give text, not pictures", where=endpoint.name)
        base = (endpoint.base_url or DEFAULT_BASE_URL).rstrip("/")
        return Call(
            method="POST",
            url=f"{base}/chat/completions",
            body=_body(endpoint, request, base),
            content_type="application/json",
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: Answer, Declined or Broken."""
        try:
            body = msgspec.json.decode(reply.body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            if reply.status >= 400:
                return _failure(reply.status, {"message": reply.body[:LONGEST_REASON].decode("utf-8", "replace")})
            kind = reply.headers.get("content-type", "no type")
            reason = f"the reply is not whole JSON ({kind}, {len(reply.body)} bytes)"
            return Broken(what="decode", reason=reason, transient=True, status=reply.status)
        if reply.status >= 400 or (isinstance(body, dict) and body.get("error")):
            return _failure(reply.status, _error_of(body))
        return _answer(reply.status, body)


def _body(endpoint: Endpoint, request: Request, base: str) -> tuple[bytes | Splice, ...]:
    settings = endpoint.settings
    fields: dict[str, Json] = {name: value for name, value in settings.items() if name not in OURS}
    fields |= request.settings
    fields["model"] = request.model
    room = settings.get("max_tokens_field", "max_completion_tokens" if base == DEFAULT_BASE_URL else "max_tokens")
    asked = {room: request.max_tokens, "temperature": request.temperature, "seed": request.seed}
    fields |= {name: value for name, value in asked.items() if value is not None}
    if request.schema is not None and settings.get("json_schema"):
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": request.schema},
        }
    for name in settings.get("omit", ()):
        fields.pop(name, None)
    head = _json(fields)[:-1] + b',"messages":['
    if request.system is not None:
        head += _json({"role": "system", "content": request.system}) + b","
    if all(isinstance(part, str) for part in request.parts):
        return (head + _json({"role": "user", "content": "\n\n".join(map(str, request.parts))}) + b"]}",)
    return _merged([head + b'{"role":"user","content":[', *_content(request, settings.get("detail")), b"]}]}"])


def _content(request: Request, detail: str | None) -> list[bytes | Splice]:
    pieces: list[bytes | Splice] = []
    after = b"}}" if detail is None else b',"detail":' + _json(detail) + b"}}"
    for index, part in enumerate(request.parts):
        comma = b"," if index else b""
        if isinstance(part, Picture):
            opening = comma + b'{"type":"image_url","image_url":{"url":"data:'
            pieces += [opening + part.media_type.encode() + b";base64,", Splice(picture=part), b'"' + after]
        else:
            pieces.append(comma + _json({"type": "text", "text": part}))
    return pieces


def _merged(pieces: list[bytes | Splice]) -> tuple[bytes | Splice, ...]:
    """The same body with neighbouring bytes joined, so that it goes out in few writes."""
    merged: list[bytes | Splice] = []
    for piece in pieces:
        if merged and isinstance(piece, bytes) and isinstance(merged[-1], bytes):
            merged[-1] += piece
        else:
            merged.append(piece)
    return tuple(merged)


def _answer(status: int, body: Any) -> Answer | Declined | Broken:
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return Broken(what="provider", reason="the reply has no choices", transient=True, status=status)
    choice = choices[0]
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text = _text(message.get("content"))
    if refusal := message.get("refusal"):
        return Declined(reason=str(refusal)[:LONGEST_REASON], at="output", raw=str(refusal))
    if choice.get("finish_reason") == "content_filter":
        return Declined(reason="content_filter", at="output", raw=text or None)
    model = body.get("model")
    fingerprint = body.get("system_fingerprint")
    return Answer(
        text=text,
        finish=_finish(choice.get("finish_reason")),
        served_model=model if isinstance(model, str) else None,
        usage=_usage(body.get("usage")),
        cost=_cost(body.get("usage")),
        observed={"system_fingerprint": fingerprint} if isinstance(fingerprint, str) else {},
    )


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
    message = str(error.get("message") or "no message")
    if status < 400 and isinstance(error.get("code"), int):
        status = error["code"]
    inner = error.get("innererror")
    inner = inner if isinstance(inner, dict) else {}
    codes = {str(value).lower() for value in (error.get("code"), error.get("type"), inner.get("code")) if value}
    reason = f"{status}: {message}"[:LONGEST_REASON]
    if status == 401 or codes & DEAD_KEY_CODES:
        reason = f"the host refused the key ({status})"
        return Broken(what="provider", reason=reason, transient=False, status=status, key_dead=True)
    if status == 402 or codes & EMPTY_ACCOUNT_CODES:
        return Broken(what="provider", reason=reason, transient=True, status=status, exhausted=True)
    transient = status in TRANSIENT or status >= 500 or status < 400
    refused = status < 500 and status not in TRANSIENT and any(words in message.lower() for words in REFUSAL_WORDS)
    if refused or codes & REFUSAL_CODES:
        return Declined(reason=message[:LONGEST_REASON], at="input", raw=message)
    return Broken(what="provider", reason=reason, transient=transient, status=status)
