"""Orders in every state, and what the sums say of them."""

from typing import Any

from tests.support.app import App
from tests.support.transport import make_driver, make_order

from haulier.contexts.analytics.public import find_sum_faults
from haulier.contexts.control_tower.public import sum_truths
from haulier.contexts.fleet.public import get_driver_row_by_user
from haulier.contexts.orders.public import OrderStep, apply_order_transition, assign_orders_to_driver
from haulier.contexts.tracking.public import IncidentReason
from haulier.kernel.call import call_as_system


async def take_step(app: App, order_id: int, step: OrderStep, **words: Any) -> None:
    """Run a step of an order now; impossible steps change nothing."""
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await apply_order_transition(call, step, [order_id], **words)


async def deliver(app: App, order_id: int) -> None:
    """All steps to the delivery."""
    for step in (OrderStep.PLAN, OrderStep.START, OrderStep.DELIVER):
        await take_step(app, order_id, step)


async def fail(app: App, order_id: int, reason: str) -> None:
    """Run all steps up to a failed attempt."""
    for step in (OrderStep.PLAN, OrderStep.START):
        await take_step(app, order_id, step)
    await take_step(app, order_id, OrderStep.FAIL, reason=IncidentReason(code=reason))


async def give_to_driver(app: App, order_id: int, who: str) -> None:
    """The order is assigned to a driver with the account of a role."""
    user_id = app.ids[who]
    async with app.database.read(app.clients["demo"]) as work:
        driver = await get_driver_row_by_user(await call_as_system(app.application, app.clients["demo"], work), user_id)
    driver_id = driver.id if driver else await make_driver(app, user=who, name=who.title())
    async with app.database.write(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        await assign_orders_to_driver(call, [order_id], user_id, driver_id)


async def sum_faults(app: App) -> dict[Any, Any]:
    """Where the sums contradict what they are sums of."""
    async with app.database.read(app.clients["demo"]) as work:
        return await find_sum_faults(work, sum_truths())


async def make_delivered_order(app: App, **words: Any) -> int:
    """An order that was delivered now."""
    order_id = await make_order(app, **words)
    await deliver(app, order_id)
    return order_id
