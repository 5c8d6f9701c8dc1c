"""Delivered orders with ratings of their recipients."""

from typing import Any

from tests.contexts.control_tower.overview.makers import give_to_driver, take_step
from tests.contexts.recipients.makers import make_awaited_order
from tests.support.app import App
from tests.support.transport import DAY

from haulier.contexts.orders.public import OrderStep

POSTAL_CODE = "m5v2t6"


async def make_delivered(app: App, *, driver: str | None = None, **words: Any) -> tuple[Any, dict[str, str]]:
    """Return a delivered order with the access of its recipient."""
    order = await make_awaited_order(app, scheduled_date=DAY, **words)
    for step in (OrderStep.PLAN, OrderStep.START, OrderStep.DELIVER):
        await take_step(app, order.id, step)
    if driver:
        await give_to_driver(app, order.id, driver)
    return order, await make_access(app, order)


async def make_access(app: App, order: Any) -> dict[str, str]:
    opened = await app.answer(None, "open_delivery", {"number": order.tracking_number, "proof": POSTAL_CODE})
    return {"access": opened.access}


async def rate(app: App, access: dict[str, str], rating: int, comment: str = "") -> Any:
    return await app.answer(None, "rate_delivery", {**access, "rating": rating, "comment": comment})
