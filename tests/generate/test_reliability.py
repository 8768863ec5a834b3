"""Generations at a host that fails in every way, a third of the time. The full number of them is run in the bench."""

from collections import Counter

from groundswell.pictures import describe
from groundswell.records import Failure, Refusal, UnitState
from groundswell.testing.host import Act, Script, ScriptedHost
from groundswell.testing.misbehaving import Misbehaving

MANY = 300


async def test_nothing_is_lost_nothing_bought_twice_and_refusals_are_counted_once(bench, sendings):
    script = Misbehaving(0.3)
    work = bench(MANY)
    async with ScriptedHost(script) as host:
        assert await work.generate(host, timeout=1.0, attempts=12) is not None
        refused = {seen.question for seen in host.seen if script.is_refused(seen)}
        lost = Counter(seen.question for seen in host.seen if script.is_lost(seen))
        sent = sendings(host)
    states = work.store.states()["generate"]
    outputs = work.outputs()
    faked = {failure.job for failure in work.store.records(Failure) if not failure.transient}

    assert sum(states.values()) == MANY
    assert len(refused) > 5
    assert states[UnitState.REFUSED] == len(refused) == sum(1 for _ in work.store.records(Refusal))
    assert {sent[question] for question in refused} == {1}
    assert states[UnitState.FAILED] == len(faked) > 2
    assert len(outputs) == states[UnitState.DONE] == MANY - len(refused) - len(faked)
    assert len({output.job for output in outputs}) == len(outputs)
    assert host.bought == {question: 1 + lost[question] for question in host.bought}
    assert lost.total() > 5
    assert all(describe(work.blobs.get(output.pictures[0].digest)).width == 64 for output in outputs)


async def test_sixty_four_slow_generations_are_in_flight_together(bench):
    work = bench(200)
    async with ScriptedHost(Script(default=Act(latency=0.3)), keep=False) as host:
        await work.generate(host, width=64)
    assert host.most_in_flight == 64


async def test_a_dead_key_costs_no_attempts_and_is_named_by_its_variable_alone(bench, tmp_path):
    from groundswell.generate.make import Makers
    from groundswell.generate.stage import Generate
    from groundswell.providers.openai import OpenAI
    from groundswell.records import Edition, Endpoint
    from groundswell.wire.door import Wire
    from groundswell.wire.keys import Key
    from groundswell.wire.lines import Limits, Line
    from groundswell.work.engine import RUNS_THAT_TRY, Engine, missing
    from groundswell.work.local import LocalPool

    work = bench(3)
    secret = "sk-canary-0123456789"
    async with ScriptedHost(Script(default=Act(status=401, echo=True))) as host:
        endpoint = Endpoint(name="painter", host="openai", model="m", base_url=host.base_url, tasks=("t2i",))
        edition = Edition(suite="s", label="e", samples=tuple(sample.key for sample in work.samples))
        work.store.put(work.samples)
        line = Line("painter", host.base_url, (Key("PAINTER_KEY", secret),), Limits())
        for _ in range(RUNS_THAT_TRY + 1):
            async with Wire(work.blobs.get) as wire, Engine(work.store, LocalPool()) as engine:
                makers = Makers(work.blobs, wire, local={}, hosts={"painter": (OpenAI(), line)})
                stage = Generate(edition, [endpoint], makers, work.blobs)
                await engine.run(stage, width=1)
        assert missing(work.store, stage) == 3
    why = " ".join(reason for _, reason, _ in work.store.reasons(UnitState.FAILED))
    assert "PAINTER_KEY" in why
    assert secret not in why
