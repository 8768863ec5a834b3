"""What every store, every blobs, every pool and every plugin must do: checks that raise AssertionError where it fails.

A seam's checks stand in a tuple (`STORE`, `BLOBS`, `POOL`, `PROVIDER`, `METRIC`); each check takes what the comment
above its seam says. A plugin's test is one parametrised function (docs/scale.md shows it). Checks know the contracts
of `ports` and no implementation.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from math import isfinite
from typing import Protocol

from groundswell.errors import StoreError
from groundswell.ports import Blobs, Metric, Pool, Provider, Store
from groundswell.records import (
    Answer,
    Broken,
    Call,
    Done,
    Endpoint,
    Judgment,
    Measurement,
    NotApplicable,
    Post,
    Reply,
    Request,
    Sample,
    Unit,
    UnitState,
    Verdict,
)


class LeasingStore(Store, Protocol):
    """A store whose units can be held by several processes."""

    def enlist(self) -> str: ...

    def beat(self, worker: str) -> None: ...

    def dismiss(self, worker: str) -> None: ...

    def forget(self, keys: list[str], why: str) -> int: ...

    def spent(self) -> tuple[float, int]: ...


Open = Callable[[], LeasingStore]
"""Opens the same store, as another process would."""


def unit(number: int) -> Unit:
    """A unit of work that is told by its number."""
    return Unit(key=f"{number:032d}", payload=number)


def judgment(number: int) -> Judgment:
    """A record that is told by its number."""
    return Judgment(outputs=(f"{number:032d}",), judge="j", rubric="r", sample="s", scores={"grade": 7.0})


def done(*records: Judgment, cost: float | None = 0.0) -> Done:
    return Done(state=UnitState.DONE, records=records, cost=cost)


@contextmanager
def _refused(kind: type[Exception], words: str) -> Iterator[None]:
    """What is done inside raises this exception, with these words."""
    said: str | None = None
    try:
        yield
    except kind as error:
        said = str(error)
    assert said is not None, f"no {kind.__name__} was raised"
    assert words in said


# --- stores: each check takes a function that opens the same, at first empty, store -----------------------------------


def store_gives_back_what_it_was_given(open_it: Open) -> None:
    records = [Post(platform="x", id="1", text="a\u2028b \u0000 \U0001f30a 日本語 ' \" \\"), judgment(1)]
    store = open_it()
    assert store.put(records) == 2
    again = open_it()
    assert [again.get(record.key) for record in records] == records
    assert again.get("0" * 32) is None


def store_keeps_the_first_record_of_a_key(open_it: Open) -> None:
    first, second = (Sample(suite="s", task="t2i", prompts={"en": "a fox"}, label=label) for label in "12")
    store = open_it()
    assert store.put([first, first]) == 1
    assert store.put([second]) == 0
    assert store.get(first.key) == first


def store_streams_a_family_in_the_order_of_adding(open_it: Open) -> None:
    store = open_it()
    store.put([judgment(2), Post(platform="x", id="1"), judgment(1)])
    store.put([judgment(number) for number in range(3, 12_000)])
    found = [int(verdict.outputs[0]) for verdict in store.records(Verdict)]
    assert found == [2, 1, *range(3, 12_000)]


def store_never_takes_back_what_was_withdrawn(open_it: Open) -> None:
    store, post = open_it(), Post(platform="x", id="1")
    store.put([post])
    assert store.forget([post.key], "asked by its author") == 1
    assert store.put([post]) == 0
    assert open_it().get(post.key) is None


def store_wants_finished_units_no_more(open_it: Open) -> None:
    store, units = open_it(), [unit(number) for number in range(5)]
    ends = [
        done(),
        Done(state=UnitState.REFUSED, why="safety"),
        Done(state=UnitState.FAILED, why="not a picture\0"),
        Done(state=UnitState.FAILED, why="503", transient=True),
    ]
    worker = store.enlist()
    assert store.claim("judge", [each.key for each in units], worker) == {each.key for each in units}
    store.settle("judge", list(zip(units, ends, strict=False)))
    store.dismiss(worker)
    assert list(open_it().unfinished("judge", units, 2)) == units[3:]
    assert list(open_it().unfinished("judge", units, 1)) == units[4:]
    assert list(open_it().unfinished("measure", units, 1)) == units
    assert open_it().states() == {"judge": {UnitState.DONE: 1, UnitState.REFUSED: 1, UnitState.FAILED: 2}}


def store_lets_one_worker_hold_a_unit(open_it: Open) -> None:
    one, other = open_it(), open_it()
    first, second = one.enlist(), other.enlist()
    keys = [unit(number).key for number in range(3)]
    assert one.claim("judge", keys[:2], first) == set(keys[:2])
    assert other.claim("judge", keys, second) == set(keys[2:])
    assert one.claim("judge", keys[:2], first) == set(keys[:2])
    one.dismiss(first)
    assert other.claim("judge", keys, second) == set(keys)


def store_shares_units_among_claims_at_once(open_it: Open) -> None:
    keys = [unit(number).key for number in range(400)]

    def claim_all(store: LeasingStore) -> set[str]:
        worker = store.enlist()
        chunks = [keys[start : start + 20] for start in range(0, len(keys), 20)]
        return set().union(*(store.claim("judge", chunk, worker) for chunk in chunks))

    async def at_once() -> list[set[str]]:
        return await asyncio.gather(*(asyncio.to_thread(claim_all, open_it()) for _ in range(4)))

    shares = asyncio.run(at_once())
    assert set().union(*shares) == set(keys)
    assert sum(map(len, shares)) == len(keys)


def store_writes_a_unit_with_its_records_and_its_cost(open_it: Open) -> None:
    store = open_it()
    store.claim("judge", [unit(1).key, unit(2).key], store.enlist())
    store.settle("judge", [(unit(1), done(judgment(1), cost=0.25)), (unit(2), done(judgment(2), cost=None))])
    assert open_it().get(judgment(1).key) == judgment(1)
    assert open_it().spent() == (0.25, 1)


def store_counts_a_late_result_and_keeps_the_first(open_it: Open) -> None:
    store, late = open_it(), Done(state=UnitState.FAILED, why="late", cost=0.5)
    store.claim("judge", [unit(1).key], store.enlist())
    store.settle("judge", [(unit(1), done(judgment(1), cost=0.25))])
    store.settle("judge", [(unit(1), late)])
    assert store.states() == {"judge": {UnitState.DONE: 1}}
    assert store.spent() == (0.75, 0)


STORE = (
    store_gives_back_what_it_was_given,
    store_keeps_the_first_record_of_a_key,
    store_streams_a_family_in_the_order_of_adding,
    store_never_takes_back_what_was_withdrawn,
    store_wants_finished_units_no_more,
    store_lets_one_worker_hold_a_unit,
    store_shares_units_among_claims_at_once,
    store_writes_a_unit_with_its_records_and_its_cost,
    store_counts_a_late_result_and_keeps_the_first,
)


# --- blobs: each check takes blobs that are empty ---------------------------------------------------------------------


class ListingBlobs(Blobs, Protocol):
    """Blobs that can say what they hold."""

    def digests(self) -> Iterator[str]: ...


def blobs_give_bytes_under_their_digest(blobs: ListingBlobs) -> None:
    for data in (b"picture", b"", bytes(range(256)) * 4096):
        digest = blobs.put(data)
        assert digest == sha256(data).hexdigest() == blobs.put(data)
        assert blobs.has(digest)
        assert blobs.get(digest) == data


def blobs_name_what_is_absent(blobs: ListingBlobs) -> None:
    absent = "0" * 64
    assert not blobs.has(absent)
    with _refused(StoreError, absent):
        blobs.get(absent)


def blobs_delete_and_delete_again(blobs: ListingBlobs) -> None:
    digest = blobs.put(b"picture")
    blobs.delete(digest)
    blobs.delete(digest)
    assert not blobs.has(digest)


def blobs_list_what_they_hold(blobs: ListingBlobs) -> None:
    digests = {blobs.put(f"{number}".encode()) for number in range(20)}
    assert set(blobs.digests()) == digests


BLOBS = (
    blobs_give_bytes_under_their_digest,
    blobs_name_what_is_absent,
    blobs_delete_and_delete_again,
    blobs_list_what_they_hold,
)


# --- pools: each check takes a pool -----------------------------------------------------------------------------------


async def _feed(size: int) -> AsyncIterator[Unit]:
    for number in range(size):
        yield unit(number)


def pool_does_every_unit_once(pool: Pool) -> None:
    async def do(each: Unit) -> Done:
        await asyncio.sleep(0.001 * (each.payload % 3))
        return done(judgment(each.payload))

    async def whole() -> list[tuple[Unit, Done]]:
        return [result async for result in pool.run(do, _feed(50), 8)]

    results = asyncio.run(whole())
    assert sorted(each.payload for each, _ in results) == list(range(50))
    assert all(result == done(judgment(each.payload)) for each, result in results)


def pool_holds_its_width(pool: Pool) -> None:
    under_way = most = 0

    async def do(each: Unit) -> Done:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0.005)
        under_way -= 1
        return done()

    async def whole() -> int:
        return len([result async for result in pool.run(do, _feed(40), 5)])

    assert asyncio.run(whole()) == 40
    assert most <= 5


def pool_raises_a_defect(pool: Pool) -> None:
    async def do(each: Unit) -> Done:
        if each.payload == 3:
            raise StoreError("disk full")
        return done()

    async def whole() -> None:
        async for _ in pool.run(do, _feed(10), 2):
            pass

    with _refused(StoreError, "disk full"):
        asyncio.run(whole())


POOL = (pool_does_every_unit_once, pool_holds_its_width, pool_raises_a_defect)


# --- providers: each check takes a provider, an endpoint of it and a request that it can be asked ---------------------

RUBBISH = (b"", b"{}", b"[]", b"null", b"0", b'"text"', b"\xff\xfe", b"<!doctype html><title>Sign in</title>", b'{"a":')
"""Bodies that hold no answer in any dialect."""


def _reply(call: Call, status: int, body: bytes) -> Reply:
    return Reply(call=call, status=status, headers={"content-type": "application/json"}, body=body)


def provider_begins_the_same_way_twice(provider: Provider, endpoint: Endpoint, request: Request) -> None:
    call = provider.begin(endpoint, request)
    assert call == provider.begin(endpoint, request)
    assert call.url.startswith(endpoint.base_url or "https://")


def provider_finds_no_answer_in_rubbish(provider: Provider, endpoint: Endpoint, request: Request) -> None:
    call = provider.begin(endpoint, request)
    for status in (200, 201, 302, 400, 401, 403, 404, 429, 500, 503):
        for body in RUBBISH:
            understood = provider.advance(_reply(call, status, body))
            assert not isinstance(understood, Answer), f"{status} {body!r} was taken for an answer"


def provider_tells_a_dead_key_and_what_may_pass(provider: Provider, endpoint: Endpoint, request: Request) -> None:
    call = provider.begin(endpoint, request)
    dead = provider.advance(_reply(call, 401, b"{}"))
    assert isinstance(dead, Broken)
    assert dead.key_dead
    for status in (429, 500, 503):
        passing = provider.advance(_reply(call, status, b"{}"))
        assert isinstance(passing, Broken), f"{status} is {type(passing).__name__}"
        assert passing.transient


PROVIDER = (
    provider_begins_the_same_way_twice,
    provider_finds_no_answer_in_rubbish,
    provider_tells_a_dead_key_and_what_may_pass,
)


# --- metrics: each check takes a metric and the bytes of a picture ----------------------------------------------------

EDIT = Sample(suite="s", task="edit", prompts={"en": "Make it brighter"})


def metric_names_itself(metric: Metric, picture: bytes) -> None:
    assert metric.name
    assert metric.backend
    assert metric.version >= 1
    measured = metric.measure(EDIT, "o" * 32, [picture], picture)
    assert (measured.metric, measured.version, measured.backend) == (metric.name, metric.version, metric.backend)
    assert (measured.output, measured.sample) == ("o" * 32, EDIT.key)


def metric_measures_the_same_twice(metric: Metric, picture: bytes) -> None:
    first, second = (metric.measure(EDIT, "o" * 32, [picture], picture) for _ in range(2))
    assert first == second


def metric_gives_a_number_or_a_reason(metric: Metric, picture: bytes) -> None:
    measured = metric.measure(EDIT, "o" * 32, [picture], picture)
    match measured:
        case Measurement():
            assert isfinite(measured.value)
        case NotApplicable():
            assert measured.why
        case _:
            raise AssertionError(f"a metric gives a Measurement or a NotApplicable, not {measured!r}")


METRIC = (metric_names_itself, metric_measures_the_same_twice, metric_gives_a_number_or_a_reason)
