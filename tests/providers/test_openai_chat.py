import msgspec
import pytest

from groundswell.providers.openai import OpenAI
from groundswell.records import Answer, Broken, Declined, Endpoint, Picture, Reply, Request, Splice, Usage

CAT = Picture(digest="cat", media_type="image/jpeg", width=2, height=1)
GOOD = {
    "model": "m-2026-11-01",
    "choices": [{"message": {"role": "assistant", "content": "Score: 7"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3},
}


def begin(request_fields=None, **settings):
    endpoint = Endpoint(name="judge", host="openai", model="m", base_url="http://h/v1/", settings=settings)
    fields = {"model": "m", "want": "text", "parts": ("hello",)} | (request_fields or {})
    return OpenAI().begin(endpoint, Request(**fields))


def sent(call):
    """The body as JSON, with a picture's name where its base64 goes."""
    pieces = [piece.picture.digest.encode() if isinstance(piece, Splice) else piece for piece in call.body]
    return msgspec.json.decode(b"".join(pieces))


def advance(body, status=200, **headers):
    data = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return OpenAI().advance(Reply(call=begin(), status=status, headers=headers, body=data))


def with_message(**message):
    return GOOD | {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": "stop"}]}


def test_text_alone_is_sent_as_plain_content():
    call = begin({"system": "Be strict.", "temperature": 0.0, "max_tokens": 50, "seed": 42})
    assert (call.method, call.url) == ("POST", "http://h/v1/chat/completions")
    assert sent(call) == {
        "model": "m",
        "temperature": 0.0,
        "max_tokens": 50,
        "seed": 42,
        "messages": [{"role": "system", "content": "Be strict."}, {"role": "user", "content": "hello"}],
    }


def test_pictures_go_between_their_texts_in_order():
    call = begin({"parts": ("input:", CAT, 'the "result":\n', CAT)})
    assert sum(isinstance(piece, Splice) for piece in call.body) == 2
    assert sent(call)["messages"][0]["content"] == [
        {"type": "text", "text": "input:"},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,cat"}},
        {"type": "text", "text": 'the "result":\n'},
        {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,cat"}},
    ]


def test_settings_are_sent_as_they_are_and_what_is_asked_wins():
    body = sent(begin({"temperature": 0.0}, temperature=0.7, top_p=0.9))
    assert (body["temperature"], body["top_p"]) == (0.0, 0.9)


def test_quirks_of_hosts_are_settings_and_are_not_sent():
    schema = {"type": "object"}
    asked = {"schema": schema, "max_tokens": 9, "temperature": 0.0, "parts": (CAT,)}
    quirks = {"max_tokens_field": "max_completion_tokens", "omit": ["temperature"], "detail": "low"}
    body = sent(begin(asked, json_schema=True, **quirks))
    assert set(body) == {"model", "max_completion_tokens", "response_format", "messages"}
    assert body["response_format"]["json_schema"]["schema"] == schema
    assert body["messages"][0]["content"][0]["image_url"]["detail"] == "low"


def test_a_schema_is_not_sent_to_a_host_that_was_not_said_to_take_it():
    assert "response_format" not in sent(begin({"schema": {"type": "object"}}))


def test_no_secret_and_no_key_is_in_a_call():
    assert begin().auth == "Authorization: Bearer {key}"


def test_a_good_reply_is_an_answer_with_what_the_host_said():
    answer = advance(GOOD | {"system_fingerprint": "fp_1"})
    assert answer == Answer(
        text="Score: 7",
        served_model="m-2026-11-01",
        usage=Usage(tokens_in=12, tokens_out=3),
        observed={"system_fingerprint": "fp_1"},
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "text", "text": "Score: "}, {"type": "text", "text": "7"}], "Score: 7"),
        ([{"type": "reasoning", "summary": []}, {"type": "output_text", "text": "Score: 7"}], "Score: 7"),
        (["Score: 7"], "Score: 7"),
        (None, ""),
        ([], ""),
    ],
)
def test_content_is_read_in_every_shape(content, text):
    assert advance(with_message(content=content)).text == text


@pytest.mark.parametrize("usage", [None, "absent", {}, {"prompt_tokens": None}, [1], {"prompt_tokens": True}])
def test_usage_that_is_not_there_is_none_and_never_zero(usage):
    body = {name: value for name, value in GOOD.items() if name != "usage"}
    assert advance(body if usage == "absent" else body | {"usage": usage}).usage is None


def test_a_cost_that_the_host_says_is_kept():
    assert advance(GOOD | {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.002}}).cost == 0.002


@pytest.mark.parametrize(
    ("said", "finish"), [("length", "length"), ("stop", "stop"), (None, "other"), ("odd", "other")]
)
def test_the_finish_reason_is_kept(said, finish):
    body = GOOD | {"choices": [{"message": {"content": "x"}, "finish_reason": said}]}
    assert advance(body).finish == finish


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, with_message(content=None, refusal="I can't help with that.")),
        (200, GOOD | {"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}),
        (200, {"error": {"message": "blocked", "code": "content_policy_violation"}}),
        (400, {"error": {"message": "Your request was rejected as a result of our safety system.", "code": None}}),
        (400, {"error": {"message": "filtered", "code": "content_filter", "innererror": {}}}),
        (400, {"error": {"message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
        (403, {"error": "The prompt violates our content policy"}),
        (400, {"code": "data_inspection_failed", "message": "inappropriate"}),
    ],
)
def test_refusals_are_known_as_status_finish_and_field(status, body):
    assert isinstance(advance(body, status), Declined)


@pytest.mark.parametrize(
    ("status", "body", "transient"),
    [
        (429, {"error": {"message": "Rate limit reached"}}, True),
        (500, b"<html>Internal Server Error</html>", True),
        (503, b"", True),
        (408, {"error": {"message": "timeout"}}, True),
        (529, {"error": {"message": "Overloaded"}}, True),
        (503, {"error": {"message": "our moderation service is down"}}, True),
        (400, {"error": {"message": "unknown parameter"}}, False),
        (403, {"detail": "country not supported"}, False),
        (404, {"error": {"message": "no such model"}}, False),
        (413, b"too large", False),
        (200, {"choices": []}, True),
        (200, {"choices": None}, True),
        (200, [], True),
        (200, b'{"choices": [{"mess', True),
        (200, b"", True),
        (200, b"\xff\xfe\x00", True),
        (200, b"<html>please log in</html>", True),
        (200, {"error": {"message": "Internal error", "code": 502}}, True),
        (200, {"error": {"message": "no such model", "code": 404}}, False),
        (200, {"error": "upstream went away"}, True),
    ],
)
def test_what_is_broken_says_whether_asking_again_can_help(status, body, transient):
    broken = advance(body, status)
    assert isinstance(broken, Broken)
    assert broken.transient is transient


def test_html_with_status_200_is_named_for_what_it_is():
    broken = advance(b"<html></html>", **{"content-type": "text/html"})
    assert broken.reason == "the reply is not whole JSON (text/html, 13 bytes)"


@pytest.mark.parametrize(
    ("status", "error"),
    [(401, {"message": "no"}), (400, {"message": "API key not valid", "code": "API_KEY_INVALID"})],
)
def test_a_refused_key_is_dead_and_the_hosts_words_are_not_repeated(status, error):
    broken = advance({"error": error}, status)
    assert broken.key_dead
    assert broken.reason == f"the host refused the key ({status})"


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, {"message": "quota", "code": "insufficient_quota"}), (402, {"message": "Insufficient Balance"})],
)
def test_an_empty_account_is_not_a_rate_limit(status, error):
    assert advance({"error": error}, status).exhausted
