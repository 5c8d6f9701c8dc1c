"""Orders change hands: what is locked, written and announced when a contractor gets orders or gives them up."""

from collections.abc import Collection

from haulier.contexts.dispatch.assignments import rules, store
from haulier.contexts.dispatch.assignments.rules import Candidate
from haulier.contexts.dispatch.events import AssignmentsEnded, EndedAssignment, OrdersAssigned
from haulier.contexts.dispatch.stops import store as stop_store
from haulier.contexts.orders.public import facts, give_to_contractor
from haulier.kernel.call import Call

SELF_DELIVERY = "self_delivery"


async def candidates(call: Call, order_ids: Collection[int]) -> dict[int, Candidate]:
    """What the rules need to know of these orders. They stay locked until the call ends: no two calls move one at once."""
    wanted = sorted(set(order_ids))
    orders = await facts(call, wanted, lock=True)
    routes = await stop_store.routes_of(call.work, orders)
    holders = await store.holders(call, orders)
    return {
        order.id: Candidate(
            order_id=order.id,
            status=order.status.name,
            self_delivery=order.fulfilment == SELF_DELIVERY,
            third_party_held=order.third_party_held,
            route_id=routes.get(order.id),
            holder_id=holders.get(order.id),
        )
        for order in orders.values()
    }


async def end(call: Call, orders: Collection[Candidate], status: str, reason: str | None) -> None:
    """End the assignments of orders and give them back to ordinary rules."""
    if orders:
        order_ids = [order.order_id for order in orders]
        await _close(call, orders, status, reason)
        await give_to_contractor(call, order_ids, None)
        call.concerns("order", *order_ids)


async def give(call: Call, orders: Collection[Candidate], contractor_id: int, note: str | None) -> None:
    """Open an assignment for each order; the one that another contractor held is closed in the same transaction."""
    moved = [order for order in orders if order.holder_id is not None]
    if moved:
        await _close(call, moved, rules.REVOKED, rules.REASSIGNED)
    order_ids = [order.order_id for order in orders]
    await store.open_all(call.work, order_ids, contractor_id, note=note, by=call.actor, at=call.now)
    await give_to_contractor(call, order_ids, contractor_id)
    call.concerns("order", *order_ids)
    await call.announce(
        OrdersAssigned(order_ids=tuple(order_ids), contractor_id=contractor_id, assigned_by=call.actor, at=call.now)
    )


async def _close(call: Call, orders: Collection[Candidate], status: str, reason: str | None) -> None:
    ended = tuple(EndedAssignment(order.order_id, order.holder_id) for order in orders if order.holder_id)
    await store.end_all(
        call.work, [order.order_id for order in ended], status=status, by=call.actor, at=call.now, reason=reason
    )
    await call.announce(AssignmentsEnded(ended=ended, status=status, reason=reason, ended_by=call.actor, at=call.now))
