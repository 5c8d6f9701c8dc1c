"""Notice to those who follow a day of dispatch live: something that can be seen on the board has changed."""

from datetime import date
from typing import Any

from haulier.kernel.call import Call

DISPATCH_CHANNEL = "dispatch"
"""On this channel the database gives notice; the payload names the day."""


def notify_day_changed(call: Call, day: date) -> None:
    """Wake whoever follows this day."""
    call.work.notify(DISPATCH_CHANNEL, day.isoformat())


def mark_routes_changed(call: Call, *routes: Any) -> None:
    """Say which routes a call was about: for the audit trail, and to those who follow the day live."""
    call.add_audit_subjects("route", *(route.id for route in routes))
    for day in {route.day for route in routes}:
        notify_day_changed(call, day)
