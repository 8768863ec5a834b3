"""Which addresses a host's reply may send us to: public ones only, checked on the answers that are then connected to.

A name is resolved once, its answers are checked, and aiohttp connects to exactly these, so a name cannot be rebound
between the check and the connection.
"""

from __future__ import annotations

import ipaddress
import socket

from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

_NAT64 = ipaddress.ip_network("64:ff9b::/96")

_SHARED_ENDINGS = frozenset({"ac", "co", "com", "edu", "gov", "ne", "net", "or", "org"})
"""Second labels under which strangers register names, as in co.uk."""


class PrivateAddress(OSError):
    """A reply's URL leads into a private network."""


class PublicResolver(AbstractResolver):
    """Resolves names and refuses those with any private, loopback, link-local or reserved answer."""

    def __init__(self, resolver: AbstractResolver | None = None) -> None:
        self._resolver = resolver or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        answers = await self._resolver.resolve(host, port, family)
        for answer in answers:
            if not is_public(answer["host"]):
                raise PrivateAddress(f"{host} is at a private address")
        return answers

    async def close(self) -> None:
        await self._resolver.close()


def is_public(address: str) -> bool:
    """Whether an IP address is reachable for everyone; addresses that embed an IPv4 one are judged by it as well."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return False
    if ip.is_multicast or not ip.is_global:
        return False
    return all(inner.is_global for inner in _embedded(ip))


def may_carry_key(host: str, home: str) -> bool:
    """Whether a key of the endpoint at `home` may go to `host`, a name out of a reply: itself or a sibling name.

    Hosts poll under sibling names (api.eu1.bfl.ai for api.bfl.ai); a stranger's name never gets the key.
    """
    if host == home or is_literal(home):
        return host == home
    labels = home.split(".")
    shared = len(labels) == 3 and len(labels[-1]) == 2 and labels[-2] in _SHARED_ENDINGS
    parent = home if len(labels) < 3 or shared else ".".join(labels[1:])
    return host == parent or host.endswith("." + parent)


def is_literal(host: str) -> bool:
    """Whether a URL's host is an IP address and no name."""
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def _embedded(ip: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[ipaddress.IPv4Address]:
    if isinstance(ip, ipaddress.IPv4Address):
        return []
    found = [ip.ipv4_mapped, ip.sixtofour, *(ip.teredo or ())]
    if ip in _NAT64:
        found.append(ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF))
    return [inner for inner in found if inner is not None]
