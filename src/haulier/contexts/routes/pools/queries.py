"""Orders as the rules of pools see them, and the contractor rules of a planner."""

from haulier.contexts.orders.delivery_orders.rules.lifecycle import PICKUP_FULFILMENT
from haulier.contexts.orders.public import OrderFacts, list_plannable_orders
from haulier.contexts.routes.pools import store
from haulier.contexts.routes.pools.rules import ContractorRule, PoolOrder
from haulier.contexts.routes.stops.queries import get_route_ids_by_order
from haulier.kernel.call import Call

SELF_DELIVERY = "self_delivery"


async def list_waiting_orders(call: Call, *, limit: int) -> tuple[list[OrderFacts], bool]:
    """List plannable orders on no route, and whether the list is complete.

    Two statements. A failed order stays on its route until its vehicle is back at the depot.
    """
    plannable = await list_plannable_orders(call, limit=limit)
    on_routes = await get_route_ids_by_order(call, [order.id for order in plannable])
    return [order for order in plannable if order.id not in on_routes], len(plannable) < limit


async def get_pool_rules(call: Call, planner_id: int | None) -> list[ContractorRule]:
    """The rules in force for a contractor; the office, without an id, needs none."""
    return (
        [_to_contractor_rule(row) for row in await store.list_active_contractor_rules(call.work, planner_id)]
        if planner_id is not None
        else []
    )


def to_pool_order(order: OrderFacts) -> PoolOrder:
    """An order as the rules see it. The contractor of a waiting order is its holder."""
    return PoolOrder(
        order_id=order.id,
        status=order.status.name,
        type=order.type,
        self_delivery=order.fulfilment == SELF_DELIVERY,
        third_party_held=order.third_party_held,
        for_pickup=order.fulfilment == PICKUP_FULFILMENT,
        holder_id=order.contractor_id,
        postal_code=order.postal_code,
        skills=frozenset(order.skills),
        weight_g=order.weight_g,
        scheduled_date=order.scheduled_date,
    )


def _to_contractor_rule(row: store.ContractorRuleRow) -> ContractorRule:
    return ContractorRule(
        postal_prefixes=frozenset(row.postal_prefixes),
        order_types=frozenset(row.order_types),
        skills=frozenset(row.skills),
        max_weight_g=row.max_weight_g,
        weekdays=frozenset(row.weekdays),
    )
