"""Writes of locker rentals, within the caller's transaction.

Lock order: the offer, the rental, its compartments, then their parcels.
"""

from datetime import timedelta
from typing import Any

from haulier.contexts.identity.public import customer_meant
from haulier.contexts.lockers.events import LockerLeaseChanged
from haulier.contexts.lockers.parcels.actions.doors import find_door_under_way
from haulier.contexts.lockers.parcels.actions.steps import take_step
from haulier.contexts.lockers.parcels.queries import get_parcel
from haulier.contexts.lockers.parcels.rules import LockerStatus, LockerStep
from haulier.contexts.lockers.resale.actions.boxes import settle_outages, take_boxes
from haulier.contexts.lockers.resale.actions.money import book_term, give_all_back, give_unused_days_back
from haulier.contexts.lockers.resale.actions.work import (
    ENDED,
    ENDING,
    LEASE_DUE_JOB,
    LEASE_LETTER_JOB,
    REVOKED,
    SUSPENDED,
    DueLease,
    LeaseLetter,
)
from haulier.contexts.lockers.resale.contract.leases import ReserveLockerLease
from haulier.contexts.lockers.resale.queries import get_lease, get_visible_offer
from haulier.contexts.lockers.resale.rules import (
    DAY,
    LEASE_TERMS_REFUSED,
    LEASE_WITHDRAWAL_OVER,
    LOCKER_OFFER_CLOSED,
    LOCKER_OFFER_SOLD_OUT,
    WARNED_BEFORE,
    EntryKind,
    LeaseStatus,
    LeaseStep,
    LockerOfferStatus,
    next_lease_status,
    withdraw_until,
)
from haulier.contexts.lockers.resale.store import allotments as box_store
from haulier.contexts.lockers.resale.store import leases as store
from haulier.contexts.lockers.resale.store import offers as offer_store
from haulier.contexts.lockers.resale.store.tables import LockerLeaseRow, LockerOfferRow
from haulier.kernel.call import Call

LEASE_OVER = "lease_over"
"""Reason recorded when a reservation ends with its rental."""


async def reserve_lease(call: Call, request: ReserveLockerLease) -> LockerLeaseRow:
    """Reserve compartments of an offer until they are paid.

    Concurrent calls never oversell. Raises `NOT_FOUND`, `LOCKER_OFFER_CLOSED`, `LEASE_TERMS_REFUSED`,
    `LOCKER_OFFER_SOLD_OUT`.
    """
    customer_id = await customer_meant(call, request.customer_id)
    offer = await get_visible_offer(call, request.locker_offer_id, lock=True)
    _require_open(offer)
    if request.boxes < offer.min_boxes or not offer.min_days <= request.days <= offer.max_days:
        raise _terms_refused(offer)
    let = (await offer_store.count_let_boxes(call.work, [offer.id])).get(offer.id, 0)
    if let + request.boxes > offer.boxes:
        raise LOCKER_OFFER_SOLD_OUT(wanted=request.boxes, left=max(offer.boxes - let, 0))
    boxes = await take_boxes(call, offer.site_id, offer.size, request.boxes)
    if len(boxes) < request.boxes:
        raise LOCKER_OFFER_SOLD_OUT(wanted=request.boxes, left=len(boxes))
    lease_id = await store.insert_lease(call.work, _lease_values(call, offer, request, customer_id))
    await box_store.allot_boxes(call.work, lease_id, boxes, call.now)
    row = await announce_lease(call, lease_id)
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
        await call.enqueue(LEASE_LETTER_JOB, LeaseLetter(row.id, ENDING), run_at=row.ends_at - WARNED_BEFORE)


async def cancel_lease(call: Call, row: LockerLeaseRow) -> LockerLeaseRow:
    """Cancel an unpaid reservation, or an unused rental shortly after payment.

    The row must be locked. Payments are refunded in full. Raises `LEASE_STEP_REFUSED`, `LEASE_WITHDRAWAL_OVER`.
    """
    next_lease_status(LeaseStep.CANCEL, row.status)
    until = withdraw_until(row.paid_at, row.withdraw_hours)
    if until is not None and (until <= call.now or await store.was_used(call.work, row.id)):
        raise LEASE_WITHDRAWAL_OVER()
    await give_all_back(call, row)
    return await _close(call, row, LeaseStep.CANCEL, None)


async def suspend_lease(call: Call, row: LockerLeaseRow, reason: str) -> LockerLeaseRow:
    """Suspend deposits while the term continues.

    The row must be locked. Raises `LEASE_STEP_REFUSED`.
    """
    changed = await _move(call, row, LeaseStep.SUSPEND, suspended_at=call.now, reason=reason)
    await call.enqueue(LEASE_LETTER_JOB, LeaseLetter(row.id, SUSPENDED))
    return changed


async def resume_lease(call: Call, row: LockerLeaseRow) -> LockerLeaseRow:
    """Allow deposits again. The row must be locked. Raises `LEASE_STEP_REFUSED`."""
    return await _move(call, row, LeaseStep.RESUME, suspended_at=None, reason=None)


async def revoke_lease(call: Call, row: LockerLeaseRow, reason: str) -> LockerLeaseRow:
    """End a rental early and refund the days that have not started.

    The row must be locked. Raises `LEASE_STEP_REFUSED`.
    """
    next_lease_status(LeaseStep.REVOKE, row.status)
    await settle_outages(call, row)
    await give_unused_days_back(call, row)
    closed = await _close(call, row, LeaseStep.REVOKE, reason)
    await call.enqueue(LEASE_LETTER_JOB, LeaseLetter(row.id, REVOKED))
    return closed


async def end_time_of_lease(call: Call, row: LockerLeaseRow) -> None:
    """Expire an unpaid reservation or end a finished term.

    Idempotent. The row must be locked.
    """
    if _lapsed(call, row):
        await _close(call, row, LeaseStep.CANCEL, None)
    elif row.status in (LeaseStatus.ACTIVE, LeaseStatus.SUSPENDED) and _is_over(call, row):
        await settle_outages(call, row)
        await _close(call, row, LeaseStep.END, row.reason)
        await call.enqueue(LEASE_LETTER_JOB, LeaseLetter(row.id, ENDED))


async def _close(call: Call, row: LockerLeaseRow, step: LeaseStep, reason: str | None) -> LockerLeaseRow:
    """Release the compartments; parcels inside stay until retrieved, and deposits end."""
    await box_store.release_boxes(call.work, row.id, call.now)
    for parcel_id in await box_store.list_reserved_parcels(call.work, row.id):
        parcel = await get_parcel(call, parcel_id, lock=True)
        # Skip opening doors: a deposit may be in progress, and its own deadline ends it.
        if parcel.status == LockerStatus.RESERVED and await find_door_under_way(call, parcel.id) is None:
            await take_step(call, parcel, LockerStep.CANCEL, reason=LEASE_OVER)
    return await _move(call, row, step, ended_at=call.now, reason=reason)


async def _move(call: Call, row: LockerLeaseRow, step: LeaseStep, **values: Any) -> LockerLeaseRow:
    status = next_lease_status(step, row.status)
    await store.update_lease(call.work, row.id, {**values, "status": status.value})
    return await announce_lease(call, row.id)


async def announce_lease(call: Call, lease_id: int) -> LockerLeaseRow:
    """Publish a change of a rental. Returns the current row."""
    row = await get_lease(call, lease_id)
    call.add_audit_subjects("locker_lease", row.id)
    event = LockerLeaseChanged(
        locker_lease_id=row.id, locker_offer_id=row.offer_id, customer_id=row.customer_id, status=row.status
    )
    await call.publish(event)
    return row
