"""Rules of vehicles: when a service is due."""

from datetime import date, timedelta
from enum import StrEnum

SERVICE_NOTICE = timedelta(days=30)
SERVICE_NOTICE_M = 1_000_000
"""A service counts as due soon this long, or this many metres, before it is due."""


class ServiceState(StrEnum):
    """Status of the next service today."""

    PLANNED = "planned"
    DUE_SOON = "due_soon"
    OVERDUE = "overdue"


def service_state(
    next_on: date | None, next_at_m: int | None, odometer_m: int | None, today: date
) -> ServiceState | None:
    """Return the status of the next service, or None if none is planned."""
    if next_on is None and next_at_m is None:
        return None
    metres_left = None if next_at_m is None or odometer_m is None else next_at_m - odometer_m
    if (next_on is not None and next_on < today) or (metres_left is not None and metres_left < 0):
        return ServiceState.OVERDUE
    is_soon = next_on is not None and next_on <= today + SERVICE_NOTICE
    is_near = metres_left is not None and metres_left <= SERVICE_NOTICE_M
    return ServiceState.DUE_SOON if is_soon or is_near else ServiceState.PLANNED
