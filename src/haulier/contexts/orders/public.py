"""What dispatch and shipping may ask of orders: the facts a planner needs, and steps of the life cycle."""

from haulier.contexts.orders.delivery_orders.facts import (
    OrderFacts,
    any_order,
    facts,
    give_to_contractor,
    give_to_driver,
    waiting,
)
from haulier.contexts.orders.delivery_orders.rules.lifecycle import OrderStatus, Step
from haulier.contexts.orders.delivery_orders.steps import take

__all__ = [
    "OrderFacts",
    "OrderStatus",
    "Step",
    "any_order",
    "facts",
    "give_to_contractor",
    "give_to_driver",
    "take",
    "waiting",
]
