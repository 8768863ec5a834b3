import asyncio

import pytest

from groundswell.errors import StoreError
from groundswell.records import Broken, Call, Picture, Reply, Splice
from groundswell.testing.host import Act, Script, ScriptedHost, picture
from groundswell.wire.door import Safety, Wire


def get(url, **more):
    return Call(method="GET", url=url, auth=None, **more)


def post(host, *body, **more):
    return Call(method="POST", url=f"{host.base_url}/chat/completions", body=body or (b"{}",), **more)


async def test_a_picture_is_spliced_into_the_body_as_base64_or_raw_and_fetched_once(line_to):
    fetched = []

    def fetch(digest):
        fetched.append(digest)
        return b"\xff\x00picture"

    a = Picture(digest="a", media_type="image/png", width=1, height=1)
    body = (b"<", Splice(picture=a), b"|", Splice(picture=a, encoding="raw"), b">")
    async with ScriptedHost() as host, Wire(fetch) as wire:
        calls = [wire.once(post(host, *body), line_to(host)) for _ in range(5)]
        replies = await asyncio.gather(*calls)
        assert [reply.status for reply in replies] == [200] * 5
        assert {seen.body for seen in host.seen} == {b"</wBwaWN0dXJl|\xff\x00picture>"}
        assert {seen.headers["content-length"] for seen in host.seen} == {"24"}
    assert sorted(fetched) == ["a", "a"]


async def test_a_picture_that_is_fetched_from_afar_is_fetched_once_for_all_who_wait(line_to):
    fetched = []

    async def fetch(digest):
        fetched.append(digest)
        await asyncio.sleep(0.01)
        return b"far"

    splice = Splice(picture=Picture(digest="a", media_type="image/png", width=1, height=1))
    async with ScriptedHost() as host, Wire(fetch) as wire:
        await asyncio.gather(*(wire.once(post(host, splice), line_to(host)) for _ in range(5)))
        assert {seen.body for seen in host.seen} == {b"ZmFy"}
    assert fetched == ["a"]


@pytest.mark.parametrize("late", [False, True])
async def test_a_picture_that_is_not_there_is_the_callers_error_and_takes_no_slot(line_to, late):
    def fetch(digest):
        async def afar():
            raise StoreError("no such picture")

        if late:
            return afar()
        raise StoreError("no such picture")

    splice = Splice(picture=Picture(digest="a", media_type="image/png", width=1, height=1))
    async with ScriptedHost() as host, Wire(fetch) as wire:
        for _ in range(2):
            with pytest.raises(StoreError):
                await wire.once(post(host, splice), line_to(host))
        assert wire.gate(line_to(host)).in_flight == 0


async def test_large_bodies_arrive_whole(line_to):
    data = bytes(range(256)) * 12_000
    large = Picture(digest="a", media_type="image/png", width=1, height=1)
    async with ScriptedHost() as host, Wire(lambda digest: data) as wire:
        await wire.once(post(host, b"<", Splice(picture=large, encoding="raw"), b">"), line_to(host))
        assert host.seen[0].body == b"<" + data + b">"


async def test_encoded_pictures_are_kept_within_their_room(line_to):
    fetched = []

    def fetch(digest):
        fetched.append(digest)
        return b"x" * 300

    async with ScriptedHost() as host, Wire(fetch, safety=Safety(encoded_bytes=500)) as wire:
        for digest in "aabba":
            splice = Splice(picture=Picture(digest=digest, media_type="image/png", width=1, height=1))
            await wire.once(post(host, splice), line_to(host))
    assert fetched == ["a", "b", "a"]


@pytest.mark.parametrize(
    ("act", "what", "transient", "says"),
    [
        (Act(tear=0.5), "provider", True, "ContentLengthError"),
        (Act(reset=True), "provider", True, "connection broke"),
        (Act(drip=5.0), "timeout", True, "no whole reply in 0.5 s"),
        (Act(latency=5.0), "timeout", True, "no whole reply in 0.5 s"),
    ],
)
async def test_what_the_transport_does_wrong_is_broken_and_never_raises(line_to, act, what, transient, says):
    async with ScriptedHost(lambda seen: act) as host, Wire(lambda digest: b"") as wire:
        end = await wire.once(post(host), line_to(host, timeout=0.5))
    assert isinstance(end, Broken)
    assert (end.what, end.transient) == (what, transient)
    assert says in end.reason


async def test_a_host_that_is_not_there_is_broken(line_to):
    async with ScriptedHost() as gone:
        line = line_to(gone)
    async with Wire(lambda digest: b"") as wire:
        end = await wire.once(post(gone), line)
    assert isinstance(end, Broken)
    assert end.transient
    assert "127.0.0.1" in end.reason


async def test_a_call_is_sent_once_even_when_a_kept_connection_breaks_under_a_get(line_to):
    script = Script(first=(Act(), Act(reset=True)))
    async with ScriptedHost(script) as host, Wire(lambda digest: b"") as wire:
        link = get(f"{host.origin}/a.png")
        assert isinstance(await wire.once(link, line_to(host)), Reply)
        assert isinstance(await wire.once(link, line_to(host)), Broken)
        assert len(host.seen) == 2


async def test_a_reply_that_is_too_large_is_refused_whether_it_says_so_or_not(line_to):
    script = Script(first=(Act(body="x" * 2000), Act(body="x" * 2000, drip=0.001)))
    async with ScriptedHost(script) as host, Wire(lambda digest: b"", safety=Safety(reply_bytes=1000)) as wire:
        for _ in range(2):
            end = await wire.once(get(f"{host.origin}/a.png"), line_to(host))
            assert isinstance(end, Broken)
            assert "1000" in end.reason
            assert not end.transient


async def test_a_link_within_the_endpoints_own_host_and_port_is_fetched(line_to):
    async with ScriptedHost() as host, Wire(lambda digest: b"") as wire:
        reply = await wire.once(get(f"{host.origin}/made/a.png", from_reply=True, phase="fetch"), line_to(host))
        assert isinstance(reply, Reply)
        assert reply.body == picture("a")
        assert reply.headers["content-type"] == "image/png"


@pytest.mark.parametrize(
    "name", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "169.254.169.254"]
)
async def test_a_link_to_any_other_private_place_is_refused_before_it_is_touched(line_to, name):
    async with ScriptedHost() as host, ScriptedHost() as inside, Wire(lambda digest: b"") as wire:
        port = inside.origin.rpartition(":")[2]
        end = await wire.once(get(f"http://{name}:{port}/secret", from_reply=True), line_to(host))
        assert isinstance(end, Broken)
        assert not end.transient
        assert inside.seen == []


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "javascript:0", "", "//x/y", "http://"])
async def test_a_link_that_is_not_http_is_refused(line_to, url):
    async with ScriptedHost() as host, Wire(lambda digest: b"") as wire:
        end = await wire.once(get(url, from_reply=True), line_to(host))
    assert isinstance(end, Broken)
    assert not end.transient


async def test_a_redirect_of_a_download_is_followed_and_checked_like_a_link(line_to):
    async with ScriptedHost() as inside:
        acts = {
            "/one": Act(status=302, headers={"Location": "/two"}),
            "/two": Act(body="here"),
            "/out": Act(status=302, headers={"Location": f"{inside.origin}/secret"}),
            "/round": Act(status=302, headers={"Location": "/round"}),
        }
        async with ScriptedHost(lambda seen: acts[seen.path]) as host, Wire(lambda digest: b"") as wire:
            good = await wire.once(get(f"{host.origin}/one"), line_to(host))
            out = await wire.once(get(f"{host.origin}/out"), line_to(host))
            endless = await wire.once(get(f"{host.origin}/round"), line_to(host))
        assert isinstance(good, Reply)
        assert good.body == b"here"
        assert isinstance(out, Broken)
        assert "private" in out.reason
        assert isinstance(endless, Broken)
        assert "more than 3 times" in endless.reason
        assert inside.seen == []


async def test_a_redirected_purchase_is_not_followed(line_to):
    act = Act(status=307, headers={"Location": "/elsewhere"})
    async with ScriptedHost(lambda seen: act) as host, Wire(lambda digest: b"") as wire:
        end = await wire.once(post(host), line_to(host))
        assert isinstance(end, Broken)
        assert "base_url" in end.reason
        assert len(host.seen) == 1


async def test_signed_links_are_sent_as_they_were_written(line_to):
    async with ScriptedHost() as host, Wire(lambda digest: b"") as wire:
        await wire.once(get(f"{host.origin}/a.png?sig=a%2Bb%2F%3D&x=1%7E", from_reply=True), line_to(host))
        assert host.seen[0].path == "/a.png?sig=a%2Bb%2F%3D&x=1%7E"


async def test_the_wire_must_be_open(line_to):
    async with ScriptedHost() as host:
        with pytest.raises(RuntimeError, match="context manager"):
            await Wire(lambda digest: b"").once(post(host), line_to(host))
