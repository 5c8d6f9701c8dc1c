"""Orders are taken: created, and rerouted (which cancels one and creates another)."""

from haulier.contexts.orders.delivery_orders import store
from haulier.contexts.orders.delivery_orders.actions import create
from haulier.contexts.orders.delivery_orders.actions.transitions import apply_order_transition
from haulier.contexts.orders.delivery_orders.contract.orders import (
    CreatedOrder,
    CreateOrder,
    ReroutedOrder,
    RerouteOrder,
)
from haulier.contexts.orders.delivery_orders.queries.visible_orders import find_picked_up_order_ids, get_visible_order
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    NOT_PICKED_UP_STATUSES,
    ORDER_STEP_REFUSED,
    OrderStatus,
    OrderStep,
)
from haulier.contexts.orders.delivery_orders.serializers.orders import order_record
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, McpServer, Risk, Scope
from haulier.kernel.operations.errors import CONFLICT, NOT_FOUND

BOTH_SERVERS = frozenset({McpServer.USER, McpServer.DEVELOPER})
_COPIED_FIELDS = (
    "type",
    "order_ref",
    "shipper",
    "consignee",
    "scheduled_date",
    "window_start",
    "window_end",
    "service_time_s",
    "skills",
    "note",
    "delivery_instruction",
    "references",
    "cod_minor",
    "customer_id",
    "fulfilment",
)


@writes(
    "create_order",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", "/v1/client/orderCreate", tag="Delivery Orders"),
        GraphQL("clientOrderCreate"),
        Mcp("create_order", servers=BOTH_SERVERS, title="Create an order"),
    ),
    errors=create.CREATE_ORDER_ERRORS,
)
async def create_order(call: Call, request: CreateOrder) -> CreatedOrder:
    """Take an order: delivery (D), pickup (P) or from door to door (P2P).

    A repeat with the same `order_ref` creates nothing and gives the order that is there, with `existing: true`.
    """
    (taken,) = await create.create_orders(call, [request])
    if taken.refusal:
        raise taken.refusal
    return CreatedOrder(order=await order_record(call, taken.row), existing=taken.existing)


@writes(
    "reroute_to_address",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/orders/{order_id}/reroute"),
        GraphQL("rerouteOrder"),
        Mcp("reroute_to_address", title="Reroute an order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, create.SERVICE_UNKNOWN, RATE_NOT_AVAILABLE),
)
async def reroute_to_address(call: Call, request: RerouteOrder) -> ReroutedOrder:
    """Cancel an order that was not picked up yet and create it anew for another address.

    The new order keeps everything else, has its own tracking number, and each of the two names the other. The reference
    moves to the new order.
    """
    row = await get_visible_order(call, request.order_id, lock=True)
    if OrderStatus(row.status) not in NOT_PICKED_UP_STATUSES or await find_picked_up_order_ids(call, [row]):
        raise ORDER_STEP_REFUSED(step="reroute", status=OrderStatus(row.status).name)
    await apply_order_transition(call, OrderStep.CANCEL, [row.id], note="rerouted")
    if row.order_ref:
        await store.update_orders(call.work, [row.id], order_ref=None)
    packages = await store.list_order_package_rows(call.work, [row.id])
    (taken,) = await create.create_orders(call, [copy_order_for_address(row, packages, request)], replaces={0: row.id})
    if taken.refusal or taken.row is None:
        raise taken.refusal or CONFLICT()
    await store.update_orders(call.work, [row.id], replaced_by_order_id=taken.row.id)
    return ReroutedOrder(cancelled_order_id=row.id, order=await order_record(call, taken.row))


def copy_order_for_address(row: object, packages: list[object], request: RerouteOrder) -> CreateOrder:
    """The request that would create a row's order at another address."""
    fields = {name: getattr(row, name) for name in _COPIED_FIELDS}
    fields["shipper" if fields["type"] == "P" else "consignee"] = request.address.model_dump()
    sizes = ("weight_g", "length_mm", "width_mm", "height_mm", "quantity", "description")
    fields["packages"] = [{name: getattr(package, name) for name in sizes} for package in packages]
    bought = getattr(row, "price", None) or {}
    fields["service"] = bought.get("service", "standard")
    fields["signature_required"] = bought.get("signature_required", False)
    return CreateOrder.model_validate(fields)
