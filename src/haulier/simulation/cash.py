"""Cash on delivery: collection by drivers, hand-in and settlement."""

from collections.abc import Sequence
from typing import Any

from haulier.simulation.client import ApiClient
from haulier.simulation.drivers import SimulatedDriver
from haulier.simulation.record import Draws, SimulatedDay

CASH, CARD, SHORT = "cash", "card", "short"


def draw_cash_on_delivery(draws: Draws, share: float, order_type: str) -> int | None:
    """Return the COD amount of an order in minor units, or None. Pickups have none."""
    if order_type == "P" or not draws.happens(share):
        return None
    return draws.mishaps.randrange(500, 20_000, 5)


def collect_payment(day: SimulatedDay, draws: Draws, driver: SimulatedDriver, number: str) -> dict[str, Any]:
    """Return the payment fields of a delivery report.

    The payment is full in cash or by card, or half with a reason.
    """
    order = day.cash_orders[number]
    how = draws.mishaps.choice((CASH, CARD, SHORT))
    amount = order.asked // 2 if how == SHORT else order.asked
    order.due, order.collected = order.asked, amount
    day.counts[f"cash on delivery: {how}"] += 1
    if how != CARD:
        driver.cash_minor += amount
    report: dict[str, Any] = {"cod": [{"method": CARD if how == CARD else CASH, "amount_minor": amount}]}
    return {**report, "cod_reason": "Had no more at hand."} if how == SHORT else report


def settle_cash(admin: ApiClient, day: SimulatedDay, drivers: Sequence[SimulatedDriver]) -> list[str]:
    """Record what drivers hand in, and write off every other remainder.

    Returns errors as text.
    """
    faults: list[str] = []
    for driver in drivers:
        if not driver.cash_minor:
            continue
        counted = admin.post("/v1/cod/hand-ins", driver_id=driver.id, counted_minor=driver.cash_minor, settles=False)
        if (left := counted["cash"]["balance_minor"]) != driver.balance_before_minor:
            faults.append(f"driver {driver.id}: carries {left} after handing in, not {driver.balance_before_minor}")
    short = [number for number, order in day.cash_orders.items() if order.collected < order.due]
    for number in short[::2]:
        order = day.cash_orders[number]
        order.written_off = order.due - order.collected
        admin.post(f"/v1/cod/orders/{day.orders[number]['id']}/write-off", reason="The sender agreed to a discount.")
    return faults
