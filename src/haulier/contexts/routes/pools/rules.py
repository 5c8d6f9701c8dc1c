"""Rules of planning pools.

An order held by a contractor is in that contractor's pool alone. An order without a holder is in the pool of staff and
of every contractor whose rules match it.
"""

from collections.abc import Iterable
from datetime import date

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP
from haulier.contexts.routes.assignments.rules import ORDER_ON_ROUTE, ORDER_UNKNOWN
from haulier.kernel.operations.errors import OperationError, declare_error
from haulier.kernel.values.postal_codes import matches_postal_prefix

ORDER_NOT_PLANNABLE = declare_error("order_not_plannable", 409)
ORDER_HELD_BY_CONTRACTOR = declare_error("order_held_by_contractor", 409)

WAITING_STATUSES = frozenset({"NEW_ORDER", "FAILED"})
"""Orders that wait for a route: new ones, and those whose last attempt failed."""


class PoolOrder(Struct, frozen=True, kw_only=True):
    """Facts of an order for the rules. `holder_id` is the contractor that holds it."""

    order_id: int
    status: str
    type: str = "D"
    self_delivery: bool = True
    third_party_held: bool = False
    for_pickup: bool = False
    holder_id: int | None = None
    postal_code: str | None = None
    skills: frozenset[str] = frozenset()
    weight_g: int | None = None
    scheduled_date: date | None = None


class ContractorRule(Struct, frozen=True, kw_only=True):
    """Orders that a contractor accepts.

    An empty list of prefixes, types or weekdays matches every order. `skills` are the contractor's skills: an order
    that requires more never matches. Prefixes and postal codes are compared without spaces, in capitals. Weekdays
    follow ISO 8601: 1 is Monday.
    """

    postal_prefixes: frozenset[str] = frozenset()
    order_types: frozenset[str] = frozenset()
    skills: frozenset[str] = frozenset()
    max_weight_g: int | None = None
    weekdays: frozenset[int] = frozenset()


def rule_matches_order(rule: ContractorRule, order: PoolOrder) -> bool:
    """Return True if the rule matches the order.

    Unknown facts of an order (weight, day) exclude nothing, but without a postal code it is in no zone.
    """
    return (
        _is_in_zone(rule, order)
        and (not rule.order_types or order.type in rule.order_types)
        and order.skills <= rule.skills
        and (rule.max_weight_g is None or (order.weight_g or 0) <= rule.max_weight_g)
        and (not rule.weekdays or order.scheduled_date is None or order.scheduled_date.isoweekday() in rule.weekdays)
    )


def is_waiting_for_route(order: PoolOrder) -> bool:
    """Return True if any planner could plan the order now."""
    return order.status in WAITING_STATUSES and order.self_delivery and not order.third_party_held


def belongs_to_pool(order: PoolOrder, planner_id: int | None, rules: Iterable[ContractorRule]) -> bool:
    """Return True if a waiting order is in a planner's pool.

    The planner is a contractor with their rules, or staff without an id.
    """
    if order.holder_id is not None:
        return order.holder_id == planner_id
    return planner_id is None or any(rule_matches_order(rule, order) for rule in rules)


def is_in_pool(order: PoolOrder, planner_id: int | None, rules: Iterable[ContractorRule]) -> bool:
    """Return True if a planner may plan the order now."""
    return is_waiting_for_route(order) and belongs_to_pool(order, planner_id, rules)


def check_plannable(
    order: PoolOrder, planner_id: int | None, rules: Iterable[ContractorRule], route_id: int | None
) -> OperationError | None:
    """Return the error that prevents a planner from planning an order, or None.

    The order may already be on another route. A contractor cannot detect orders outside its pool.
    """
    if not belongs_to_pool(order, planner_id, rules):
        unseen = ORDER_UNKNOWN if planner_id is not None else ORDER_HELD_BY_CONTRACTOR
        return unseen(order_id=order.order_id)
    if route_id is not None:
        return ORDER_ON_ROUTE(order_id=order.order_id)
    return why_not_waiting(order)


def why_not_waiting(order: PoolOrder) -> OperationError | None:
    """Return the error that prevents any planner from planning an order, or None."""
    if order.for_pickup:
        return ORDER_FOR_PICKUP(order_id=order.order_id)
    if not is_waiting_for_route(order):
        return ORDER_NOT_PLANNABLE(order_id=order.order_id, status=order.status)
    return None


def _is_in_zone(rule: ContractorRule, order: PoolOrder) -> bool:
    return not rule.postal_prefixes or matches_postal_prefix(order.postal_code, rule.postal_prefixes)
