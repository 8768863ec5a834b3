import asyncio

import pytest

from groundswell.providers.openai import OpenAI
from groundswell.records import Answer, Broken, Declined
from groundswell.testing.host import Act, Script, ScriptedHost, picture
from groundswell.wire.conversation import converse
from groundswell.wire.keys import Key

QUOTA = {"message": "You exceeded your current quota", "type": "insufficient_quota", "code": "insufficient_quota"}
REFUSED = {"message": "Your request was rejected by our safety system", "code": "content_policy_violation"}


@pytest.fixture
def talk(wire, endpoint_at, request_of):
    async def ask(host, line, provider=None, text="How good?"):
        return await converse(wire, provider or OpenAI(), endpoint_at(host), request_of(text), line)

    return ask


async def test_a_good_answer_takes_one_request(wire, talk, line_to):
    async with ScriptedHost(lambda seen: Act(text="Score: 7")) as host, wire:
        got = await talk(host, line_to(host))
    assert isinstance(got.end, Answer)
    assert (got.end.text, got.sent) == ("Score: 7", 1)


@pytest.mark.parametrize(
    ("said", "pause"),
    [("3", 3.5), ("0.5", 1.0), ("-4", 0.5), ("Sun, 01 Nov 2015 12:00:00 GMT", 0.5), ("soon", 0.5), ("86400", 300.5)],
)
async def test_the_hosts_retry_after_is_kept_in_every_form(wire, clock, talk, line_to, said, pause):
    script = Script(first=(Act(status=429, headers={"Retry-After": said}),))
    async with ScriptedHost(script) as host, wire:
        got = await talk(host, line_to(host))
    assert isinstance(got.end, Answer)
    assert clock.slept == [pause]


@pytest.mark.parametrize("act", [
    Act(status=500), Act(status=503), Act(status=429), Act(reset=True), Act(tear=0.5), Act(choices=False),
    Act(body="<html>busy</html>", content_type="text/html"), Act(body='{"choices": [', content_type="application/json"),
])  # fmt: skip
async def test_what_may_pass_is_asked_again_after_a_pause_that_doubles(wire, clock, talk, line_to, act):
    async with ScriptedHost(Script(first=(act, act))) as host, wire:
        got = await talk(host, line_to(host))
    assert isinstance(got.end, Answer)
    assert clock.slept == [0.5, 1.0]
    assert got.sent == 3


async def test_asking_again_ends_at_the_limit_of_attempts(wire, talk, line_to):
    async with ScriptedHost(lambda seen: Act(status=500)) as host, wire:
        got = await talk(host, line_to(host, attempts=3))
    assert isinstance(got.end, Broken)
    assert (got.end.transient, got.end.status, got.sent) == (True, 500, 3)


async def test_asking_again_ends_at_the_deadline(wire, clock, talk, line_to):
    async with ScriptedHost(lambda seen: Act(status=503, headers={"Retry-After": "40"})) as host, wire:
        got = await talk(host, line_to(host, attempts=100, deadline=100.0))
    assert isinstance(got.end, Broken)
    assert got.sent == 3
    assert clock.monotonic() <= 100.0


@pytest.mark.parametrize("act", [Act(status=400), Act(status=403), Act(status=404), Act(status=422)])
async def test_what_cannot_pass_is_asked_once(wire, talk, line_to, act):
    async with ScriptedHost(lambda seen: act) as host, wire:
        got = await talk(host, line_to(host, "key-number-one", "key-number-two"))
    assert isinstance(got.end, Broken)
    assert not got.end.transient
    assert got.sent == 1


@pytest.mark.parametrize("act", [Act(status=400, error=REFUSED), Act(refusal="I cannot"), Act(finish="content_filter")])
async def test_a_refusal_is_a_result_and_never_moves_to_another_key(wire, talk, line_to, act):
    async with ScriptedHost(lambda seen: act) as host, wire:
        got = await talk(host, line_to(host, "key-number-one", "key-number-two"))
        assert isinstance(got.end, Declined)
        assert len(host.seen) == 1


async def test_a_401_kills_one_key_and_not_the_run(wire, clock, talk, line_to):
    def script(seen):
        return Act(status=401 if "dead" in seen.headers["authorization"] else 200)

    async with ScriptedHost(script) as host, wire:
        line = line_to(host, "key-dead-dead", "key-good-good")
        ends = [(await talk(host, line)).end for _ in range(4)]
        dead = [seen for seen in host.seen if "dead" in seen.headers["authorization"]]
    assert all(isinstance(end, Answer) for end in ends)
    assert len(dead) == 1
    assert clock.slept == []


async def test_when_every_key_is_dead_the_rest_of_the_run_sends_nothing(wire, talk, line_to):
    async with ScriptedHost(lambda seen: Act(status=401)) as host, wire:
        line = line_to(host, "key-dead-1234", "key-dead-5678")
        first, second = await talk(host, line), await talk(host, line)
    assert first.end.reason == "the host refused the key in KEY_1 (401)"
    assert second.end.reason == "no usable key: KEY_0 (refused by the host), KEY_1 (refused by the host)"
    assert (first.sent, second.sent) == (2, 0)


async def test_a_host_that_wants_a_key_where_none_is_given_is_named(wire, talk, line_to):
    async with ScriptedHost(lambda seen: Act(status=401)) as host, wire:
        got = await talk(host, line_to(host))
    assert got.end.reason == "the host refused a call without a key (401)"


async def test_an_empty_account_is_left_for_another(wire, talk, line_to):
    def script(seen):
        return Act() if "other" in seen.headers["authorization"] else Act(status=429, error=QUOTA)

    async with ScriptedHost(script) as host, wire:
        mine = [Key(f"MINE_{n}", f"key-of-mine-{n}", "mine") for n in range(3)]
        got = await talk(host, line_to(host, *mine, Key("OTHER", "key-of-other", "other")))
    assert isinstance(got.end, Answer)
    assert got.sent == 2


async def test_a_429_rests_the_whole_account_while_another_goes_on(wire, clock, talk, line_to):
    def script(seen):
        mine = "mine" in seen.headers["authorization"]
        return Act(status=429, headers={"Retry-After": "60"}) if mine else Act()

    async with ScriptedHost(script) as host, wire:
        mine = [Key(f"MINE_{n}", f"key-of-mine-{n}", "mine") for n in range(3)]
        line = line_to(host, *mine, Key("OTHER", "key-of-other", "other"))
        ends = [(await talk(host, line, text=str(n))).end for n in range(6)]
        limited = [seen for seen in host.seen if "mine" in seen.headers["authorization"]]
    assert all(isinstance(end, Answer) for end in ends)
    assert len(limited) == 1
    assert clock.monotonic() == 0.0


async def test_too_much_halves_what_is_under_way(wire, talk, line_to):
    script = Script(first=(Act(status=503, latency=0.05),) * 16, default=Act(latency=0.01))
    async with ScriptedHost(script) as host, wire:
        line = line_to(host, concurrency=16)
        await asyncio.gather(*(talk(host, line, text=str(n)) for n in range(16)))
        assert host.most_in_flight == 16
        host.most_in_flight = 0
        assert 8 <= wire.gate(line).window < 12
        await asyncio.gather(*(talk(host, line, text=f"again {n}") for n in range(12)))
    assert host.most_in_flight < 16


async def test_a_job_is_submitted_polled_and_fetched(wire, clock, talk, line_to, queued):
    async with ScriptedHost(lambda seen: Act(polls=3)) as host, wire:
        got = await talk(host, line_to(host, "key-number-one"), queued)
        assert isinstance(got.end, Answer)
        assert got.end.pictures == (picture(host.seen[0].question),)
        assert clock.slept == pytest.approx([0.1] * 4)
        assert "authorization" not in host.seen[-1].headers
    assert got.seconds >= 0.4


async def test_a_poll_or_download_that_fails_is_repeated_and_nothing_is_bought_twice(wire, talk, line_to, queued):
    bad = iter([Act(status=500), Act(tear=0.5), Act(reset=True)])

    def script(seen):
        return next(bad, Act()) if seen.method == "GET" else Act()

    async with ScriptedHost(script) as host, wire:
        got = await talk(host, line_to(host), queued)
        assert isinstance(got.end, Answer)
        assert list(host.bought.values()) == [1]


async def test_a_job_that_its_host_gave_up_is_submitted_anew(wire, talk, line_to, queued):
    failed = iter([Act(body='{"state": "failed"}')])

    def script(seen):
        return next(failed, Act()) if seen.method == "GET" else Act()

    async with ScriptedHost(script) as host, wire:
        got = await talk(host, line_to(host), queued)
        assert isinstance(got.end, Answer)
        assert list(host.bought.values()) == [2]


async def test_a_job_stays_on_the_key_that_submitted_it(wire, talk, line_to, queued):
    limited = iter([Act(status=429, headers={"Retry-After": "5"})])

    def script(seen):
        return next(limited, Act()) if seen.method == "GET" else Act()

    async with ScriptedHost(script) as host, wire:
        line = line_to(host, Key("A", "key-of-account-a"), Key("B", "key-of-account-b"))
        got = await talk(host, line, queued)
        keys = {seen.headers["authorization"] for seen in host.seen if "authorization" in seen.headers}
    assert isinstance(got.end, Answer)
    assert len(keys) == 1


async def test_a_job_that_is_never_done_ends_at_the_deadline(wire, clock, talk, line_to, queued):
    async with ScriptedHost(lambda seen: Act(polls=10_000)) as host, wire:
        got = await talk(host, line_to(host, deadline=3.0), queued)
    assert isinstance(got.end, Broken)
    assert (got.end.what, got.end.reason) == ("timeout", "not done after 3 s")
    assert clock.monotonic() <= 3.2


async def test_a_link_out_of_a_reply_into_the_private_network_is_not_followed(wire, talk, line_to, queued):
    async with ScriptedHost() as inside:
        body = f'{{"state": "done", "picture": "{inside.origin}/secret.png"}}'
        async with ScriptedHost(lambda seen: Act(body=body) if seen.method == "GET" else Act()) as host, wire:
            got = await talk(host, line_to(host), queued)
        assert isinstance(got.end, Broken)
        assert (got.end.what, got.end.transient) == ("download", False)
        assert inside.seen == []
