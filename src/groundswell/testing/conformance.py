"""What every store, every blobs, every pool and every plugin must do: checks that raise AssertionError where it fails.

A seam's checks stand in a tuple (`STORE`, `BLOBS`, `POOL`, `PROVIDER`, `METRIC`, `SOURCE`, `PLATFORM`, `READER`); each
check takes what the comment above its seam says. A plugin's test is one parametrised function (docs/plugins.md shows
it). Checks know the contracts and no implementation.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from math import isfinite
from pathlib import Path
from typing import Protocol

import msgspec

from groundswell import plugins
from groundswell.curate.questions import OF_THREADS, Question, checked
from groundswell.errors import StoreError, UserError
from groundswell.ingest.formats import FORMATS
from groundswell.ingest.live.platform import Platform
from groundswell.ports import Blobs, Metric, Pool, Provider, Reader, Source, Store
from groundswell.records import (
    Answer,
    Broken,
    Call,
    Declined,
    Done,
    Endpoint,
    Json,
    Judgment,
    Measurement,
    NotApplicable,
    Post,
    Pull,
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


ROUNDED = re.compile(r"\d+(\.\d+)?e\+?\d+|\d+\.0", re.IGNORECASE)
"""How a number is written that a whole id has become."""

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


# --- sources of files: each check takes a source, a file that it reads, and a file that holds no posts of its kind ----


def source_reads_the_same_twice(source: Source, export: Path, foreign: Path) -> None:
    first, second = list(source.posts(export)), list(source.posts(export))
    assert first, f"{source.name} finds no posts in {export}"
    assert first == second
    assert all(isinstance(post, Post) for post in first)


def source_names_posts_by_text(source: Source, export: Path, foreign: Path) -> None:
    for post in source.posts(export):
        assert post.platform
        assert isinstance(post.id, str)
        assert post.id
        assert not ROUNDED.fullmatch(post.id), f"{post.id} went through a number and is not the platform's id any more"
        assert post.reply_to is None or isinstance(post.reply_to, str)


def source_gives_times_with_a_zone(source: Source, export: Path, foreign: Path) -> None:
    assert all(post.time is None or post.time.tzinfo is not None for post in source.posts(export))


def source_refuses_what_holds_no_posts(source: Source, export: Path, foreign: Path) -> None:
    for nothing in (foreign, export.parent / "there-is-no-such-file"):
        try:
            found = list(source.posts(nothing))
        except UserError:
            continue
        raise AssertionError(f"{len(found)} posts and no UserError from {nothing.name}")


def source_reads_what_is_whole_of_a_torn_file(source: Source, export: Path, foreign: Path) -> None:
    torn = export.parent / f"torn-{export.name}"
    data = export.read_bytes()
    try:
        for size in (0, 1, len(data) // 3, len(data) // 2, len(data) - 1):
            torn.write_bytes(data[:size])
            with suppress(UserError):
                list(source.posts(torn))
    finally:
        torn.unlink(missing_ok=True)


SOURCE = (
    source_reads_the_same_twice,
    source_names_posts_by_text,
    source_gives_times_with_a_zone,
    source_refuses_what_holds_no_posts,
    source_reads_what_is_whole_of_a_torn_file,
)


# --- sources of live platforms: each check takes a platform ----------------------------------------------------------

_SINCE = datetime(2026, 11, 1, tzinfo=UTC)
PULLS = (
    Pull(source="s", what="search", query="fox & hen", since=_SINCE, until=_SINCE + timedelta(days=1)),
    Pull(source="s", what="search", query="fox", until=_SINCE),
    Pull(source="s", what="thread", query="123"),
    Pull(source="s", what="thread", query="123", since=_SINCE, until=_SINCE + timedelta(days=1)),
)
"""What is asked of a live platform: windows with and without a beginning, a conversation, a later look at it."""

VALUES: tuple[Json, ...] = (None, 0, "text", [], {}, [[]], {"data": 1}, {"data": [1]}, {"error": {"message": "no"}})
"""JSON that holds no page of any platform."""


def platform_says_who_it_is(platform: Platform) -> None:
    assert platform.name
    assert platform.format in FORMATS or platform.format in plugins.names("source")
    assert platform.page > 0


def platform_asks_the_same_way_twice_where_it_was_told_to_ask(platform: Platform) -> None:
    for pull in PULLS:
        call = platform.begin(pull, "https://stand-in.example/api")
        assert call == platform.begin(pull, "https://stand-in.example/api")
        assert call.url.startswith("https://stand-in.example/"), call.url
        assert " " not in call.url, "a query must be escaped"


def platform_finds_nothing_in_what_is_no_page(platform: Platform) -> None:
    for pull in PULLS:
        for value in VALUES:
            page = platform.read(pull, value, {})
            assert (page.found, page.next) == ((), None), f"{value!r} was taken for a page"


def platform_takes_rubbish_for_no_end(platform: Platform) -> None:
    for pull in PULLS:
        for body in RUBBISH:
            call = platform.begin(pull, "https://stand-in.example")
            meant = platform.unusual(pull, _reply(call, 503, body))
            assert not isinstance(meant, Declined), "a host that is down says nothing about what is there"


PLATFORM = (
    platform_says_who_it_is,
    platform_asks_the_same_way_twice_where_it_was_told_to_ask,
    platform_finds_nothing_in_what_is_no_page,
    platform_takes_rubbish_for_no_end,
)


# --- readers: each check takes a reader and the posts of a conversation, the main one first ---------------------------


def _conversation(posts: Sequence[Post]) -> Json:
    from groundswell.curate.conversation import conversations
    from groundswell.ingest.threads import build_threads

    (thread,) = build_threads(posts)
    (talk,) = conversations(thread, {post.key: post for post in posts}, lambda post: False)
    return {"conversation": msgspec.to_builtins(talk)}


def reader_answers_every_question_in_its_form_or_not_at_all(reader: Reader, posts: Sequence[Post]) -> None:
    material = _conversation(posts)
    for question in (Question.RELEVANCE, *OF_THREADS):
        before = msgspec.json.encode(material)
        answer = asyncio.run(reader.read(question, material))
        assert msgspec.json.encode(material) == before, f"{question} changed what was read"
        if answer is not None:
            checked(question, msgspec.json.decode(msgspec.json.encode(answer)))


def reader_names_only_posts_that_it_was_given(reader: Reader, posts: Sequence[Post]) -> None:
    material = _conversation(posts)
    given = {post["key"] for post in material["conversation"]["posts"]}
    answer = asyncio.run(reader.read(Question.PROMPT, material))
    assert answer is None or set(answer["posts"]) <= given


def reader_has_a_name_and_a_version(reader: Reader, posts: Sequence[Post]) -> None:
    assert reader.name
    assert isinstance(getattr(reader, "version", 1), int)


READER = (
    reader_answers_every_question_in_its_form_or_not_at_all,
    reader_names_only_posts_that_it_was_given,
    reader_has_a_name_and_a_version,
)
