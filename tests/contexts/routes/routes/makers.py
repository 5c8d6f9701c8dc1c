"""Routes with stops to move about, and what tests ask of them."""

from typing import Any

from tests.support.app import App
from tests.support.transport import DAY, make_depot, make_route, some_orders


async def some_routes(app: App, *sizes: int, **words: Any) -> list[Any]:
    """Create routes of one day from one depot with a number of stops each."""
    depot_id = await make_depot(app)
    orders = await some_orders(app, sum(sizes)) if sum(sizes) else []
    found: list[Any] = []
    for size in sizes:
        mine, orders = orders[:size], orders[size:]
        found.append(await get_route(app, await make_route(app, depot_id=depot_id, day=DAY, order_ids=mine, **words)))
    return found


async def get_route(app: App, route_id: int, who: str = "admin") -> Any:
    """A route as it is shown."""
    return (await app.answer(who, "get_route_detail", {"route_id": route_id})).route


async def stops_of(app: App, route_id: int) -> list[int]:
    """The stops of a route, in the order of visit."""
    route = await get_route(app, route_id)
    assert [stop.position for stop in route.stops] == list(range(1, len(route.stops) + 1))
    return [stop.id for stop in route.stops]


def stop_ids_of(route: Any) -> list[int]:
    """The stops of a route that was shown."""
    return [stop.id for stop in route.stops]


async def move_stops(app: App, to: int, *stop_ids: int, who: str = "admin", **words: Any) -> Any:
    """Move stops to a route; the outcome."""
    return await app.call(who, "move_stops", {"route_id": to, "stop_ids": list(stop_ids), **words})


async def lock_stops(app: App, route_id: int, *stop_ids: int) -> Any:
    """Lock stops; the route."""
    return (await app.answer("admin", "lock_stops", {"route_id": route_id, "stop_ids": list(stop_ids)})).route
