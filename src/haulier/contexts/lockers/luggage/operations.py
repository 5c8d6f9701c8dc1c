"""Operations on luggage bookings."""

from typing import Any

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE
from haulier.contexts.documents.public import FILE_BODY_LIMIT_BYTES, register_file_access, save_upload
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.luggage import store
from haulier.contexts.lockers.luggage.actions import bookings as bookings_actions
from haulier.contexts.lockers.luggage.actions import claims as actions
from haulier.contexts.lockers.luggage.actions.bookings import (
    DUE_JOB,
    DueLuggage,
    assign_driver,
    has_capacity,
    list_codes,
    needs_pin,
    publish_booking_changed,
    quote_luggage_request,
)
from haulier.contexts.lockers.luggage.actions.custody import (
    Handing,
    apply_outcome,
    find_bag,
    hand_over,
    issue_pin,
    move_bag,
    record_damage,
)
from haulier.contexts.lockers.luggage.contract import (
    FAMILY,
    AddLuggagePhoto,
    AssignLuggageDriver,
    BookLuggage,
    ExtendLuggagePickup,
    FiledLuggageClaimAnswer,
    FileLuggageClaim,
    GetLuggageReport,
    HandOverLuggage,
    ListLuggageBookings,
    ListLuggageClaims,
    LuggageAnswer,
    LuggageBoxCode,
    LuggageClaimAnswer,
    LuggageClaimList,
    LuggageClaimRef,
    LuggageCodes,
    LuggageHandedOver,
    LuggageList,
    LuggageQuote,
    LuggageRef,
    LuggageReport,
    LuggageSettings,
    LuggageSums,
    LuggageWish,
    ReportLuggageBag,
    SetLuggageSettings,
    SettleLuggageClaim,
    UpdateLuggageBooking,
)
from haulier.contexts.lockers.luggage.queries import (
    get_claim,
    get_luggage,
    get_terms,
    is_driver,
    lock_luggage,
    own_driver_id,
)
from haulier.contexts.lockers.luggage.rules import (
    CLAIM_LIFE,
    LUGGAGE_AMOUNT_TOO_HIGH,
    LUGGAGE_CLAIM_REFUSED,
    LUGGAGE_STEP_REFUSED,
    LUGGAGE_TAG_TAKEN,
    BagStatus,
    BagStep,
    BookingStatus,
    BookingStep,
    ClaimStep,
    LuggageEnd,
    refused,
    require_step,
    statuses_allowing,
)
from haulier.contexts.lockers.luggage.serializers import (
    claim_record,
    filed_record,
    luggage_answer,
    luggage_detail,
    luggage_summary,
    quote_record,
)
from haulier.contexts.lockers.luggage.store import LuggageRow
from haulier.contexts.lockers.parcels.actions.steps import apply_step
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import (
    IN_A_BOX,
    LOCKER_WITHOUT_DEVICE,
    NO_FREE_BOX,
    LockerStatus,
    LockerStep,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, PRICE_HIDDEN, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields

BOOKINGS_PATH = "/v1/luggage"
BOOKING_PATH = f"{BOOKINGS_PATH}/{{luggage_id}}"
EITHER = OFFICE | {Account.CUSTOMER}
EVERYBODY = EITHER | {Account.DRIVER}
PRICING = (NOT_FOUND, SERVICE_OUT_OF_AREA, SERVICE_PRICE_OUT_OF_RANGE)
FILTERS = {"status", "customer_id", "driver_id", "from_site_id", "to_site_id", "tracking_number", "late"}


@reads(
    "quote_luggage",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("POST", f"{BOOKINGS_PATH}/quote"), GraphQL("quoteLuggage")),
    errors=PRICING,
)
async def quote_luggage(call: Call, request: LuggageWish) -> LuggageQuote:
    """Quote the current price of a luggage relay.

    Also returns whether the lockers at the origin have room now.
    """
    priced = await quote_luggage_request(call, request)
    return quote_record(call, priced, len(request.bags), await has_capacity(call, request))


@writes(
    "book_luggage",
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", BOOKINGS_PATH), GraphQL("bookLuggage")),
    errors=(*PRICING, NOT_A_CUSTOMER, LUGGAGE_TAG_TAKEN),
)
async def book_luggage(call: Call, request: BookLuggage) -> LuggageAnswer:
    """Book a luggage relay at today's price.

    A booking that is not paid in time is cancelled.
    """
    return await luggage_answer(call, await bookings_actions.book_luggage(call, request))


@reads(
    "list_luggage_bookings",
    audience=EVERYBODY,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", BOOKINGS_PATH), GraphQL("luggageBookings")),
)
async def list_luggage_bookings(call: Call, request: ListLuggageBookings) -> LuggageList:
    """List luggage bookings, newest first.

    Customers see their own bookings, drivers see those that they carry, and staff see all.
    """
    wanted = request.model_dump(include=FILTERS, exclude_none=True)
    if is_customer(call):
        wanted["customer_id"] = call.actor
    elif is_driver(call):
        wanted["driver_id"] = await own_driver_id(call)
    rows, counted = await store.list_booking_rows(
        call.work, wanted, tag=request.tag, limit=request.per_page, offset=request.offset
    )
    terms = await get_terms(call)
    return LuggageList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        bookings=[luggage_summary(call, row, terms) for row in rows],
    )


@reads(
    "get_luggage_booking",
    audience=EVERYBODY,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", BOOKING_PATH), GraphQL("luggageBooking")),
    errors=(NOT_FOUND,),
)
async def get_luggage_booking(call: Call, request: LuggageRef) -> LuggageAnswer:
    """Retrieve a luggage booking.

    Includes the location and compartment of each bag and its chain of custody.
    """
    return await luggage_answer(call, await get_luggage(call, request.luggage_id))


@writes(
    "update_luggage_booking",
    available_when={"status": statuses_allowing(BookingStep.UPDATE)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", BOOKING_PATH), GraphQL("updateLuggageBooking")),
    errors=(*PRICING, LUGGAGE_STEP_REFUSED),
)
async def update_luggage_booking(call: Call, request: UpdateLuggageBooking) -> LuggageAnswer:
    """Update a luggage booking.

    Times can change until bags are handed in, the destination until they arrive. Unpaid bookings are repriced; paid
    bookings keep their price.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    return await luggage_answer(call, await bookings_actions.update_luggage(call, row, bags, request))


@writes(
    "pay_luggage_booking",
    available_when={"status": statuses_allowing(BookingStep.PAY)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{BOOKING_PATH}/pay"), GraphQL("payLuggageBooking")),
    errors=(NOT_FOUND, PRICE_HIDDEN, LUGGAGE_STEP_REFUSED, CREDIT_INSUFFICIENT),
)
async def pay_luggage_booking(call: Call, request: LuggageRef) -> LuggageAnswer:
    """Pay a luggage booking from customer credit.

    Compartments are reserved and codes sent an hour before the drop-off.
    """
    row, _ = await lock_luggage(call, request.luggage_id)
    require_price_visible(call.principal.hidden_prices, FAMILY)
    return await luggage_answer(call, await bookings_actions.pay_luggage(call, row))


@writes(
    "cancel_luggage_booking",
    available_when={"status": statuses_allowing(BookingStep.CANCEL)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{BOOKING_PATH}/cancel"), GraphQL("cancelLuggageBooking")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def cancel_luggage_booking(call: Call, request: LuggageRef) -> LuggageAnswer:
    """Cancel a luggage booking before drop-off.

    `refund_if_cancelled` is the refund: the full price first, later a share of it.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    back = bookings_actions.refund_now(call, row, await get_terms(call))
    changed = await bookings_actions.cancel_luggage(call, row, bags, LuggageEnd.CANCELLED, give_back_minor=back)
    return await luggage_answer(call, changed)


CLAIMS_PATH = "/v1/luggage-claims"
CLAIM_PATH = f"{CLAIMS_PATH}/{{luggage_claim_id}}"


@writes(
    "file_luggage_claim",
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{BOOKING_PATH}/claims"), GraphQL("fileLuggageClaim")),
    errors=(NOT_FOUND, LUGGAGE_CLAIM_REFUSED),
)
async def file_luggage_claim(call: Call, request: FileLuggageClaim) -> FiledLuggageClaimAnswer:
    """File a luggage claim.

    Claim compensation for late bags, or for a bag that is lost or damaged. Only one claim about the same bag can be
    open at a time.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    return FiledLuggageClaimAnswer(claim=filed_record(call, await actions.file_claim(call, row, bags, request)))


@reads(
    "list_luggage_claims",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", CLAIMS_PATH), GraphQL("luggageClaims")),
)
async def list_luggage_claims(call: Call, request: ListLuggageClaims) -> LuggageClaimList:
    """List luggage claims, newest first.

    Customers see only their own claims.
    """
    wanted: dict[str, Any] = request.model_dump(include={"status", "kind", "customer_id"}, exclude_none=True)
    if request.luggage_id is not None:
        wanted["booking_id"] = request.luggage_id
    if is_customer(call):
        wanted["customer_id"] = call.actor
    rows, counted = await store.list_claim_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    shown = [claim_record(call, row) for row in rows]
    return LuggageClaimList(**total_fields(counted), page=request.page, per_page=request.per_page, claims=shown)


@reads(
    "get_luggage_claim",
    audience=EITHER,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", CLAIM_PATH), GraphQL("luggageClaim")),
    errors=(NOT_FOUND,),
)
async def get_luggage_claim(call: Call, request: LuggageClaimRef) -> LuggageClaimAnswer:
    """Retrieve a luggage claim."""
    return LuggageClaimAnswer(claim=claim_record(call, await get_claim(call, request.luggage_claim_id)))


@writes(
    "withdraw_luggage_claim",
    available_when={"status": CLAIM_LIFE.allowing(ClaimStep.WITHDRAW)},
    audience=EITHER,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{CLAIM_PATH}/withdraw"), GraphQL("withdrawLuggageClaim")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def withdraw_luggage_claim(call: Call, request: LuggageClaimRef) -> LuggageClaimAnswer:
    """Withdraw an open luggage claim."""
    claim = await get_claim(call, request.luggage_claim_id, lock=True)
    return LuggageClaimAnswer(claim=claim_record(call, await actions.withdraw_claim(call, claim)))


@writes(
    "settle_luggage_claim",
    available_when={"status": CLAIM_LIFE.allowing(ClaimStep.ACCEPT, ClaimStep.REFUSE)},
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{CLAIM_PATH}/settle"), GraphQL("settleLuggageClaim")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED, LUGGAGE_AMOUNT_TOO_HIGH),
)
async def settle_luggage_claim(call: Call, request: SettleLuggageClaim) -> LuggageClaimAnswer:
    """Accept or refuse a luggage claim.

    The amount goes to the customer's credit. It is refunded from the price first, then paid as compensation up to the
    liability limit.
    """
    seen = await get_claim(call, request.luggage_claim_id)
    row, _ = await lock_luggage(call, seen.booking_id)
    claim = await get_claim(call, seen.id, lock=True)
    return LuggageClaimAnswer(claim=claim_record(call, await actions.resolve_claim(call, row, claim, request)))


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
    interfaces=(Rest("POST", f"{BOOKING_PATH}/handovers"), GraphQL("handOverLuggage")),
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
    interfaces=(Rest("POST", f"{BOOKING_PATH}/codes"), GraphQL("renewLuggageCodes")),
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
    pin = await issue_pin(call, row) if with_pin else None
    call.add_audit_subjects("luggage_booking", row.id)
    luggage = await luggage_detail(call, await get_luggage(call, row.id))
    return LuggageCodes(luggage=luggage, codes=[record(LuggageBoxCode, each) for each in codes], pin=pin)


@writes(
    "assign_luggage_driver",
    available_when={"status": statuses_allowing(BookingStep.ASSIGN)},
    audience=OFFICE,
    scopes={Scope.ROUTES_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("PUT", f"{BOOKING_PATH}/driver"), GraphQL("assignLuggageDriver")),
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
    interfaces=(Rest("POST", f"{BOOKING_PATH}/reports"), GraphQL("reportLuggageBag")),
    errors=(NOT_FOUND, LUGGAGE_STEP_REFUSED),
)
async def report_luggage_bag(call: Call, request: ReportLuggageBag) -> LuggageAnswer:
    """Report a bag as lost or damaged.

    A lost bag that is loaded or unloaded again counts as found.
    """
    row, bags = await lock_luggage(call, request.luggage_id)
    bag = find_bag(bags, request.tag)
    if request.fault == LOST:
        await move_bag(call, row, bag, BagStep.LOSE, Handing(note=request.note, user_id=call.actor))
        await apply_outcome(call, row.id)
    else:
        if bag.status in (BagStatus.EXPECTED, BagStatus.ABSENT):
            raise refused(BookingStep.UPDATE, BagStatus(bag.status))
        await record_damage(call, row, bag, request.note)
        await publish_booking_changed(call, row.id, tracked=False)
    return await luggage_answer(call, await get_luggage(call, row.id))


@writes(
    "extend_luggage_pickup",
    available_when={"status": statuses_allowing(BookingStep.EXTEND)},
    audience=OFFICE,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    interfaces=(Rest("POST", f"{BOOKING_PATH}/extend"), GraphQL("extendLuggagePickup")),
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
            await apply_step(call, parcel, LockerStep.EXTEND, until=request.until)
    await store.update_booking(call.work, row.id, {"pick_until": request.until})
    await call.enqueue(DUE_JOB, DueLuggage(row.id), run_at=request.until)
    changed = await apply_outcome(call, row.id)
    await publish_booking_changed(call, row.id, tracked=False)
    return await luggage_answer(call, changed)


@writes(
    "add_luggage_photo",
    audience=EVERYBODY,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.LOW,
    body_limit_bytes=FILE_BODY_LIMIT_BYTES,
    interfaces=(Rest("POST", f"{BOOKING_PATH}/photos"), GraphQL("addLuggagePhoto")),
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
    return await luggage_answer(call, await publish_booking_changed(call, row.id, tracked=False))


SETTINGS_PATH = "/v1/luggage-settings"
REPORT_DAYS_MAX = 366


@reads(
    "get_luggage_settings",
    audience=OFFICE,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", SETTINGS_PATH), GraphQL("luggageSettings")),
)
async def get_luggage_settings(call: Call, request: EmptyRequest) -> LuggageSettings:
    """Retrieve the settings of the luggage relay."""
    return record(LuggageSettings, await get_terms(call))


@writes(
    "set_luggage_settings",
    audience=OFFICE,
    scopes={Scope.BILLING_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PUT", SETTINGS_PATH), GraphQL("setLuggageSettings")),
)
async def set_luggage_settings(call: Call, request: SetLuggageSettings) -> LuggageSettings:
    """Update the settings of the luggage relay.

    Covers times, cancellation refunds and the limit of claims.
    """
    await store.write_settings(call.work, request.model_dump())
    return record(LuggageSettings, await get_terms(call))


@reads(
    "get_luggage_report",
    audience=OFFICE,
    scopes={Scope.ANALYTICS_READ},
    interfaces=(Rest("GET", "/v1/luggage-report"), GraphQL("luggageReport")),
)
async def get_luggage_report(call: Call, request: GetLuggageReport) -> LuggageReport:
    """Report on paid luggage bookings.

    Groups the bookings paid in a period by service, day or site of the destination. Includes late and lost bags and
    refunds.
    """
    if not 0 <= (request.date_to - request.date_from).days <= REPORT_DAYS_MAX:
        raise INVALID_REQUEST.for_fields(FieldError("date_to", "field.shop_days"))
    rows = await store.list_sum_rows(call.work, request.by, request.date_from, request.date_to, most=request.limit)
    return LuggageReport(groups=[record(LuggageSums, row) for row in rows])
