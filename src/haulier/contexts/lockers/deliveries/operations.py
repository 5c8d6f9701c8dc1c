"""Operations that send orders to lockers.

Drivers open compartments with `driver_app.locker_stops`.
"""

from haulier.contexts.lockers.deliveries import store
from haulier.contexts.lockers.deliveries.actions import cancel_delivery, plan_delivery
from haulier.contexts.lockers.deliveries.contract import (
    DeliverToLocker,
    ListLockerDeliveries,
    LockerDeliveryAnswer,
    LockerDeliveryList,
    LockerDeliveryRef,
)
from haulier.contexts.lockers.deliveries.queries import require_delivery
from haulier.contexts.lockers.deliveries.rules import LOCKER_DELIVERY_OVER, NOT_FOR_LOCKERS
from haulier.contexts.lockers.deliveries.serializers import delivery_record
from haulier.contexts.lockers.parcels.rules import NO_FREE_BOX
from haulier.contexts.orders.delivery_orders.rules.lifecycle import ORDER_FOR_PICKUP
from haulier.contexts.orders.public import OPEN_STATUS_NAMES, ORDER_STEP_REFUSED, get_visible_order
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND
from haulier.kernel.values.pagination import total_fields

LOCKER_OF_ORDER = "/v1/orders/{order_id}/locker"
OFFICE_AND_CUSTOMERS = OFFICE | {Account.CUSTOMER}


@writes(
    "deliver_to_locker",
    audience=OFFICE_AND_CUSTOMERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", LOCKER_OF_ORDER), GraphQL("deliverToLocker")),
    errors=(NOT_FOUND, ORDER_FOR_PICKUP, NOT_FOR_LOCKERS, ORDER_STEP_REFUSED, LOCKER_DELIVERY_OVER, NO_FREE_BOX),
    available_when={"status": OPEN_STATUS_NAMES},
)
async def deliver_to_locker(call: Call, request: DeliverToLocker) -> LockerDeliveryAnswer:
    """Deliver an order to a locker.

    Reserves a compartment and moves the stop to the site. Number, label and price of the order stay the same. Orders
    with cash on delivery, a PIN, an age check or a signature can't go into a locker. Call it again to change the site
    or the terms. With `wait`, an order without a free compartment keeps its address and joins a queue. It gets the
    first compartment that becomes free before it goes out for delivery.
    """
    row = await plan_delivery(call, request)
    return LockerDeliveryAnswer(delivery=delivery_record(call, row))


@reads(
    "get_locker_delivery",
    audience=OFFICE_AND_CUSTOMERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", LOCKER_OF_ORDER), GraphQL("lockerDelivery")),
    errors=(NOT_FOUND,),
)
async def get_locker_delivery(call: Call, request: LockerDeliveryRef) -> LockerDeliveryAnswer:
    """Retrieve the locker delivery of an order.

    Includes the compartment and the outcome.
    """
    await get_visible_order(call, request.order_id)
    return LockerDeliveryAnswer(delivery=delivery_record(call, await require_delivery(call, request.order_id)))


@reads(
    "list_locker_deliveries",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/lockers/deliveries"), GraphQL("lockerDeliveries")),
)
async def list_locker_deliveries(call: Call, request: ListLockerDeliveries) -> LockerDeliveryList:
    """List locker deliveries, newest first."""
    wanted = request.model_dump(include={"site_id", "status"}, exclude_none=True)
    rows, counted = await store.list_delivery_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return LockerDeliveryList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        deliveries=[delivery_record(call, row) for row in rows],
    )


@writes(
    "cancel_locker_delivery",
    audience=OFFICE_AND_CUSTOMERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", LOCKER_OF_ORDER), GraphQL("cancelLockerDelivery")),
    errors=(NOT_FOUND, LOCKER_DELIVERY_OVER),
    available_when={"status": OPEN_STATUS_NAMES},
)
async def cancel_locker_delivery(call: Call, request: LockerDeliveryRef) -> LockerDeliveryAnswer:
    """Cancel the locker delivery of an order.

    The order goes to its recipient's address, and its compartment is released.
    """
    row = await cancel_delivery(call, request.order_id)
    return LockerDeliveryAnswer(delivery=delivery_record(call, row))
