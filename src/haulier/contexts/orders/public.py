"""What dispatch and shipping may ask of orders: the facts a planner needs, and steps of the life cycle."""

from haulier.contexts.orders.delivery_orders.facts import (
    Doors,
    OrderFacts,
    any_order,
    called,
    doors,
    facts,
    give_to_contractor,
    give_to_driver,
    give_to_third_party,
    set_window,
    waiting,
)
from haulier.contexts.orders.delivery_orders.loads import OrderLoad, loads
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_STEP_REFUSED, OrderStatus, Step
from haulier.contexts.orders.delivery_orders.steps import take
from haulier.contexts.orders.return_reasons.finding import ReturnReason, return_reason

__all__ = [
    "ORDER_STEP_REFUSED",
    "Doors",
    "OrderFacts",
    "OrderLoad",
    "OrderStatus",
    "ReturnReason",
    "Step",
    "any_order",
    "called",
    "doors",
    "facts",
    "give_to_contractor",
    "give_to_driver",
    "give_to_third_party",
    "loads",
    "return_reason",
    "set_window",
    "take",
    "waiting",
]
