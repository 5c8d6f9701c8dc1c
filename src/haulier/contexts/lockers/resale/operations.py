"""Operations on locker rentals."""

from collections.abc import Sequence
from typing import Any

from haulier.contexts.billing.public import CREDIT_INSUFFICIENT
from haulier.contexts.identity.accounts.rules import NOT_A_CUSTOMER
from haulier.contexts.identity.public import is_customer
from haulier.contexts.lockers.devices.rules import DEVICE_NOT_USABLE, DoorPurpose
from haulier.contexts.lockers.devices.serializers import command_record
from haulier.contexts.lockers.parcels.actions.steps import apply_step
from haulier.contexts.lockers.parcels.contract import LockerDoorAnswer, LockerParcelAnswer
from haulier.contexts.lockers.parcels.rules import (
    LOCKER_LIFE,
    LOCKER_STEP_REFUSED,
    LOCKER_WITHOUT_DEVICE,
    NO_FREE_BOX,
    LockerStep,
)
from haulier.contexts.lockers.parcels.serializers import parcel_detail
from haulier.contexts.lockers.resale import actions
from haulier.contexts.lockers.resale.contract import (
    LEASES,
    CreateLockerOffer,
    ExtendLockerLease,
    GetLeaseUsage,
    LeasedBoxList,
    LeasedParcelAnswer,
    LeasedParcelRef,
    LeaseEntryList,
    LeaseUsage,
    LeaseUsageReport,
    ListLeasedBoxes,
    ListLeaseEntries,
    ListLockerLeases,
    ListLockerOffers,
    LockerLeaseAnswer,
    LockerLeaseList,
    LockerLeaseRef,
    LockerLeaseWithReason,
    LockerOfferAnswer,
    LockerOfferDetail,
    LockerOfferList,
    LockerOfferRef,
    OpenLeasedBox,
    ReserveLeasedBox,
    ReserveLockerLease,
    UpdateLockerOffer,
)
from haulier.contexts.lockers.resale.queries import get_leased_parcel, get_visible_lease, get_visible_offer
from haulier.contexts.lockers.resale.rules import (
    LEASE_LIFE,
    LEASE_STEP_REFUSED,
    LEASE_TERMS_REFUSED,
    LEASE_WITHDRAWAL_OVER,
    LOCKER_OFFER_CLOSED,
    LOCKER_OFFER_SOLD_OUT,
    LOCKER_OFFER_TERMS_REFUSED,
    LeaseStep,
    LockerOfferStatus,
)
from haulier.contexts.lockers.resale.serializers import (
    entry_record,
    lease_detail,
    lease_summary,
    leased_box_record,
    offer_record,
)
from haulier.contexts.lockers.resale.store import leases as leases_store
from haulier.contexts.lockers.resale.store.tables import LockerLeaseRow, LockerOfferRow
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, PRICE_HIDDEN, FieldError
from haulier.kernel.operations.records import record
from haulier.kernel.pipeline.hide_prices import require_price_visible
from haulier.kernel.values.pagination import total_fields

LEASES_PATH = "/v1/locker-leases"
LEASE_PATH = f"{LEASES_PATH}/{{locker_lease_id}}"
BUYERS = OFFICE | {Account.CUSTOMER}


@writes(
    "reserve_locker_lease",
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", LEASES_PATH), GraphQL("reserveLockerLease")),
    errors=(NOT_FOUND, NOT_A_CUSTOMER, LOCKER_OFFER_CLOSED, LEASE_TERMS_REFUSED, LOCKER_OFFER_SOLD_OUT),
)
async def reserve_locker_lease(call: Call, request: ReserveLockerLease) -> LockerLeaseAnswer:
    """Reserve compartments of a rental offer.

    Reserves all requested compartments or none. The reservation expires unless it is paid in time.
    """
    return _lease_answer(call, await actions.reserve_lease(call, request))


@writes(
    "pay_locker_lease",
    available_when={"status": LEASE_LIFE.allowing(LeaseStep.PAY)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{LEASE_PATH}/pay"), GraphQL("payLockerLease")),
    errors=(NOT_FOUND, PRICE_HIDDEN, LEASE_STEP_REFUSED, CREDIT_INSUFFICIENT),
)
async def pay_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Pay a reserved locker rental.

    The price is charged to the customer's credit, and the term starts. Staff pay for customers who can't see prices.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    require_price_visible(call.principal.hidden_prices, LEASES)
    return _lease_answer(call, await actions.pay_lease(call, row))


@writes(
    "extend_locker_lease",
    available_when={"status": LEASE_LIFE.allowing(LeaseStep.EXTEND)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{LEASE_PATH}/extend"), GraphQL("extendLockerLease")),
    errors=(
        NOT_FOUND,
        PRICE_HIDDEN,
        LEASE_STEP_REFUSED,
        LOCKER_OFFER_CLOSED,
        LEASE_TERMS_REFUSED,
        CREDIT_INSUFFICIENT,
    ),
)
async def extend_locker_lease(call: Call, request: ExtendLockerLease) -> LockerLeaseAnswer:
    """Extend a locker rental.

    The extra days are priced by the current offer and charged to the customer's credit immediately.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    require_price_visible(call.principal.hidden_prices, LEASES)
    return _lease_answer(call, await actions.extend_lease(call, row, request.days))


@writes(
    "cancel_locker_lease",
    available_when={"status": LEASE_LIFE.allowing(LeaseStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{LEASE_PATH}/cancel"), GraphQL("cancelLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED, LEASE_WITHDRAWAL_OVER),
)
async def cancel_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Cancel a locker rental.

    Unpaid reservations can always be cancelled. Paid rentals can be cancelled for a limited time if unused, with a full
    refund.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _lease_answer(call, await actions.cancel_lease(call, row))


@writes(
    "suspend_locker_lease",
    available_when={"status": LEASE_LIFE.allowing(LeaseStep.SUSPEND)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{LEASE_PATH}/suspend"), GraphQL("suspendLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED),
)
async def suspend_locker_lease(call: Call, request: LockerLeaseWithReason) -> LockerLeaseAnswer:
    """Suspend a locker rental.

    Nothing more can be deposited. Parcels can still be retrieved, and the term continues.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _lease_answer(call, await actions.suspend_lease(call, row, request.reason))


@writes(
    "resume_locker_lease",
    available_when={"status": LEASE_LIFE.allowing(LeaseStep.RESUME)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{LEASE_PATH}/resume"), GraphQL("resumeLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED),
)
async def resume_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Resume a suspended locker rental.

    Parcels can be deposited again.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _lease_answer(call, await actions.resume_lease(call, row))


@writes(
    "revoke_locker_lease",
    available_when={"status": LEASE_LIFE.allowing(LeaseStep.REVOKE)},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{LEASE_PATH}/revoke"), GraphQL("revokeLockerLease")),
    errors=(NOT_FOUND, LEASE_STEP_REFUSED),
)
async def revoke_locker_lease(call: Call, request: LockerLeaseWithReason) -> LockerLeaseAnswer:
    """Revoke a locker rental early.

    The days that have not started are refunded. Parcels in the compartments can still be retrieved.
    """
    row = await get_visible_lease(call, request.locker_lease_id, lock=True)
    return _lease_answer(call, await actions.revoke_lease(call, row, request.reason))


@reads(
    "get_locker_lease",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", LEASE_PATH), GraphQL("lockerLease")),
    errors=(NOT_FOUND,),
)
async def get_locker_lease(call: Call, request: LockerLeaseRef) -> LockerLeaseAnswer:
    """Retrieve a locker rental.

    Includes the term, payments and refunds.
    """
    return _lease_answer(call, await get_visible_lease(call, request.locker_lease_id))


@reads(
    "list_locker_leases",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", LEASES_PATH), GraphQL("lockerLeases")),
)
async def list_locker_leases(call: Call, request: ListLockerLeases) -> LockerLeaseList:
    """List locker rentals, newest first.

    Customers see only their own.
    """
    wanted = request.model_dump(include={"status", "site_id", "customer_id", "lease_ref"}, exclude_none=True)
    if request.locker_offer_id is not None:
        wanted["offer_id"] = request.locker_offer_id
    if is_customer(call):
        wanted["customer_id"] = call.actor or 0
    rows, counted = await leases_store.list_lease_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return LockerLeaseList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        leases=[lease_summary(call, row) for row in rows],
    )


def _lease_answer(call: Call, row: LockerLeaseRow) -> LockerLeaseAnswer:
    return LockerLeaseAnswer(lease=lease_detail(call, row))


PARCEL_PATH = "/v1/leased-parcels/{locker_parcel_id}"


@reads(
    "list_leased_boxes",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", f"{LEASE_PATH}/boxes"), GraphQL("leasedBoxes")),
    errors=(NOT_FOUND,),
)
async def list_leased_boxes(call: Call, request: ListLeasedBoxes) -> LeasedBoxList:
    """List the compartments of a locker rental.

    Ordered by locker and number, with their contents. Customers see only their own.
    """
    lease = await get_visible_lease(call, request.locker_lease_id)
    rows, total = await leases_store.list_box_rows(call.work, lease.id, limit=request.per_page, offset=request.offset)
    shown = [leased_box_record(call, row) for row in rows]
    return LeasedBoxList(total=total, page=request.page, per_page=request.per_page, boxes=shown)


@writes(
    "reserve_leased_box",
    available_when={"status": LEASE_LIFE.allowing(LeaseStep.USE)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{LEASE_PATH}/parcels"), GraphQL("reserveLeasedBox")),
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
    available_when={"status": LOCKER_LIFE.allowing(LockerStep.DEPOSIT, LockerStep.REMOVE)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("POST", f"{PARCEL_PATH}/open"), GraphQL("openLeasedBox")),
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
    available_when={"status": LOCKER_LIFE.allowing(LockerStep.CANCEL)},
    audience=BUYERS,
    scopes={Scope.ORDERS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{PARCEL_PATH}/cancel"), GraphQL("cancelLeasedParcel")),
    errors=(NOT_FOUND, LOCKER_STEP_REFUSED),
)
async def cancel_leased_parcel(call: Call, request: LeasedParcelRef) -> LockerParcelAnswer:
    """Release an unused reservation of a rented compartment.

    The compartment must be empty, and its door must not be opening. It can then be reserved for another parcel of the
    rental.
    """
    row = await get_leased_parcel(call, request.locker_parcel_id)
    await actions.require_shut(call, row)
    changed = await apply_step(call, row, LockerStep.CANCEL)
    return LockerParcelAnswer(parcel=await parcel_detail(call, changed))


OFFERS_PATH = "/v1/locker-offers"
OFFER_PATH = f"{OFFERS_PATH}/{{locker_offer_id}}"
READERS = OFFICE | {Account.CUSTOMER}


@writes(
    "create_locker_offer",
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("POST", OFFERS_PATH), GraphQL("createLockerOffer")),
    errors=(NOT_FOUND,),
)
async def create_locker_offer(call: Call, request: CreateLockerOffer) -> LockerOfferAnswer:
    """Create a rental offer for compartments.

    Defines the number of compartments of a site, the terms and the price.
    """
    return await _offer_answer(call, await actions.create_offer(call, request))


@writes(
    "update_locker_offer",
    available_when={"status": frozenset(LockerOfferStatus) - {LockerOfferStatus.ENDED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.HIGH,
    interfaces=(Rest("PATCH", OFFER_PATH), GraphQL("updateLockerOffer")),
    errors=(NOT_FOUND, LOCKER_OFFER_CLOSED, LOCKER_OFFER_TERMS_REFUSED),
)
async def update_locker_offer(call: Call, request: UpdateLockerOffer) -> LockerOfferAnswer:
    """Update or suspend a rental offer.

    Existing rentals keep their terms. Extensions use the current price.
    """
    row = await get_visible_offer(call, request.locker_offer_id, lock=True)
    return await _offer_answer(call, await actions.update_offer(call, row, request))


@writes(
    "end_locker_offer",
    available_when={"status": frozenset(LockerOfferStatus) - {LockerOfferStatus.ENDED}},
    audience=OFFICE,
    scopes={Scope.WMS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", f"{OFFER_PATH}/end"), GraphQL("endLockerOffer")),
    errors=(NOT_FOUND, LOCKER_OFFER_CLOSED),
)
async def end_locker_offer(call: Call, request: LockerOfferRef) -> LockerOfferAnswer:
    """End a rental offer permanently.

    Existing rentals continue until the end of their term and can't be extended.
    """
    row = await get_visible_offer(call, request.locker_offer_id, lock=True)
    return await _offer_answer(call, await actions.end_offer(call, row))


@reads(
    "get_locker_offer",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", OFFER_PATH), GraphQL("lockerOffer")),
    errors=(NOT_FOUND,),
)
async def get_locker_offer(call: Call, request: LockerOfferRef) -> LockerOfferAnswer:
    """Retrieve a rental offer.

    Includes the number of available compartments. Customers see only open offers.
    """
    return await _offer_answer(call, await get_visible_offer(call, request.locker_offer_id))


@reads(
    "list_locker_offers",
    audience=READERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", OFFERS_PATH), GraphQL("lockerOffers")),
)
async def list_locker_offers(call: Call, request: ListLockerOffers) -> LockerOfferList:
    """List rental offers, newest first.

    Includes the number of available compartments. Customers see only open offers.
    """
    wanted = request.model_dump(include={"status", "site_id", "size"}, exclude_none=True)
    if is_customer(call):
        if wanted.get("status", LockerOfferStatus.OFFERED) != LockerOfferStatus.OFFERED:
            return LockerOfferList(total=0, page=request.page, per_page=request.per_page, offers=[])
        wanted["status"] = LockerOfferStatus.OFFERED.value
    rows, counted = await leases_store.list_offer_rows(call.work, wanted, limit=request.per_page, offset=request.offset)
    return LockerOfferList(
        **total_fields(counted), page=request.page, per_page=request.per_page, offers=await _records(call, rows)
    )


async def _records(call: Call, rows: Sequence[LockerOfferRow]) -> list[LockerOfferDetail]:
    ids = [row.id for row in rows]
    let, free = (
        await leases_store.count_rented_boxes(call.work, ids),
        await leases_store.count_free_boxes(call.work, ids),
    )
    return [offer_record(call, row, let.get(row.id, 0), free.get(row.id, 0)) for row in rows]


async def _offer_answer(call: Call, row: LockerOfferRow) -> LockerOfferAnswer:
    (offer,) = await _records(call, [row])
    return LockerOfferAnswer(offer=offer)


REPORT_DAYS_MAX = 366


@reads(
    "list_lease_entries",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/lease-entries"), GraphQL("leaseEntries")),
)
async def list_lease_entries(call: Call, request: ListLeaseEntries) -> LeaseEntryList:
    """List locker rental payments and refunds, newest first.

    Filter by rental, offer or customer to get its statement.
    """
    wanted = _whose(call, request)
    if request.kind is not None:
        wanted["kind"] = request.kind
    if request.locker_lease_id is not None:
        wanted["lease_id"] = request.locker_lease_id
    days = (request.date_from, request.date_to)
    rows, counted = await leases_store.list_entry_rows(
        call.work, wanted, days, limit=request.per_page, offset=request.offset
    )
    return LeaseEntryList(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        entries=[entry_record(call, row) for row in rows],
    )


@reads(
    "get_lease_usage",
    audience=BUYERS,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/lease-usage"), GraphQL("leaseUsage")),
)
async def get_lease_usage(call: Call, request: GetLeaseUsage) -> LeaseUsageReport:
    """Report on the use of locker rentals.

    Covers deposits in a period, occupied compartments now, payments and refunds.
    """
    if not 0 <= (request.date_to - request.date_from).days <= REPORT_DAYS_MAX:
        raise INVALID_REQUEST.for_fields(FieldError("date_to", "field.lease_days"))
    since, until = call.span_of_days(request.date_from, request.date_to)
    rows, counted = await leases_store.list_leases_with_boxes(
        call.work, _whose(call, request), since, until, limit=request.per_page, offset=request.offset
    )
    ids = [row.id for row in rows]
    booked = await leases_store.sum_entries(call.work, ids, request.date_from, request.date_to)
    parcels = await leases_store.count_parcels(call.work, ids, since, until)
    return LeaseUsageReport(
        **total_fields(counted),
        page=request.page,
        per_page=request.per_page,
        leases=[
            record(
                LeaseUsage,
                row,
                locker_lease_id=row.id,
                locker_offer_id=row.offer_id,
                parcels=put_in.parcels if (put_in := parcels.get(row.id)) else 0,
                in_boxes=put_in.in_boxes if put_in else 0,
                paid_amount=money.paid_minor if (money := booked.get(row.id)) else 0,
                refunded_minor=money.refunded_minor if money else 0,
            )
            for row in rows
        ],
    )


def _whose(call: Call, request: ListLeaseEntries | GetLeaseUsage) -> dict[str, Any]:
    wanted = request.model_dump(include={"customer_id"}, exclude_none=True)
    if request.locker_offer_id is not None:
        wanted["offer_id"] = request.locker_offer_id
    if is_customer(call):
        wanted["customer_id"] = call.actor or 0
    return wanted
