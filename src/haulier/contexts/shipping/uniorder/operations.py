"""Orders by one form: made, seen, bought a label for, and cancelled, whoever carries them."""

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.orders.public import ORDER_STEP_REFUSED
from haulier.contexts.orders.quotes.rules import QUOTE_MISMATCH
from haulier.contexts.shipping.labels.actions.purchases import await_purchase
from haulier.contexts.shipping.labels.actions.voids import settle_void
from haulier.contexts.shipping.labels.actions.wanted import Wanted, rate_service
from haulier.contexts.shipping.labels.operations.rates import SHIPPERS
from haulier.contexts.shipping.labels.queries import call_of
from haulier.contexts.shipping.labels.rules.lifecycle import (
    SHIPMENT_STEP_REFUSED,
    SHIPPING_RATE_EXPIRED,
    SHIPPING_RATE_NOT_AVAILABLE,
    ShipmentState,
)
from haulier.contexts.shipping.uniorder.actions import purchases
from haulier.contexts.shipping.uniorder.actions.creation import (
    CREATE_UNIORDER_ERRORS,
    make_uniorder,
    rate_named_way,
)
from haulier.contexts.shipping.uniorder.contract.orders import (
    CancelUniorder,
    CreatedUniorder,
    CreateUniorder,
    ListUniorders,
    PurchaseUniorderLabel,
    UniorderAnswer,
    UniorderDetail,
    UniorderList,
    UniorderRef,
)
from haulier.contexts.shipping.uniorder.queries import carry, get_visible_uniorder, list_conditions
from haulier.contexts.shipping.uniorder.rules.states import UNIORDER_HAS_NO_LABEL, UniorderStatus
from haulier.contexts.shipping.uniorder.serializers.orders import uniorder_detail, uniorder_record
from haulier.contexts.shipping.uniorder.store import uniorders as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.request_context import RequestContext
from haulier.kernel.values.pagination import MAX_COUNT, total_fields


async def _detail(call: Call, row: store.UniorderRow) -> UniorderDetail:
    (order,) = await carry(call, [row])
    return uniorder_detail(call, order)


async def rate_choice(context: RequestContext, request: CreateUniorder) -> Wanted | None:
    """What the named label costs now."""
    return await rate_named_way(context.app, context.principal.business, request)


async def finish_label(context: RequestContext, request: object, answer: UniorderAnswer) -> UniorderAnswer:
    """Ask the carrier for a label that was claimed, and answer with what came of it."""
    client_id, order = context.principal.client_id, answer.order
    pending = order.status == UniorderStatus.LABEL_PURCHASE_PENDING and order.shipment_id is not None
    if client_id is None or order.shipment_id is None or not pending:
        return answer
    await await_purchase(context.app, client_id, order.shipment_id)
    async with context.app.database.read(client_id) as work:
        row = await store.get_uniorder_row(work, order.id)
        if row is not None:
            answer.order = await _detail(call_of(context, work), row)
    return answer


@writes(
    "uniorder_create",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.MEDIUM,
    doors=(
        Rest("POST", "/v1/uniorder"),
        GraphQL("uniorderCreate"),
        Mcp("uniorder_create", title="Order a delivery or a label"),
    ),
    prepare=rate_choice,
    conclude=finish_label,
    errors=CREATE_UNIORDER_ERRORS,
)
async def uniorder_create(call: Call, request: CreateUniorder) -> CreatedUniorder:
    """Order by a rate that was quoted, or by a form and a way that is named: a local delivery, or a carrier's label.

    A repeat with the same `order_ref`, or the same rate where there is none, gives the order that is there. Where the carrier
    sells no label the order stays with the status LABEL_PURCHASE_FAILED, and `uniorder_purchase_label` buys it later.
    """
    made = await make_uniorder(call, request, call.prepared)
    return CreatedUniorder(order=await _detail(call, made.row), existing=made.existing)


@reads(
    "uniorder_get",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    doors=(
        Rest("GET", "/v1/uniorder/{orderId}"),
        GraphQL("uniorder"),
        Mcp("uniorder_get", title="Show an order by whichever carrier"),
    ),
    errors=(NOT_FOUND,),
)
async def uniorder_get(call: Call, request: UniorderRef) -> UniorderAnswer:
    """Show an order: where it is, who carries it, its numbers and its price."""
    return UniorderAnswer(order=await _detail(call, await get_visible_uniorder(call, request.order_id)))


@reads(
    "list_uniorders",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_READ},
    doors=(Rest("GET", "/v1/uniorder"), GraphQL("uniorders")),
)
async def list_uniorders(call: Call, request: ListUniorders) -> UniorderList:
    """List orders, newest first."""
    rows, counted = await store.list_uniorder_rows(
        call.work, list_conditions(call, request), request.per_page, request.offset, MAX_COUNT + 1
    )
    return UniorderList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        orders=[uniorder_record(call, order) for order in await carry(call, rows)],
    )


async def rate_purchase(context: RequestContext, request: PurchaseUniorderLabel) -> Wanted | None:
    """What the label costs now, where no rate is named."""
    async with context.app.database.read(context.principal.client_id) as work:
        wanted = await purchases.rate_for_purchase(call_of(context, work), request)
    if wanted is None:
        return None
    return await rate_service(context.app, context.principal.business, *wanted)


@writes(
    "uniorder_purchase_label",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/uniorder/{orderId}/purchase-label"),
        GraphQL("uniorderPurchaseLabel"),
        Mcp("uniorder_purchase_label", title="Buy the label of an order"),
    ),
    prepare=rate_purchase,
    conclude=finish_label,
    errors=(
        NOT_FOUND,
        UNIORDER_HAS_NO_LABEL,
        SHIPMENT_STEP_REFUSED,
        QUOTE_MISMATCH,
        SHIPPING_RATE_EXPIRED,
        SHIPPING_RATE_NOT_AVAILABLE,
        CREDIT_INSUFFICIENT,
    ),
)
async def uniorder_purchase_label(call: Call, request: PurchaseUniorderLabel) -> UniorderAnswer:
    """Buy the label of an order that has none: with the same service at its price now, with another, or at another rate."""
    row = await purchases.purchase_label(call, request, call.prepared)
    return UniorderAnswer(order=await _detail(call, row))


async def finish_cancel(context: RequestContext, request: object, answer: UniorderAnswer) -> UniorderAnswer:
    """Ask the carrier to take the label back, and answer with what it says."""
    client_id, order = context.principal.client_id, answer.order
    if client_id is None or order.shipment_id is None or order.carrier_status != ShipmentState.VOID_PENDING:
        return answer
    await settle_void(context.app, client_id, order.shipment_id)
    async with context.app.database.read(client_id) as work:
        row = await store.get_uniorder_row(work, order.id)
        if row is not None:
            answer.order = await _detail(call_of(context, work), row)
    return answer


@writes(
    "uniorder_cancel",
    audience=SHIPPERS,
    scopes={Scope.UNIORDER_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(
        Rest("POST", "/v1/uniorder/{orderId}/cancel"),
        GraphQL("uniorderCancel"),
        Mcp("uniorder_cancel", title="Cancel an order at its carrier"),
    ),
    conclude=finish_cancel,
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, SHIPMENT_STEP_REFUSED),
)
async def uniorder_cancel(call: Call, request: CancelUniorder) -> UniorderAnswer:
    """Cancel an order at whoever carries it: the local order, or the label, whose money comes back.

    A carrier that decides later is asked until it has decided; until then the order stays as it is.
    """
    row = await purchases.cancel_uniorder(call, request.order_id, request.reason)
    return UniorderAnswer(order=await _detail(call, row))
