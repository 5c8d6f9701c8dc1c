"""Operations on the stock of orders."""

from haulier.contexts.orders.public import OPEN_STATUS_NAMES, ORDER_IS_OVER, OrderGoods, load_order_goods
from haulier.contexts.warehouse.order_stock import store
from haulier.contexts.warehouse.order_stock.actions import load_held_stock, release_for_order, reserve_for_order
from haulier.contexts.warehouse.order_stock.contract import (
    OrderStock,
    OrderStockLine,
    OrderStockPolicyAnswer,
    OrderStockRef,
    OrderStockShare,
    SetOrderStockPolicy,
)
from haulier.contexts.warehouse.order_stock.queries import get_reserve_policy
from haulier.contexts.warehouse.products.queries import get_product_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.wanted_values import PRESENT

POLICY_PATH = "/v1/wms/order-stock-policy"
PATH = "/v1/wms/orders/{order_id}/stock"


@reads(
    "get_order_stock_policy",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", POLICY_PATH), GraphQL("orderStockPolicy")),
)
async def get_order_stock_policy(call: Call, request: EmptyRequest) -> OrderStockPolicyAnswer:
    """Get the reservation policy for orders."""
    return OrderStockPolicyAnswer(reserve=await get_reserve_policy(call))


@writes(
    "set_order_stock_policy",
    audience={Account.CLIENT_ADMIN},
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", POLICY_PATH), GraphQL("setOrderStockPolicy")),
)
async def set_order_stock_policy(call: Call, request: SetOrderStockPolicy) -> OrderStockPolicyAnswer:
    """Set the reservation policy for orders.

    It applies to orders that are created or released from now on.
    """
    await store.set_policy(call.work, request.reserve, call.now)
    return OrderStockPolicyAnswer(reserve=request.reserve)


@reads(
    "get_order_stock",
    audience=OFFICE,
    scopes={Scope.WMS_READ},
    interfaces=(Rest("GET", PATH), GraphQL("orderStock")),
    errors=(NOT_FOUND,),
)
async def get_order_stock(call: Call, request: OrderStockRef) -> OrderStock:
    """Get the stock of an order: ordered, reserved, shipped and short units."""
    return await _show(call, await load_order_goods(call, request.order_id))


@writes(
    "reserve_order_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", PATH), GraphQL("reserveOrderStock")),
    errors=(NOT_FOUND, ORDER_IS_OVER),
    available_when={"status": OPEN_STATUS_NAMES, "items": PRESENT},
)
async def reserve_order_stock(call: Call, request: OrderStockRef) -> OrderStock:
    """Reserve stock for an order.

    Items with known SKUs are reserved in the nearest warehouse that has all of them, else in several. Units that no
    warehouse has become stock shortages and an exception of the order. A repeat reserves only the missing units.
    """
    order = await reserve_for_order(call, request.order_id)
    if order.is_over:
        raise ORDER_IS_OVER(status=order.status)
    return await _show(call, order)


@writes(
    "release_order_stock",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", PATH), GraphQL("releaseOrderStock")),
    errors=(NOT_FOUND,),
    available_when={"items": PRESENT},
)
async def release_order_stock(call: Call, request: OrderStockRef) -> OrderStock:
    """Release the reserved stock of an order."""
    return await _show(call, await release_for_order(call, request.order_id))


async def _show(call: Call, order: OrderGoods) -> OrderStock:
    held = await load_held_stock(call, order)
    shares = await store.sum_reserved(call.work, order.tracking_number)
    known = await get_product_rows(call, {*held.ordered, *(row.product_id for row in shares)})
    missing = held.missing()
    lines = [
        OrderStockLine(
            product_id=id,
            sku=known[id].sku,
            ordered=units,
            reserved=held.reserved[id],
            shipped=held.shipped.get(id, 0),
            short=missing.get(id, 0),
        )
        for id, units in held.ordered.items()
        if id in known
    ]
    return OrderStock(
        order_id=order.id,
        reference=order.tracking_number,
        lines=lines,
        reserved=[
            OrderStockShare(warehouse_id=row.warehouse_id, sku=known[row.product_id].sku, quantity=row.units)
            for row in shares
        ],
    )
