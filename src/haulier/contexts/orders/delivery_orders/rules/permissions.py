"""Which caller may take which step. Which steps are possible at all is in `lifecycle`."""

from datetime import datetime, timedelta
from functools import lru_cache

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.corrections import CORRECTABLE_STATUSES
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    NOT_PICKED_UP_STATUSES,
    TERMINAL_STATUSES,
    OrderStatus,
    OrderStep,
    possible_order_steps,
)
from haulier.kernel.operations.enums import OFFICE, Account

PLANNING_STEPS = frozenset({OrderStep.PLAN, OrderStep.UNPLAN})
DRIVING_STEPS = frozenset(
    {OrderStep.PICK_UP, OrderStep.START, OrderStep.DELIVER, OrderStep.FAIL, OrderStep.RETURN, OrderStep.REJECT}
)
"""REOPEN is offered by the stop alone: whether it can be taken depends on its route. WITHDRAW_DELIVERY is how UNDO_DELIVERY
ends once the route is over."""


class OrderState(Struct, frozen=True, kw_only=True):
    """The facts that decide a caller's rights. `collected`: the goods were picked up once, whatever happened since.

    `on_route`: it stands on a route, also when its stop there failed. `attempts`: how often it was tried without success.
    `of_partner`: another business gave it.
    """

    status: OrderStatus
    type: str = "D"
    self_delivery: bool = True
    third_party_held: bool = False
    contractor_id: int | None = None
    collected: bool = False
    on_route: bool = False
    attempts: int = 0
    of_partner: bool = False


NOT_DELIVERED_STATUSES = frozenset({OrderStatus.FAILED, OrderStatus.HOLD})
TRIED_STATUSES = NOT_DELIVERED_STATUSES | {OrderStatus.NEW_ORDER}
PEOPLE_SHOWN_TO_DRIVERS = timedelta(hours=24)
"""How long after an order is over its driver can still read whose it was: to answer a question of the same day."""


def may_see_people(status: OrderStatus, changed_at: datetime, account: Account, now: datetime) -> bool:
    """Whether a caller may read names, phones and addresses of an order that they may see."""
    over = status in TERMINAL_STATUSES and now - changed_at >= PEOPLE_SHOWN_TO_DRIVERS
    return not (over and account is Account.DRIVER)


REROUTE, CORRECT, RESCHEDULE = "reroute", "correct", "reschedule"
REDELIVER, CORRECT_ADDRESS = "redeliver", "correct_address"
OFFERED_ACTIONS = {
    OrderStep.HOLD.value: "hold_order",
    OrderStep.RELEASE.value: "release_order",
    OrderStep.PLAN.value: "add_orders_to_route",
    OrderStep.UNPLAN.value: "remove_orders_from_route",
    OrderStep.CANCEL.value: "cancel_order",
    REROUTE: "reroute_to_address",
    CORRECT: "correct_order",
    RESCHEDULE: "reschedule_orders",
    REDELIVER: "request_redelivery",
    CORRECT_ADDRESS: "correct_address",
    OrderStep.RETURN.value: "return_order",
    OrderStep.UNDO_DELIVERY.value: "undo_delivery",
}
"""The actions that an order offers, each with its operation. What is done at a stop is offered by the stop."""


@lru_cache(maxsize=4096)
def offered_order_actions(order: "OrderState", account: Account, user_id: int | None) -> tuple[str, ...]:
    """The actions for which the caller has an operation that would accept the order now."""
    steps = [
        step.value
        for step in permitted_order_steps(order, account, user_id)
        if step.value in OFFERED_ACTIONS
        and step is not OrderStep.RETURN
        and not (step is OrderStep.PLAN and order.on_route)
    ]
    if account in OFFICE:
        may_reroute = order.status in NOT_PICKED_UP_STATUSES and not order.collected
        steps += [REROUTE] if may_reroute else []
        steps += [CORRECT, RESCHEDULE] if order.status in CORRECTABLE_STATUSES else []
    elif account is Account.CUSTOMER:
        steps += [REDELIVER] if order.status is OrderStatus.FAILED else []
    if account in OFFICE | {Account.CUSTOMER}:
        steps += [OrderStep.RETURN.value] if may_return(order) else []
        steps += [CORRECT_ADDRESS] if may_correct_address(order) else []
    return tuple(steps)


def permitted_order_steps(order: OrderState, account: Account, user_id: int | None) -> tuple[OrderStep, ...]:
    """The steps that a caller may take now; empty when there are none."""
    return tuple(step for step in possible_order_steps(order.status) if _may_take_step(step, order, account, user_id))


def _may_take_step(step: OrderStep, order: OrderState, account: Account, user_id: int | None) -> bool:
    if account is Account.CUSTOMER:
        return step is OrderStep.CANCEL and may_customer_cancel(order)
    if account is Account.DRIVER:
        return step in DRIVING_STEPS
    if step in {OrderStep.REOPEN, OrderStep.WITHDRAW_DELIVERY}:
        return False
    if step is OrderStep.UNDO_DELIVERY:
        return account in OFFICE and order.type != "P" and order.collected
    if step is OrderStep.PLAN:
        return order.self_delivery and not order.third_party_held and _is_planner_of(order, account, user_id)
    return account in OFFICE or (account is Account.CONTRACTOR and step in PLANNING_STEPS | DRIVING_STEPS)


def _is_planner_of(order: OrderState, account: Account, user_id: int | None) -> bool:
    """An order that a contractor holds is planned by that contractor alone; one that nobody holds, by the office."""
    return order.contractor_id is None if account in OFFICE else order.contractor_id == user_id


def may_return(order: OrderState) -> bool:
    """Whether an order's owners may have its goods returned: they left once, and nobody is out with them."""
    return order.collected and order.status in NOT_DELIVERED_STATUSES


def may_correct_address(order: OrderState) -> bool:
    """Whether the address can be corrected: somebody was there without success. Before that it is a reroute.

    One that another business gave is corrected there.
    """
    return order.attempts > 0 and order.status in TRIED_STATUSES and not order.of_partner


def may_customer_cancel(order: OrderState) -> bool:
    """Whether the customer may still cancel: while nobody ever picked the goods up."""
    return order.status in NOT_PICKED_UP_STATUSES and not order.collected
