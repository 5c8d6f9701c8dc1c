"""Queue of unlocated orders: list it, set a location, or search again."""

from typing import Any

from haulier.contexts.orders.delivery_orders.actions.corrections import address_text, list_unlocated_ends, stop_end
from haulier.contexts.orders.delivery_orders.queries.visible_orders import get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    OPEN_STATUS_NAMES,
    ORDER_IS_OVER,
    TERMINAL_STATUSES,
    OrderStatus,
)
from haulier.contexts.orders.order_places import store
from haulier.contexts.orders.order_places.actions import place_ends, write_places
from haulier.contexts.orders.order_places.contract import (
    ListUnplacedOrders,
    LocateOrder,
    OrderPlace,
    SetOrderLocation,
    UnplacedOrder,
    UnplacedOrderList,
)
from haulier.contexts.places.public import Quality, locate_offline, record_pin
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.values.pagination import total_fields


@reads(
    "list_unplaced_orders",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/orders/unplaced"), GraphQL("unplacedOrders")),
)
async def list_unplaced_orders(call: Call, request: ListUnplacedOrders) -> UnplacedOrderList:
    """List orders without a located address, oldest first.

    Their addresses could not be located to the street, so they have no coordinates and cannot be planned. Correct the
    address, or set a pin with `set_order_location`.
    """
    rows, total = await store.list_unplaced_orders(call.work, limit=request.per_page, offset=request.offset)
    return UnplacedOrderList(
        page=request.page,
        per_page=request.per_page,
        orders=[_unplaced_order(call, row) for row in rows],
        **total_fields(total),
    )


@writes(
    "set_order_location",
    available_when={"status": OPEN_STATUS_NAMES},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND, ORDER_IS_OVER),
    interfaces=(Rest("POST", "/v1/orders/{order_id}/location"), GraphQL("setOrderLocation")),
)
async def set_order_location(call: Call, request: SetOrderLocation) -> OrderPlace:
    """Set the location of an order.

    The pin is stored: later orders for the same address use it automatically.
    """
    row = await _open_order(call, request.order_id)
    end = request.end or stop_end(row.type)
    if not getattr(row, end):
        raise INVALID_REQUEST.for_fields(FieldError("end", "field.order_has_no_such_end"))
    await write_places(call, {(row.id, end): (request.lat, request.lng)})
    await record_pin(call, address_text(getattr(row, end)), request.lat, request.lng, row.id)
    call.add_audit_subjects("order", row.id)
    return OrderPlace(
        result=True,
        message=call.translate("order_placed"),
        order_id=row.id,
        lat=request.lat,
        lng=request.lng,
        quality=Quality.PIN.value,
    )


@writes(
    "locate_order",
    available_when={"status": OPEN_STATUS_NAMES},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    errors=(NOT_FOUND, ORDER_IS_OVER),
    interfaces=(Rest("POST", "/v1/orders/{order_id}/locate"), GraphQL("locateOrder")),
)
async def locate_order(call: Call, request: LocateOrder) -> OrderPlace:
    """Locate the address of an order again.

    Uses deliveries, pins and open data known now. No external server is called.
    """
    row = await _open_order(call, request.order_id)
    ends = await list_unlocated_ends(call, [row.id])
    if ends:
        await place_ends(call, ends, await locate_offline(call, [end.address for end in ends]))
    call.add_audit_subjects("order", row.id)
    after = await get_visible_order(call, row.id)
    placed = after.lat is not None
    return OrderPlace(
        result=placed,
        message=call.translate("order_placed" if placed else "order_not_placed"),
        order_id=row.id,
        lat=after.lat,
        lng=after.lng,
        quality=None,
    )


async def _open_order(call: Call, order_id: int) -> Any:
    row = await get_visible_order(call, order_id, lock=True)
    if row.status in TERMINAL_STATUSES:
        raise ORDER_IS_OVER(status=OrderStatus(row.status).name)
    return row


def _unplaced_order(call: Call, row: store.UnplacedOrderRow) -> UnplacedOrder:
    end: dict[str, Any] = getattr(row, row.order_end) or {}
    return record(
        UnplacedOrder,
        row,
        end=row.order_end,
        name=end.get("name"),
        address=end.get("address", ""),
        city=end.get("city", ""),
        region=end.get("region"),
        postal_code=end.get("postal_code"),
        country=end.get("country", ""),
        tried_at=call.local_time(row.tried_at),
    )
