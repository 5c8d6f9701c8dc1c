"""Rules of order charges: what an order costs its customer, and with which tax."""

from typing import Any

from msgspec import Struct

from haulier.contexts.billing.charges.rules import ChargeTime
from haulier.contexts.billing.ledger.rules import ChargeDetails
from haulier.contexts.orders.delivery_orders.rules.lifecycle import (
    FOLLOW_CARRIER,
    TERMINAL_STATUSES,
    UNDOING_STEPS,
    OrderStatus,
    OrderStep,
)
from haulier.contexts.orders.delivery_orders.rules.priced_orders import OrderDue
from haulier.contexts.orders.quotes.rules import RateCard
from haulier.kernel.values.rounding import BASIS_POINTS, divide_half_up
from haulier.kernel.values.taxes import Tax, scale_taxes

CHARGE_JOB = "orders.charge"
CHARGED_BY_EVENT = frozenset({ChargeTime.ON_CREATION, ChargeTime.ON_DELIVERY})
"""Policies that charge an order by its own events."""
CHARGED_AT_ONCE = 500
"""Maximum number of orders charged in one call."""


class ChargeOrders(Struct, frozen=True):
    """Orders whose charges follow their status."""

    order_ids: list[int]


def affects_charge(step: str, status: str) -> bool:
    """Return True if a step can change what an order's customer owes."""
    return status == OrderStatus.DELIVERED.name or step in UNDOING_STEPS or step == FOLLOW_CARRIER


def affects_early_charge(step: str, status: str) -> bool:
    """Return True if a step ends an order undelivered, or reopens it.

    Only orders that were charged at their creation are affected.
    """
    return step == OrderStep.REOPEN or (OrderStatus[status] in TERMINAL_STATUSES and not affects_charge(step, status))


def charge_line_of(order: OrderDue, card: RateCard, amount_minor: int) -> ChargeDetails:
    """Return the invoice line of an amount of an order's price, with its tax share."""
    price = order.price or {}
    service = next((each.name for each in card.services if each.code == price.get("service")), price.get("service"))
    return ChargeDetails(
        taxes=scale_taxes(price_taxes(price, card), amount_minor, price["total"]),
        item=service,
        reference=order.order_ref or order.tracking_number,
        recipient=order.recipient,
        serviced_on=order.day,
    )


def price_taxes(price: dict[str, Any], card: RateCard) -> list[Tax]:
    """Return the tax of a price. Prices of earlier versions do not name it."""
    tax = int(price.get("tax") or 0)
    if not tax:
        return []
    net = price["total"] - tax
    rate = price.get("tax_basis_points") or divide_half_up(tax * BASIS_POINTS, net)
    return [Tax(name=price.get("tax_name", card.tax_name), rate_bp=rate, amount_minor=tax)]
