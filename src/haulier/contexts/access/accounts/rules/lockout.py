"""How long sign-in rests after failures in a row.

Failures are counted twice: by the e-mail address and the network they come from, strictly, so that a guesser is stopped
soon; and by the e-mail address alone, patiently, so that guessers in many places are stopped too, yet nobody locks another
one out with a handful of wrong passwords.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address, ip_network

from msgspec import Struct

_DOUBLINGS_MAX = 10
_HOME_BITS = 64
"""An IPv6 household or host gets 2^64 addresses, so these count as one place (RFC 6177)."""


class Pace(Struct, frozen=True):
    """So many failures cost nothing, because people mistype; then pauses begin, and double up to the longest."""

    free: int
    first: timedelta
    longest: timedelta


KEPT = timedelta(days=1)
"""So long after the last one, failures are forgotten. Waiting for that gives a guesser fewer tries than the pauses leave."""

FROM_ONE_PLACE = Pace(8, timedelta(seconds=30), timedelta(minutes=15))
FROM_ANYWHERE = Pace(100, timedelta(seconds=30), timedelta(minutes=5))


def counted_by(email: str, address: str | None) -> dict[str, Pace]:
    """Under which digests failures of an e-mail address are counted, when tried from a network address."""
    return {
        sha256(email.encode()).hexdigest(): FROM_ANYWHERE,
        sha256(f"{email}\n{place(address)}".encode()).hexdigest(): FROM_ONE_PLACE,
    }


def place(address: str | None) -> str:
    """The network a caller is in: an IPv4 address itself, the first 64 bits of an IPv6 address; any other text as it is."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return address or ""
    return str(parsed) if parsed.version == 4 else str(ip_network((int(parsed), _HOME_BITS), strict=False))


def rest(times: int, pace: Pace = FROM_ONE_PLACE) -> timedelta:
    """The pause after so many failures in a row."""
    if times <= pace.free:
        return timedelta(0)
    return min(pace.first * 2 ** min(times - pace.free - 1, _DOUBLINGS_MAX), pace.longest)


def wait_s(times: int, last_at: datetime, now: datetime, pace: Pace = FROM_ONE_PLACE) -> int:
    """How many whole seconds until sign-in may be tried again; 0 when it may be now."""
    left = last_at + rest(times, pace) - now
    return max(0, -(-left // timedelta(seconds=1)))
