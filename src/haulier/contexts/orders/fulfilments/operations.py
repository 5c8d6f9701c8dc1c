"""Operations on fulfilments."""

from haulier.contexts.orders.fulfilments.contract import (
    FulfilmentAnswer,
    FulfilmentList,
    FulfilmentRef,
    ListFulfilments,
)
from haulier.contexts.orders.fulfilments.queries import list_fulfilments_of_order
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Mcp, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found

FULFILMENTS = "/v1/orders/{order_id}/fulfilments"


@reads(
    "list_fulfilments",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", FULFILMENTS),
        GraphQL("fulfilments"),
        Mcp("list_fulfilments", title="List fulfilments of an order"),
    ),
    errors=(NOT_FOUND,),
)
async def list_fulfilments(call: Call, request: ListFulfilments) -> FulfilmentList:
    """List the fulfilments of an order.

    Shows which packages the order has, where they are and who carries them. Current fulfilments are first, voided
    labels last.
    """
    return FulfilmentList(fulfilments=await list_fulfilments_of_order(call, request.order_id))


@reads(
    "get_fulfilment",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", f"{FULFILMENTS}/{{fulfilment_id}}"), GraphQL("fulfilment")),
    errors=(NOT_FOUND,),
)
async def get_fulfilment(call: Call, request: FulfilmentRef) -> FulfilmentAnswer:
    """Get a fulfilment of an order."""
    for each in await list_fulfilments_of_order(call, request.order_id):
        if each.id == request.fulfilment_id:
            return FulfilmentAnswer(fulfilment=each)
    raise record_not_found(fulfilment_id=request.fulfilment_id)
