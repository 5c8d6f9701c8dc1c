"""Operations that open locker doors: to deposit, retrieve or inspect."""

from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DoorPurpose
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.parcels.actions.doors import open_for_parcel, open_to_look
from haulier.contexts.lockers.parcels.contract import (
    LockerDoorAnswer,
    LockerParcelRef,
    OpenedLockerBox,
    OpenLockerBox,
)
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LOCKER_LIFE, LOCKER_STEP_REFUSED, LOCKER_WITHOUT_DEVICE, LockerStep
from haulier.contexts.lockers.parcels.serializers import parcel_detail
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

REFUSALS = (NOT_FOUND, LOCKER_STEP_REFUSED, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE)
PARCEL_PATH = "/v1/lockers/parcels/{locker_parcel_id}"


@writes(
    "deposit_locker_parcel",
    allowed_where={"status": LOCKER_LIFE.allowing(LockerStep.DEPOSIT)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PARCEL_PATH}/deposit"), GraphQL("depositLockerParcel")),
    errors=REFUSALS,
)
async def deposit_locker_parcel(call: Call, request: LockerParcelRef) -> LockerDoorAnswer:
    """Open a compartment to deposit a parcel.

    The parcel counts as deposited once the locker reports that the door opened. If the door is stuck, the parcel gets
    another free compartment, or its reservation ends.
    """
    return await _open(call, request, LockerStep.DEPOSIT, DoorPurpose.DEPOSIT)


@writes(
    "retrieve_locker_parcel",
    allowed_where={"status": LOCKER_LIFE.allowing(LockerStep.REMOVE)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{PARCEL_PATH}/retrieve"), GraphQL("retrieveLockerParcel")),
    errors=REFUSALS,
)
async def retrieve_locker_parcel(call: Call, request: LockerParcelRef) -> LockerDoorAnswer:
    """Open a compartment to retrieve a parcel.

    For couriers who take back an expired or recalled parcel.
    """
    return await _open(call, request, LockerStep.REMOVE, DoorPurpose.RETRIEVE)


@writes(
    "open_locker_box",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", "/v1/lockers/boxes/{box_id}/open"), GraphQL("openLockerBox")),
    errors=(NOT_FOUND, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE),
)
async def open_locker_box(call: Call, request: OpenLockerBox) -> OpenedLockerBox:
    """Open a locker door remotely.

    Requires confirmation and a reason, since anyone at the locker can take the content.
    """
    command = await open_to_look(call, request.box_id, request.reason)
    return OpenedLockerBox(box_id=request.box_id, command=command_record(call, command))


async def _open(call: Call, request: LockerParcelRef, step: LockerStep, purpose: DoorPurpose) -> LockerDoorAnswer:
    row = await get_parcel(call, request.locker_parcel_id, lock=True)
    command = await open_for_parcel(call, row, step, purpose)
    call.add_audit_subjects("locker_parcel", row.id)
    return LockerDoorAnswer(parcel=await parcel_detail(call, row), command=command_record(call, command))
