"""Operations for orders that senders drop off at lockers."""

from haulier.contexts.lockers.deliveries.operations import OFFICE_AND_CUSTOMERS
from haulier.contexts.lockers.deliveries.rules import NOT_FOR_LOCKERS
from haulier.contexts.lockers.drop_offs.actions import cancel_drop_off, plan_drop_off
from haulier.contexts.lockers.drop_offs.contract import DropOffAtLocker, LockerDropOffRef
from haulier.contexts.lockers.parcels.actions.steps import issue_code
from haulier.contexts.lockers.parcels.contract import LockerCode, LockerParcelAnswer
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LOCKER_STEP_REFUSED, NO_FREE_BOX
from haulier.contexts.lockers.parcels.serializers import parcel_detail
from haulier.contexts.orders.public import OPEN_STATUS_NAMES, ORDER_STEP_REFUSED
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

DROP_OFF_PATH = "/v1/orders/{order_id}/locker-drop-off"


@writes(
    "drop_off_at_locker",
    replayable=False,
    audience=OFFICE_AND_CUSTOMERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", DROP_OFF_PATH), GraphQL("dropOffAtLocker")),
    errors=(NOT_FOUND, NOT_FOR_LOCKERS, ORDER_STEP_REFUSED, LOCKER_STEP_REFUSED, NO_FREE_BOX),
    available_when={"status": OPEN_STATUS_NAMES},
)
async def drop_off_at_locker(call: Call, request: DropOffAtLocker) -> LockerCode:
    """Reserve a compartment for a drop-off.

    The sender of an order, such as a return, deposits the parcel with a one-time code. The order is picked up at the
    site from now on. Calling it again issues a new compartment and code, and releases the earlier ones.
    """
    row = await plan_drop_off(call, request)
    code = await issue_code(call, row)
    return LockerCode(parcel=await parcel_detail(call, await get_parcel(call, row.id)), code=code)


@writes(
    "cancel_locker_drop_off",
    audience=OFFICE_AND_CUSTOMERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", DROP_OFF_PATH), GraphQL("cancelLockerDropOff")),
    errors=(NOT_FOUND, LOCKER_STEP_REFUSED),
    available_when={"status": OPEN_STATUS_NAMES},
)
async def cancel_locker_drop_off(call: Call, request: LockerDropOffRef) -> LockerParcelAnswer:
    """Cancel the locker drop-off of an order.

    The order is picked up at its sender's address, and its compartment is released.
    """
    row = await cancel_drop_off(call, request.order_id)
    return LockerParcelAnswer(parcel=await parcel_detail(call, row))
