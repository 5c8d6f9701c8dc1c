"""Addresses of names that strangers give: which of them may be called, none of them internal (OWASP API7:2023)."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

NAT64_NETWORK = ipaddress.IPv6Network("64:ff9b::/96")
HostResolver = Callable[[str, int], Awaitable[list[str]]]


async def resolve_host(host: str, port: int) -> list[str]:
    """The addresses of a name, as the system's resolver knows them. Raises `OSError`."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in entries]


def is_public_address(address: str) -> bool:
    """Whether an address is public: not of this machine or its network, and no translation to one of these."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address) and (ip.ipv4_mapped or ip.sixtofour or ip.teredo or ip in NAT64_NETWORK):
        return False
    return ip.is_global and not ip.is_multicast


def choose_address(addresses: Sequence[str], allowed: Callable[[str], bool]) -> str | None:
    """The address to connect to among those of a name. A name with an address that is not allowed has none."""
    return addresses[0] if addresses and all(map(allowed, addresses)) else None
