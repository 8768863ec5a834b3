"""Gemini's generateContent: pictures out, pictures in, and text for judging.

A block of the input comes without candidates, a block of the output as a finish reason, and a picture that was never
drawn as NO_IMAGE or as text alone; these are told apart. Drafts that a model thinks aloud are not its answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from groundswell.providers.delivery import delivered
from groundswell.providers.failures import broken, declined, document, failure, in_words, mapping
from groundswell.providers.placing import base_of
from groundswell.providers.shapes import nearest_ratio
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

OURS = frozenset({"json_schema", "omit"})
"""Settings that are not sent. `json_schema` true: a question's schema goes along; `omit`: fields of generationConfig
that the model does not take. All others are top-level fields, and `generationConfig` is merged with ours."""

REFUSALS = frozenset(
    {
        "BLOCKLIST",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
        "IMAGE_SAFETY",
        "NO_IMAGE",
        "PROHIBITED_CONTENT",
        "RECITATION",
        "SAFETY",
        "SPII",
    }
)
"""Finish reasons with which the host says that there will be no answer."""

RATIOS = ("1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9")


class Gemini:
    """The codec; `Provider` of the host name `gemini`."""

    name = "gemini"
    base_url = "https://generativelanguage.googleapis.com/v1beta"
    auth = "x-goog-api-key: {key}"
    lookup = "models/{model}"

    def begin(self, endpoint: Endpoint, request: Request) -> Call:
        """One generateContent, with pictures among the modalities where one is wanted."""
        base = base_of(endpoint, self.base_url)
        return Call(
            method="POST",
            url=f"{base}/models/{request.model}:generateContent",
            body=json_body(_document(endpoint, request)),
            content_type=JSON,
            auth=self.auth,
            state=request.want,
        )

    def advance(self, reply: Reply) -> Understood:
        """What a reply means: Answer, Declined or Broken."""
        body = document(reply)
        if isinstance(body, Declined | Broken):
            return body
        # An error may come as a list of one, because the same service streams.
        said = mapping(body[0] if isinstance(body, list) and body else body)
        if reply.status >= 400 or said.get("error"):
            return _failure(reply.status, mapping(said.get("error")))
        return _answer(reply, said)


def _document(endpoint: Endpoint, request: Request) -> dict[str, Json]:
    settings = endpoint.settings
    fields: dict[str, Json] = {name: value for name, value in settings.items() if name not in OURS}
    fields |= request.settings
    config: dict[str, Json] = {**mapping(settings.get("generationConfig"))}
    config |= mapping(request.settings.get("generationConfig"))
    asked = {"maxOutputTokens": request.max_tokens, "temperature": request.temperature, "seed": request.seed}
    config |= {name: value for name, value in asked.items() if value is not None}
    if request.want == "picture":
        config.setdefault("responseModalities", ["TEXT", "IMAGE"])
        if request.size is not None:
            ratio = {"aspectRatio": nearest_ratio(request.size, RATIOS)}
            config["imageConfig"] = {**mapping(config.get("imageConfig")), **ratio}
    if request.schema is not None and settings.get("json_schema"):
        config |= {"responseMimeType": "application/json", "responseJsonSchema": request.schema}
    for name in settings.get("omit", ()):
        config.pop(name, None)
    if config:
        fields["generationConfig"] = config
    if request.system is not None:
        fields["systemInstruction"] = {"parts": [{"text": request.system}]}
    fields["contents"] = [{"role": "user", "parts": [_part(part) for part in request.parts]}]
    return fields


def _part(part: str | Picture) -> Json:
    if isinstance(part, str):
        return {"text": part}
    return {"inlineData": {"mimeType": part.media_type, "data": Encoded(part)}}


def _answer(reply: Reply, body: Mapping[str, Any]) -> Answer | Declined | Broken | Call:
    feedback = mapping(body.get("promptFeedback"))
    candidates = body.get("candidates")
    if not isinstance(candidates, list) or not candidates:
        if reason := feedback.get("blockReason"):
            more = feedback.get("blockReasonMessage")
            return declined(f"{reason}: {more}" if more else str(reason), "input")
        return broken("the reply has no candidates", reply.status)
    candidate = mapping(candidates[0])
    finish = str(candidate.get("finishReason") or "")
    if finish in REFUSALS:
        more = candidate.get("finishMessage")
        return declined(f"{finish}: {more}" if more else finish)
    parts = [mapping(part) for part in mapping(candidate.get("content")).get("parts") or ()]
    final = [part for part in parts if not part.get("thought")]
    text = "".join(part["text"] for part in final if isinstance(part.get("text"), str))
    model = body.get("modelVersion")
    answer = Answer(
        text=text,
        finish=_finish(finish),
        served_model=model if isinstance(model, str) else None,
        usage=_usage(body.get("usageMetadata")),
    )
    if reply.call.state != "picture":
        return answer
    inline = (mapping(part.get("inlineData") or part.get("inline_data")).get("data") for part in final)
    if (found := delivered(inline, answer, reply.status)) is not None:
        return found
    if finish in ("STOP", "") and text:
        return in_words(text)
    return broken(f"no picture came ({finish or 'no finish reason'})", reply.status)


def _finish(reason: str) -> Literal["stop", "length", "other"]:
    return {"STOP": "stop", "MAX_TOKENS": "length"}.get(reason, "other")  # type: ignore[return-value]


def _usage(value: Any) -> Usage | None:
    usage = mapping(value)
    read, written, thought = (
        count if isinstance(count, int) else None
        for count in map(usage.get, ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount"))
    )
    if read is None and written is None:
        return None
    # Thinking is billed as writing.
    return Usage(tokens_in=read, tokens_out=None if written is None else written + (thought or 0))


def _failure(status: int, error: Mapping[str, Any]) -> Declined | Broken:
    details = [mapping(detail) for detail in error.get("details") or ()]
    codes = (error.get("status"), *(detail.get("reason") for detail in details))
    meant = failure(status, str(error.get("message") or ""), codes)
    pause = next((_seconds(detail.get("retryDelay")) for detail in details if detail.get("retryDelay")), None)
    if isinstance(meant, Broken) and pause is not None:
        return msgspec.structs.replace(meant, retry_after=pause)
    return meant


def _seconds(text: Any) -> float | None:
    """Of a protobuf duration as JSON writes it: `32.5s`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(text))
    return float(match.group(1)) if match else None
