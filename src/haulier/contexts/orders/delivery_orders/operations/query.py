"""Operations that read orders: list, find, show in full or at a glance."""

from collections.abc import Mapping
from typing import Any

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.delivery_orders.contract.matches import FindOrder, OrderMatches
from haulier.contexts.orders.delivery_orders.contract.orders import (
    ListOrders,
    OrderAnswer,
    OrderList,
    OrderRef,
    OrderSnapshot,
)
from haulier.contexts.orders.delivery_orders.queries.listed_orders import list_filters
from haulier.contexts.orders.delivery_orders.queries.visible_orders import (
    get_visible_order,
    get_visible_order_detail,
    visibility_filter,
)
from haulier.contexts.orders.delivery_orders.serializers.orders import (
    order_detail,
    order_record,
    order_records,
    order_step_record,
)
from haulier.contexts.orders.delivery_orders.store import lists
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.caching import Kept
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import make_cursor, parse_cursor, total_fields

ORDER_READ_SCOPES = {Scope.ORDERS_READ}


@reads(
    "get_orders",
    audience=SIGNED_IN,
    scopes=ORDER_READ_SCOPES,
    doors=(Rest("GET", "/v1/orders"), GraphQL("orders"), Mcp("get_orders", title="List orders")),
    errors=(NOT_FOUND,),
    kept=Kept(OFFICE, moment_matters=lambda request: request.late),
)
async def get_orders(call: Call, request: ListOrders) -> OrderList:
    """List orders, newest first.

    Filter by status, dates, references, contacts or words. Staff see all orders of the business. Contractors, drivers
    and customers see their own.
    """
    filters = await list_filters(call, request)
    total, rows = await _list_page(call, filters, request)
    orders = await order_records(call, rows, steps={row.id: (row.steps_taken or "").split(",") for row in rows})
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
) -> tuple[int, list[store.ListedOrderRow]]:
    """The total and the page. A list is counted once until something is written (decision 0156)."""
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
    doors=(Rest("GET", "/v1/orders/{order_id}"), GraphQL("order"), Mcp("get_order_detail", title="Show an order")),
    errors=(NOT_FOUND,),
    kept=Kept(OFFICE),
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
    doors=(Rest("GET", "/v1/orders/find"), GraphQL("findOrder"), Mcp("find_order", title="Find an order")),
)
async def find_order(call: Call, request: FindOrder) -> OrderMatches:
    """Find orders by reference or tracking number.

    If nothing matches, searches by name, phone, email or street.
    """
    rows = await store.search_order_rows(call.work, request.query, visibility_filter(call), request.limit)
    return OrderMatches(orders=await order_records(call, rows))


@reads(
    "order_snapshot",
    audience=SIGNED_IN,
    scopes=ORDER_READ_SCOPES,
    doors=(
        Rest("GET", "/v1/orders/{order_id}/snapshot"),
        GraphQL("orderSnapshot"),
        Mcp("order_snapshot", title="An order at a glance"),
    ),
    errors=(NOT_FOUND,),
    kept=Kept(OFFICE),
)
async def order_snapshot(call: Call, request: OrderRef) -> OrderSnapshot:
    """Get an overview of an order.

    Includes its route and stop, holder, latest event and available actions.
    """
    row = await get_visible_order(call, request.order_id)
    steps = await store.list_order_change_rows(call.work, row.id)
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
