import asyncio

from groundswell.testing.clock import StillClock
from groundswell.wire.lines import Limits
from groundswell.wire.pace import Gate


async def test_no_more_than_the_limit_are_under_way():
    gate = Gate(Limits(concurrency=3), StillClock())
    most = 0

    async def one():
        nonlocal most
        async with gate:
            most = max(most, gate.in_flight)
            await asyncio.sleep(0.001)

    await asyncio.gather(*(one() for _ in range(20)))
    assert (most, gate.in_flight) == (3, 0)


def test_too_much_halves_the_window_once_for_all_that_was_under_way():
    clock = StillClock()
    gate = Gate(Limits(concurrency=16), clock)
    clock.advance(1.0)
    for _ in range(8):
        gate.saw(429, sent=0.5)
    assert gate.window == 8.0
    clock.advance(1.0)
    gate.saw(503, sent=1.5)
    assert gate.window == 4.0


def test_the_window_never_closes():
    gate = Gate(Limits(concurrency=2), StillClock())
    for second in range(1, 10):
        gate._clock.advance(1.0)
        gate.saw(429, sent=second)
    assert gate.window == 1.0


def test_a_window_full_of_good_replies_adds_one_slot_up_to_the_limit():
    clock = StillClock()
    gate = Gate(Limits(concurrency=8), clock)
    clock.advance(1.0)
    gate.saw(429, sent=0.5)
    for _ in range(4):
        gate.saw(200, sent=2.0)
    assert 4.8 < gate.window <= 5.0
    for _ in range(100):
        gate.saw(200, sent=2.0)
    assert gate.window == 8.0


async def test_submissions_keep_to_the_rate_per_minute():
    clock = StillClock()
    gate = Gate(Limits(per_minute=3), clock)
    moments = []
    for _ in range(7):
        await gate.meter()
        moments.append(clock.monotonic())
    assert moments == [0.0, 0.0, 0.0, 60.0, 60.0, 60.0, 120.0]


async def test_a_cancelled_waiter_takes_no_slot():
    gate = Gate(Limits(concurrency=1), StillClock())

    async def one():
        async with gate:
            pass

    async with gate:
        waiting = asyncio.create_task(one())
        await asyncio.sleep(0)
        waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert gate.in_flight == 0
    await asyncio.wait_for(one(), 1.0)


async def test_a_waiter_cancelled_in_the_moment_of_its_turn_passes_the_slot_on():
    gate = Gate(Limits(concurrency=1), StillClock())

    async def one():
        async with gate:
            pass

    async with gate:
        first, second = asyncio.create_task(one()), asyncio.create_task(one())
        await asyncio.sleep(0)
    first.cancel()
    await asyncio.wait_for(second, 1.0)
    assert gate.in_flight == 0
