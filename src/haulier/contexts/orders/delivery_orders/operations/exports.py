"""Orders and their pieces as documents for spreadsheets."""

from collections.abc import Sequence

from haulier.contexts.custom_fields.public import ResourceKind, list_shown_fields, show_custom_fields
from haulier.contexts.orders.delivery_orders.contract.exports import ExportOrders
from haulier.contexts.orders.delivery_orders.contract.orders import OrderRecord
from haulier.contexts.orders.delivery_orders.queries.listed_orders import list_filters
from haulier.contexts.orders.delivery_orders.serializers.orders import order_records
from haulier.contexts.orders.delivery_orders.store import lists
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import SIGNED_IN, PriceFamily, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import make_cursor, parse_cursor
from haulier.kernel.values.table_exports import (
    MEDIA_TYPES,
    OWN_FIELD,
    TABLE_FORMS,
    TableExport,
    table_document,
    table_export,
)

LAST_ID = 2**53 - 1
ORDER_COLUMNS = (
    *("id", "order_ref", "tracking_number", "type", "status", "fulfilment", "scheduled_date", "window_start"),
    *("window_end", "customer_id", "contractor_id", "driver_id", "driver_name", "route_id", "stop_number"),
    *("planned_arrival_at", "name", "address", "city", "postal_code", "lat", "lng", "package_count", "weight_g"),
    *("attempts", "created_at", "updated_at"),
)
PRICE_COLUMNS = ("shipping_price", "currency")
"""In minor units and ISO 4217; for whoever sees these prices."""
PIECE_ORDER_COLUMNS = ("id", "order_ref", "status", "scheduled_date", "customer_id", "name", "city", "postal_code")
"""What a row of a piece says of its order; the id is called `order_id`."""
PIECE_COLUMNS = (*("tracking_number", "weight_g", "length_mm", "width_mm", "height_mm", "description", "outcome"),)


@reads(
    "export_orders",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/order-export", representations=TABLE_FORMS), GraphQL("exportOrders")),
    errors=(NOT_FOUND,),
)
async def export_orders(call: Call, request: ExportOrders) -> TableExport:
    """Export orders as CSV or XLSX.

    Up to 5,000 per page, newest first, including custom fields; optionally one row per package. Each caller gets the
    same orders, contacts and prices as in lists.
    """
    (before,) = parse_cursor(request.cursor, tuple[int]) if request.cursor else (LAST_ID,)
    filters = await list_filters(call, request)
    rows = await lists.list_order_rows_before(call.work, filters, before=before, limit=request.limit + 1)
    page = rows[: request.limit]
    next_cursor = make_cursor(page[-1].id) if len(rows) > len(page) else None
    orders = await order_records(call, page)
    if request.rows == "packages":
        return await _piece_export(call, orders, request.format, next_cursor)
    prices = () if call.principal.hides(PriceFamily.LOCAL_DELIVERY) else PRICE_COLUMNS
    own = await list_shown_fields(call, ResourceKind.ORDER)
    return table_export(orders, [*ORDER_COLUMNS, *prices], own, request.format, next_cursor)


async def _piece_export(call: Call, orders: Sequence[OrderRecord], kind: str, next_cursor: str | None) -> TableExport:
    by_id = {order.id: order for order in orders}
    pieces = await store.list_order_package_rows(call.work, by_id)
    shown = await show_custom_fields(call, ResourceKind.PACKAGE, [piece.custom_fields for piece in pieces])
    own = await list_shown_fields(call, ResourceKind.PACKAGE)
    lines = [
        [
            *(getattr(by_id[piece.order_id], name) for name in PIECE_ORDER_COLUMNS),
            *(getattr(piece, name) for name in PIECE_COLUMNS),
            *map(values.get, own),
        ]
        for piece, values in zip(pieces, shown, strict=True)
    ]
    header = ["order_id", *PIECE_ORDER_COLUMNS[1:], *PIECE_COLUMNS, *(f"{OWN_FIELD}{name}" for name in own)]
    return TableExport(
        document=table_document(header, lines, kind),
        media_type=MEDIA_TYPES[kind],
        count=len(lines),
        next_cursor=next_cursor,
    )
