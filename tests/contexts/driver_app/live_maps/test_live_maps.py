"""Verified recipients see their driver shortly before the delivery."""

from datetime import timedelta
from typing import Any

from tests.contexts.recipients.makers import make_awaited_order
from tests.support.app import App
from tests.support.transport import make_started_route

PLACE = {"lat": 43.6512, "lng": -79.3852}


async def make_access(app: App, order: Any) -> dict[str, str]:
    opened = await app.answer(None, "open_delivery", {"number": order.tracking_number, "proof": "M5V 2T6"})
    return {"access": opened.access}


async def drive_to(app: App, lat: float, lng: float) -> None:
    point = {"lat": lat, "lng": lng, "occurred_at": app.clock.now.isoformat()}
    await app.answer("driver", "push_positions", {"points": [point], "sent_at": app.clock.now.isoformat()})


async def test_the_driver_is_shown_only_on_started_routes_of_businesses_that_enable_it(app: App) -> None:
    order = await make_awaited_order(app)
    access = await make_access(app, order)
    assert (await app.answer(None, "get_delivery_position", access)).state == "off"
    route = await make_started_route(app, [order.id])
    await drive_to(app, 43.64123, -79.37456)
    assert (await app.answer(None, "get_delivery_position", access)).state == "off"
    await app.answer("admin", "set_brand", {"live_map": True})
    found = await app.answer(None, "get_delivery_position", access)
    assert (found.state, found.stops_before) == ("live", 0)
    assert (found.driver.lat, found.driver.lng) == (43.6412, -79.3746)
    assert found.destination
    app.clock.forward(minutes=11)
    stale = await app.answer(None, "get_delivery_position", access)
    assert (stale.state, stale.driver, stale.line) == ("no_position", None, [])
    stop = {"route_id": route.id, "stop_id": route.stops[0].id}
    await app.answer("driver", "deliver_stop", stop)
    assert (await app.answer(None, "get_delivery_position", access)).state == "off"


async def test_the_driver_is_hidden_until_three_stops_remain(app: App) -> None:
    await app.answer("admin", "set_brand", {"live_map": True})
    orders = [await make_awaited_order(app) for _ in range(5)]
    route = await make_started_route(app, [order.id for order in orders])
    await drive_to(app, 43.64, -79.37)
    last = next(order for order in orders if order.id == route.stops[-1].order_id)
    access = await make_access(app, last)
    found = await app.answer(None, "get_delivery_position", access)
    assert (found.state, found.stops_before, found.driver) == ("soon", 4, None)
    await app.answer("driver", "deliver_stop", {"route_id": route.id, "stop_id": route.stops[0].id})
    app.clock.forward(seconds=timedelta(minutes=1).total_seconds())
    found = await app.answer(None, "get_delivery_position", access)
    assert (found.state, found.stops_before, found.line) == ("live", 3, [])


async def test_only_users_with_access_see_the_driver(app: App) -> None:
    refused = await app.call(None, "get_delivery_position", {"access": "hldelivery_" + "x" * 20})
    assert refused.error["code"] == "DELIVERY_ACCESS_INVALID"
