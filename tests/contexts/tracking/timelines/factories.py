"""Setup of timeline tests: events, and calls that record them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from tests.support.app import START, App

from haulier.contexts.otep.timeline.contract import EventActor, IncidentReason, Location, ProofOfDelivery, Source
from haulier.contexts.tracking.public import NewEvent, record_events
from haulier.kernel.call import Call, call_as_system

NUMBER = "HL7XK2M9QA4T3"
HOME = Location(address="12 Birch Street", city="Toronto", region="ON", country="CA", lat=43.65, lng=-79.38)


def make_new_event(status_code: str = "in_transit", *, hours: float = 0, **changes: Any) -> NewEvent:
    """Return an event a number of hours after the start."""
    words: dict[str, Any] = {"tracking_number": NUMBER, "occurred_at": START + timedelta(hours=hours)}
    return NewEvent(status_code=status_code, **words | changes)


def make_delivery(**changes: Any) -> list[NewEvent]:
    """Return the events of a day: picked up, failed once, and delivered.

    They include all personal data of a delivery.
    """
    carried = {"location": HOME, "actor": EventActor(type="driver", id="17")} | changes
    return [
        make_new_event("picked_up", hours=0, **carried),
        make_new_event("out_for_delivery", hours=1, **carried),
        make_new_event(
            "delivery_failed", hours=2, incident_reason=IncidentReason(code="recipient_absent", note="dog"), **carried
        ),
        make_new_event("out_for_delivery", hours=3, source=Source(type="self_delivery", reference="stop-4"), **carried),
        make_new_event(
            "delivered",
            hours=4,
            pod=ProofOfDelivery(recipient="Ms Roy", signature_url="/pod/1.png", photo_urls=("/pod/2.jpg",)),
            **carried,
        ),
    ]


@asynccontextmanager
async def make_call(app: App, client: str = "demo") -> AsyncIterator[Call]:
    """Yield a system call for a client in a write transaction."""
    client_id = app.clients[client]
    async with app.database.write(client_id) as work:
        yield await call_as_system(app.application, client_id, work, request_id="req-story")


async def record_counting_statements(app: App, *happenings: NewEvent, client: str = "demo") -> int:
    """Record what happened; returns how many statements that took."""
    async with make_call(app, client) as call:
        before = call.work.statements
        await record_events(call, happenings)
        return call.work.statements - before
