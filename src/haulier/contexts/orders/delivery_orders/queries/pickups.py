"""Reads of delivery orders for other families: customer pickups."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from haulier.contexts.orders.delivery_orders.rules.pickups import PickupState
from haulier.contexts.orders.delivery_orders.store.orders import OrderRow, list_order_rows
from haulier.contexts.orders.delivery_orders.store.pickups import list_pickup_rows
from haulier.contexts.orders.ports import DepotPlaces, PickupDepot
from haulier.kernel.call import Call


async def get_pickup_depots(call: Call, orders: Iterable[Any]) -> Mapping[int, PickupDepot]:
    """Return the depots where customers collect these orders. At most one statement."""
    ids = {order.pickup_depot_id for order in orders if order.pickup_depot_id is not None}
    return await call.adapter(DepotPlaces).get_depots(call, ids) if ids else {}


async def get_pickup_orders(call: Call, order_ids: Collection[int], *, lock: bool = False) -> dict[int, OrderRow]:
    """Return the client's orders among these by id, optionally locked."""
    return {row.id: row for row in await list_order_rows(call.work, order_ids, lock=lock)}


async def list_pickup_orders(
    call: Call, *, state: PickupState | None, depot_id: int | None, search: str | None, limit: int, offset: int
) -> tuple[Sequence[OrderRow], int]:
    """Return a page of matching pickups, the earliest due first, and their count."""
    return await list_pickup_rows(
        call.work, state=state, depot_id=depot_id, search=search, today=call.today, limit=limit, offset=offset
    )
