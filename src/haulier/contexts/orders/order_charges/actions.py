"""Charges of orders to the customer's credit.

Undone deliveries and cancelled orders are refunded.
"""

from collections.abc import Sequence
from datetime import date
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.public import (
    ChargeTime,
    MoneySubject,
    charge,
    load_charge_time,
    refund_remaining,
)
from haulier.contexts.orders.delivery_orders.queries.order_facts import get_order_facts, lock_priced_order
from haulier.contexts.orders.delivery_orders.queries.order_labels import has_bought_label
from haulier.contexts.orders.delivery_orders.rules.priced_orders import OrderDue
from haulier.contexts.orders.order_charges.rules import CHARGED_BY_EVENT, charge_line_of
from haulier.contexts.orders.order_charges.store import OrderChargeRow, list_pending_rows
from haulier.contexts.orders.quotes.queries import get_rate_cards
from haulier.kernel.call import Call
from haulier.kernel.operations.enums import PriceFamily
from haulier.kernel.values.money import Money

SUBJECT = "order"


class Reconciled(Struct, frozen=True, kw_only=True):
    """Amount charged or refunded for an order, and the transfer of a charge."""

    minor: int = 0
    transfer_id: int | None = None


async def reconcile_order_charge(call: Call, order_id: int, *, charge_now: bool = False) -> Reconciled:
    """Charge or refund the difference between the amount owed and charged.

    An order is charged when the business charges it, or with `charge_now`; what is no longer owed is refunded in any
    case. An order that was charged at its creation stays charged after a change of the policy. Repeated calls change
    nothing. The amount charged now is negative for a refund.
    """
    order = await lock_priced_order(call, order_id)
    state = await OrderChargeRow.find_by(call.work, order_id=order_id)
    if order is None:
        return Reconciled()
    time = await load_charge_time(call)
    at_creation = time is ChargeTime.ON_CREATION or (state is not None and state.at_creation is True)
    due = 0 if await has_bought_label(call, order_id) else order.due_minor(at_creation=at_creation)
    if state is None and not due:
        return Reconciled()
    state = state or await _insert(call, order, due, at_creation=at_creation)
    values: dict[str, Any] = {"due_minor": due, "serviced_on": order.day, "updated_at": call.now}
    difference, transfer_id = due - state.charged_minor, None
    if difference < 0:
        await _refund(call, state, -difference)
    elif difference and (charge_now or time in CHARGED_BY_EVENT):
        transfer_id = await _charge(call, order, state, difference)
        values["transfers"] = [*state.transfers, transfer_id]
    else:
        difference = 0
    if difference:
        values |= {"charged_minor": due, "postings": state.postings + 1, "at_creation": at_creation}
        call.add_audit_subjects("order", order_id)
    if difference or due != state.due_minor:
        await OrderChargeRow.update(call.work, state.id, values)
    return Reconciled(minor=difference, transfer_id=transfer_id)


async def lock_pending_orders(call: Call, customer_id: int, until: date) -> Sequence[int]:
    """Lock and return a customer's uncharged orders, delivered up to a day."""
    ids = [row.order_id for row in await list_pending_rows(call.work, [customer_id], until)]
    return sorted(await get_order_facts(call, ids, lock=True)) if ids else []


async def charge_pending_orders(call: Call, order_ids: Sequence[int]) -> Sequence[int]:
    """Charge orders once. Return the transfers."""
    charged = [await reconcile_order_charge(call, order_id, charge_now=True) for order_id in order_ids]
    return [each.transfer_id for each in charged if each.transfer_id is not None]


async def _insert(call: Call, order: OrderDue, due: int, *, at_creation: bool) -> OrderChargeRow:
    await OrderChargeRow.insert(
        call.work,
        order_id=order.id,
        customer_id=order.customer_id,
        currency=(order.price or {})["currency"],
        due_minor=due,
        charged_minor=0,
        at_creation=at_creation,
        postings=0,
        transfers=[],
        serviced_on=order.day,
        updated_at=call.now,
    )
    state = await OrderChargeRow.find_by(call.work, order_id=order.id)
    assert state is not None  # inserted above
    return state


async def _charge(call: Call, order: OrderDue, state: OrderChargeRow, minor: int) -> int:
    card = (await get_rate_cards(call, quoted=False)).current
    posted = await charge(
        call,
        state.customer_id,
        Money(minor, state.currency),
        key=f"order:{order.id}:delivery:{state.postings}",
        subject=MoneySubject(SUBJECT, order.id, PriceFamily.LOCAL_DELIVERY),
        line=charge_line_of(order, card, minor),
        beyond_limit=True,
    )
    return posted.transfer_id


async def _refund(call: Call, state: OrderChargeRow, minor: int) -> None:
    """Refund charges, newest first, up to what refunds and credit notes left of them."""
    for transfer_id in reversed(state.transfers):
        if minor <= 0:
            return
        key = f"order:{state.order_id}:undo:{state.postings}:{transfer_id}"
        minor -= await refund_remaining(call, transfer_id, Money(minor, state.currency), key=key)
