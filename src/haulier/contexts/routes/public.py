"""What other contexts may ask of dispatch."""

from collections.abc import Collection
from datetime import date

from haulier.contexts.routes.assignments import store as assignment_store
from haulier.contexts.routes.routes import store as route_store
from haulier.contexts.routes.stops import store as stop_store
from haulier.kernel.call import Call


async def get_routes_of_orders(call: Call, order_ids: Collection[int]) -> dict[int, int]:
    """On which route each order stands; an order on none is absent."""
    return await stop_store.get_route_ids_by_order(call.work, order_ids)


async def get_holders_of_orders(call: Call, order_ids: Collection[int]) -> dict[int, int]:
    """Which contractor (user id) each order was given to; an order that nobody holds is absent."""
    return await assignment_store.get_order_holders(call, order_ids)


async def get_route_counts_by_status(call: Call, day: date) -> dict[str, int]:
    """How many routes of a day stand where: status to number."""
    return await route_store.count_routes_by_status(call.work, day)
