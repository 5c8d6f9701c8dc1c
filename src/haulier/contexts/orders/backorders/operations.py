"""Operations on backorders."""

from haulier.contexts.orders.backorders import actions, store
from haulier.contexts.orders.backorders.contract import (
    BackorderAnswer,
    BackorderList,
    BackorderRef,
    CreateBackorder,
    ListBackorders,
    MergeBackorder,
    UpdateBackorder,
)
from haulier.contexts.orders.backorders.rules import (
    BACKORDER_STEP_REFUSED,
    NOTHING_TO_BACKORDER,
    ORDER_NOT_DIVISIBLE,
    BackorderState,
)
from haulier.contexts.orders.backorders.serializers import backorder_answer, backorder_records
from haulier.contexts.orders.delivery_orders.rules.lifecycle import NOT_PICKED_UP_STATUSES, ORDER_STEP_REFUSED
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

PATH = "/v1/backorders"
ONE = f"{PATH}/{{backorder_id}}"
WAITING = {"state": frozenset({BackorderState.WAITING.value})}
UNITED = {"state": frozenset({BackorderState.WAITING.value, BackorderState.RELEASED.value})}


@writes(
    "create_backorder",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", "/v1/orders/{order_id}/backorders"),
        GraphQL("createBackorder"),
        Mcp("create_backorder", title="Backorder items of an order"),
    ),
    errors=(NOT_FOUND, ORDER_STEP_REFUSED, ORDER_NOT_DIVISIBLE, NOTHING_TO_BACKORDER),
    available_when={"status": frozenset(status.name for status in NOT_PICKED_UP_STATUSES)},
)
async def create_backorder(call: Call, request: CreateBackorder) -> BackorderAnswer:
    """Backorder items of an order.

    The waiting items become an order of their own, on hold and with its own tracking number. The rest can ship now, and
    both are fulfilments of the original order. The price is divided between them. Arriving stock releases the oldest
    backorder first. Use `cancel_order` to cancel the waiting items: their share of the price is refunded.
    """
    return await backorder_answer(call, await actions.create_backorder(call, request))


@reads(
    "list_backorders",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", PATH),
        GraphQL("backorders"),
        Mcp("list_backorders", title="List backorders"),
    ),
)
async def list_backorders(call: Call, request: ListBackorders) -> BackorderList:
    """List backorders, oldest first."""
    rows, counted = await store.list_backorder_rows(
        call.work,
        order_id=request.order_id,
        owner_id=request.owner_id,
        state=request.state,
        overdue_before=call.today if request.overdue else None,
        limit=request.per_page,
        offset=request.offset,
    )
    return BackorderList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        backorders=await backorder_records(call, rows),
    )


@reads(
    "get_backorder",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", ONE), GraphQL("backorder")),
    errors=(NOT_FOUND,),
)
async def get_backorder(call: Call, request: BackorderRef) -> BackorderAnswer:
    """Get a backorder."""
    return await backorder_answer(call, await actions.get_backorder_row(call, request.backorder_id))


@writes(
    "update_backorder",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("PATCH", ONE), GraphQL("updateBackorder")),
    errors=(NOT_FOUND, BACKORDER_STEP_REFUSED),
    available_when=WAITING,
)
async def update_backorder(call: Call, request: UpdateBackorder) -> BackorderAnswer:
    """Update a waiting backorder.

    Changes its owner, expected day, note or automatic release.
    """
    return await backorder_answer(call, await actions.update_backorder(call, request))


@writes(
    "merge_backorder",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(
        Rest("POST", f"{ONE}/merge"),
        GraphQL("mergeBackorder"),
        Mcp("merge_backorder", title="Merge a backorder into its order"),
    ),
    errors=(NOT_FOUND, BACKORDER_STEP_REFUSED, ORDER_STEP_REFUSED, ORDER_NOT_DIVISIBLE),
    available_when=UNITED,
)
async def merge_backorder(call: Call, request: MergeBackorder) -> BackorderAnswer:
    """Merge a backorder into its original order.

    Possible until goods of either are picked up. Items, reserved stock and price return to the original order; the
    separate order is cancelled, and its tracking page leads to the original.
    """
    return await backorder_answer(call, await actions.merge_backorder(call, request))
