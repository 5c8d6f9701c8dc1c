"""Contractor rules and the orders of a pool as answers show them."""

from haulier.contexts.orders.public import OrderFacts
from haulier.contexts.routes.pools.contract import ContractorRuleDetail, OrderType, PlannableOrder
from haulier.contexts.routes.pools.store import ContractorRuleRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def serialize_contractor_rule(row: ContractorRuleRow) -> ContractorRuleDetail:
    """A contractor rule."""
    order_types = [OrderType(name) for name in row.order_types]
    return record(ContractorRuleDetail, row, order_types=order_types, active=bool(row.active))


def serialize_plannable_order(call: Call, order: OrderFacts) -> PlannableOrder:
    """An order of a pool, with its window in the business's time zone."""
    return record(
        PlannableOrder,
        order,
        order_id=order.id,
        type=OrderType(order.type),
        status_id=int(order.status),
        held=order.contractor_id is not None,
        window_start=call.local_time(order.window_start),
        window_end=call.local_time(order.window_end),
        skills=list(order.skills),
    )
