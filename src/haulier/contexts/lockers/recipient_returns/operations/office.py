"""Operations for staff on recipients' returns."""

from typing import Any

from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.recipient_returns import store
from haulier.contexts.lockers.recipient_returns.contract.returns import ListRecipientReturns, RecipientReturnList
from haulier.contexts.lockers.recipient_returns.serializers import return_records
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Account, Area, Scope
from haulier.kernel.values.pagination import total_fields


@reads(
    "list_recipient_returns",
    audience=OFFICE | {Account.CUSTOMER},
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/recipient-returns", area=Area.ORDERS), GraphQL("recipientReturns")),
)
async def list_recipient_returns(call: Call, request: ListRecipientReturns) -> RecipientReturnList:
    """List returns from recipients, newest first.

    Includes the reason, return method and status. Customers see the returns of their own orders.
    """
    wanted: dict[str, Any] = request.model_dump(mode="json", include={"order_id", "way", "outcome"}, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_return_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return RecipientReturnList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        returns=await return_records(call, rows),
    )
