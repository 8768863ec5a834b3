"""Replies follow Google's Gemini API reference, "Generating content" (FinishReason, PromptFeedback, Blob) and the guide
"Image generation with Gemini", as of 2026-11-29."""

import base64

import pytest

from groundswell.providers.gemini import Gemini
from groundswell.records import Broken, Declined, Usage


def reply(*parts, finish="STOP", **more):
    content = {"content": {"role": "model", "parts": list(parts)}} if parts else {}
    return {
        "candidates": [{**content, "finishReason": finish, "index": 0}],
        "usageMetadata": {"promptTokenCount": 10, "candidatesTokenCount": 1290, "totalTokenCount": 1300},
        "modelVersion": "gemini-3-pro-image-2026-10",
        **more,
    }


def inline(data):
    return {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(data).decode()}}


def test_a_picture_is_asked_for_with_its_proportions_and_the_key_in_its_own_header(begin, sent, cat):
    call = begin(Gemini(), {"safetySettings": []}, model="g", parts=(cat, "gray"), size=(1024, 1024), seed=42)
    assert call.url.endswith("/v1beta/models/g:generateContent")
    assert call.auth == "x-goog-api-key: {key}"
    assert sent(call) == {
        "safetySettings": [],
        "generationConfig": {
            "seed": 42,
            "responseModalities": ["TEXT", "IMAGE"],
            "imageConfig": {"aspectRatio": "1:1"},
        },
        "contents": [
            {"role": "user", "parts": [{"inlineData": {"mimeType": "image/jpeg", "data": "cat"}}, {"text": "gray"}]}
        ],
    }


def test_a_judge_is_asked_for_text_with_system_room_and_schema(begin, sent):
    asked = {"want": "text", "system": "Be strict.", "max_tokens": 50, "temperature": 0.0, "schema": {"type": "object"}}
    body = sent(begin(Gemini(), {"json_schema": True}, **asked))
    assert body["systemInstruction"] == {"parts": [{"text": "Be strict."}]}
    assert body["generationConfig"] == {
        "maxOutputTokens": 50,
        "temperature": 0.0,
        "responseMimeType": "application/json",
        "responseJsonSchema": {"type": "object"},
    }


def test_the_picture_that_counts_is_the_last_word_and_not_a_draft_thought_aloud(begin, answer, png):
    thought = {**inline(b"draft"), "thought": True}
    got = answer(Gemini(), begin(Gemini()), reply(thought, {"text": "Here is a fox."}, inline(png)))
    assert (got.pictures, got.text, got.served_model) == ((png,), "Here is a fox.", "gemini-3-pro-image-2026-10")
    assert got.usage == Usage(tokens_in=10, tokens_out=1290)


def test_thinking_is_counted_as_writing(begin, answer):
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 100}
    got = answer(Gemini(), begin(Gemini(), want="text"), reply({"text": "Score: 7"}, usageMetadata=usage))
    assert (got.text, got.usage) == ("Score: 7", Usage(tokens_in=10, tokens_out=105))


@pytest.mark.parametrize(
    "finish",
    ["NO_IMAGE", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "RECITATION", "SAFETY", "SPII"],
)
def test_finish_reasons_without_a_picture_are_refusals(begin, answer, finish):
    got = answer(Gemini(), begin(Gemini()), reply(finish=finish))
    assert isinstance(got, Declined)
    assert (got.reason, got.at) == (finish, "output")


def test_a_blocked_prompt_is_a_refusal_of_the_input(begin, answer):
    got = answer(Gemini(), begin(Gemini()), {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})
    assert isinstance(got, Declined)
    assert (got.reason, got.at) == ("PROHIBITED_CONTENT", "input")


def test_text_alone_where_a_picture_was_wanted_is_a_refusal(begin, answer):
    got = answer(Gemini(), begin(Gemini()), reply({"text": "I can't create that."}))
    assert isinstance(got, Declined)


@pytest.mark.parametrize(
    "body", [reply(finish="OTHER"), reply(finish="MAX_TOKENS"), reply({"text": ""}), {"candidates": []}, {}]
)
def test_nothing_at_all_is_a_failure_and_may_be_asked_again(begin, answer, body):
    got = answer(Gemini(), begin(Gemini()), body)
    assert isinstance(got, Broken)
    assert got.transient


def test_a_cut_text_is_cut(begin, answer):
    assert (
        answer(Gemini(), begin(Gemini(), want="text"), reply({"text": "Sco"}, finish="MAX_TOKENS")).finish == "length"
    )


def test_errors_carry_the_pause_and_the_dead_key(begin, answer):
    retry = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "32.5s"}
    busy = {"code": 429, "message": "Resource exhausted", "status": "RESOURCE_EXHAUSTED", "details": [retry]}
    got = answer(Gemini(), begin(Gemini()), {"error": busy}, 429)
    assert (got.transient, got.retry_after) == (True, 32.5)
    info = {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}
    dead = {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT", "details": [info]}
    assert answer(Gemini(), begin(Gemini()), [{"error": dead}], 400).key_dead
