"""Operations that create orders, or reroute them as a cancelled and a new order."""

from haulier.contexts.orders.delivery_orders.actions import create
from haulier.contexts.orders.delivery_orders.actions.transitions import cancel_orders, load_tracked_packages
from haulier.contexts.orders.delivery_orders.contract.orders import (
    CreatedOrder,
    CreateOrder,
    OrderAddress,
    ReroutedOrder,
    RerouteOrder,
)
from haulier.contexts.orders.delivery_orders.queries.visible_orders import (
    find_picked_up_order_ids,
    get_visible_order,
    order_as_request,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    NOT_PICKED_UP_STATUSES,
    ORDER_STEP_REFUSED,
    OrderStatus,
)
from haulier.contexts.orders.delivery_orders.serializers import (
    load_warning_facts,
    new_order_record,
    order_record,
    order_warnings,
    price_change,
)
from haulier.contexts.orders.delivery_orders.store import orders as orders_store
from haulier.contexts.orders.delivery_orders.store.items import list_order_item_rows
from haulier.contexts.orders.ports import OrderRoutes
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE, ZONE_ERRORS
from haulier.contexts.tracking.public import set_replaced_by
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Area, McpServer, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND

BOTH_SERVERS = frozenset({McpServer.USER, McpServer.DEVELOPER})


@writes(
    "create_order",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/client/orderCreate", area=Area.CLIENT),
        GraphQL("clientOrderCreate"),
        Mcp("create_order", servers=BOTH_SERVERS, title="Create an order"),
    ),
    errors=create.CREATE_ORDER_ERRORS,
)
async def create_order(call: Call, request: CreateOrder) -> CreatedOrder:
    """Create a delivery, pickup or point-to-point order.

    The type is delivery (D), pickup (P) or point to point (P2P). A repeat with the same `order_ref` creates nothing and
    returns the existing order with `existing: true`. A different order with a reference of the same customer is
    refused, as is an address that the zones in force close to drivers.
    """
    (outcome,) = await create.create_orders(call, [request])
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    if outcome.existing:
        return CreatedOrder(order=await order_record(call, outcome.row), existing=True, warnings=[])
    filled = outcome.request or request
    warnings = order_warnings(call, filled, await load_warning_facts(call, [filled]))
    return CreatedOrder(order=await new_order_record(call, outcome.row), existing=False, warnings=warnings)


@writes(
    "reroute_to_address",
    available_when={"allowed_actions": "reroute"},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/reroute"),
        GraphQL("rerouteOrder"),
        Mcp("reroute_to_address", title="Reroute an order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, create.SERVICE_UNKNOWN, RATE_NOT_AVAILABLE, *ZONE_ERRORS),
)
async def reroute_to_address(call: Call, request: RerouteOrder) -> ReroutedOrder:
    """Reroute an order to another address.

    Cancels an order that is not picked up yet and creates a new one for the address. The new order copies all other
    values, including the contractor that holds it, and has its own tracking number. Both orders refer to each other.
    The reference moves to the new order, and the public tracking page of the old number leads to the new one. The
    answer, including that of a dry run, shows how the price changes.
    """
    await call.adapter(OrderRoutes).lock(call, [request.order_id])
    row = await get_visible_order(call, request.order_id, lock=True)
    # The other business decides on the destination: it reroutes its own order, and this one is cancelled with it.
    theirs = row.partner_offer_id is not None
    if theirs or OrderStatus(row.status) not in NOT_PICKED_UP_STATUSES or await find_picked_up_order_ids(call, [row]):
        raise ORDER_STEP_REFUSED(step="reroute", status=OrderStatus(row.status).name)
    holder = (await call.adapter(OrderRoutes).get_holders(call, [row.id])).get(row.id)
    await cancel_orders(call, [row.id], "rerouted")
    if row.order_ref:
        await orders_store.update_orders(call.work, [row.id], order_ref=None)
    packages = await orders_store.list_order_package_rows(call.work, [row.id])
    items = (await list_order_item_rows(call.work, [row.id])).get(row.id, [])
    copy = copy_order_for_address(order_as_request(row, packages, items), request.address)
    (outcome,) = await create.create_orders(call, [copy], replaces={0: row.id})
    if outcome.row is None:
        raise outcome.error or CONFLICT()
    await orders_store.update_orders(call.work, [row.id], replaced_by_order_id=outcome.row.id)
    # A client that repeats the first request gets the replacement order.
    await orders_store.update_orders(call.work, [outcome.row.id], request_digest=row.request_digest)
    await _redirect_to_new_numbers(call, row, outcome.row)
    if holder is not None:
        await call.adapter(OrderRoutes).assign(call, outcome.row.id, holder)
    return ReroutedOrder(
        cancelled_order_id=row.id,
        order=await order_record(call, await get_visible_order(call, outcome.row.id)),
        warnings=order_warnings(call, copy, await load_warning_facts(call, [copy])),
        price=price_change(row.price, outcome.row.price),
        contractor_id=holder,
    )


async def _redirect_to_new_numbers(call: Call, old: orders_store.OrderRow, new: orders_store.OrderRow) -> None:
    """Redirect the public pages of each old number to the package's new number."""
    before, now = await load_tracked_packages(call, [old]), await load_tracked_packages(call, [new])
    await set_replaced_by(call, {a.tracking_number: b.tracking_number for a, b in zip(before, now, strict=True)})


def copy_order_for_address(order: CreateOrder, address: OrderAddress) -> CreateOrder:
    """Return the request that recreates an order at another address."""
    return order.model_copy(update={"shipper" if order.type == "P" else "consignee": address})
