"""Operations on the custody of luggage."""

from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, register_file_access, save_upload
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.luggage.actions.bookings import announce, assign_driver
from haulier.contexts.lockers.luggage.actions.codes import list_codes, needs_pin
from haulier.contexts.lockers.luggage.actions.custody import Handing, give_pin, note_damage, pass_on, settle
from haulier.contexts.lockers.luggage.actions.handing_over import find_bag, hand_over
from haulier.contexts.lockers.luggage.actions.work import DUE_JOB, DueLuggage
from haulier.contexts.lockers.luggage.contract.bookings import AddLuggagePhoto, LuggageAnswer, LuggageRef
from haulier.contexts.lockers.luggage.contract.custody import (
    AssignLuggageDriver,
    ExtendLuggagePickup,
    HandOverLuggage,
    LuggageBoxCode,
    LuggageCodes,
    LuggageHandedOver,
    ReportLuggageBag,
)
from haulier.contexts.lockers.luggage.operations.bookings import BOOKING_PATH, EITHER, EVERYBODY
from haulier.contexts.lockers.luggage.queries import get_luggage, lock_luggage, own_driver_id
from haulier.contexts.lockers.luggage.rules import (
    LUGGAGE_STEP_REFUSED,
    BagStatus,
    BagStep,
    BookingStatus,
    BookingStep,
    refused,
    require_step,
    statuses_allowing,
)
from haulier.contexts.lockers.luggage.serializers import luggage_answer, luggage_detail
from haulier.contexts.lockers.luggage.store import bookings as store
from haulier.contexts.lockers.luggage.store.tables import LuggageRow
from haulier.contexts.lockers.parcels.actions.steps import take_step
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import (
    IN_A_BOX,
    LOCKER_WITHOUT_DEVICE,
    NO_FREE_BOX,
    LockerStatus,
    LockerStep,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError
from haulier.kernel.operations.records import record

CARRIERS = OFFICE | {Account.DRIVER}
PHOTO_SUBJECT = "luggage_bag"
LOST = "lost"


@register_file_access(PHOTO_SUBJECT, Scope.ORDERS_READ)
async def may_see_photo(call: Call, booking_id: int) -> bool:
    """Check that the caller may see the booking of a photo."""
    row = await LuggageRow.get(call.work, booking_id)
    if row is None or call.principal.account is Account.DRIVER:
        return row is not None and row.driver_id == await own_driver_id(call)
    return call.principal.account is not Account.CUSTOMER or row.customer_id == call.actor


@writes(
    "hand_over_luggage",
    audience=CARRIERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{BOOKING_PATH}/handovers"), GraphQL("handOverLuggage")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED, NO_FREE_BOX, LOCKER_WITHOUT_DEVICE, DEVICE_NOT_USABLE),
)
async def hand_over_luggage(call: Call, request: HandOverLuggage) -> LuggageHandedOver:
    """Hand over bags by tag.

    Steps: from the traveller, into the van, at the destination, and back to the traveller. At lockers the doors open,
    and the bags follow the outcome of each door. A repeated call opens no door twice. In person the traveller's PIN is
    required. After five wrong PINs, PINs are rejected for 15 minutes.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    outcome = await hand_over(call, row, bags, request)
    call.add_audit_subjects("luggage_booking", row.id)
    return LuggageHandedOver(
        luggage=await luggage_detail(call, await get_luggage(call, row.id)),
        result=outcome.accepted,
        accepted=outcome.accepted,
        tries_left=outcome.tries_left,
        doors=[command_record(call, door) for door in outcome.doors],
    )


@writes(
    "renew_luggage_codes",
    replayable=False,
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    doors=(Rest("POST", f"{BOOKING_PATH}/codes"), GraphQL("renewLuggageCodes")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def renew_luggage_codes(call: Call, request: LuggageRef) -> LuggageCodes:
    """Issue new codes for a luggage booking.

    Returns codes for the compartments that the traveller can open now, and a new PIN for handovers in person. Earlier
    codes stop working.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    codes = await list_codes(call, bags, renew=True) if row.paid_at is not None else []
    with_pin = row.paid_at is not None and needs_pin(row, bags)
    if not codes and not with_pin:
        raise refused(BookingStep.RENEW_CODES, BookingStatus(row.status))
    pin = await give_pin(call, row) if with_pin else None
    call.add_audit_subjects("luggage_booking", row.id)
    luggage = await luggage_detail(call, await get_luggage(call, row.id))
    return LuggageCodes(luggage=luggage, codes=[record(LuggageBoxCode, each) for each in codes], pin=pin)


@writes(
    "assign_luggage_driver",
    allowed_where={"status": statuses_allowing(BookingStep.ASSIGN)},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    doors=(Rest("PUT", f"{BOOKING_PATH}/driver"), GraphQL("assignLuggageDriver")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def assign_luggage_driver(call: Call, request: AssignLuggageDriver) -> LuggageAnswer:
    """Assign a driver to a luggage booking.

    The driver sees the booking immediately, or as soon as they have an account.
    """
    row, _ = await lock_luggage(call, request.luggage_id)
    return await luggage_answer(call, await assign_driver(call, row, request.driver_id))


@writes(
    "report_luggage_bag",
    audience=CARRIERS,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", f"{BOOKING_PATH}/reports"), GraphQL("reportLuggageBag")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def report_luggage_bag(call: Call, request: ReportLuggageBag) -> LuggageAnswer:
    """Report a bag as lost or damaged.

    A lost bag that is loaded or unloaded again counts as found.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    bag = find_bag(bags, request.tag)
    if request.fault == LOST:
        await pass_on(call, row, bag, BagStep.LOSE, Handing(note=request.note, user_id=call.actor))
        await settle(call, row.id)
    else:
        if bag.status in (BagStatus.EXPECTED, BagStatus.ABSENT):
            raise refused(BookingStep.UPDATE, BagStatus(bag.status))
        await note_damage(call, row, bag, request.note)
        await announce(call, row.id, tracked=False)
    return await luggage_answer(call, await get_luggage(call, row.id))


@writes(
    "extend_luggage_pickup",
    allowed_where={"status": statuses_allowing(BookingStep.EXTEND)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    doors=(Rest("POST", f"{BOOKING_PATH}/extend"), GraphQL("extendLuggagePickup")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def extend_luggage_pickup(call: Call, request: ExtendLuggagePickup) -> LuggageAnswer:
    """Extend the pickup time of a luggage booking.

    The bags stay at their destination until the new time, and their existing codes open the compartments again.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    require_step(BookingStep.EXTEND, row.status)
    if request.until <= call.now:
        raise INVALID_REQUEST.for_fields(FieldError("until", "field.until_over"))
    for bag in bags:
        parcel = await get_parcel(call, bag.pick_parcel_id) if bag.pick_parcel_id else None
        if parcel is not None and LockerStatus(parcel.status) in IN_A_BOX:
            await take_step(call, parcel, LockerStep.EXTEND, until=request.until)
    await store.update_booking(call.work, row.id, {"pick_until": request.until})
    await call.enqueue(DUE_JOB, DueLuggage(row.id), run_at=request.until)
    changed = await settle(call, row.id)
    await announce(call, row.id, tracked=False)
    return await luggage_answer(call, changed)


@writes(
    "add_luggage_photo",
    audience=EVERYBODY,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    doors=(Rest("POST", f"{BOOKING_PATH}/photos"), GraphQL("addLuggagePhoto")),
    errors=(NOT_FOUND,),
)
async def add_luggage_photo(call: Call, request: AddLuggagePhoto) -> LuggageAnswer:
    """Add a photo of a bag.

    The photo identifies the bag and documents its condition.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    bag, photo = find_bag(bags, request.tag), request.photo
    file_id = await save_upload(call, photo, about=f"{PHOTO_SUBJECT}:{row.id}")
    await store.update_bag(call.work, bag.id, {"photo_id": file_id})
    return await luggage_answer(call, await announce(call, row.id, tracked=False))
