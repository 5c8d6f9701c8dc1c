"""Audit timeline of an order, from the audit trail."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders import public as orders
from haulier.kernel.call import Call
from haulier.kernel.operations.answers import Answer, doc
from haulier.kernel.operations.declaration import GraphQL, Mcp, Request, Rest, reads
from haulier.kernel.operations.enums import OFFICE, McpServer, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.operations.ids import CallId, UserId
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.audit import list_audit_entries

DEVELOPER = frozenset({McpServer.DEVELOPER})


class GetOrderAuditTimeline(Request):
    """Reference to an order."""

    order_id: Annotated[int, Field(ge=1, le=2**53 - 1, examples=[17])]
    """ID of the order."""


class OrderAuditEntry(Answer):
    """A successful write."""

    at: datetime
    operation: Annotated[str, doc("Operation that ran.", "hold_order")]
    summary: Annotated[str, doc("Summary of the operation.")]
    user_id: Annotated[UserId | None, doc("User who did it; null for the platform.")]
    user_name: str | None
    account: Annotated[str, doc("Kind of account of the user at that time.", "employee")]
    door: Annotated[str, doc("Interface: rest, graphql, mcp, web, or an approval.", "mcp")]
    request_id: Annotated[CallId, doc("Id in the response to the call.")]
    request: Annotated[dict[str, Any], doc("Request without secrets and defaults.")]


class OrderAuditTimeline(Answer):
    """Every write about an order, oldest first."""

    result: bool = True
    order_id: int
    order_ref: str | None
    entries: list[OrderAuditEntry]


@reads(
    "get_order_audit_timeline",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(
        Rest("GET", "/v1/orders/{order_id}/audit"),
        GraphQL("orderAuditTimeline"),
        Mcp("get_order_audit_timeline", DEVELOPER, title="Get the audit timeline of an order"),
    ),
    errors=(NOT_FOUND,),
)
async def get_order_audit_timeline(call: Call, request: GetOrderAuditTimeline) -> OrderAuditTimeline:
    """Get the audit timeline of an order.

    Returns user, time, interface and request of each write, oldest first. Reads and rejected calls are not recorded.
    """
    order = (await orders.get_order_facts(call, [request.order_id])).get(request.order_id)
    if order is None:
        raise NOT_FOUND()
    rows = await list_audit_entries(call, "order", order.id)
    users = await get_users_by_id(call, {row.user_id for row in rows if row.user_id is not None})
    entries = [
        record(
            OrderAuditEntry,
            row,
            summary=_operation_summary(call, row.operation),
            user_name=users[row.user_id].name if row.user_id in users else None,
        )
        for row in rows
    ]
    return OrderAuditTimeline(order_id=order.id, order_ref=order.order_ref, entries=entries)


def _operation_summary(call: Call, name: str) -> str:
    operation = call.app.registry.get(name)
    return operation.summary if operation else name
