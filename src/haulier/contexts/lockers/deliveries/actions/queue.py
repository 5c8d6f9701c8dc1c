"""Queues for the compartments of a site, within the caller's transaction."""

from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.actions.plans import (
    end_delivery,
    move_to_site,
    planned,
    require_fit_order,
    wanted_box,
)
from haulier.contexts.lockers.deliveries.rules import (
    NO_BOX,
    NOT_FOR_LOCKERS,
    SITE_RETIRED,
    LockerDeliveryStatus,
    LockerDeliveryStep,
)
from haulier.contexts.lockers.parcels.actions.reservations import recipient_of_order, take_box
from haulier.contexts.lockers.sites.queries import get_site
from haulier.contexts.orders.public import ORDER_STEP_REFUSED, OrderStatus, get_visible_order
from haulier.contexts.routes.public import RoutesOfOrders
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import OperationError


async def give_box(call: Call, order_id: int) -> bool:
    """Assign a free compartment to a waiting order. Returns False if none is free.

    Orders that went out for delivery, or whose site was retired, leave the queue and go to their recipient's address.
    """
    await RoutesOfOrders().lock(call, [order_id])
    order = await get_visible_order(call, order_id, lock=True)
    row = await store.lock_delivery_of_order(call.work, order_id)
    if row is None or row.status != LockerDeliveryStatus.WAITING:
        return True
    if order.status == OrderStatus.OUT_FOR_DELIVERY:  # its driver is on the way to the recipient's address
        await end_delivery(call, row, LockerDeliveryStep.FALL_BACK, fell_back_because=NO_BOX)
        return True
    try:
        home = await require_fit_order(call, order_id)
    except OperationError as error:
        if error.error_type not in (NOT_FOR_LOCKERS, ORDER_STEP_REFUSED):
            raise
        await end_delivery(call, row, LockerDeliveryStep.CANCEL)
        return True
    if (await get_site(call, row.site_id)).retired:
        await end_delivery(call, row, LockerDeliveryStep.FALL_BACK, fell_back_because=SITE_RETIRED)
        return True
    parcel = await take_box(call, wanted_box(row, row.site_id), await recipient_of_order(call, order_id))
    if parcel is None:
        return False
    await store.update_delivery(call.work, row.id, planned(parcel, home))
    await move_to_site(call, order_id, row.site_id, home)
    return True
