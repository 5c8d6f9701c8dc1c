"""Makers for the tests of timelines: happenings, and calls in which they are written down."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from tests.app import START, App

from haulier.contexts.tracking.otep.model import Actor, IncidentReason, Location, ProofOfDelivery, Source
from haulier.contexts.tracking.public import Happening, record
from haulier.kernel.call import Call
from haulier.kernel.principal import the_house_itself

NUMBER = "HL7XK2M9QA4T3"
HOME = Location(address="12 Birch Street", city="Toronto", region="ON", country="CA", lat=43.65, lng=-79.38)


def a_happening(status_code: str = "in_transit", *, hours: float = 0, **changes: Any) -> Happening:
    """Something that happened so many hours after the start."""
    words: dict[str, Any] = {"tracking_number": NUMBER, "occurred_at": START + timedelta(hours=hours)}
    return Happening(status_code=status_code, **words | changes)


def a_delivery(**changes: Any) -> list[Happening]:
    """A parcel's day: picked up, missed once, delivered to the door, with everything personal that belongs to it."""
    carried = {"location": HOME, "actor": Actor(type="driver", id="17")} | changes
    return [
        a_happening("picked_up", hours=0, **carried),
        a_happening("out_for_delivery", hours=1, **carried),
        a_happening(
            "delivery_failed", hours=2, incident_reason=IncidentReason(code="recipient_absent", note="dog"), **carried
        ),
        a_happening("out_for_delivery", hours=3, source=Source(type="self_delivery", reference="stop-4"), **carried),
        a_happening(
            "delivered",
            hours=4,
            pod=ProofOfDelivery(recipient="Ms Roy", signature_url="/pod/1.png", photo_urls=("/pod/2.jpg",)),
            **carried,
        ),
    ]


@asynccontextmanager
async def a_call(app: App, client: str = "demo") -> AsyncIterator[Call]:
    """A call of the house itself for a client, in a write transaction."""
    client_id = app.clients[client]
    async with app.database.write(client_id) as work:
        business = await app.house.identity.business(work, client_id)
        yield Call(
            house=app.house,
            principal=the_house_itself(business),
            work=work,
            now=app.clock.now,
            language="en",
            request_id="req-story",
        )


async def written_down(app: App, *happenings: Happening, client: str = "demo") -> int:
    """Record what happened; returns how many statements that took."""
    async with a_call(app, client) as call:
        before = call.work.statements
        await record(call, happenings)
        return call.work.statements - before
