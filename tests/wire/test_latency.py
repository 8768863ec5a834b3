import asyncio
from statistics import median

from groundswell.records import Call
from groundswell.testing.host import Act, ScriptedHost
from groundswell.wire.door import Wire


async def test_the_latency_recorded_is_the_hosts_with_64_in_flight_and_more_queueing(line_to):
    async with ScriptedHost(lambda seen: Act(latency=0.2)) as host, Wire(lambda digest: b"") as wire:
        line = line_to(host, concurrency=64)
        calls = [Call(method="POST", url=f"{host.base_url}/chat/completions", body=(b"%d" % n,)) for n in range(256)]
        replies = await asyncio.gather(*(wire.once(call, line) for call in calls))
        assert 0.2 <= median(reply.seconds for reply in replies) <= 0.22
        assert host.most_in_flight == 64
