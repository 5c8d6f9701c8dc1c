"""Reads of stops, for this context and, through `public`, for other contexts."""

from collections.abc import Collection, Sequence

from haulier.contexts.orders.public import OrderFacts
from haulier.contexts.routes.stops import store
from haulier.contexts.routes.stops.store import PlannedLeg, StopCountRow, StopRow
from haulier.kernel.call import Call

__all__ = [
    "PlannedLeg",
    "StopCountRow",
    "StopRow",
    "count_stops_by_route",
    "get_collected_order_ids",
    "get_route_ids_by_order",
    "get_stop_rows",
    "list_stops_of_orders",
    "list_stops_of_routes",
    "stops",
]

# Monitoring pages through changed stops by route, day and contractor, which requires a join.
stops = store.stops


async def get_route_ids_by_order(call: Call, order_ids: Collection[int]) -> dict[int, int]:
    """The route that each order stands on; an order on none is absent."""
    return await store.get_route_ids_by_order(call.work, order_ids)


async def list_stops_of_routes(call: Call, route_ids: Collection[int]) -> Sequence[StopRow]:
    """Every stop of these routes, route by route, in the order of visit."""
    return await store.list_stops_of_routes(call.work, route_ids)


async def list_stops_of_orders(call: Call, order_ids: Collection[int]) -> Sequence[StopRow]:
    """The stops of these orders on the routes they stand on."""
    return await store.list_stops_of_orders(call.work, order_ids)


async def get_stop_rows(call: Call, stop_ids: Collection[int]) -> dict[int, StopRow]:
    """Stops of this client by id."""
    return await store.get_stop_rows(call.work, stop_ids)


async def count_stops_by_route(call: Call, route_ids: Collection[int]) -> dict[int, StopCountRow]:
    """Return the number of stops by route. Routes without stops are absent."""
    return await store.count_stops_by_route(call.work, route_ids)


async def get_collected_order_ids(call: Call, orders: Collection[OrderFacts]) -> frozenset[int]:
    """Return the P2P orders that were collected on an earlier route.

    Orders whose goods are at a wrong address are not among them.
    """
    moved = [order.id for order in orders if order.type == "P2P" and not order.goods_at]
    return await store.get_collected_order_ids(call.work, moved)
