"""Reads of delivery orders for other families: ordered goods."""

from collections.abc import Collection, Mapping
from typing import Any

from msgspec import Struct

from haulier.contexts.custom_fields.values.rules import stored_values
from haulier.contexts.orders.delivery_orders.rules.lifecycle import TERMINAL_STATUSES, OrderStatus
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import list_order_item_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.operations.records import record
from haulier.kernel.values.geography import LatLng


class GoodsLine(Struct, frozen=True, kw_only=True):
    """A line of an order. The value is of one unit."""

    sku: str | None
    product_id: int | None
    description: str | None
    quantity: int
    unit_price_minor: int | None
    currency: str | None
    weight_g: int | None
    hs_code: str | None
    country_of_origin: str | None


class OrderGoods(Struct, frozen=True, kw_only=True):
    """An order and its goods. `place` is where they are delivered."""

    id: int
    tracking_number: str
    order_ref: str | None
    customer_id: int | None
    status: str
    is_over: bool
    place: LatLng | None
    stock_short: bool
    lines: tuple[GoodsLine, ...]


async def load_order_goods(call: Call, order_id: int, *, lock: bool = False) -> OrderGoods:
    """Return an order of this client with its goods. Raises `NOT_FOUND`."""
    rows = await orders_store.list_order_rows(call.work, [order_id], lock=lock)
    if not rows:
        raise record_not_found(order_id=order_id)
    (row,) = rows
    items = (await list_order_item_rows(call.work, [order_id])).get(order_id, [])
    end = row.consignee or {}
    lat, lng = end.get("lat"), end.get("lng")
    return OrderGoods(
        id=row.id,
        tracking_number=row.tracking_number,
        order_ref=row.order_ref,
        customer_id=row.customer_id,
        status=OrderStatus(row.status).name,
        is_over=row.status in TERMINAL_STATUSES,
        place=None if lat is None or lng is None else (lat, lng),
        stock_short=row.stock_short,
        lines=tuple(record(GoodsLine, item) for item in items),
    )


async def list_goods_lines(call: Call, order_ids: Collection[int]) -> dict[int, list[GoodsLine]]:
    """Return the lines of some orders, by order. One statement."""
    items = await list_order_item_rows(call.work, order_ids)
    return {id: [record(GoodsLine, item) for item in rows] for id, rows in items.items()}


async def lock_order_goods(call: Call, order_id: int) -> OrderGoods:
    """Lock and return an order with its goods. Raises `NOT_FOUND`."""
    return await load_order_goods(call, order_id, lock=True)


class OrderToShip(Struct, frozen=True, kw_only=True):
    """Facts of an order that decide how it is shipped. The address is the recipient's."""

    id: int
    type: str
    customer_id: int | None
    country: str | None
    postal_code: str | None
    weight_g: int
    package_count: int
    goods_value_minor: int | None
    goods_currency: str | None
    service: str
    skus: tuple[str, ...]
    custom_fields: Mapping[str, Any]


async def load_orders_to_ship(call: Call, order_ids: Collection[int]) -> dict[int, OrderToShip]:
    """Return orders of this client by ID; unknown IDs are absent. Two statements."""
    rows = await orders_store.list_order_rows(call.work, order_ids) if order_ids else []
    items = await list_order_item_rows(call.work, [row.id for row in rows])
    orders = {}
    for row in rows:
        end = row.consignee or row.shipper or {}
        orders[row.id] = record(
            OrderToShip,
            row,
            country=end.get("country"),
            postal_code=end.get("postal_code"),
            service=(row.price or {}).get("service", "standard"),
            skus=tuple(item.sku for item in items.get(row.id, ()) if item.sku),
            custom_fields=stored_values(row.custom_fields),
        )
    return orders
