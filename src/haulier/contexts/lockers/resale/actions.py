"""Writes of locker rentals for other families.

Lock order: the offer, the rental, its compartments, then their parcels.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from msgspec import Struct

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import (
    ChargeDetails,
    MoneySubject,
    ProductClass,
    charge,
    lock_refundable_part,
    refund,
)
from haulier.contexts.identity.public import resolve_customer
from haulier.contexts.lockers.devices.queries import DeviceCommandRow
from haulier.contexts.lockers.devices.rules import DoorPurpose
from haulier.contexts.lockers.events import LockerBoxChanged, LockerLeaseChanged, LockerOfferChanged
from haulier.contexts.lockers.parcels.actions.codes import find_pending_door, open_for_parcel
from haulier.contexts.lockers.parcels.actions.steps import WantedBox, apply_step, occupy_box
from haulier.contexts.lockers.parcels.queries import LockerParcelRow, get_parcel
from haulier.contexts.lockers.parcels.rules import LOCKER_STEP_REFUSED, NO_FREE_BOX, LockerStatus, LockerStep
from haulier.contexts.lockers.resale.contract import (
    LEASES,
    CreateLockerOffer,
    ReserveLeasedBox,
    ReserveLockerLease,
    UpdateLockerOffer,
)
from haulier.contexts.lockers.resale.queries import get_lease, get_visible_offer
from haulier.contexts.lockers.resale.rules import (
    DAY,
    LEASE_TERMS_REFUSED,
    LEASE_WITHDRAWAL_OVER,
    LOCKER_OFFER_CLOSED,
    LOCKER_OFFER_SOLD_OUT,
    LOCKER_OFFER_TERMS_REFUSED,
    WARNED_BEFORE,
    EntryKind,
    LeaseStatus,
    LeaseStep,
    LockerOfferStatus,
    lost_days,
    next_lease_status,
    unused_days,
    withdraw_until,
)
from haulier.contexts.lockers.resale.store import leases as leases_store
from haulier.contexts.lockers.resale.store.tables import AllotmentRow, LeaseEntryRow, LockerLeaseRow, LockerOfferRow
from haulier.contexts.lockers.sites.queries import get_box, get_site
from haulier.contexts.lockers.sites.rules import BoxState
from haulier.kernel.background.events import DomainEvent, before_commit
from haulier.kernel.call import Call
from haulier.kernel.operations.errors import record_not_found
from haulier.kernel.values.money import Money

MONEY_KIND = "locker_lease"


async def book_term(
    call: Call, row: LockerLeaseRow, kind: EntryKind, term: tuple[datetime, int], day_minor: int, extra_minor: int = 0
) -> None:
    """Charge a term, given by its start and days, to the customer's credit.

    Raises `CREDIT_INSUFFICIENT`.
    """
    starts_at, days = term
    amount = row.boxes * days * day_minor + extra_minor
    entry_id = await _write(
        call,
        row,
        kind,
        {"boxes": row.boxes, "days": days, "day_minor": day_minor, "amount_minor": amount},
        (starts_at, starts_at + days * DAY),
    )
    if amount:
        posted = await charge(
            call,
            row.customer_id,
            Money(amount, row.currency),
            key=f"locker_lease:{row.id}:{entry_id}",
            subject=MoneySubject(MONEY_KIND, row.id, LEASES),
            line=ChargeDetails(
                item=row.offer_name,
                reference=row.lease_ref,
                serviced_on=call.local_time(starts_at).date(),
                product_class=ProductClass.RENTAL,
            ),
        )
        await leases_store.update_entry(call.work, entry_id, {"transfer_id": posted.transfer_id})
        await leases_store.update_lease(call.work, row.id, {"paid_minor": row.paid_minor + amount})


async def refund_all(call: Call, row: LockerLeaseRow) -> None:
    """Refund all payments of a rental that were not refunded yet."""
    for entry in await leases_store.list_charges(call.work, row.id):
        left = entry.amount_minor - entry.refunded_minor
        await _refund_part(call, entry, EntryKind.WITHDRAWAL, left, entry.boxes, entry.days)


async def refund_unused_days(call: Call, row: LockerLeaseRow) -> None:
    """Refund the days of a rental that have not started."""
    for entry in await leases_store.list_charges(call.work, row.id):
        days = unused_days(entry.starts_at, entry.ends_at, call.now)
        await _refund_part(call, entry, EntryKind.REVOCATION, days * entry.boxes * entry.day_minor, entry.boxes, days)


async def refund_outage(call: Call, row: LockerLeaseRow, out_since: datetime, days: int) -> None:
    """Refund the outage days of a compartment at the price of the term."""
    charges = await leases_store.list_charges(call.work, row.id)
    of_then = [entry for entry in charges if entry.starts_at <= out_since] or charges
    if of_then:
        await _refund_part(call, of_then[0], EntryKind.OUTAGE, days * of_then[0].day_minor, 1, days)


async def _refund_part(call: Call, entry: LeaseEntryRow, kind: EntryKind, minor: int, boxes: int, days: int) -> None:
    """Refund a part of a payment, at most what is left of it."""
    minor = min(minor, entry.amount_minor - entry.refunded_minor)
    if minor <= 0 or entry.transfer_id is None:
        return
    minor, amount = await lock_refundable_part(
        call, entry.transfer_id, minor, before_minor=entry.refunded_minor, whole_minor=entry.amount_minor
    )
    if not amount:
        return
    row = await get_lease(call, entry.lease_id)
    told = {"boxes": boxes, "days": days, "day_minor": entry.day_minor, "amount_minor": -minor}
    given_id = await _write(call, row, kind, told, (call.now, call.now))
    key = f"locker_lease:{row.id}:{given_id}"
    posted = await refund(call, entry.transfer_id, Money(amount, entry.currency), key=key)
    await leases_store.update_entry(call.work, given_id, {"transfer_id": posted.transfer_id})
    await leases_store.update_entry(call.work, entry.id, {"refunded_minor": entry.refunded_minor + minor})
    await leases_store.update_lease(call.work, row.id, {"refunded_minor": row.refunded_minor + minor})
    if entry.kind == EntryKind.TERM:  # extensions are paid from credit
        what = PaymentReturned(purpose=MONEY_KIND, subject_id=row.id, amount_minor=amount, occasion=str(given_id))
        await call.publish(what)


async def _write(
    call: Call, row: LockerLeaseRow, kind: EntryKind, told: dict[str, Any], term: tuple[datetime, datetime]
) -> int:
    return await leases_store.insert_entry(
        call.work,
        {
            **told,
            "lease_id": row.id,
            "kind": kind.value,
            "refunded_minor": 0,
            "currency": row.currency,
            "starts_at": term[0],
            "ends_at": term[1],
            "booked_on": call.today,
            "created_at": call.now,
        },
    )


async def create_offer(call: Call, request: CreateLockerOffer) -> LockerOfferRow:
    """Create an offer for compartments of a site. Raises `NOT_FOUND`."""
    await get_site(call, request.site_id)
    values = {
        **request.model_dump(),
        "status": LockerOfferStatus.OFFERED.value,
        "currency": call.business.currency,
        "created_at": call.now,
    }
    return await _publish_changed(call, await LockerOfferRow.insert(call.work, **values))


async def update_offer(call: Call, row: LockerOfferRow, request: UpdateLockerOffer) -> LockerOfferRow:
    """Update or suspend an offer. The row must be locked.

    Raises `LOCKER_OFFER_CLOSED` once ended, and `LOCKER_OFFER_TERMS_REFUSED` if a minimum would exceed its maximum.
    """
    if row.status == LockerOfferStatus.ENDED:
        raise LOCKER_OFFER_CLOSED(status=row.status)
    values: dict[str, Any] = request.model_dump(exclude={"locker_offer_id", "suspended"}, exclude_none=True)
    if request.suspended is not None:
        values["status"] = (LockerOfferStatus.SUSPENDED if request.suspended else LockerOfferStatus.OFFERED).value
    for least, most in (("min_days", "max_days"), ("min_boxes", "boxes")):
        if values.get(least, getattr(row, least)) > values.get(most, getattr(row, most)):
            raise LOCKER_OFFER_TERMS_REFUSED(least=least, most=most)
    await leases_store.update_offer(call.work, row.id, values)
    return await _publish_changed(call, row.id)


async def end_offer(call: Call, row: LockerOfferRow) -> LockerOfferRow:
    """End an offer.

    Existing rentals continue. The row must be locked. Raises `LOCKER_OFFER_CLOSED`.
    """
    if row.status == LockerOfferStatus.ENDED:
        raise LOCKER_OFFER_CLOSED(status=row.status)
    await leases_store.update_offer(call.work, row.id, {"status": LockerOfferStatus.ENDED.value, "ended_at": call.now})
    return await _publish_changed(call, row.id)


async def _publish_changed(call: Call, offer_id: int) -> LockerOfferRow:
    row = await LockerOfferRow.get(call.work, offer_id)
    if row is None:
        raise record_not_found(locker_offer_id=offer_id)
    call.add_audit_subjects("locker_offer", row.id)
    await call.publish(LockerOfferChanged(locker_offer_id=row.id, site_id=row.site_id, status=row.status))
    return row


def require_usable(call: Call, lease: LockerLeaseRow) -> None:
    """Require a paid, active rental that accepts deposits.

    Raises `LEASE_STEP_REFUSED`.
    """
    over = lease.ends_at is not None and lease.ends_at <= call.now
    next_lease_status(LeaseStep.USE, LeaseStatus.ENDED if over else lease.status)


async def reserve_leased_box(call: Call, lease: LockerLeaseRow, request: ReserveLeasedBox) -> LockerParcelRow:
    """Reserve an empty compartment of a rental for a parcel.

    The rental must be locked. Raises `LEASE_STEP_REFUSED`, or `NO_FREE_BOX` if none is empty and usable.
    """
    require_usable(call, lease)
    terms = request.model_dump(include={"low", "hold_hours", "keep_days", "reference"})
    wanted = WantedBox(site_id=lease.site_id, size=lease.size, lease_id=lease.id, **terms)
    recipient = request.recipient
    whose = {
        "order_id": None,
        "customer_id": lease.customer_id,
        "recipient_name": recipient.name if recipient else None,
        "recipient_email": recipient.email if recipient else None,
        "recipient_phone": recipient.phone if recipient else None,
        "language": None,
    }
    row = await occupy_box(call, wanted, whose)
    if row is None:
        raise NO_FREE_BOX(size=lease.size.upper())
    call.add_audit_subjects("locker_lease", lease.id)
    return row


async def require_shut(call: Call, row: LockerParcelRow) -> None:
    """Require that no deposit is in progress.

    Raises `LOCKER_STEP_REFUSED` while the door is opening.
    """
    if await find_pending_door(call, row.id) is not None:
        raise LOCKER_STEP_REFUSED(step=LockerStep.CANCEL.value, status=row.status)


async def open_leased_box(call: Call, row: LockerParcelRow, purpose: DoorPurpose) -> DeviceCommandRow:
    """Open the compartment of a parcel to deposit or retrieve it. It must be locked.

    After the rental, only retrieval is possible. Raises `LEASE_STEP_REFUSED`, `LOCKER_STEP_REFUSED`,
    `LOCKER_WITHOUT_DEVICE` and `DEVICE_NOT_USABLE`.
    """
    lease = await get_lease(call, row.lease_id or 0)
    if purpose is DoorPurpose.DEPOSIT:
        require_usable(call, lease)
    call.add_audit_subjects("locker_lease", lease.id)
    step = LockerStep.DEPOSIT if purpose is DoorPurpose.DEPOSIT else LockerStep.REMOVE
    return await open_for_parcel(call, row, step, purpose)


LEASE_DUE_JOB = "lockers.lease_due"
LEASE_LETTER_JOB = "lockers.lease_letter"
LEASED_BOX_JOB = "lockers.leased_box"
ENDING, ENDED, REVOKED, SUSPENDED = "ending", "ended", "revoked", "suspended"
BOX_REPLACED, BOX_OUT = "box_replaced", "box_out"


class DueLease(Struct, frozen=True):
    """Job for a rental with a due deadline."""

    lease_id: int


class LeaseEmail(Struct, frozen=True):
    """Email about a rental.

    One of `ending`, `ended`, `revoked`, `suspended`, `box_replaced` or `box_out`.
    """

    lease_id: int
    occasion: str


class ChangedBox(Struct, frozen=True):
    """Job for a rented compartment whose usability changed."""

    box_id: int


ATTEMPTS = 5
"""Retries for compartments that were taken before they were locked."""


async def allocate_boxes(call: Call, site_id: int, size: str, wanted: int) -> list[int]:
    """Lock free compartments of exactly one size, at most as many as wanted."""
    taken: list[int] = []
    for _ in range(ATTEMPTS):
        taken = await leases_store.lock_free_boxes(call.work, site_id, size, wanted)
        # Check again: a concurrent deposit holds the same lock, but the statement read the row before.
        filled = await leases_store.list_filled(call.work, taken)
        if not filled:
            return taken
        taken = [box_id for box_id in taken if box_id not in filled]
    return taken


@before_commit(LockerBoxChanged)
async def on_rented_boxes_changed(call: Call, events: Sequence[DomainEvent]) -> None:
    """Enqueue a job for each rented compartment whose usability changed.

    A job is needed: the caller has locked the compartment, and rentals are locked before compartments.
    """
    for event in events:
        if isinstance(event, LockerBoxChanged) and await leases_store.find_allotment_of_box(call.work, event.box_id):
            await call.enqueue(LEASED_BOX_JOB, ChangedBox(event.box_id))


async def on_box_changed(call: Call, box_id: int) -> None:
    """Exchange an unusable rented compartment, or refund its outage.

    Idempotent.
    """
    found = await leases_store.find_allotment_of_box(call.work, box_id)
    if found is None:
        return
    lease = await get_lease(call, found.lease_id, lock=True)
    allotment = await leases_store.find_allotment_of_box(call.work, box_id)
    if allotment is None or allotment.lease_id != lease.id:
        return
    box = await get_box(call, box_id, lock=True)
    if box.state == BoxState.READY:
        await _end_outage(call, lease, allotment)
    elif allotment.out_since is None:
        await _replace(call, lease, allotment)


async def _replace(call: Call, lease: LockerLeaseRow, allotment: AllotmentRow) -> None:
    other = await allocate_boxes(call, lease.site_id, lease.size, 1)
    if other:
        await leases_store.release_box(call.work, allotment, call.now)
        await leases_store.allot_boxes(call.work, lease.id, other, call.now)
    else:
        await leases_store.set_out_since(call.work, allotment.id, call.now)
    call.add_audit_subjects("locker_lease", lease.id)
    await call.enqueue(LEASE_LETTER_JOB, LeaseEmail(lease.id, BOX_REPLACED if other else BOX_OUT))


async def refund_outages(call: Call, lease: LockerLeaseRow) -> None:
    """Refund the outage days of unusable compartments before their rental ends.

    The rental must be locked.
    """
    for allotment in await leases_store.list_allotments(call.work, lease.id):
        await _end_outage(call, lease, allotment)


async def _end_outage(call: Call, lease: LockerLeaseRow, allotment: AllotmentRow) -> None:
    if allotment.out_since is None:
        return
    await leases_store.set_out_since(call.work, allotment.id, None)
    if lease.paid_at is not None and lease.ends_at is not None:
        since, until = max(allotment.out_since, lease.paid_at), min(call.now, lease.ends_at)
        if until > since:
            await refund_outage(call, lease, since, lost_days(since, until))


LEASE_OVER = "lease_over"
"""Reason recorded when a reservation ends with its rental."""


async def reserve_lease(call: Call, request: ReserveLockerLease) -> LockerLeaseRow:
    """Reserve compartments of an offer until they are paid.

    Concurrent calls never oversell. Raises `NOT_FOUND`, `LOCKER_OFFER_CLOSED`, `LEASE_TERMS_REFUSED`,
    `LOCKER_OFFER_SOLD_OUT`.
    """
    customer_id = await resolve_customer(call, request.customer_id)
    offer = await get_visible_offer(call, request.locker_offer_id, lock=True)
    _require_open(offer)
    if request.boxes < offer.min_boxes or not offer.min_days <= request.days <= offer.max_days:
        raise _terms_refused(offer)
    let = (await leases_store.count_rented_boxes(call.work, [offer.id])).get(offer.id, 0)
    if let + request.boxes > offer.boxes:
        raise LOCKER_OFFER_SOLD_OUT(wanted=request.boxes, left=max(offer.boxes - let, 0))
    boxes = await allocate_boxes(call, offer.site_id, offer.size, request.boxes)
    if len(boxes) < request.boxes:
        raise LOCKER_OFFER_SOLD_OUT(wanted=request.boxes, left=len(boxes))
    lease_id = await leases_store.insert_lease(call.work, _lease_values(call, offer, request, customer_id))
    await leases_store.allot_boxes(call.work, lease_id, boxes, call.now)
    row = await publish_lease_changed(call, lease_id)
    await call.enqueue(LEASE_DUE_JOB, DueLease(row.id), run_at=row.held_until)
    return row


def _lease_values(call: Call, offer: LockerOfferRow, request: ReserveLockerLease, customer_id: int) -> dict[str, Any]:
    copied = ("site_id", "size", "day_minor", "setup_minor", "currency", "withdraw_hours")
    return {
        **{name: getattr(offer, name) for name in copied},
        **request.model_dump(include={"boxes", "days", "lease_ref"}),
        "offer_id": offer.id,
        "customer_id": customer_id,
        "status": LeaseStatus.RESERVED.value,
        "price_minor": request.boxes * request.days * offer.day_minor + offer.setup_minor,
        "paid_minor": 0,
        "refunded_minor": 0,
        "created_at": call.now,
        "held_until": call.now + timedelta(minutes=offer.hold_minutes),
    }


def _require_open(offer: LockerOfferRow) -> None:
    if offer.status != LockerOfferStatus.OFFERED:
        raise LOCKER_OFFER_CLOSED(status=offer.status)


def _terms_refused(offer: LockerOfferRow) -> Exception:
    return LEASE_TERMS_REFUSED(boxes=offer.min_boxes, least=offer.min_days, most=offer.max_days)


async def pay_lease(call: Call, row: LockerLeaseRow) -> LockerLeaseRow:
    """Charge the term to the customer's credit and start it. The row must be locked.

    Raises `LEASE_STEP_REFUSED`, also after the reservation expired, and `CREDIT_INSUFFICIENT`.
    """
    status = LeaseStatus.CANCELLED if _lapsed(call, row) else row.status
    next_lease_status(LeaseStep.PAY, status)
    await book_term(call, row, EntryKind.TERM, (call.now, row.days), row.day_minor, row.setup_minor)
    paid = await _move(call, row, LeaseStep.PAY, paid_at=call.now, ends_at=call.now + row.days * DAY)
    await _watch(call, paid)
    return paid


def is_lease_payable(call: Call, row: LockerLeaseRow) -> bool:
    """Return True if the reservation can still be paid."""
    return row.status == LeaseStatus.RESERVED and not _lapsed(call, row)


def _lapsed(call: Call, row: LockerLeaseRow) -> bool:
    return row.status == LeaseStatus.RESERVED and row.held_until <= call.now


async def extend_lease(call: Call, row: LockerLeaseRow, days: int) -> LockerLeaseRow:
    """Extend a rental at the current price, charged to credit. It must be locked.

    Raises `LEASE_STEP_REFUSED`, `LOCKER_OFFER_CLOSED`, `LEASE_TERMS_REFUSED`, `CREDIT_INSUFFICIENT`.
    """
    next_lease_status(LeaseStep.EXTEND, LeaseStatus.ENDED if _is_over(call, row) else row.status)
    offer = await LockerOfferRow.get(call.work, row.offer_id)
    assert offer is not None
    assert row.ends_at is not None
    _require_open(offer)
    if days > offer.max_days:
        raise _terms_refused(offer)
    await book_term(call, row, EntryKind.EXTENSION, (row.ends_at, days), offer.day_minor)
    longer = await _move(call, row, LeaseStep.EXTEND, days=row.days + days, ends_at=row.ends_at + days * DAY)
    await _watch(call, longer)
    return longer


def _is_over(call: Call, row: LockerLeaseRow) -> bool:
    return row.ends_at is not None and row.ends_at <= call.now


async def _watch(call: Call, row: LockerLeaseRow) -> None:
    """Schedule the end of a rental and the reminder before it."""
    assert row.ends_at is not None
    await call.enqueue(LEASE_DUE_JOB, DueLease(row.id), run_at=row.ends_at)
    if row.ends_at - WARNED_BEFORE > call.now:
        await call.enqueue(LEASE_LETTER_JOB, LeaseEmail(row.id, ENDING), run_at=row.ends_at - WARNED_BEFORE)


async def cancel_lease(call: Call, row: LockerLeaseRow) -> LockerLeaseRow:
    """Cancel an unpaid reservation, or an unused rental shortly after payment.

    The row must be locked. Payments are refunded in full. Raises `LEASE_STEP_REFUSED`, `LEASE_WITHDRAWAL_OVER`.
    """
    next_lease_status(LeaseStep.CANCEL, row.status)
    until = withdraw_until(row.paid_at, row.withdraw_hours)
    if until is not None and (until <= call.now or await leases_store.was_used(call.work, row.id)):
        raise LEASE_WITHDRAWAL_OVER()
    await refund_all(call, row)
    return await _close(call, row, LeaseStep.CANCEL, None)


async def suspend_lease(call: Call, row: LockerLeaseRow, reason: str) -> LockerLeaseRow:
    """Suspend deposits while the term continues.

    The row must be locked. Raises `LEASE_STEP_REFUSED`.
    """
    changed = await _move(call, row, LeaseStep.SUSPEND, suspended_at=call.now, reason=reason)
    await call.enqueue(LEASE_LETTER_JOB, LeaseEmail(row.id, SUSPENDED))
    return changed


async def resume_lease(call: Call, row: LockerLeaseRow) -> LockerLeaseRow:
    """Allow deposits again. The row must be locked. Raises `LEASE_STEP_REFUSED`."""
    return await _move(call, row, LeaseStep.RESUME, suspended_at=None, reason=None)


async def revoke_lease(call: Call, row: LockerLeaseRow, reason: str) -> LockerLeaseRow:
    """End a rental early and refund the days that have not started.

    The row must be locked. Raises `LEASE_STEP_REFUSED`.
    """
    next_lease_status(LeaseStep.REVOKE, row.status)
    await refund_outages(call, row)
    await refund_unused_days(call, row)
    closed = await _close(call, row, LeaseStep.REVOKE, reason)
    await call.enqueue(LEASE_LETTER_JOB, LeaseEmail(row.id, REVOKED))
    return closed


async def end_time_of_lease(call: Call, row: LockerLeaseRow) -> None:
    """Expire an unpaid reservation or end a finished term.

    Idempotent. The row must be locked.
    """
    if _lapsed(call, row):
        await _close(call, row, LeaseStep.CANCEL, None)
    elif row.status in (LeaseStatus.ACTIVE, LeaseStatus.SUSPENDED) and _is_over(call, row):
        await refund_outages(call, row)
        await _close(call, row, LeaseStep.END, row.reason)
        await call.enqueue(LEASE_LETTER_JOB, LeaseEmail(row.id, ENDED))


async def _close(call: Call, row: LockerLeaseRow, step: LeaseStep, reason: str | None) -> LockerLeaseRow:
    """Release the compartments; parcels inside stay until retrieved, and deposits end."""
    await leases_store.release_boxes(call.work, row.id, call.now)
    for parcel_id in await leases_store.list_reserved_parcels(call.work, row.id):
        parcel = await get_parcel(call, parcel_id, lock=True)
        # Skip opening doors: a deposit may be in progress, and its own deadline ends it.
        if parcel.status == LockerStatus.RESERVED and await find_pending_door(call, parcel.id) is None:
            await apply_step(call, parcel, LockerStep.CANCEL, reason=LEASE_OVER)
    return await _move(call, row, step, ended_at=call.now, reason=reason)


async def _move(call: Call, row: LockerLeaseRow, step: LeaseStep, **values: Any) -> LockerLeaseRow:
    status = next_lease_status(step, row.status)
    await leases_store.update_lease(call.work, row.id, {**values, "status": status.value})
    return await publish_lease_changed(call, row.id)


async def publish_lease_changed(call: Call, lease_id: int) -> LockerLeaseRow:
    """Publish a change of a rental. Returns the current row."""
    row = await get_lease(call, lease_id)
    call.add_audit_subjects("locker_lease", row.id)
    event = LockerLeaseChanged(
        locker_lease_id=row.id, locker_offer_id=row.offer_id, customer_id=row.customer_id, status=row.status
    )
    await call.publish(event)
    return row
