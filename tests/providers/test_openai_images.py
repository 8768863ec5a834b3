"""Replies follow OpenAI's API reference, "Create image", "Create image edit" and "Image generation guide", as of
2026-11-29, and what people report of its refusals (empty `param`, server errors)."""

import base64

import pytest

from groundswell.providers.azure import Azure
from groundswell.providers.openai import OpenAI
from groundswell.providers.together import Together
from groundswell.records import Answer, Broken, Call, Declined, Splice, Usage

GUIDE = {
    "created": 1790000000,
    "background": "opaque",
    "output_format": "png",
    "quality": "high",
    "size": "1024x1024",
    "usage": {
        "input_tokens": 50,
        "input_tokens_details": {"image_tokens": 40, "text_tokens": 10},
        "output_tokens": 4160,
        "total_tokens": 4210,
    },
}


def test_a_generation_asks_for_one_picture_with_the_settings_as_they_are(begin, sent):
    call = begin(OpenAI(), {"size": "1024x1024", "quality": "high"}, seed=42)
    assert (call.method, call.url, call.phase) == ("POST", "https://h.example/v1/images/generations", "submit")
    assert sent(call) == {"model": "m", "prompt": "a red fox", "n": 1, "size": "1024x1024", "quality": "high"}


def test_a_seed_is_sent_only_where_the_host_takes_one(begin, sent):
    assert sent(begin(OpenAI(), {"seed": True}, seed=43))["seed"] == 43


@pytest.mark.parametrize(
    ("wanted", "settings", "asked"),
    [
        ((1024, 1024), {}, "1024x1024"),
        ((800, 600), {}, "1536x1024"),
        ((512, 512), {}, "1024x1024"),
        ((832, 1248), {"sizes": "any"}, "832x1248"),
        ((700, 700), {"sizes": ["512x512", "768x768", "1024x1024"]}, "768x768"),
        ((2000, 2000), {"sizes": ["512x512", "768x768"]}, "768x768"),
    ],
)
def test_a_size_is_asked_for_as_the_nearest_supported_one_above(begin, sent, wanted, settings, asked):
    assert sent(begin(OpenAI(), settings, size=wanted))["size"] == asked


def test_an_edit_is_a_form_with_the_picture_as_a_file(begin, form, cat):
    call = begin(OpenAI(), {"quality": "low"}, parts=(cat, "make it gray"))
    assert call.url == "https://h.example/v1/images/edits"
    assert form(call) == [
        ("quality", None, "low"),
        ("model", None, "m"),
        ("prompt", None, "make it gray"),
        ("n", None, "1"),
        ("image", "input-1.jpeg", "cat"),
    ]
    assert [piece.encoding for piece in call.body if isinstance(piece, Splice)] == ["raw"]


def test_several_inputs_are_spelled_with_brackets_or_as_the_endpoint_says(begin, form, cat, dog):
    parts = (cat, dog, "put them on a sofa")
    assert [field for field, name, _ in form(begin(OpenAI(), parts=parts)) if name] == ["image[]", "image[]"]
    plain = form(begin(OpenAI(), {"image_field": "image"}, parts=parts))
    assert [field for field, name, _ in plain if name] == ["image", "image"]


def test_a_mask_goes_along_as_a_file_of_its_own(begin, form, cat, dog):
    assert ("mask", "mask.png", "dog") in form(begin(OpenAI(), parts=(cat, "only the sky"), mask=dog))


def test_the_same_edit_is_the_same_bytes_so_that_asking_twice_can_be_seen(begin, cat):
    first, second = (begin(OpenAI(), parts=(cat, "gray")) for _ in range(2))
    assert (first.body, first.content_type) == (second.body, second.content_type)
    assert begin(OpenAI(), parts=(cat, "grey")).content_type != first.content_type


def test_a_picture_as_base64_comes_with_what_the_host_says_of_it(begin, answer, png):
    call = begin(OpenAI())
    body = GUIDE | {"data": [{"b64_json": base64.b64encode(png).decode(), "revised_prompt": "A red fox, sitting"}]}
    got = answer(OpenAI(), call, body)
    assert (got.pictures, got.rewritten_prompt) == ((png,), "A red fox, sitting")
    assert got.usage == Usage(tokens_in=50, tokens_out=4160)
    assert got.observed == {"size": "1024x1024", "quality": "high", "background": "opaque", "output_format": "png"}


def test_a_link_is_followed_at_once_without_the_key_and_keeps_what_was_said(begin, answer, png):
    body = {"created": 1, "data": [{"url": "https://files.example/a.png?sig=1", "revised_prompt": "A fox"}]}
    fetch = answer(OpenAI(), begin(OpenAI()), body)
    assert isinstance(fetch, Call)
    assert (fetch.url, fetch.phase, fetch.auth, fetch.from_reply) == (
        "https://files.example/a.png?sig=1",
        "fetch",
        None,
        True,
    )
    got = answer(OpenAI(), fetch, png)
    assert (got.pictures, got.rewritten_prompt) == ((png,), "A fox")


@pytest.mark.parametrize(("status", "transient"), [(403, False), (410, False), (404, True), (500, True), (429, True)])
def test_a_link_that_does_not_open_is_a_failed_download(begin, answer, status, transient):
    fetch = answer(OpenAI(), begin(OpenAI()), {"data": [{"url": "https://files.example/a.png"}]})
    broken = answer(OpenAI(), fetch, b"<Error>Expired</Error>", status)
    assert (broken.what, broken.transient) == ("download", transient)


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, {"error": {"code": "moderation_blocked", "message": "m", "param": None, "type": "user_error"}}),
        (
            400,
            {
                "error": {
                    "code": "moderation_blocked",
                    "message": "Your request was rejected by the safety system. safety_violations=[violence].",
                    "param": "",
                    "type": "image_generation_user_error",
                }
            },
        ),
        (400, {"error": {"code": "content_policy_violation", "message": "m", "param": None}}),
        (400, {"error": {"code": "contentFilter", "message": "m"}}),
        (400, {"error": {"code": "x", "message": "m", "inner_error": {"code": "ResponsibleAIPolicyViolation"}}}),
        (500, {"error": {"code": None, "message": "Your request was rejected as a result of our safety system."}}),
        (500, {"error": {"code": "moderation_blocked", "message": "m"}}),
        (200, {"created": 1, "data": []}),
        (200, {"data": [{"b64_json": None, "url": None}]}),
        (200, {"data": [{"b64_json": "", "respect_moderation": False}]}),
    ],
)
def test_refusals_are_refusals_in_all_their_spellings(begin, answer, status, body):
    assert isinstance(answer(OpenAI(), begin(OpenAI()), body, status), Declined)


@pytest.mark.parametrize(
    ("status", "body", "transient"),
    [
        (
            500,
            {"error": {"code": None, "message": "The server had an error", "type": "image_generation_server_error"}},
            True,
        ),
        (429, {"error": {"code": "rate_limit_exceeded", "message": "Rate limit reached for images"}}, True),
        (400, {"error": {"code": "invalid_value", "message": "Invalid size", "param": "size"}}, False),
        (404, {"error": {"code": "model_not_found", "message": "The model does not exist"}}, False),
        (200, {"created": 1}, True),
        (200, b'{"data": [{"b64_j', True),
        (200, {"data": [{"b64_json": "!!!"}]}, True),
    ],
)
def test_failures_say_whether_asking_again_can_help(begin, answer, status, body, transient):
    broken = answer(OpenAI(), begin(OpenAI()), body, status)
    assert isinstance(broken, Broken)
    assert broken.transient is transient


def test_azure_names_the_deployment_in_the_address_and_the_key_in_its_own_header(begin, form, cat):
    call = begin(Azure(), {"api_version": "2025-04-01-preview"}, model="my-painter", parts=(cat, "gray"))
    assert call.url == "https://h.example/v1/openai/deployments/my-painter/images/edits?api-version=2025-04-01-preview"
    assert call.auth == "api-key: {key}"
    assert "api_version" not in [field for field, _, _ in form(call)]
    assert begin(Azure()).url == "https://h.example/v1/openai/v1/images/generations"


def test_together_takes_width_and_height_and_inputs_as_addresses(begin, sent, cat, dog):
    """Together's API reference, "Create image", and "Images overview", 2026-11-29."""
    body = sent(begin(Together(), parts=(cat, "gray"), size=(1024, 768), seed=42))
    assert (body["width"], body["height"], body["seed"], body["response_format"]) == (1024, 768, 42, "base64")
    assert body["image_url"] == "data:image/jpeg;base64,cat"
    assert "size" not in body
    several = sent(begin(Together(), parts=(cat, dog, "both")))
    assert several["reference_images"] == ["data:image/jpeg;base64,cat", "data:image/png;base64,dog"]


def test_together_answers_as_openai_does(begin, answer, png):
    body = {
        "id": "o1",
        "model": "flux",
        "object": "list",
        "data": [{"index": 0, "b64_json": base64.b64encode(png).decode()}],
    }
    got = answer(Together(), begin(Together()), body)
    assert isinstance(got, Answer)
    assert (got.pictures, got.served_model) == ((png,), "flux")
