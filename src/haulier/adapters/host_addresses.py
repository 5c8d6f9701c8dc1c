"""Address checks for untrusted host names, against SSRF (OWASP API7:2023).

The network tables are defined here because those of Python's `ipaddress` differ between the supported Python versions.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Network, IPv6Network

HostResolver = Callable[[str, int], Awaitable[list[str]]]

GLOBAL_UNICAST = IPv6Network("2000::/3")
"""All allocated IPv6 unicast addresses (IANA, Internet Protocol Version 6 Address Space)."""

NOT_PUBLIC = (
    IPv4Network("0.0.0.0/8"),
    IPv4Network("10.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),
    IPv4Network("127.0.0.0/8"),
    IPv4Network("169.254.0.0/16"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.0.0.0/24"),
    IPv4Network("192.0.2.0/24"),
    IPv4Network("192.88.99.0/24"),
    IPv4Network("192.168.0.0/16"),
    IPv4Network("198.18.0.0/15"),
    IPv4Network("198.51.100.0/24"),
    IPv4Network("203.0.113.0/24"),
    IPv4Network("224.0.0.0/3"),
    IPv6Network("2001::/23"),
    IPv6Network("2001:db8::/32"),
    IPv6Network("2002::/16"),
    IPv6Network("3fff::/20"),
)
"""Non-public networks of the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 8190).

IPv6 networks are listed only within `GLOBAL_UNICAST`. Includes multicast (224.0.0.0/4, RFC 5771) and the relays and tunnels
of 6to4 and Teredo.
"""

OWN_NETWORKS = (
    IPv4Network("127.0.0.0/8"),
    IPv4Network("10.0.0.0/8"),
    IPv4Network("172.16.0.0/12"),
    IPv4Network("192.168.0.0/16"),
    IPv6Network("::1/128"),
    IPv6Network("fc00::/7"),
)
"""Loopback and private networks (RFC 1918, RFC 4193)."""


async def resolve_host(host: str, port: int) -> list[str]:
    """Return the addresses of a host from the system resolver. Raises `OSError`."""
    entries = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in entries]


def is_public_address(address: str) -> bool:
    """Return True if an address is public according to the IANA registries.

    In IPv6, only 2000::/3 is public. That excludes translated and embedded IPv4 addresses (`::/96`, `::ffff:0:0/96`,
    `::ffff:0:0:0/96`, `64:ff9b::/96`, `64:ff9b:1::/48`) and the former site-local addresses (`fec0::/10`).
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    return (ip.version == 4 or ip in GLOBAL_UNICAST) and not any(ip in network for network in NOT_PUBLIC)


def is_private_address(address: str) -> bool:
    """Return True for loopback addresses and addresses of private networks.

    Link-local addresses are excluded, because cloud providers serve instance credentials there.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    return any(ip in network for network in OWN_NETWORKS)


def choose_address(addresses: Sequence[str], allowed: Callable[[str], bool]) -> str | None:
    """Return the first address, or None unless all addresses are allowed."""
    return addresses[0] if addresses and all(map(allowed, addresses)) else None
