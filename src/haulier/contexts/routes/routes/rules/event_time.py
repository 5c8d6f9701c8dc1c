"""The time of an event that a device reports."""

from datetime import datetime, timedelta

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

MAX_CLOCK_AHEAD = timedelta(minutes=10)
"""How far a device's clock may run ahead before its reports are refused."""


def resolve_event_time(reported_at: datetime | None, now: datetime) -> datetime:
    """The time of an event as the device reports it, or now. A time slightly in the future counts as now.

    A time in the past is kept, because work done without a network is reported later. Raises `INVALID_REQUEST`.
    """
    if reported_at is None:
        return now
    if reported_at > now + MAX_CLOCK_AHEAD:
        raise INVALID_REQUEST.for_fields(FieldError("occurred_at", "field.in_the_future"))
    return min(reported_at, now)
