"""Orders are taken: created, and rerouted (which cancels one and creates another)."""

from haulier.contexts.orders.delivery_orders import creating, store
from haulier.contexts.orders.delivery_orders.contract import CreatedOrder, CreateOrder, Reroute, Rerouted
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    NOT_PICKED_UP,
    ORDER_STEP_REFUSED,
    OrderStatus,
    Step,
)
from haulier.contexts.orders.delivery_orders.showing import collected, one, record
from haulier.contexts.orders.delivery_orders.steps import take
from haulier.contexts.orders.quotes.rules import RATE_NOT_AVAILABLE
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, Account, Risk, Scope, Server
from haulier.kernel.errors import CONFLICT, NOT_FOUND
from haulier.kernel.operation import GraphQL, Mcp, Rest, writes

BOTH = frozenset({Server.USER, Server.DEVELOPER})
_KEPT = (
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
        Mcp("create_order", servers=BOTH, title="Create an order"),
    ),
    errors=creating.REFUSALS,
)
async def create_order(call: Call, request: CreateOrder) -> CreatedOrder:
    """Take an order: delivery (D), pickup (P) or from door to door (P2P).

    A repeat with the same `order_ref` creates nothing and gives the order that is there, with `existing: true`.
    """
    (taken,) = await creating.take_all(call, [request])
    if taken.refusal:
        raise taken.refusal
    return CreatedOrder(order=await record(call, taken.row), existing=taken.existing)


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
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, creating.SERVICE_UNKNOWN, RATE_NOT_AVAILABLE),
)
async def reroute_to_address(call: Call, request: Reroute) -> Rerouted:
    """Cancel an order that was not picked up yet and create it anew for another address.

    The new order keeps everything else, has its own tracking number, and each of the two names the other. The reference
    moves to the new order.
    """
    row = await one(call, request.order_id, lock=True)
    if OrderStatus(row.status) not in NOT_PICKED_UP or await collected(call, [row]):
        raise ORDER_STEP_REFUSED(step="reroute", status=OrderStatus(row.status).name)
    await take(call, Step.CANCEL, [row.id], note="rerouted")
    if row.order_ref:
        await store.change(call.work, [row.id], order_ref=None)
    packages = await store.packages_of(call.work, [row.id])
    (taken,) = await creating.take_all(call, [again(row, packages, request)], replaces={0: row.id})
    if taken.refusal or taken.row is None:
        raise taken.refusal or CONFLICT()
    await store.change(call.work, [row.id], replaced_by_order_id=taken.row.id)
    return Rerouted(cancelled_order_id=row.id, order=await record(call, taken.row))


def again(row: object, packages: list[object], request: Reroute) -> CreateOrder:
    """The request that would create a row's order at another address."""
    fields = {name: getattr(row, name) for name in _KEPT}
    fields["shipper" if fields["type"] == "P" else "consignee"] = request.address.model_dump()
    sizes = ("weight_g", "length_mm", "width_mm", "height_mm", "quantity", "description")
    fields["packages"] = [{name: getattr(package, name) for name in sizes} for package in packages]
    bought = getattr(row, "price", None) or {}
    fields["service"] = bought.get("service", "standard")
    fields["signature_required"] = bought.get("signature_required", False)
    return CreateOrder.model_validate(fields)
