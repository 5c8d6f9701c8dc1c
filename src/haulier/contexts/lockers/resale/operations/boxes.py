"""Operations on rented compartments, for their renters."""

from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DoorPurpose
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.parcels.actions.steps import take_step
from haulier.contexts.lockers.parcels.contract import LockerDoorAnswer, LockerParcelAnswer
from haulier.contexts.lockers.parcels.rules import (
    LOCKER_LIFE,
    LOCKER_STEP_REFUSED,
    LOCKER_WITHOUT_DEVICE,
    NO_FREE_BOX,
    LockerStep,
)
from haulier.contexts.lockers.parcels.serializers import parcel_detail
from haulier.contexts.lockers.resale.actions import parcels as actions
from haulier.contexts.lockers.resale.contract.leases import (
    LeasedBoxList,
    LeasedParcelAnswer,
    LeasedParcelRef,
    ListLeasedBoxes,
    OpenLeasedBox,
    ReserveLeasedBox,
)
from haulier.contexts.lockers.resale.operations.leases import BUYERS, LEASE_PATH
from haulier.contexts.lockers.resale.queries import get_leased_parcel, get_visible_lease
from haulier.contexts.lockers.resale.rules import LEASE_LIFE, LEASE_STEP_REFUSED, LeaseStep
from haulier.contexts.lockers.resale.serializers import leased_box_record
from haulier.contexts.lockers.resale.store import allotments as store
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND

PARCEL_PATH = "/v1/leased-parcels/{locker_parcel_id}"


@reads(
    "list_leased_boxes",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    doors=(Rest("GET", f"{LEASE_PATH}/boxes"), GraphQL("leasedBoxes")),
    errors=(NOT_FOUND,),
)
async def list_leased_boxes(call: Call, request: ListLeasedBoxes) -> LeasedBoxList:
    """List the compartments of a locker rental.

    Ordered by locker and number, with their contents. Customers see only their own.
    """
    lease = await get_visible_lease(call, request.locker_lease_id)
    rows, total = await store.list_box_rows(call.work, lease.id, limit=request.per_page, offset=request.offset)
    shown = [leased_box_record(call, row) for row in rows]
    return LeasedBoxList(total=total, page=request.page, per_page=request.per_page, boxes=shown)


@writes(
    "reserve_leased_box",
    allowed_where={"status": LEASE_LIFE.allowing(LeaseStep.USE)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{LEASE_PATH}/parcels"), GraphQL("reserveLeasedBox")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED, NO_FREE_BOX),
)
async def reserve_leased_box(call: Call, request: ReserveLeasedBox) -> LeasedParcelAnswer:
    """Reserve a rented compartment for a parcel.

    The recipient gets a code once the parcel is deposited.
    """
    lease = await get_visible_lease(call, request.locker_lease_id, lock=True)
    row = await actions.reserve_leased_box(call, lease, request)
    return LeasedParcelAnswer(locker_lease_id=lease.id, parcel=await parcel_detail(call, row))


@writes(
    "open_leased_box",
    allowed_where={"status": LOCKER_LIFE.allowing(LockerStep.DEPOSIT, LockerStep.REMOVE)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    doors=(Rest("POST", f"{PARCEL_PATH}/open"), GraphQL("openLeasedBox")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED, LOCKER_STEP_REFUSED, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE),
)
async def open_leased_box(call: Call, request: OpenLeasedBox) -> LockerDoorAnswer:
    """Open a rented compartment.

    Deposits or retrieves a parcel. After the end of the rental, parcels can still be retrieved.
    """
    row = await get_leased_parcel(call, request.locker_parcel_id)
    command = await actions.open_leased_box(call, row, DoorPurpose(request.purpose))
    call.add_audit_subjects("locker_parcel", row.id)
    return LockerDoorAnswer(parcel=await parcel_detail(call, row), command=command_record(call, command))


@writes(
    "cancel_leased_parcel",
    allowed_where={"status": LOCKER_LIFE.allowing(LockerStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{PARCEL_PATH}/cancel"), GraphQL("cancelLeasedParcel")),
    errors=(NOT_FOUND, LOCKER_STEP_REFUSED),
)
async def cancel_leased_parcel(call: Call, request: LeasedParcelRef) -> LockerParcelAnswer:
    """Release an unused reservation of a rented compartment.

    The compartment must be empty, and its door must not be opening. It can then be reserved for another parcel of the
    rental.
    """
    row = await get_leased_parcel(call, request.locker_parcel_id)
    await actions.require_shut(call, row)
    changed = await take_step(call, row, LockerStep.CANCEL)
    return LockerParcelAnswer(parcel=await parcel_detail(call, changed))
