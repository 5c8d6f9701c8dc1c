"""The network that a call comes from: the unit by which limits and failures are counted."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import NewType

CallerNetwork = NewType("CallerNetwork", str)
"""A network as text. Only `caller_network` makes one, so an address cannot be counted in its place."""
IPV6_PREFIX = 64
"""An IPv6 household or host has 2^64 addresses (RFC 6177)."""


def caller_network(address: str | None, ipv6_prefix: int = IPV6_PREFIX) -> CallerNetwork:
    """Return the network of an address: an IPv4 address itself, the first bits of an IPv6 address; other text as it is.

    An IPv4 address in IPv6 form (`::ffff:203.0.113.7`) is the IPv4 address.
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
