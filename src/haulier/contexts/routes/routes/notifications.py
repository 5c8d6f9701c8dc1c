"""Notices of changed routes to live views of their days."""

from datetime import date

from haulier.contexts.routes.routes.store import RouteRow
from haulier.kernel.call import Call
from haulier.kernel.data.notices import client_subject

DISPATCH_CHANNEL = "dispatch"
"""The channel of the notices; a subject is a client and a day."""


def notify_day_changed(call: Call, day: date) -> None:
    """Notify those who follow this day, after the commit."""
    call.work.notify(DISPATCH_CHANNEL, client_subject(call.client_id, day.isoformat()))


def mark_routes_changed(call: Call, *routes: RouteRow) -> None:
    """Name the changed routes in the audit trail, and notify followers of their days."""
    call.add_audit_subjects("route", *(route.id for route in routes))
    for day in {route.day for route in routes}:
        notify_day_changed(call, day)
