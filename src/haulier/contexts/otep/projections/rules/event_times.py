"""Times as the standards write them, and the order of events.

Most documents hold times as they are and leave the writing, RFC 3339 with the source's offset, to msgspec. Numbers
are exact: no floating point between a time and its digits.
"""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import attrgetter

from haulier.contexts.otep.timeline.contract import Timeline, TrackingEvent

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1024)
def _written_offset(offset: timedelta) -> str:
    minutes = offset // timedelta(minutes=1)
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"


def utc_offset(at: datetime) -> str:
    """The offset in which the source told a time, as `+hh:mm`."""
    return "+00:00" if at.tzinfo is UTC else _written_offset(at.utcoffset() or timedelta())


def utc_stamp(at: datetime) -> str:
    """RFC 3339 in UTC, to the millisecond, ending in Z."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03d}Z"


def epoch_s(at: datetime) -> int:
    """Whole seconds since 1970."""
    return (at - _EPOCH) // timedelta(seconds=1)


def epoch_ms(at: datetime) -> int:
    """Whole milliseconds since 1970."""
    return (at - _EPOCH) // timedelta(milliseconds=1)


def epoch_ns(at: datetime) -> int:
    """Nanoseconds since 1970; 0 for earlier times, which the unsigned fields that take this cannot hold."""
    since = at - _EPOCH
    return max(0, ((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds) * 1000)


def latest_recorded_at(timeline: Timeline) -> datetime:
    """When the newest thing of a timeline became known: the time of a document that says no more than that.

    A projection has no clock, so that the same timeline always gives the same document. Without any event it is 1970.
    """
    return max((event.recorded_at or event.occurred_at for event in timeline.events), default=_EPOCH)


_OCCURRED_AT = attrgetter("occurred_at")


def events_in_order(timeline: Timeline) -> list[TrackingEvent]:
    """The events by time of occurrence; of equal times the timeline's own order decides."""
    return sorted(timeline.events, key=_OCCURRED_AT)


def current_event(events: list[TrackingEvent]) -> TrackingEvent | None:
    """The event that says where the parcel is: the last one that did not come too late to move the status."""
    return next((event for event in reversed(events) if not event.late), None)
