"""How long sign-in with an address rests after failures in a row."""

from datetime import datetime, timedelta

FREE = 8
"""So many failures in a row cost nothing: people mistype."""

_FIRST = timedelta(seconds=30)
_LONGEST = timedelta(minutes=15)
_DOUBLINGS_MAX = 10


def rest(times: int) -> timedelta:
    """The pause after so many failures in a row: 30 s after the ninth, then doubling up to 15 minutes."""
    if times <= FREE:
        return timedelta(0)
    return min(_FIRST * 2 ** min(times - FREE - 1, _DOUBLINGS_MAX), _LONGEST)


def wait_s(times: int, last_at: datetime, now: datetime) -> int:
    """How many whole seconds until sign-in may be tried again; 0 when it may be now."""
    left = last_at + rest(times) - now
    return max(0, -(-left // timedelta(seconds=1)))
