"""Operations on parcels."""

from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DoorPurpose
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.parcels.actions.codes import open_for_inspection, open_for_parcel
from haulier.contexts.lockers.parcels.actions.steps import apply_step, issue_code, reserve_box
from haulier.contexts.lockers.parcels.contract import (
    EndLockerReservation,
    ExtendLockerParcel,
    ListLockerParcels,
    LockerCode,
    LockerDoorAnswer,
    LockerParcelAnswer,
    LockerParcelList,
    LockerParcelRef,
    OpenedLockerBox,
    OpenLockerBox,
    ReserveLockerBox,
)
from haulier.contexts.lockers.parcels.queries import get_parcel, list_parcels
from haulier.contexts.lockers.parcels.rules import (
    LOCKER_LIFE,
    LOCKER_STEP_REFUSED,
    LOCKER_WITHOUT_DEVICE,
    NO_FREE_BOX,
    LockerStep,
    code_step,
)
from haulier.contexts.lockers.parcels.serializers import parcel_detail, parcel_record
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.values.pagination import total_fields

REFUSALS = (NOT_FOUND, LOCKER_STEP_REFUSED, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE)
PARCEL_PATH = "/v1/lockers/parcels/{locker_parcel_id}"


@writes(
    "deposit_locker_parcel",
    available_when={"status": LOCKER_LIFE.allowing(LockerStep.DEPOSIT)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PARCEL_PATH}/deposit"), GraphQL("depositLockerParcel")),
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
    available_when={"status": LOCKER_LIFE.allowing(LockerStep.REMOVE)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{PARCEL_PATH}/retrieve"), GraphQL("retrieveLockerParcel")),
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
    interfaces=(Rest("POST", "/v1/lockers/boxes/{box_id}/open"), GraphQL("openLockerBox")),
    errors=(NOT_FOUND, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE),
)
async def open_locker_box(call: Call, request: OpenLockerBox) -> OpenedLockerBox:
    """Open a locker door remotely.

    Requires confirmation and a reason, since anyone at the locker can take the content.
    """
    command = await open_for_inspection(call, request.box_id, request.reason)
    return OpenedLockerBox(box_id=request.box_id, command=command_record(call, command))


async def _open(call: Call, request: LockerParcelRef, step: LockerStep, purpose: DoorPurpose) -> LockerDoorAnswer:
    row = await get_parcel(call, request.locker_parcel_id, lock=True)
    command = await open_for_parcel(call, row, step, purpose)
    call.add_audit_subjects("locker_parcel", row.id)
    return LockerDoorAnswer(parcel=await parcel_detail(call, row), command=command_record(call, command))


FILTERS = {"site_id", "box_id", "kind", "status", "order_id", "customer_id", "reference"}


@writes(
    "reserve_locker_box",
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/lockers/parcels"), GraphQL("reserveLockerBox")),
    errors=(NOT_FOUND, NO_FREE_BOX),
)
async def reserve_locker_box(call: Call, request: ReserveLockerBox) -> LockerParcelAnswer:
    """Reserve a locker compartment for a parcel.

    Takes the smallest suitable free compartment of a site, for an order or a named recipient.
    """
    row = await reserve_box(call, request)
    return LockerParcelAnswer(parcel=await parcel_detail(call, row))


@reads(
    "list_locker_parcels",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/lockers/parcels"), GraphQL("lockerParcels")),
)
async def list_locker_parcels(call: Call, request: ListLockerParcels) -> LockerParcelList:
    """List locker parcels, newest first.

    Includes parcels that no longer have a compartment.
    """
    wanted = request.model_dump(include=FILTERS, exclude_none=True)
    moved = call.span_of_days(request.day, request.day) if request.day else None
    rows, counted = await list_parcels(
        call, wanted, moved=moved, reminded=request.reminded, limit=request.per_page, offset=request.offset
    )
    return LockerParcelList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        parcels=[parcel_record(call, row) for row in rows],
    )


@reads(
    "get_locker_parcel",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", PARCEL_PATH), GraphQL("lockerParcel")),
    errors=(NOT_FOUND,),
)
async def get_locker_parcel(call: Call, request: LockerParcelRef) -> LockerParcelAnswer:
    """Retrieve a locker parcel.

    Includes every opening of its door.
    """
    return await _answer(call, request.locker_parcel_id)


@writes(
    "extend_locker_parcel",
    available_when={"status": LOCKER_LIFE.allowing(LockerStep.EXTEND)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{PARCEL_PATH}/extend"), GraphQL("extendLockerParcel")),
    errors=(NOT_FOUND, LOCKER_STEP_REFUSED),
)
async def extend_locker_parcel(call: Call, request: ExtendLockerParcel) -> LockerParcelAnswer:
    """Extend the pickup time of a locker parcel.

    An expired parcel can be collected again with its existing code.
    """
    row = await get_parcel(call, request.locker_parcel_id, lock=True)
    if request.until <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("until", "field.until_over"))
    await apply_step(call, row, LockerStep.EXTEND, until=request.until)
    return await _answer(call, row.id)


@writes(
    "cancel_locker_reservation",
    available_when={"status": LOCKER_LIFE.allowing(LockerStep.CANCEL)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PARCEL_PATH}/cancel"), GraphQL("cancelLockerReservation")),
    errors=(NOT_FOUND, LOCKER_STEP_REFUSED),
)
async def cancel_locker_reservation(call: Call, request: EndLockerReservation) -> LockerParcelAnswer:
    """Release an unused locker reservation."""
    row = await get_parcel(call, request.locker_parcel_id, lock=True)
    await apply_step(call, row, LockerStep.CANCEL, reason=request.reason or None)
    return await _answer(call, row.id)


@writes(
    "renew_locker_code",
    replayable=False,
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", f"{PARCEL_PATH}/code"), GraphQL("renewLockerCode")),
    errors=(NOT_FOUND, LOCKER_STEP_REFUSED),
)
async def renew_locker_code(call: Call, request: LockerParcelRef) -> LockerCode:
    """Issue a new code for a locker parcel.

    For the sender or courier who deposits it, or the recipient who collects it. The previous code stops working.
    Deposit codes work once.
    """
    row = await get_parcel(call, request.locker_parcel_id, lock=True)
    if code_step(row.kind, row.status) is None:
        raise LOCKER_STEP_REFUSED(step="renew_code", status=row.status)
    code = await issue_code(call, row)
    return LockerCode(parcel=(await _answer(call, row.id)).parcel, code=code)


async def _answer(call: Call, parcel_id: int) -> LockerParcelAnswer:
    row = await get_parcel(call, parcel_id)
    call.add_audit_subjects("locker_parcel", row.id)
    return LockerParcelAnswer(parcel=await parcel_detail(call, row))
