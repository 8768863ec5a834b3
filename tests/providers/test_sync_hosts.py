"""Hosts that answer at once. Replies follow, as of 2026-11-29: Stability's API reference, "Stable Image" (Generate,
Edit), and Hugging Face's "Inference Providers: Text to Image"."""

import base64

import pytest

from groundswell.errors import UserError
from groundswell.providers.huggingface import HuggingFace
from groundswell.providers.stability import Stability
from groundswell.records import Broken, Declined

MODERATED = {
    "id": "a1",
    "name": "content_moderation",
    "errors": ["Your request was flagged by our content moderation system, as a result your request was denied."],
}


def test_stability_is_asked_by_a_form_for_json(begin, form):
    call = begin(Stability(), model="core", seed=42, size=(1920, 1080))
    assert call.url == "https://api.stability.ai/v2beta/stable-image/generate/core"
    assert call.headers == {"Accept": "application/json"}
    fields = {field: content for field, _, content in form(call)}
    assert fields == {"prompt": "a red fox", "output_format": "png", "seed": "42", "aspect_ratio": "16:9"}


def test_stability_turns_an_input_into_image_to_image_and_names_its_models(begin, form, cat):
    call = begin(Stability(), {"strength": 0.4}, model="sd3.5-large", parts=(cat, "gray"))
    assert call.url.endswith("/generate/sd3")
    fields = {field: content for field, _, content in form(call)}
    assert (fields["mode"], fields["strength"], fields["model"], fields["image"]) == (
        "image-to-image",
        "0.4",
        "sd3.5-large",
        "cat",
    )
    assert begin(Stability(), model="edit/search-and-replace", parts=(cat, "x")).url.endswith(
        "/edit/search-and-replace"
    )


def test_stability_gives_base64_and_the_seed_that_it_used(begin, answer, png):
    body = {"image": base64.b64encode(png).decode(), "finish_reason": "SUCCESS", "seed": 343940597}
    got = answer(Stability(), begin(Stability()), body)
    assert (got.pictures, got.observed) == ((png,), {"seed": 343940597})


@pytest.mark.parametrize(
    ("status", "body"), [(403, MODERATED), (200, {"image": "aGk=", "finish_reason": "CONTENT_FILTERED", "seed": 1})]
)
def test_stability_refuses_the_prompt_or_blurs_the_picture(begin, answer, status, body):
    assert isinstance(answer(Stability(), begin(Stability()), body, status), Declined)


def test_stability_without_credits_is_an_empty_account(begin, answer):
    body = {"id": "a", "name": "payment_required", "errors": ["You lack sufficient credits to make this request."]}
    assert answer(Stability(), begin(Stability()), body, 402).exhausted


def test_hugging_face_gives_the_picture_itself(begin, sent, answer, png):
    call = begin(HuggingFace(), {"num_inference_steps": 4}, model="org/flux", seed=42, size=(512, 512))
    assert call.url == "https://router.huggingface.co/hf-inference/models/org/flux"
    parameters = {"num_inference_steps": 4, "seed": 42, "width": 512, "height": 512}
    assert sent(call) == {"inputs": "a red fox", "parameters": parameters}
    assert answer(HuggingFace(), call, png, content_type="image/png").pictures == (png,)


def test_hugging_face_edits_one_picture(begin, sent, cat, dog):
    body = sent(begin(HuggingFace(), parts=(cat, "gray")))
    assert body == {"inputs": "cat", "parameters": {"prompt": "gray"}}
    with pytest.raises(UserError, match="takes one input"):
        begin(HuggingFace(), parts=(cat, dog, "both"))


@pytest.mark.parametrize(
    ("status", "body", "pause"),
    [
        (503, {"error": "Model org/flux is currently loading", "estimated_time": 20.5}, 20.5),
        (500, {"error": ["CUDA out of memory"], "warnings": []}, None),
        (429, {"error": "Too many requests"}, None),
    ],
)
def test_hugging_face_says_how_long_a_model_loads(begin, answer, status, body, pause):
    got = answer(HuggingFace(), begin(HuggingFace()), body, status)
    assert isinstance(got, Broken)
    assert (got.transient, got.retry_after) == (True, pause)


def test_text_is_not_asked_of_hosts_that_only_draw(begin):
    with pytest.raises(UserError, match="no text"):
        begin(Stability(), want="text")
