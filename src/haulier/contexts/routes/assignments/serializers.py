"""Assignments, and orders that a bulk call did not change, as answers show them."""

from collections.abc import Mapping, Sequence

from haulier.contexts.identity.public import get_users_by_id
from haulier.contexts.orders.public import get_order_facts
from haulier.contexts.routes.assignments.contract import Assignment, AssignmentStatus, OrderError
from haulier.contexts.routes.assignments.store import AssignmentRow
from haulier.contexts.routes.stops.queries import get_route_ids_by_order
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError
from haulier.kernel.operations.records import record


def serialize_order_errors(call: Call, errors: Mapping[int, OperationError]) -> list[OrderError]:
    """The errors in the caller's language, in the order of the mapping."""
    return [
        OrderError(
            order_id=order_id,
            message=call.translate(error.error_type.id, **error.params),
            code=error.error_type.code,
        )
        for order_id, error in errors.items()
    ]


async def serialize_assignments(call: Call, rows: Sequence[AssignmentRow]) -> list[Assignment]:
    """Return assignments with their orders, routes and contractors.

    Three statements for any number of assignments.
    """
    order_ids = {row.order_id for row in rows}
    orders = await get_order_facts(call, order_ids)
    routes = await get_route_ids_by_order(call, order_ids)
    brokers = await get_users_by_id(call, {row.contractor_id for row in rows})
    assignments: list[Assignment] = []
    for row in rows:
        order, broker = orders.get(row.order_id), brokers.get(row.contractor_id)
        assignments.append(
            record(
                Assignment,
                row,
                order_ref=order.order_ref if order else None,
                order_status_id=int(order.status) if order else None,
                scheduled_date=order.scheduled_date if order else None,
                route_id=routes.get(row.order_id),
                broker_id=row.contractor_id,
                broker_name=broker.name if broker else None,
                status=AssignmentStatus(row.status),
                assigned_at=call.local_time(row.assigned_at),
                respond_by=call.local_time(row.respond_by),
                accepted_at=call.local_time(row.accepted_at),
                ended_at=call.local_time(row.ended_at),
            )
        )
    return assignments
