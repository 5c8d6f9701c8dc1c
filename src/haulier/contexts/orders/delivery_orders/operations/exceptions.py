"""Operations that show which orders need somebody, and why."""

from haulier.contexts.orders.delivery_orders.contract.exceptions import (
    ListOrderExceptions,
    OrderExceptionList,
    OrderProblemCounts,
)
from haulier.contexts.orders.delivery_orders.queries.visible_orders import customer_filter, visibility_filter
from haulier.contexts.orders.delivery_orders.rules.exceptions import OrderProblemKind
from haulier.contexts.orders.delivery_orders.serializers.exceptions import order_exceptions
from haulier.contexts.orders.delivery_orders.store.exceptions import list_order_exception_rows
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields


@reads(
    "list_exceptions",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.ORDERS_READ},
    doors=(
        Rest("GET", "/v1/orders/exceptions"),
        GraphQL("orderExceptions"),
        Mcp("list_exceptions", title="List orders that need somebody"),
    ),
    errors=(NOT_FOUND,),
)
async def list_exceptions(call: Call, request: ListOrderExceptions) -> OrderExceptionList:
    """List orders that need attention.

    Each order has its reasons: late, failed, held, unplanned after its window, without coordinates, held by a
    contractor whose account is disabled, or delivered with a piece missing or damaged.
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
