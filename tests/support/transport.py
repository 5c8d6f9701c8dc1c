"""Makers of orders, drivers, depots and routes, using public operations."""

from typing import Any

from sqlalchemy import select
from tests.support.app import App

from haulier.contexts.orders.delivery_orders.store.tables import orders

DAY = "2026-06-10"


def make_contact(postal_code: str = "M5V 2T6", **words: Any) -> dict[str, Any]:
    """Return a contact in Toronto."""
    return {
        "name": "Ada Lovelace",
        "address": "100 Queen St W",
        "city": "Toronto",
        "country": "CA",
        "postal_code": postal_code,
        "lat": 43.65,
        "lng": -79.38,
        **words,
    }


async def make_order(app: App, who: str = "admin", postal_code: str = "M5V 2T6", **words: Any) -> int:
    """A new order; its id."""
    kind = words.get("type", "D")
    ends = {name: make_contact(postal_code) for name, kinds in ENDS.items() if kind in kinds}
    answer = await app.answer(who, "create_order", {**ends, "scheduled_date": DAY, **words})
    return answer.order.id


ENDS = {"shipper": ("P", "P2P"), "consignee": ("D", "P2P")}


async def some_orders(app: App, count: int, client: str = "demo") -> list[int]:
    """Many new orders at once, copies of one."""
    first = await make_order(app)
    async with app.database.write(app.clients[client]) as work:
        (row,) = await work.all(select(orders).where(orders.c.id == first))
        kept = {column.name: getattr(row, column.name) for column in orders.columns}
        del kept["id"], kept["client_id"]
        copies = [{**kept, "tracking_number": f"COPY-{first}-{n}"} for n in range(count - 1)]
        return [first, *await work.insert_many(orders, copies)]


async def set_order(app: App, order_id: int, **values: Any) -> None:
    """Put an order into a state that would take many steps."""
    async with app.database.write(app.clients["demo"]) as work:
        await work.run(orders.update().where(orders.c.id == order_id).values(**values))


async def order_row(app: App, order_id: int) -> Any:
    """The row of an order."""
    async with app.database.read(app.clients["demo"]) as work:
        return await work.first(select(orders).where(orders.c.id == order_id))


async def make_depot(app: App, who: str = "admin", **words: Any) -> int:
    """A depot; its id."""
    asked = {"name": "Main depot", "address": "1 Front St", "lat": 43.64, "lng": -79.38, **words}
    return (await app.answer(who, "create_depot", asked)).depot.id


async def make_driver(app: App, who: str = "admin", user: str | None = None, **words: Any) -> int:
    """Create a driver and return its id.

    `user` is the role whose account the driver signs in with.
    """
    link = {"user_id": app.ids[user]} if user else {}
    return (await app.answer(who, "create_driver", {"name": "Dan", **link, **words})).driver.id


async def make_route(app: App, who: str = "admin", order_ids: list[int] | None = None, **words: Any) -> int:
    """A route from a new depot, with these orders; its id."""
    depot_id = words.pop("depot_id", None) or await make_depot(app)
    route = (await app.answer(who, "create_route", {"day": DAY, "depot_id": depot_id, **words})).route
    if order_ids:
        added = await app.answer(who, "add_orders_to_route", {"route_id": route.id, "order_ids": order_ids})
        assert added.errors == []
    return route.id


async def make_started_route(app: App, order_ids: list[int]) -> Any:
    """A route of the role `driver`, under way; the route."""
    driver_id = await make_driver(app, user="driver")
    route_id = await make_route(app, order_ids=order_ids, driver_id=driver_id)
    return (await app.answer("driver", "start_route", {"route_id": route_id})).route


async def fail_aboard(app: App, order_id: int) -> None:
    """Report an order as failed on an active route that keeps its goods."""
    at = await _start_stop(app, order_id)
    await app.answer("admin", "fail_stop", {**at, "reason": "recipient_absent", "outcome": "retry"})


async def deliver_under_way(app: App, order_id: int) -> None:
    """Deliver an order on a route that stays under way, as the office reports it."""
    await app.answer("admin", "deliver_stop", await _start_stop(app, order_id))


async def _start_stop(app: App, order_id: int) -> dict[str, int]:
    route_id = await make_route(app, order_ids=[order_id], driver_id=await make_driver(app))
    route = (await app.answer("admin", "start_route", {"route_id": route_id})).route
    return {"route_id": route_id, "stop_id": route.stops[0].id}


def status_and_code(outcome: Any) -> tuple[int, str | None]:
    """The status and the code of an outcome."""
    return outcome.status, outcome.error and outcome.error["code"]
