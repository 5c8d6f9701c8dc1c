"""Orders are read: listed, found, shown whole or at a glance, and printed as labels."""

from haulier.contexts.access.public import users
from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.contract import (
    FindOrder,
    FoundOrders,
    LabelAnswer,
    ListOrders,
    OrderAnswer,
    OrderList,
    Snapshot,
    ThisOrder,
    status_of,
)
from haulier.contexts.orders.delivery_orders.labels import label_data, zpl
from haulier.contexts.orders.delivery_orders.showing import detail, one, record, records, step_record, visible, whole
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, SIGNED_IN, Scope
from haulier.kernel.errors import NOT_FOUND
from haulier.kernel.money import Money
from haulier.kernel.operation import GraphQL, Mcp, Rest, reads
from haulier.kernel.pages import counted

READ = {Scope.ORDERS_READ}


@reads(
    "get_orders",
    audience=SIGNED_IN,
    scopes=READ,
    doors=(Rest("GET", "/v1/orders"), GraphQL("orders"), Mcp("get_orders", title="List orders")),
)
async def get_orders(call: Call, request: ListOrders) -> OrderList:
    """List orders, newest first, by status, dates, references, people or words.

    The office sees all orders of the client; contractors, drivers and customers see theirs.
    """
    asked = request.model_dump(exclude={"page", "per_page", "status"})
    filters = {**asked, "status": status_of(request.status), **visible(call)}
    total, rows = await store.page(call.work, filters, request.offset, request.per_page)
    orders = await records(call, rows)
    return OrderList(**counted(total), page=request.page, per_page=request.per_page, orders=orders)


@reads(
    "get_order_detail",
    audience=SIGNED_IN,
    scopes=READ,
    doors=(Rest("GET", "/v1/orders/{order_id}"), GraphQL("order"), Mcp("get_order_detail", title="Show an order")),
    errors=(NOT_FOUND,),
)
async def get_order_detail(call: Call, request: ThisOrder) -> OrderAnswer:
    """Show an order with its people, packages, price and every step it took."""
    return OrderAnswer(order=await detail(call, await whole(call, request.order_id)))


@reads(
    "find_order",
    audience=SIGNED_IN,
    scopes=READ,
    doors=(Rest("GET", "/v1/orders/find"), GraphQL("findOrder"), Mcp("find_order", title="Find an order")),
)
async def find_order(call: Call, request: FindOrder) -> FoundOrders:
    """Find orders by reference or tracking number; failing that, by a name, phone, e-mail or street."""
    rows = await store.find(call.work, request.query, visible(call), request.limit)
    return FoundOrders(orders=await records(call, rows))


@reads(
    "order_snapshot",
    audience=SIGNED_IN,
    scopes=READ,
    doors=(
        Rest("GET", "/v1/orders/{order_id}/snapshot"),
        GraphQL("orderSnapshot"),
        Mcp("order_snapshot", title="An order at a glance"),
    ),
    errors=(NOT_FOUND,),
)
async def order_snapshot(call: Call, request: ThisOrder) -> Snapshot:
    """Show an order at a glance: where it is, who holds it, what happened last and what can be done now."""
    row = await one(call, request.order_id)
    steps = await store.changes_of(call.work, row.id)
    holder = row.driver_id or row.contractor_id
    people = await users(call, [holder]) if holder else {}
    return Snapshot(
        order=await record(call, row),
        holder=people[holder].name if holder in people else None,
        last_step=step_record(call, steps[-1]) if steps else None,
        steps=len(steps),
        packages=row.package_count,
    )


@reads(
    "print_local_label",
    audience=OFFICE,
    scopes=READ,
    doors=(
        Rest("GET", "/v1/orders/{order_id}/label"),
        GraphQL("localLabel"),
        Mcp("print_local_label", title="Print a local label"),
    ),
    errors=(NOT_FOUND,),
)
async def print_local_label(call: Call, request: ThisOrder) -> LabelAnswer:
    """Print a 4 by 6 inch label for each piece of an order, as ZPL for a thermal printer and as plain data."""
    row = await one(call, request.order_id)
    packages = await store.packages_of(call.work, [row.id])
    cod = str(Money(row.cod_minor, call.business.currency)) if row.cod_minor else None
    data = [label_data(row, package, at, len(packages), cod) for at, package in enumerate(packages, 1)]
    return LabelAnswer(labels=[zpl(label) for label in data], data=data)
