"""Locations learned from deliveries."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route

from haulier.contexts.routes.stops.rules import confirmed_place

HOME = {"name": "Ada", "address": "9 Unknown Rd", "city": "Toronto", "country": "CA"}
DOOR = {"lat": 43.6512, "lng": -79.3811}


async def delivered(app: App, order_id: int) -> None:
    """A driver hands the order over at the door."""
    driver_id = await make_driver(app, user="driver", name="Dan")
    route_id = await make_route(app, order_ids=[order_id], driver_id=driver_id)
    stop = (await app.answer("driver", "start_route", {"route_id": route_id})).route.stops[0]
    here: dict[str, Any] = {"route_id": route_id, "stop_id": stop.id, "recipient": "Ada", "position": DOOR}
    await app.answer("driver", "rider_deliver", here)
    await app.work_off()


async def test_the_next_order_to_an_address_uses_the_previous_handover_location(app: App) -> None:
    first = await make_order(app, consignee={**HOME, "lat": 43.6513, "lng": -79.3812, "email": "ada@home.example"})
    await delivered(app, first)
    second = (await app.answer("admin", "create_order", {"consignee": {**HOME, "address": "9 unknown road"}})).order.id
    await app.work_off()
    order = (await app.answer("admin", "get_order_detail", {"order_id": second})).order
    assert (order.lat, order.lng) == (43.6513, -79.3812)
    await app.answer("admin", "erase_personal_data", {"email": "ada@home.example"})
    await app.work_off()
    third = (await app.answer("admin", "create_order", {"consignee": HOME})).order.id
    await app.work_off()
    assert (await app.answer("admin", "get_order_detail", {"order_id": third})).order.lat is None


def test_a_delivery_suggests_a_location_only_if_it_matches_the_order() -> None:
    door, near, far, nowhere = (43.65, -79.38), (43.651, -79.38), (43.70, -79.38), (None, None)
    assert confirmed_place(door, near) == door
    assert confirmed_place(door, far) is None
    assert confirmed_place(nowhere, near) == near
    assert confirmed_place(door, nowhere) is None
