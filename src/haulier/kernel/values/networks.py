"""Networks of callers, by which limits and failures are counted."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NewType

CallerNetwork = NewType("CallerNetwork", str)
"""A network as text. Only `caller_network` creates one, so that addresses cannot be counted by mistake."""
IPV6_PREFIX = 64
"""An IPv6 household or host has 2^64 addresses (RFC 6177)."""


def caller_network(address: str | None, ipv6_prefix: int = IPV6_PREFIX) -> CallerNetwork:
    """Return the network of an address.

    It is the IPv4 address, or the prefix of an IPv6 address.

    An IPv4-mapped address (`::ffff:203.0.113.7`) counts as IPv4. Other text is returned unchanged.
    """
    try:
        parsed: IPv4Address | IPv6Address = ip_address(address or "")
    except ValueError:
        return CallerNetwork(address or "")
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped:
        parsed = parsed.ipv4_mapped
    if isinstance(parsed, IPv4Address):
        return CallerNetwork(str(parsed))
    return CallerNetwork(str(ip_network((int(parsed), ipv6_prefix), strict=False)))
