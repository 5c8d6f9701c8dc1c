"""How long sign-in pauses after failures in a row.

Failures are counted twice. By e-mail address and network the limit is low, so that a guesser is stopped soon. By e-mail
address alone the limit is high: it stops guessers in many places, and a handful of wrong passwords locks no other person out.
"""

from datetime import datetime, timedelta
from hashlib import sha256

from msgspec import Struct

from haulier.kernel.values.networks import CallerNetwork

_DOUBLINGS_MAX = 10


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


def failure_keys(email: str, network: CallerNetwork) -> dict[str, BackoffPolicy]:
    """The digests under which failures of an e-mail address from a network are counted, with their policies."""
    return {
        sha256(email.encode()).hexdigest(): PER_EMAIL,
        sha256(f"{email}\n{network}".encode()).hexdigest(): PER_NETWORK,
    }


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
