import gc
from itertools import pairwise

import pytest

from groundswell.probe.shot import Target, shoot
from groundswell.providers.openai import OpenAI
from groundswell.records import Endpoint, Request
from groundswell.testing.host import Act, Script, ScriptedHost
from groundswell.testing.queued import Queued
from groundswell.wire.door import Wire
from groundswell.wire.keys import Key
from groundswell.wire.lines import Limits, Line

FOX = Request(model="m", want="picture", parts=("a red fox",))


async def shot(host, provider, *, keys=(), **limits):
    endpoint = Endpoint(name="e", host="openai", model="m", base_url=host.base_url)
    line = Line("e", host.base_url, keys, Limits(**limits))
    async with Wire(lambda digest: b"") as wire:
        return await shoot(wire, Target(endpoint, provider, line), FOX, region="here")


def submissions(host):
    return [seen for seen in host.seen if seen.method == "POST"]


async def test_one_request_is_timed_from_its_sending_to_its_last_byte():
    async with ScriptedHost(Script(default=Act(latency=0.1))) as host:
        timing = await shot(host, OpenAI())
    # A busy machine may add to a time and never takes from it; how exact times are is measured by the bench.
    assert 0.1 <= timing.seconds < 2
    assert (timing.submit, timing.wait, timing.fetch) == (timing.seconds, None, None)
    assert timing.region == "here"
    assert len(submissions(host)) == 1


async def test_phases_of_a_queue_add_up_and_polls_are_a_tenth_of_a_second_apart():
    def script(seen):
        return Act(latency=0.2 if seen.method == "POST" else 0.05 if seen.path.endswith(".png") else 0.0, polls=3)

    async with ScriptedHost(script) as host:
        timing = await shot(host, Queued())
    assert 0.2 <= timing.submit < 2
    assert 0.39 <= timing.wait < 4
    assert 0.05 <= timing.fetch < 2
    assert timing.seconds == pytest.approx(timing.submit + timing.wait + timing.fetch)
    polls = [seen.at for seen in host.seen if seen.path.startswith("/jobs/")]
    assert all(0.09 <= later - earlier < 2 for earlier, later in pairwise(polls))


async def test_the_connection_is_open_before_the_clock_starts_and_opening_it_buys_nothing():
    async with ScriptedHost() as host:
        await shot(host, OpenAI())
        assert [seen.method for seen in host.seen] == ["GET", "POST"]
        assert host.bought.total() == 1
        assert "authorization" not in host.seen[0].headers


@pytest.mark.parametrize(
    ("act", "why"),
    [
        (Act(status=503), "provider: 503"),
        (Act(status=429, headers={"Retry-After": "1"}), "provider: 429"),
        (Act(status=400, error={"code": "moderation_blocked", "message": "no"}), "refused: no"),
        (Act(body='{"data": [{"b64_json": "aGVsbG8="}]}'), "decode: "),
        (Act(reset=True), "provider: "),
        (Act(tear=0.5), "provider: "),
    ],
)
async def test_a_failure_is_recorded_as_one_without_a_time_and_never_asked_again(act, why):
    async with ScriptedHost(lambda seen: act if seen.method == "POST" else Act()) as host:
        timing = await shot(host, OpenAI())
    assert timing.failure.startswith(why)
    assert (timing.seconds, timing.submit) == (None, None)
    assert len(submissions(host)) == 1


async def test_a_job_that_never_ends_is_a_timeout():
    async with ScriptedHost(Script(default=Act(polls=10_000))) as host:
        timing = await shot(host, Queued(), deadline=0.4)
    assert timing.failure == "timeout: not done after 0.4 s"


async def test_polls_stay_on_the_key_of_the_submission():
    keys = (Key("A", "key-aaaaaaaa"), Key("B", "key-bbbbbbbb"))
    async with ScriptedHost(Script(default=Act(polls=3))) as host:
        await shot(host, Queued(), keys=keys)
    told = {seen.headers.get("authorization") for seen in host.seen if seen.path.startswith("/jobs")}
    assert len(told) == 1


async def test_no_garbage_is_collected_within_a_measurement_and_again_after_it():
    during = []

    class Watching(OpenAI):
        def advance(self, reply):
            during.append(gc.isenabled())
            return super().advance(reply)

    async with ScriptedHost() as host:
        await shot(host, Watching())
    assert (during, gc.isenabled()) == ([False], True)
