"""A day on a route as a device records it, and the state of that route."""

from typing import Any

import msgspec
from sqlalchemy import select
from tests.contexts.driver_app.makers import device_event
from tests.support.app import App
from tests.support.transport import make_driver, make_order, make_route

from haulier.contexts.orders.delivery_orders.store.tables import changes, orders
from haulier.contexts.routes.routes.store import routes
from haulier.contexts.routes.stops.store import stops

KINDS = ("D", "P", "P2P", "D", "D")


async def make_waiting_route(app: App, driver_id: int | None = None, kinds: tuple[str, ...] = ("D", "D")) -> Any:
    """A route of the role `driver` that has not started."""
    driver_id = driver_id or await make_driver(app, user="driver")
    order_ids = [await make_order(app, type=kind) for kind in kinds]
    route_id = await make_route(app, order_ids=order_ids, driver_id=driver_id)
    return (await app.answer("driver", "get_rider_route", {"route_id": route_id})).route.route


def make_whole_day(route: Any, tag: str = "") -> list[dict[str, Any]]:
    """Return the events of a day on a route with the orders of `KINDS`, in sequence."""
    d1, p1, p2p_up, p2p_down, d2, d3 = (stop.id for stop in route.stops)

    def at(minute: int, kind: str, **words: Any) -> dict[str, Any]:
        return device_event(
            f"{tag}{minute:03}-{kind}", kind, f"{9 + minute // 60:02}:{minute % 60:02}", route.id, **words
        )

    return [
        at(0, "accept"),
        at(1, "scan", code=route.stops[0].tracking_number),
        at(2, "start"),
        at(10, "arrive", stop_id=d1),
        at(12, "deliver", stop_id=d1, recipient="Ada", position={"lat": 43.651, "lng": -79.38}),
        at(20, "arrive", stop_id=p1),
        at(21, "pick_up", stop_id=p1),
        at(30, "pick_up", stop_id=p2p_up),
        at(35, "fail", stop_id=d2, reason="recipient_absent", outcome="retry"),
        at(40, "return_to_depot"),
        at(50, "deliver", stop_id=p2p_down),
        at(60, "arrive", stop_id=d3),
        at(61, "fail", stop_id=d3, reason="damaged", outcome="return", note="wet"),
        # Goods are handed in at the first return received; the device states the sequence.
        at(70, "return_to_depot", after=f"device-1-{tag}040-return_to_depot"),
        at(75, "finish"),
    ]


async def route_state(app: App, route_id: int) -> dict[str, Any]:
    """Return the state of a route that must not depend on the time of receipt.

    In stop order, without ids.
    """
    async with app.database.read(app.clients["demo"]) as work:
        route = await work.first(select(routes).where(routes.c.id == route_id))
        own = await work.all(select(stops).where(stops.c.route_id == route_id).order_by(stops.c.position))
        ids = list(dict.fromkeys(stop.order_id for stop in own))
        status = {row.id: row.status for row in await work.all(select(orders)) if row.id in ids}
        steps = [row for row in await work.all(select(changes)) if row.order_id in ids]
    numbers = [row.order_id for row in own]
    timelines = [await order_timeline(app, id) for id in ids]
    return {
        "route": (route.status, route.started_at, route.finished_at),
        "stops": [
            (s.status, s.arrived_at, s.ended_at, s.outcome, s.reason, s.on_route, s.ended_distance_m, s.proof, s.note)
            for s in own
        ],
        "orders": [status[id] for id in ids],
        "steps": sorted((numbers.index(row.order_id), row.at, row.step) for row in steps if row.step != "plan"),
        "timelines": timelines,
    }


async def order_timeline(app: App, order_id: int) -> list[Any]:
    """Return the tracking of an order after it was planned."""
    told = await app.answer("admin", "otep_client_tracking", {"order_id": order_id})
    plain = msgspec.to_builtins(told.trackings[0].data)
    seen = [(each["occurred_at"], each["status_code"], each.get("pod")) for each in plain["events"]]
    return sorted((each for each in seen if each[1] not in {"booking_confirmed", "awaiting_pickup"}), key=repr)
