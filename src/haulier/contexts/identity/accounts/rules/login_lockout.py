"""How long sign-in pauses after failures in a row.

Failures are counted twice. By e-mail address and network the limit is low, so that a guesser is stopped soon. By e-mail
address alone the limit is high: it stops guessers in many places, and a handful of wrong passwords locks no other person out.
"""

from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address, ip_network

from msgspec import Struct

_DOUBLINGS_MAX = 10
_HOME_BITS = 64
"""# Why: an IPv6 household or host gets 2^64 addresses, so these count as one network (RFC 6177)."""


class BackoffPolicy(Struct, frozen=True):
    """The first `free` failures cause no pause, because people mistype; then pauses begin, and double up to the longest."""

    free: int
    first: timedelta
    longest: timedelta


FAILURES_KEPT = timedelta(days=1)
"""So long after the last one, failures are deleted.

# Why: waiting a day for that gives a guesser fewer tries than the pauses leave.
"""

SPRAY_WINDOW = timedelta(hours=1)
SPRAY_USERS = 10
SPRAY_NOTICE_PAUSE = timedelta(days=1)
"""Admins are notified when sign-in fails for this many users of a business within `SPRAY_WINDOW`, at most once a day."""
PER_NETWORK = BackoffPolicy(8, timedelta(seconds=30), timedelta(minutes=15))
PER_EMAIL = BackoffPolicy(100, timedelta(seconds=30), timedelta(minutes=5))


def failure_keys(email: str, address: str | None) -> dict[str, BackoffPolicy]:
    """The digests under which failures of an e-mail address from a network address are counted, with their policies."""
    return {
        sha256(email.encode()).hexdigest(): PER_EMAIL,
        sha256(f"{email}\n{caller_network(address)}".encode()).hexdigest(): PER_NETWORK,
    }


def caller_network(address: str | None) -> str:
    """The network a caller is in: an IPv4 address itself, the first 64 bits of an IPv6 address; any other text as it is."""
    try:
        parsed = ip_address(address or "")
    except ValueError:
        return address or ""
    return str(parsed) if parsed.version == 4 else str(ip_network((int(parsed), _HOME_BITS), strict=False))


def pause_after(times: int, policy: BackoffPolicy = PER_NETWORK) -> timedelta:
    """The pause after so many failures in a row."""
    if times <= policy.free:
        return timedelta(0)
    return min(policy.first * 2 ** min(times - policy.free - 1, _DOUBLINGS_MAX), policy.longest)


def is_failure_recorded(times: int, policy: BackoffPolicy = PER_NETWORK) -> bool:
    """Return True if the audit trail gets an entry for this failure in a row: the first one, and each that starts a pause."""
    return times == 1 or times > policy.free


def seconds_until_retry(times: int, last_at: datetime, now: datetime, policy: BackoffPolicy = PER_NETWORK) -> int:
    """How many whole seconds until sign-in may be tried again; 0 when it may be now."""
    remaining = last_at + pause_after(times, policy) - now
    return max(0, -(-remaining // timedelta(seconds=1)))
