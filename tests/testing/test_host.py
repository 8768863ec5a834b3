import json
import subprocess
import sys
import urllib.request

import aiohttp

from groundswell.pictures import describe
from groundswell.testing.host import Act, Script, ScriptedHost, picture


async def chat(session, host, text):
    async with session.post(f"{host.base_url}/chat/completions", json={"messages": text}) as reply:
        return reply.status


async def test_the_same_question_bought_twice_is_counted_twice():
    async with ScriptedHost() as host, aiohttp.ClientSession() as session:
        for text in ("a", "b", "a"):
            await chat(session, host, text)
    assert sorted(host.bought.values()) == [1, 2]


async def test_the_first_acts_come_first_then_each_question_has_its_own_sequence():
    script = Script(first=(Act(status=503),), each=(Act(status=429),))
    async with ScriptedHost(script) as host, aiohttp.ClientSession() as session:
        statuses = [await chat(session, host, text) for text in ("a", "b", "b", "a", "a")]
    assert statuses == [503, 429, 200, 200, 200]
    assert sorted(host.bought.values()) == [1, 2]


def test_the_pictures_it_sells_are_pictures():
    made = describe(picture("a question"))
    assert (made.media_type, made.width, made.height) == ("image/png", 64, 64)
    assert picture("a question") != picture("another")


def test_it_runs_in_a_process_of_its_own_and_writes_down_what_was_bought(tmp_path):
    log = tmp_path / "bought.jsonl"
    script = json.dumps({"default": {"text": "Score: 3"}})
    command = [sys.executable, "-m", "groundswell.testing.host", "--script", script, "--log", str(log)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            base_url = server.stdout.readline().strip()
            request = urllib.request.Request(f"{base_url}/chat/completions", data=b"{}", method="POST")
            with urllib.request.urlopen(request) as reply:
                assert json.load(reply)["choices"][0]["message"]["content"] == "Score: 3"
        finally:
            server.kill()
    bought = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(row["path"], row["sending"]) for row in bought] == [("/v1/chat/completions", 0)]
