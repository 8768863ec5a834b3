"""Replies follow Anthropic's API reference, "Create a Message", "Errors", "Handling stop reasons", as of 2026-11-29."""

import pytest

from groundswell.errors import UserError
from groundswell.providers.anthropic import Anthropic
from groundswell.records import Broken, Declined, Usage

GOOD = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-judge-20261101",
    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Score: 7"}],
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 1000, "output_tokens": 10},
}


def test_a_judge_is_asked_with_pictures_between_their_texts(begin, sent, cat):
    asked = {"want": "text", "system": "Be strict.", "max_tokens": 50, "temperature": 0.0, "parts": ("input:", cat)}
    call = begin(Anthropic(), {"omit": ["temperature"]}, **asked)
    assert (call.auth, call.headers) == ("x-api-key: {key}", {"anthropic-version": "2023-06-01"})
    source = {"type": "base64", "media_type": "image/jpeg", "data": "cat"}
    assert sent(call) == {
        "max_tokens": 50,
        "model": "m",
        "system": "Be strict.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "input:"}, {"type": "image", "source": source}]}
        ],
    }


def test_a_good_reply_is_its_text_without_the_thinking(begin, answer):
    got = answer(Anthropic(), begin(Anthropic(), want="text"), GOOD)
    assert (got.text, got.finish, got.served_model) == ("Score: 7", "stop", "claude-judge-20261101")
    assert got.usage == Usage(tokens_in=1000, tokens_out=10)


def test_a_stop_by_the_classifier_is_a_refusal_and_a_cut_text_is_cut(begin, answer):
    call = begin(Anthropic(), want="text")
    assert isinstance(answer(Anthropic(), call, GOOD | {"stop_reason": "refusal", "content": []}), Declined)
    assert answer(Anthropic(), call, GOOD | {"stop_reason": "max_tokens"}).finish == "length"


@pytest.mark.parametrize(
    ("status", "kind", "message", "state"),
    [
        (529, "overloaded_error", "Overloaded", "transient"),
        (429, "rate_limit_error", "slow down", "transient"),
        (500, "api_error", "Internal server error", "transient"),
        (401, "authentication_error", "invalid x-api-key", "key_dead"),
        (402, "billing_error", "m", "exhausted"),
        (400, "invalid_request_error", "Your credit balance is too low to access the API", "exhausted"),
    ],
)
def test_errors_are_told_apart(begin, answer, status, kind, message, state):
    body = {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}
    got = answer(Anthropic(), begin(Anthropic(), want="text"), body, status)
    assert isinstance(got, Broken)
    assert getattr(got, state)


def test_pictures_are_not_asked_of_it(begin):
    with pytest.raises(UserError, match="no pictures"):
        begin(Anthropic())
