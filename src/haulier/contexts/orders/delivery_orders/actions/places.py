"""Where the ends of orders are: those that came without coordinates, and the coordinates they get later."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.places.public import AddressText
from haulier.kernel.call import Call

ENDS = ("shipper", "consignee")


class UnlocatedEnd(Struct, frozen=True):
    """An end of an order without coordinates: whose it is, and its address as it was when it was looked for."""

    order_id: int
    end: str
    address: AddressText


def stop_end(type: str) -> str:
    """The end of an order where a driver has to go first of all: the shipper's of a pickup, else the consignee's."""
    return "shipper" if type == "P" else "consignee"


def address_text(end: Mapping[str, Any]) -> AddressText:
    """An end of an order, as geocoding takes it."""
    return AddressText(
        country=end["country"],
        address=end["address"],
        city=end["city"],
        region=end.get("region"),
        postal_code=end.get("postal_code"),
    )


async def list_unlocated_ends(call: Call, order_ids: Collection[int], *, lock: bool = False) -> list[UnlocatedEnd]:
    """The ends without coordinates, where a driver has to go, of orders that are not over. One statement."""
    return _unlocated_ends(await store.list_order_rows(call.work, order_ids, lock=lock))


def _unlocated_ends(rows: Iterable[store.OrderRow]) -> list[UnlocatedEnd]:
    return [
        UnlocatedEnd(row.id, name, address_text(end))
        for row in rows
        if row.status not in TERMINAL_STATUSES
        for name in ENDS
        if _is_visited(row.type, name) and (end := getattr(row, name)) and end.get("lat") is None
    ]


def _is_visited(type: str, end: str) -> bool:
    return type == "P2P" or end == stop_end(type)


async def write_order_places(call: Call, places: Mapping[tuple[int, str], tuple[float, float]]) -> None:
    """Write where ends of orders are, by order and end. Nothing else of the orders changes, and neither do their prices."""
    rows = await store.list_order_rows(call.work, {order_id for order_id, _ in places}, lock=True)
    for row in rows:
        values: dict[str, Any] = {}
        for end in ENDS:
            if (row.id, end) in places:
                lat, lng = places[row.id, end]
                values |= {end: {**(getattr(row, end) or {}), "lat": lat, "lng": lng}}
                values |= {"lat": lat, "lng": lng} if end == stop_end(row.type) else {}
        await store.update_orders(call.work, [row.id], **values, updated_at=call.now)
        await call.publish(OrderChanged(order_id=row.id))
