"""Hosts with a queue. Replies follow, as of 2026-11-29: fal's docs, "Queue", "Model errors", "Request errors";
Replicate's docs, "Create a prediction", "Get a prediction"; Black Forest Labs' docs, "Generate or edit an image with
FLUX.2", "Errors"."""

import pytest

from groundswell.errors import UserError
from groundswell.providers.bfl import BlackForestLabs
from groundswell.providers.fal import Fal
from groundswell.providers.replicate import Replicate
from groundswell.records import Broken, Call, Declined

FAL = "https://queue.fal.run/fal-ai/flux/requests/1"
SUBMITTED = {"request_id": "1", "response_url": FAL, "status_url": f"{FAL}/status", "queue_position": 0}
PREDICTION = {
    "id": "p1",
    "version": "5c7d5dc6",
    "urls": {"get": "https://api.replicate.com/v1/predictions/p1"},
    "created_at": "2026-11-29T10:00:00.000Z",
}
TASK = {"id": "t", "polling_url": "https://api.eu2.bfl.ai/v1/get_result?id=t", "cost": 3.0, "output_mp": 1.0}


def test_fal_walks_from_job_to_result_to_picture(begin, sent, answer, png):
    codec = Fal()
    first = begin(codec, {"guidance_scale": 3.5}, model="fal-ai/flux/dev", seed=42, size=(1024, 1024))
    assert (first.url, first.auth) == ("https://queue.fal.run/fal-ai/flux/dev", "Authorization: Key {key}")
    size = {"width": 1024, "height": 1024}
    assert sent(first) == {
        "prompt": "a red fox",
        "num_images": 1,
        "seed": 42,
        "image_size": size,
        "guidance_scale": 3.5,
    }
    poll = answer(codec, first, SUBMITTED)
    assert (poll.url, poll.phase) == (f"{FAL}/status", "wait")
    assert poll.delay > 0
    again = answer(codec, poll, {"status": "IN_PROGRESS", "response_url": FAL}, 202)
    assert (again.url, again.phase) == (f"{FAL}/status", "wait")
    result = answer(codec, again, {"status": "COMPLETED", "response_url": FAL, "metrics": {"inference_time": 3.7}})
    assert (result.url, result.delay) == (FAL, 0)
    images = [{"url": "https://v3.fal.media/fox.png", "width": 1024, "height": 1024, "content_type": "image/png"}]
    fetch = answer(codec, result, {"images": images, "seed": 42, "has_nsfw_concepts": [False], "prompt": "a red fox"})
    assert (fetch.url, fetch.phase, fetch.auth) == ("https://v3.fal.media/fox.png", "fetch", None)
    got = answer(codec, fetch, png)
    assert (got.pictures, got.observed) == ((png,), {"seed": 42, "inference_seconds": 3.7})


def test_fal_asked_without_its_queue_answers_at_once(begin, answer):
    got = answer(
        Fal(), begin(Fal()), {"images": [{"url": "https://v3.fal.media/fox.png"}], "timings": {"inference": 1.5}}
    )
    assert (got.phase, got.state.observed) == ("fetch", {"inference_seconds": 1.5})


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (422, {"detail": [{"loc": ["body", "prompt"], "msg": "flagged", "type": "content_policy_violation"}]}),
        (200, {"images": [{"url": "https://v3.fal.media/black.png"}], "has_nsfw_concepts": [True]}),
    ],
)
def test_fal_refuses_by_a_type_and_by_its_checker(begin, answer, status, body):
    assert isinstance(answer(Fal(), begin(Fal()), body, status), Declined)


@pytest.mark.parametrize(
    ("status", "body", "headers", "state", "value"),
    [
        (504, {"detail": "Request timed out", "error_type": "request_timeout"}, {}, "transient", True),
        (
            500,
            {"detail": [{"msg": "m", "type": "internal_server_error"}]},
            {"x_fal_retryable": "false"},
            "transient",
            False,
        ),
        (422, {"detail": [{"msg": "field required", "type": "missing"}]}, {}, "transient", False),
        (403, {"detail": "User is locked. Reason: Exhausted balance."}, {}, "exhausted", True),
        (401, {"detail": "Authentication is required"}, {}, "key_dead", True),
        (
            200,
            {"status": "COMPLETED", "error": "Runner disconnected", "error_type": "runner_disconnected"},
            {},
            "transient",
            True,
        ),
    ],
)
def test_fal_fails_in_two_shapes(begin, answer, status, body, headers, state, value):
    got = answer(Fal(), begin(Fal()), body, status, **headers)
    assert isinstance(got, Broken)
    assert getattr(got, state) is value


def test_inputs_go_under_the_name_that_the_model_has_for_them(begin, sent, cat, dog):
    assert sent(begin(Fal(), parts=(cat, "gray")))["image_url"] == "data:image/jpeg;base64,cat"
    assert len(sent(begin(Fal(), parts=(cat, dog, "both")))["image_urls"]) == 2
    named = sent(begin(Replicate(), {"image_field": "image_input[]"}, parts=(cat, "gray")))
    assert named["input"]["image_input"] == ["data:image/jpeg;base64,cat"]
    with pytest.raises(UserError, match="do not fit"):
        begin(Fal(), {"image_field": "image_url"}, parts=(cat, dog, "both"))


def test_replicate_holds_the_request_and_is_polled_after_that(begin, sent, answer, png):
    codec = Replicate()
    first = begin(codec, {"aspect_ratio": "1:1"}, model="owner/flux", seed=42)
    assert first.url == "https://api.replicate.com/v1/models/owner/flux/predictions"
    assert first.headers == {"Prefer": "wait=60"}
    assert sent(first) == {"input": {"prompt": "a red fox", "seed": 42, "aspect_ratio": "1:1"}}
    poll = answer(codec, first, PREDICTION | {"status": "starting"}, 201)
    assert (poll.url, poll.phase, poll.headers) == (PREDICTION["urls"]["get"], "wait", {})
    done = PREDICTION | {
        "status": "succeeded",
        "output": ["https://replicate.delivery/fox.png"],
        "started_at": "2026-11-29T10:00:08.500Z",
        "metrics": {"predict_time": 2.25},
    }
    fetch = answer(codec, poll, done)
    got = answer(codec, fetch, png)
    assert got.observed == {"inference_seconds": 2.25, "cold_seconds": 8.5, "version": "5c7d5dc6"}


def test_replicate_runs_a_version_by_its_own_address(begin, sent):
    call = begin(Replicate(), model="owner/model:5c7d5dc6")
    assert call.url == "https://api.replicate.com/v1/predictions"
    assert sent(call)["version"] == "owner/model:5c7d5dc6"


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("NSFW content detected. Try running it again, or try a different prompt.", Declined),
        ("The input or output was flagged as sensitive. Please try again with different inputs. (E005)", Declined),
        ("CUDA out of memory", Broken),
        (None, Broken),
    ],
)
def test_a_failed_prediction_says_in_words_what_it_was(begin, answer, error, kind):
    got = answer(Replicate(), begin(Replicate()), PREDICTION | {"status": "failed", "error": error})
    assert isinstance(got, kind)


def test_bfl_polls_where_it_is_told_to_and_says_the_cost_in_credits(begin, sent, answer, png, cat, dog):
    codec = BlackForestLabs()
    first = begin(codec, {"safety_tolerance": 2}, model="flux-2-pro", parts=(cat, dog, "both"), size=(1024, 768))
    assert (first.url, first.auth) == ("https://api.bfl.ai/v1/flux-2-pro", "x-key: {key}")
    assert sent(first) == {
        "prompt": "both",
        "width": 1024,
        "height": 768,
        "input_image": "cat",
        "input_image_2": "dog",
        "safety_tolerance": 2,
    }
    poll = answer(codec, first, TASK)
    assert (poll.url, poll.auth, poll.from_reply) == (TASK["polling_url"], "x-key: {key}", True)
    again = answer(codec, poll, {"id": "t", "status": "Pending", "result": None})
    ready = {"id": "t", "status": "Ready", "result": {"sample": "https://delivery.bfl.ai/fox.png", "seed": 7}}
    got = answer(codec, answer(codec, again, ready), png)
    assert (got.pictures, got.cost, got.observed) == ((png,), pytest.approx(0.03), {"seed": 7})


@pytest.mark.parametrize(("status", "at"), [("Request Moderated", "input"), ("Content Moderated", "output")])
def test_bfl_refuses_before_and_after(begin, answer, status, at):
    got = answer(BlackForestLabs(), begin(BlackForestLabs()), {"id": "t", "status": status, "result": None})
    assert isinstance(got, Declined)
    assert got.at == at


@pytest.mark.parametrize(
    ("http", "body", "state"),
    [
        (200, {"id": "t", "status": "Error", "result": None}, "transient"),
        (404, {"id": "t", "status": "Task not found", "result": None}, "transient"),
        (402, {"detail": "Insufficient credits"}, "exhausted"),
        (403, {"detail": "Not authenticated - Invalid Authentication"}, "key_dead"),
        (429, {"detail": "Too many active tasks"}, "transient"),
    ],
)
def test_bfl_fails_in_its_words(begin, answer, http, body, state):
    got = answer(BlackForestLabs(), begin(BlackForestLabs()), body, http)
    assert isinstance(got, Broken)
    assert getattr(got, state)


def test_a_mixed_up_poll_is_not_taken_for_a_picture(begin, answer):
    assert not isinstance(answer(Fal(), begin(Fal()), {"hello": 1}), Call)
