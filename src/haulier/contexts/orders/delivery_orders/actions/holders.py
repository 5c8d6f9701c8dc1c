"""Who holds an order: a contractor, a driver or a third party."""

from collections.abc import Collection
from datetime import date, datetime

from haulier.contexts.orders.delivery_orders.actions.order_sums import change_orders
from haulier.contexts.orders.delivery_orders.store import orders as store
from haulier.contexts.orders.events import OrderChanged
from haulier.contexts.tracking.public import set_tracking_viewers
from haulier.kernel.call import Call


async def assign_orders_to_contractor(call: Call, order_ids: Collection[int], contractor_id: int | None) -> None:
    """Assign orders to a contractor; None takes them back."""
    if order_ids:
        await change_orders(call, order_ids, contractor_id=contractor_id, updated_at=call.now)
        await set_tracking_viewers(call, order_ids, contractor_id=contractor_id)


async def assign_orders_to_driver(
    call: Call, order_ids: Collection[int], user_id: int | None, driver_id: int | None
) -> None:
    """Assign orders to the driver of their route and to the account that may see them; None removes either."""
    if order_ids:
        await change_orders(call, order_ids, driver_id=user_id, route_driver_id=driver_id, updated_at=call.now)
        await set_tracking_viewers(call, order_ids, driver_id=user_id)


async def count_orders_for_driver(call: Call, order_ids: Collection[int], driver_id: int | None) -> None:
    """Count orders for the driver of their route, who may not see them: without an account, or before publication."""
    if order_ids:
        await change_orders(call, order_ids, route_driver_id=driver_id, updated_at=call.now)


async def assign_orders_to_third_party(call: Call, order_ids: Collection[int], *, held: bool, fulfilment: str) -> None:
    """Assign orders to another business or take them back, and set who delivers them from now on."""
    if order_ids:
        await store.update_orders(
            call.work, order_ids, third_party_held=held, fulfilment=fulfilment, updated_at=call.now
        )


async def set_order_window(
    call: Call, order_ids: Collection[int], start: datetime | None, end: datetime | None, day: date | None
) -> None:
    """Promise the orders for a time and the day it is on, or take the promise back; whoever follows them hears of it."""
    if order_ids:
        await change_orders(
            call, order_ids, window_start=start, window_end=end, scheduled_date=day, updated_at=call.now
        )
        call.add_audit_subjects("order", *order_ids)
        for order_id in order_ids:
            await call.publish(OrderChanged(order_id=order_id))
