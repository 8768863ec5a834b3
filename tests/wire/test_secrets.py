import asyncio
import logging

import msgspec
import pytest

from groundswell.providers.openai import OpenAI
from groundswell.records import Call
from groundswell.testing.host import Act, ScriptedHost
from groundswell.wire.conversation import converse

ECHOES = [
    Act(echo=True),
    Act(status=400, echo=True),
    Act(status=401, echo=True),
    Act(status=403, echo=True),
    Act(status=429, echo=True),
    Act(status=500, echo=True),
    Act(status=400, error={"message": "Incorrect API key provided: sk-canar*****ghij", "code": "invalid_api_key"}),
    Act(status=302, headers={"Location": "http://127.0.0.1:9/?key=sk-canary-0123456789abcdefghij"}),
    Act(headers={"X-Echo": "sk-canary-0123456789abcdefghij"}),
    Act(tear=0.5, echo=True),
]


@pytest.mark.parametrize("act", ECHOES)
async def test_a_key_never_comes_back_out(act, wire, line_to, request_of, endpoint_at, canary, caplog):
    caplog.set_level(logging.DEBUG)
    async with ScriptedHost(lambda seen: act) as host, wire:
        line = line_to(host, canary, attempts=2)
        talk = await converse(wire, OpenAI(), endpoint_at(host), request_of(), line)
        once = await wire.once(Call(method="POST", url=f"{host.base_url}/chat/completions", body=(b"{}",)), line)
        assert host.seen[0].headers["authorization"] == f"Bearer {canary}"
    out = msgspec.json.encode([talk.end, talk.reply, once]).decode() + repr([talk, once, line, wire.keys]) + caplog.text
    for start in range(len(canary) - 7):
        assert canary[start : start + 8] not in out.replace("Incorrect API key provided: sk-canar*****ghij", "")


async def test_a_dead_key_is_named_by_its_variable_with_none_of_its_characters(
    wire, line_to, request_of, endpoint_at, canary
):
    error = {"message": f"Incorrect API key provided: {canary[:8]}*****{canary[-4:]}", "code": "invalid_api_key"}
    async with ScriptedHost(lambda seen: Act(status=401, error=error)) as host, wire:
        talk = await converse(wire, OpenAI(), endpoint_at(host), request_of(), line_to(host, canary))
    assert talk.end.reason == "the host refused the key in KEY_0 (401)"


async def test_a_key_does_not_follow_a_link_to_a_stranger(wire, line_to, canary):
    async with ScriptedHost() as host, wire:
        line = line_to(host, canary)
        stranger = Call(method="GET", url="http://93.184.216.34/poll", from_reply=True)
        end = await asyncio.wait_for(wire.once(stranger, line), 5)
    assert end.reason == "a reply would send the key to 93.184.216.34"


async def test_a_download_from_a_stranger_goes_without_the_key(wire, line_to, canary):
    async with ScriptedHost() as host, wire:
        line = line_to(host, canary)
        link = Call(method="GET", url="http://pictures.invalid/a.png", auth=None, phase="fetch", from_reply=True)
        end = await wire.once(link, line, line.keys[0])
    assert end.what == "download"
    assert "key" not in end.reason


async def test_a_redirect_to_another_host_loses_the_key(wire, line_to, canary):
    async with ScriptedHost() as home:
        link = f"{home.origin}/made/a.png"
        async with ScriptedHost(lambda seen: Act(status=302, headers={"Location": link})) as host, wire:
            await wire.once(Call(method="GET", url=f"{host.origin}/file"), line_to(host, canary))
            assert "authorization" in host.seen[0].headers
        assert home.seen == []
