"""Luggage bookings of the demo client in each status, and a claim."""

from datetime import timedelta
from typing import Any

from tests.contexts.billing.ledger.makers import cad, make_call
from tests.contexts.lockers.luggage.examples import HOTEL
from tests.contexts.lockers.luggage.makers import Relay, make_relay
from tests.support.app import App

from haulier.contexts.billing import public as billing
from haulier.contexts.lockers.luggage.actions.bookings import pay_luggage
from haulier.contexts.lockers.luggage.actions.custody import reserve_boxes
from haulier.contexts.lockers.luggage.queries import lock_luggage

TAG = "B7K39QX2M"
"""Of the bag that the examples name."""


async def luggage_relay(app: App, mark: str) -> dict[str, Any]:
    """Create luggage bookings in every state, and return the ids by field name."""
    relay = await make_relay(app, money=0, name=mark)
    hotel = {**HOTEL, "name": mark, "address": mark, "city": mark}
    about: dict[str, Any] = {
        "bags": [{"size": "s", "description": mark}],
        "traveller": {"name": mark, "email": "traveller@example.com", "phone": mark},
        "travel_reference": mark,
        "note": mark,
        "destination": hotel,
    }
    named = {**about, "bags": [{"size": "s", "description": mark, "tag": TAG}]}
    unpaid, inside = await relay.booked(**about), await _paid(relay, **named)
    await relay.handed_in(inside.id)
    arrived = await _paid(relay, **{**about, "origin": hotel})
    for step, proof in (("receive", {"identity_checked": mark}), ("load", {}), ("unload", {"note": mark})):
        await relay.carry(arrived, step, **proof)
    tag = arrived.bags[0].tag
    claim = {"luggage_id": arrived.id, "kind": "damaged", "tag": tag, "note": mark}
    filed = (await app.answer("admin", "file_luggage_claim", claim)).claim
    return {
        "unpaid_luggage_id": unpaid.id,
        "luggage_id": inside.id,
        "arrived_luggage_id": arrived.id,
        "luggage_claim_id": filed.id,
        "tag": TAG,
        "driver_user_id": app.ids["driver"],
    }


async def _paid(relay: Relay, **about: Any) -> Any:
    """Create a paid booking with reserved compartments, without running its job."""
    until = {"drop_until": (relay.app.clock() + timedelta(hours=2)).isoformat()}
    booking = await relay.booked(**about, **until)
    async with make_call(relay.app) as call:
        customer_id = relay.app.ids["customer"]
        await billing.top_up(call, customer_id, cad(2000), key=f"luggage:{booking.id}")
        row, _ = await lock_luggage(call, booking.id)
        await pay_luggage(call, row)
        await reserve_boxes(call, booking.id)
    return await relay.now(booking.id)
