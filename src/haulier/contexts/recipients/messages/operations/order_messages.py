"""Messages to the recipient of an order."""

from haulier.contexts.orders.public import get_recipient_facts
from haulier.contexts.recipients.messages.contract import ListOrderMessages, OrderMessages, SentRecipientMessage
from haulier.contexts.recipients.messages.store import messages as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import OFFICE, Area, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record


@reads(
    "list_order_messages",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", "/v1/orders/{order_id}/recipient-messages", area=Area.ORDERS), GraphQL("orderMessages")),
    errors=(NOT_FOUND,),
)
async def list_order_messages(call: Call, request: ListOrderMessages) -> OrderMessages:
    """List messages to an order's recipient.

    Includes sent and queued messages, and dropped messages with the reason.
    """
    if not await get_recipient_facts(call, [request.order_id]):
        raise record_not_found(order_id=request.order_id)
    rows = await store.list_messages_of_order(call.work, request.order_id)
    return OrderMessages(
        messages=[
            record(
                SentRecipientMessage,
                row,
                due_at=call.local_time(row.due_at),
                settled_at=call.local_time(row.settled_at),
            )
            for row in rows
        ]
    )
