"""Writes when a contractor gets orders or gives them back: locks, rows, events."""

from collections.abc import Collection
from datetime import datetime

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import PICKUP_FULFILMENT
from haulier.contexts.orders.public import assign_orders_to_contractor, get_order_facts
from haulier.contexts.routes.assignments import rules, store
from haulier.contexts.routes.assignments.rules import AssignmentCandidate
from haulier.contexts.routes.events import AssignmentsEnded, EndedAssignment, OrdersAssigned
from haulier.contexts.routes.stops.queries import get_route_ids_by_order
from haulier.kernel.call import Call

EXPIRE_JOB = "assignments.expire"


class ExpireAssignments(Struct, frozen=True, kw_only=True):
    """Arguments of the job that releases orders after their response deadline."""

    order_ids: tuple[int, ...]


SELF_DELIVERY = "self_delivery"


async def lock_assignment_candidates(call: Call, order_ids: Collection[int]) -> dict[int, AssignmentCandidate]:
    """Lock these orders until the call ends, and return the facts for the rules."""
    orders = await get_order_facts(call, sorted(set(order_ids)), lock=True)
    routes = await get_route_ids_by_order(call, orders)
    holders = await store.get_order_holders(call, orders)
    return {
        order.id: AssignmentCandidate(
            order_id=order.id,
            status=order.status.name,
            self_delivery=order.fulfilment == SELF_DELIVERY,
            third_party_held=order.third_party_held,
            for_pickup=order.fulfilment == PICKUP_FULFILMENT,
            route_id=routes.get(order.id),
            holder_id=holders.get(order.id),
            day=order.scheduled_date,
        )
        for order in orders.values()
    }


async def end_assignments(call: Call, orders: Collection[AssignmentCandidate], status: str, reason: str | None) -> None:
    """End the assignments of orders; ordinary contractor rules apply to them again."""
    if orders:
        order_ids = [order.order_id for order in orders]
        await _close_assignments(call, orders, status, reason)
        await assign_orders_to_contractor(call, order_ids, None)
        call.add_audit_subjects("order", *order_ids)


async def open_assignments(
    call: Call,
    orders: Collection[AssignmentCandidate],
    contractor_id: int,
    note: str | None,
    respond_by: datetime | None = None,
) -> None:
    """Open an assignment for each order, and close those of other contractors.

    With `respond_by`, orders neither accepted nor on a route by then are released.
    """
    reassigned = [order for order in orders if order.holder_id is not None]
    if reassigned:
        await _close_assignments(call, reassigned, rules.REVOKED, rules.REASSIGNED)
    order_ids = [order.order_id for order in orders]
    await store.insert_assignments(
        call.work, order_ids, contractor_id, note=note, by=call.actor, at=call.now, respond_by=respond_by
    )
    if respond_by is not None:
        await call.enqueue(EXPIRE_JOB, ExpireAssignments(order_ids=tuple(order_ids)), run_at=respond_by)
    await assign_orders_to_contractor(call, order_ids, contractor_id)
    call.add_audit_subjects("order", *order_ids)
    await call.publish(
        OrdersAssigned(order_ids=tuple(order_ids), contractor_id=contractor_id, assigned_by=call.actor, at=call.now)
    )


async def _close_assignments(
    call: Call, orders: Collection[AssignmentCandidate], status: str, reason: str | None
) -> None:
    ended = tuple(EndedAssignment(order.order_id, order.holder_id) for order in orders if order.holder_id)
    await store.close_assignments(
        call.work, [order.order_id for order in ended], status=status, by=call.actor, at=call.now, reason=reason
    )
    await call.publish(AssignmentsEnded(ended=ended, status=status, reason=reason, ended_by=call.actor, at=call.now))
