"""Operations on delivery orders: query."""

import asyncio
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import UNSET

from haulier.contexts.custom_fields.public import ResourceKind, list_shown_fields, show_custom_fields
from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.delivery_orders.contract.corrections import (
    ListOrderExceptions,
    OrderExceptionList,
    OrderProblemCounts,
)
from haulier.contexts.orders.delivery_orders.contract.filters import ListOrders
from haulier.contexts.orders.delivery_orders.contract.labels import ExportOrders, LabelForm, OrderLabels, PrintLabels
from haulier.contexts.orders.delivery_orders.contract.orders import (
    FindOrder,
    OrderAnswer,
    OrderList,
    OrderMatches,
    OrderRecord,
    OrderRef,
    OrderSnapshot,
)
from haulier.contexts.orders.delivery_orders.queries.order_papers import build_label_contents, build_label_data
from haulier.contexts.orders.delivery_orders.queries.visible_orders import (
    customer_filter,
    get_visible_order,
    get_visible_order_detail,
    list_filters,
    visibility_filter,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderProblemKind
from haulier.contexts.orders.delivery_orders.serializers import (
    order_detail,
    order_exceptions,
    order_record,
    order_records,
    order_step_record,
)
from haulier.contexts.orders.delivery_orders.store import lists
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import list_order_item_rows
from haulier.contexts.orders.delivery_orders.store.lists import list_order_exception_rows
from haulier.kernel.call import Call
from haulier.kernel.data.aggregates import DELIMITER
from haulier.kernel.operations.caching import Cached
from haulier.kernel.operations.declaration import GraphQL, Mcp, Representation, Representations, Rest, reads
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, PriceFamily, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.values.money import Money
from haulier.kernel.values.pagination import make_cursor, parse_cursor, total_fields
from haulier.kernel.values.table_exports import (
    MEDIA_TYPES,
    OWN_FIELD,
    TABLE_FORMS,
    TableExport,
    table_document,
    table_export,
)
from haulier.rendering.label_writers import LABEL_WRITERS
from haulier.rendering.labels import LabelContent, render_label_pdf, render_label_zpl, render_labels_png


@reads(
    "list_exceptions",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", "/v1/orders/exceptions"),
        GraphQL("orderExceptions"),
        Mcp("list_exceptions", title="List orders that need attention"),
    ),
    errors=(NOT_FOUND,),
)
async def list_exceptions(call: Call, request: ListOrderExceptions) -> OrderExceptionList:
    """List orders that need attention.

    Each order has its reasons, such as a passed window or short stock. Problems of stock and of pieces have an owner.
    """
    filters = {
        **request.model_dump(include={"contractor_id", "scheduled_from", "scheduled_to"}),
        **await customer_filter(call, request.customer_id, request.customer),
        **visibility_filter(call),
    }
    counts, rows = await list_order_exception_rows(
        call.work,
        filters,
        kinds=request.kinds or list(OrderProblemKind),
        now=call.now,
        today=call.today,
        offset=request.offset,
        limit=request.per_page,
    )
    return OrderExceptionList(
        **total_fields(counts.total),
        page=request.page,
        per_page=request.per_page,
        as_of=call.local_time(call.now),
        counts=OrderProblemCounts(**{kind.value: getattr(counts, kind.value) for kind in OrderProblemKind}),
        exceptions=await order_exceptions(call, rows),
    )


LAST_ID = 2**53 - 1
ORDER_COLUMNS = (
    *("id", "order_ref", "tracking_number", "type", "status", "fulfilment", "scheduled_date", "window_start"),
    *("window_end", "customer_id", "contractor_id", "driver_id", "driver_name", "route_id", "stop_number"),
    *("planned_arrival_at", "name", "address", "city", "postal_code", "lat", "lng", "package_count", "weight_g"),
    *("attempts", "created_at", "updated_at"),
)
PRICE_COLUMNS = ("shipping_price", "currency")
"""Price in minor units, with its ISO 4217 currency. For callers who may see prices."""
PIECE_ORDER_COLUMNS = ("id", "order_ref", "status", "scheduled_date", "customer_id", "name", "city", "postal_code")
"""Order columns in a row of a package. The order's id is called `order_id`."""
ITEM_COLUMNS = ("sku", "description", "quantity", "weight_g", "hs_code", "country_of_origin")
ITEM_PRICE_COLUMNS = ("unit_price_minor", "currency")
PIECE_COLUMNS = (*("tracking_number", "weight_g", "length_mm", "width_mm", "height_mm", "description", "outcome"),)


@reads(
    "export_orders",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/order-export", representations=TABLE_FORMS), GraphQL("exportOrders")),
    errors=(NOT_FOUND,),
)
async def export_orders(call: Call, request: ExportOrders) -> TableExport:
    """Export orders as CSV or XLSX.

    Up to 5,000 per page, newest first, including custom fields; optionally one row per package or item. Each caller gets the
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
    hidden = call.principal.hides(PriceFamily.LOCAL_DELIVERY)
    if request.rows == "items":
        columns = (*ITEM_COLUMNS, *(() if hidden else ITEM_PRICE_COLUMNS))
        return await _item_export(call, orders, columns, request.format, next_cursor)
    prices = () if hidden else PRICE_COLUMNS
    own = await list_shown_fields(call, ResourceKind.ORDER)
    return table_export(orders, [*ORDER_COLUMNS, *prices], own, request.format, next_cursor)


async def _piece_export(call: Call, orders: Sequence[OrderRecord], kind: str, next_cursor: str | None) -> TableExport:
    by_id = {order.id: order for order in orders}
    pieces = await orders_store.list_order_package_rows(call.work, by_id)
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


async def _item_export(
    call: Call, orders: Sequence[OrderRecord], columns: Sequence[str], kind: str, next_cursor: str | None
) -> TableExport:
    items = await list_order_item_rows(call.work, [order.id for order in orders])
    lines = [
        [*(getattr(order, name) for name in PIECE_ORDER_COLUMNS), *(getattr(item, name) for name in columns)]
        for order in orders
        for item in items.get(order.id, ())
    ]
    return TableExport(
        document=table_document(["order_id", *PIECE_ORDER_COLUMNS[1:], *columns], lines, kind),
        media_type=MEDIA_TYPES[kind],
        count=len(lines),
        next_cursor=next_cursor,
    )


LABEL_TYPES: dict[str, str] = {
    "zpl": "application/zpl",
    "pdf": "application/pdf",
    "png": "image/png",
    **{form: writer.media_type for form, writer in LABEL_WRITERS.items()},
}
LABEL_REPRESENTATIONS = Representations(
    tuple(Representation(media_type, form) for form, media_type in LABEL_TYPES.items()),
    data_field="document",
    media_type_field="media_type",
)


@reads(
    "print_local_label",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", "/v1/orders/{order_id}/label", representations=LABEL_REPRESENTATIONS),
        GraphQL("localLabel"),
        Mcp("print_local_label", title="Print a local label"),
    ),
    errors=(NOT_FOUND,),
)
async def print_local_label(call: Call, request: PrintLabels) -> OrderLabels:
    """Print local labels for an order.

    Returns a 4 × 6 inch label for each package as ZPL for thermal printers, PDF, PNG or plain data. Contractors can
    print labels of orders that they hold. The PDF is a printer copy; a verifiable label is issued as a document.
    """
    row = await get_visible_order(call, request.order_id)
    packages = await orders_store.list_order_package_rows(call.work, [row.id])
    cod = str(Money(row.cod_minor, call.business.currency)) if row.cod_minor else None
    data = [build_label_data(row, package, number, len(packages), cod) for number, package in enumerate(packages, 1)]
    contents = await build_label_contents(call, [row], packages)
    if request.piece is not None:
        if request.piece > len(data):
            raise record_not_found(piece=request.piece)
        data, contents = [data[request.piece - 1]], [contents[request.piece - 1]]
    labels = [render_label_zpl(content).decode() for content in contents]
    answer = OrderLabels(labels=labels, data=data)
    if request.format:
        # Rendered in a thread: an order has up to 200 packages, and an image takes ten milliseconds.
        document = await asyncio.to_thread(_render, request.format, contents, labels)
        answer.format, answer.media_type = request.format, LABEL_TYPES[request.format]
        answer.document = b64encode(document).decode()
    else:
        answer.document = UNSET
    return answer


def _render(form: LabelForm, contents: list[LabelContent], labels: list[str]) -> bytes:
    if form in LABEL_WRITERS:
        return LABEL_WRITERS[form].write(contents)
    if form == "zpl":
        return "\n".join(labels).encode()
    return render_label_pdf(contents) if form == "pdf" else render_labels_png(contents)


ORDER_READ_SCOPES = {Scope.ORDERS_READ}


@reads(
    "get_orders",
    audience=SIGNED_IN,
    scopes=ORDER_READ_SCOPES,
    interfaces=(Rest("GET", "/v1/orders"), GraphQL("orders"), Mcp("get_orders", title="List orders")),
    errors=(NOT_FOUND,),
    cached=Cached(OFFICE, moment_matters=lambda request: request.late),
)
async def get_orders(call: Call, request: ListOrders) -> OrderList:
    """List orders, newest first.

    Staff see all orders of the business, others their own.
    """
    filters = await list_filters(call, request)
    total, rows = await _list_page(call, filters, request)
    steps = {row.id: (row.steps_taken or "").split(DELIMITER) for row in rows}
    orders = await order_records(call, rows, steps=steps, with_items=request.include_items)
    more = len(rows) == request.per_page
    return OrderList(
        **total_fields(total),
        page=request.page,
        per_page=request.per_page,
        orders=orders,
        next_cursor=make_cursor(rows[-1].id) if more else None,
    )


async def _list_page(
    call: Call, filters: Mapping[str, Any], request: ListOrders
) -> tuple[int, list[orders_store.ListedOrderRow]]:
    """Return the total and the page.

    A list is counted once until something is written (docs/decisions/performance.md).
    """
    given = sorted((name, repr(value)) for name, value in filters.items() if value is not None)
    key, totals = ("orders", call.client_id, *given), call.app.list_totals
    known = totals.get(key)
    counting = totals.before_count(call.client_id) if known is None else None
    before = parse_cursor(request.cursor, tuple[int])[0] if request.cursor else None
    offset = 0 if before else request.offset
    total, rows = await lists.list_order_rows_page(call.work, filters, offset, request.per_page, known, before=before)
    if known is None and not request.late:
        totals.note(key, total, counting)
    return total, rows


@reads(
    "get_order_detail",
    audience=SIGNED_IN,
    scopes=ORDER_READ_SCOPES,
    interfaces=(Rest("GET", "/v1/orders/{order_id}"), GraphQL("order"), Mcp("get_order_detail", title="Get an order")),
    errors=(NOT_FOUND,),
    cached=Cached(OFFICE),
)
async def get_order_detail(call: Call, request: OrderRef) -> OrderAnswer:
    """Get an order.

    Includes its contacts, packages, price and full history.
    """
    return OrderAnswer(order=await order_detail(call, await get_visible_order_detail(call, request.order_id)))


@reads(
    "find_order",
    audience=SIGNED_IN,
    scopes=ORDER_READ_SCOPES,
    interfaces=(Rest("GET", "/v1/orders/find"), GraphQL("findOrder"), Mcp("find_order", title="Find an order")),
)
async def find_order(call: Call, request: FindOrder) -> OrderMatches:
    """Find orders by reference or tracking number.

    If nothing matches, searches by name, phone, email or street.
    """
    rows = await orders_store.search_order_rows(call.work, request.search, visibility_filter(call), request.limit)
    return OrderMatches(orders=await order_records(call, rows))


@reads(
    "order_snapshot",
    audience=SIGNED_IN,
    scopes=ORDER_READ_SCOPES,
    interfaces=(
        Rest("GET", "/v1/orders/{order_id}/snapshot"),
        GraphQL("orderSnapshot"),
        Mcp("order_snapshot", title="Get an order overview"),
    ),
    errors=(NOT_FOUND,),
    cached=Cached(OFFICE),
)
async def order_snapshot(call: Call, request: OrderRef) -> OrderSnapshot:
    """Get an overview of an order.

    Includes its route and stop, holder, latest event and available actions.
    """
    row = await get_visible_order(call, request.order_id)
    steps = await orders_store.list_order_change_rows(call.work, row.id)
    order = await order_record(call, row)
    contractors = await get_users_by_id(call, [row.contractor_id]) if row.contractor_id else {}
    contractor = contractors.get(row.contractor_id or 0)
    return OrderSnapshot(
        order=order,
        holder=order.driver_name or (contractor.name if contractor else None),
        last_step=order_step_record(call, steps[-1]) if steps else None,
        steps=len(steps),
        packages=row.package_count,
    )
