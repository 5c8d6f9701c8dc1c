"""A charge that is not of the rate card, such as that of a booked window, stands in the order's price by its own code."""

from typing import Any

from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.quotes.queries import get_rate_cards
from haulier.contexts.orders.quotes.rules.prices import tax_on
from haulier.kernel.call import Call


async def set_order_charge(call: Call, order_id: int, code: str, amount: int | None) -> None:
    """Make a line of an order's price what it is to be, in minor units before tax; None removes it.

    The line keeps the tax that came with it, so that taking it off gives the earlier price again. A price that two businesses
    agreed on, or an order without one, stays as it is.
    """
    (row,) = await store.list_order_rows(call.work, [order_id], lock=True)
    price = row.price or {}
    known = next((line for line in price.get("lines", ()) if line["code"] == code), None)
    if "total" not in price or row.partner_offer_id is not None or (known or {}).get("amount") == (amount or None):
        return
    price = _without(price, known) if known else price
    if amount:
        card = (await get_rate_cards(call, quoted=False)).current
        price = _with(price, {"code": code, "amount": amount, "tax": tax_on(card, amount)})
    await change_orders(call, [order_id], price=price, updated_at=call.now)
    call.add_audit_subjects("order", order_id)


def keep_charges(price: dict[str, Any], before: dict[str, Any] | None) -> dict[str, Any]:
    """A price made anew by the rate card, with the charges that the earlier one had besides."""
    for line in (before or {}).get("lines", ()):
        if "tax" in line:
            price = _with(price, line)
    return price


def _with(price: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    added = {"tax": price["tax"] + line["tax"], "total": price["total"] + line["amount"] + line["tax"]}
    return {**price, **added, "lines": [*price["lines"], line]}


def _without(price: dict[str, Any], line: dict[str, Any]) -> dict[str, Any]:
    left = {"tax": price["tax"] - line["tax"], "total": price["total"] - line["amount"] - line["tax"]}
    return {**price, **left, "lines": [each for each in price["lines"] if each != line]}
