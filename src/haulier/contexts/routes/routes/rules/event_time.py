"""When something happened, as a device says it."""

from datetime import datetime, timedelta

from haulier.kernel.operations.errors import INVALID_REQUEST, FieldError

MAX_CLOCK_AHEAD = timedelta(minutes=10)
"""How far a device's clock may run ahead before its word is refused."""


def resolve_event_time(reported_at: datetime | None, now: datetime) -> datetime:
    """When it happened: what the device says, or now. A clock a little ahead is taken as now.

    A time in the past is kept as it is: work done without a network is sent later. Raises `INVALID_REQUEST`.
    """
    if reported_at is None:
        return now
    if reported_at > now + MAX_CLOCK_AHEAD:
        raise INVALID_REQUEST.for_fields(FieldError("occurred_at", "field.in_the_future"))
    return min(reported_at, now)
