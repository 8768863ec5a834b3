import pytest
from aiohttp.abc import AbstractResolver

from groundswell.wire.addresses import PrivateAddress, PublicResolver, is_public, may_carry_key


@pytest.mark.parametrize("address", ["1.1.1.1", "8.8.8.8", "2606:4700::1111", "64:ff9b::808:808"])
def test_addresses_for_everyone_are_public(address):
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
     "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
     "2002:7f00:1::", "64:ff9b::7f00:1", "ff02::1", "not an address"],
)  # fmt: skip
def test_private_addresses_are_known_in_every_disguise(address):
    assert not is_public(address)


class Answers(AbstractResolver):
    def __init__(self, *addresses):
        self.addresses = addresses

    async def resolve(self, host, port=0, family=0):
        rest = {"hostname": host, "port": port, "family": 2, "proto": 0, "flags": 0}
        return [{"host": address, **rest} for address in self.addresses]

    async def close(self):
        pass


async def test_a_name_with_one_private_answer_is_refused():
    assert len(await PublicResolver(Answers("1.1.1.1", "8.8.8.8")).resolve("cdn.example")) == 2
    with pytest.raises(PrivateAddress):
        await PublicResolver(Answers("1.1.1.1", "127.0.0.1")).resolve("rebinding.example")


@pytest.mark.parametrize(
    ("host", "home", "may"),
    [
        ("api.bfl.ai", "api.bfl.ai", True),
        ("api.eu1.bfl.ai", "api.bfl.ai", True),
        ("bfl.ai", "api.bfl.ai", True),
        ("evil.ai", "api.bfl.ai", False),
        ("notbfl.ai", "api.bfl.ai", False),
        ("evil.ai", "bfl.ai", False),
        ("eu.bfl.ai", "bfl.ai", True),
        ("evil.co.uk", "mine.co.uk", False),
        ("eu.mine.co.uk", "mine.co.uk", True),
        ("127.0.0.2", "127.0.0.1", False),
        ("127.0.0.1", "127.0.0.1", True),
    ],
)
def test_a_key_goes_to_its_host_and_siblings_alone(host, home, may):
    assert may_carry_key(host, home) is may
