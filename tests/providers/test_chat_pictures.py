"""Chat models that answer with pictures. Replies follow OpenRouter's "Image Generation" guide, as of 2026-11-29, and
what other OpenAI-compatible hosts are seen to do: parts of the content, links in Markdown."""

import base64

import pytest

from groundswell.providers.openai import OpenAI
from groundswell.records import Broken, Call, Declined

CHAT = {"api": "chat"}


def reply(**message):
    return {
        "model": "google/gemini-3-image",
        "choices": [{"message": {"role": "assistant", "content": "", **message}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 1290, "cost": 0.039},
    }


def test_a_picture_is_asked_for_as_a_modality_and_in_its_proportions(begin, sent, cat):
    body = sent(begin(OpenAI(), CHAT, parts=(cat, "make it gray"), size=(1920, 1080)))
    assert body["modalities"] == ["image", "text"]
    assert body["image_config"] == {"aspect_ratio": "16:9"}
    assert body["messages"][0]["content"][0]["image_url"]["url"] == "data:image/jpeg;base64,cat"
    assert "api" not in body


@pytest.mark.parametrize("shape", ["images", "part", "markdown", "text-part"])
def test_the_picture_is_found_wherever_the_host_puts_it(begin, answer, png, shape):
    url = "data:image/png;base64," + base64.b64encode(png).decode()
    place = {"type": "image_url", "image_url": {"url": url}}
    message = {
        "images": {"images": [place], "content": "Here is your fox."},
        "part": {"content": [{"type": "text", "text": "Here"}, place]},
        "markdown": {"content": f"Here is your fox: ![fox]({url})"},
        "text-part": {"content": [{"type": "image_url", "image_url": url}]},
    }[shape]
    got = answer(OpenAI(), begin(OpenAI(), CHAT), reply(**message))
    assert (got.pictures, got.served_model, got.cost) == ((png,), "google/gemini-3-image", 0.039)


def test_a_link_in_the_text_is_followed(begin, answer):
    got = answer(OpenAI(), begin(OpenAI(), CHAT), reply(content="![fox](https://files.example/fox.png)"))
    assert isinstance(got, Call)
    assert (got.url, got.phase) == ("https://files.example/fox.png", "fetch")


def test_an_answer_in_words_alone_is_a_refusal_that_keeps_the_words(begin, answer):
    got = answer(OpenAI(), begin(OpenAI(), CHAT), reply(content="I cannot draw\nreal people."))
    assert isinstance(got, Declined)
    assert got.reason == "answered in words and made no picture: I cannot draw real people."


def test_a_provider_behind_the_host_that_blocks_is_a_refusal(begin, answer):
    error = {"code": 403, "message": "Your input was flagged by moderation", "metadata": {"reasons": ["violence"]}}
    assert isinstance(answer(OpenAI(), begin(OpenAI(), CHAT), {"error": error}), Declined)
    choice = {"choices": [{"error": {"code": 502, "message": "upstream went away"}, "finish_reason": "error"}]}
    assert isinstance(answer(OpenAI(), begin(OpenAI(), CHAT), choice), Broken)
