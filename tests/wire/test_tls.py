import ssl

import pytest
import trustme

from groundswell.records import Broken, Call, Reply
from groundswell.testing.host import ScriptedHost
from groundswell.wire.door import Safety, Wire


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture
def tls(authority):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("localhost").configure_cert(context)
    return context


@pytest.fixture
def trusting(authority, tmp_path):
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    return Safety(ca_file=tmp_path / "ca.pem")


def call_to(host):
    return Call(method="POST", url=f"{host.base_url}/chat/completions", body=(b"{}",))


async def test_a_certificate_of_a_trusted_authority_is_good(tls, trusting, line_to):
    async with ScriptedHost(tls=tls) as host, Wire(lambda digest: b"", safety=trusting) as wire:
        assert isinstance(await wire.once(call_to(host), line_to(host)), Reply)


async def test_an_unknown_authority_is_refused_for_good(tls, line_to):
    async with ScriptedHost(tls=tls) as host, Wire(lambda digest: b"") as wire:
        end = await wire.once(call_to(host), line_to(host))
    assert isinstance(end, Broken)
    assert not end.transient
    assert "certificate" in end.reason
    assert host.seen == []


async def test_a_certificate_for_another_name_is_refused(authority, trusting, line_to):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("elsewhere.example").configure_cert(context)
    async with ScriptedHost(tls=context) as host, Wire(lambda digest: b"", safety=trusting) as wire:
        end = await wire.once(call_to(host), line_to(host))
    assert isinstance(end, Broken)
    assert not end.transient


async def test_a_link_may_not_lead_from_https_to_http(tls, trusting, line_to):
    async with ScriptedHost(tls=tls) as host, Wire(lambda digest: b"", safety=trusting) as wire:
        link = Call(method="GET", url="http://93.184.216.34/a.png", auth=None, from_reply=True)
        end = await wire.once(link, line_to(host))
    assert isinstance(end, Broken)
    assert end.reason == "a reply leads from https to http"
