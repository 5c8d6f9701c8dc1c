"""Device orders in each status, under a unique name."""

from typing import Any

from tests.contexts.lockers.device_makers import (
    confirmed,
    drafted,
    make_catalogue,
    named,
    paid,
    received,
    returning,
    step,
)
from tests.contexts.lockers.examples import WORKSHOP
from tests.support.app import App


async def device_orders(app: App, mark: str) -> dict[str, Any]:
    """Create a catalogue, device orders in each status, and returns."""
    await make_catalogue(app, stock=90, name=mark, description=mark)
    about: dict[str, Any] = {"consignee": {**WORKSHOP, "name": mark}, "order_ref": mark, "note": mark}
    draft, waiting = await drafted(app, **about), await confirmed(app, **about)
    ready, sent = await paid(app, **about), await paid(app, 4, **about)
    serials = [f"SCN-9{number}" for number in range(4)]
    await step(app, "ship_device_order", sent.id, "admin", devices=named(serials), tracking_number=mark)
    announced = await returning(app, sent.id, serials[:1], note=mark)
    here = await received(app, sent.id, serials[1:2])
    return {
        "product_code": "scanner-2d",
        "device_order_id": draft.id,
        "confirmed_device_order_id": waiting.id,
        "paid_device_order_id": ready.id,
        "sent_device_order_id": sent.id,
        "serial": serials[3],
        "device_return_id": announced.id,
        "received_return_id": here.id,
    }
