"""Who may take which step: the life cycle says what is possible, this says for whom."""

from msgspec import Struct

from haulier.contexts.orders.delivery_orders.rules.lifecycle import NOT_PICKED_UP, OrderStatus, Step, allowed
from haulier.kernel.declarations import OFFICE, Account

PLANNING = frozenset({Step.PLAN, Step.UNPLAN})
DRIVING = frozenset({Step.PICK_UP, Step.START, Step.DELIVER, Step.FAIL, Step.RETURN, Step.REJECT})


class Standing(Struct, frozen=True, kw_only=True):
    """What rights depend on. `collected`: the goods were picked up once, whatever happened since."""

    status: OrderStatus
    self_delivery: bool = True
    third_party_held: bool = False
    contractor_id: int | None = None
    collected: bool = False


def steps_for(order: Standing, account: Account, user_id: int | None) -> tuple[Step, ...]:
    """The steps that a caller may take now. Raises nothing: who may do nothing gets nothing."""
    return tuple(step for step in allowed(order.status) if _may(step, order, account, user_id))


def _may(step: Step, order: Standing, account: Account, user_id: int | None) -> bool:
    if account is Account.CUSTOMER:
        return step is Step.CANCEL and may_withdraw(order)
    if account is Account.DRIVER:
        return step in DRIVING
    if step is Step.PLAN:
        return order.self_delivery and not order.third_party_held and _holds(order, account, user_id)
    return account in OFFICE or (account is Account.CONTRACTOR and step in PLANNING | DRIVING)


def _holds(order: Standing, account: Account, user_id: int | None) -> bool:
    """An order that a contractor holds is planned by that contractor alone; one that nobody holds, by the office."""
    return order.contractor_id is None if account in OFFICE else order.contractor_id == user_id


def may_withdraw(order: Standing) -> bool:
    """Whether the customer may still cancel: while nobody ever picked the goods up."""
    return order.status in NOT_PICKED_UP and not order.collected
