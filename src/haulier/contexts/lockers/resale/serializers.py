"""Serializers of rental offers, rentals and their payments."""

from typing import Any

from haulier.contexts.lockers.resale.actions import is_lease_payable
from haulier.contexts.lockers.resale.contract import (
    LEASES,
    LeasedBox,
    LeaseEntry,
    LockerLeaseDetail,
    LockerLeaseSummary,
    LockerOfferDetail,
)
from haulier.contexts.lockers.resale.rules import LeaseStep, LockerOfferStatus, lease_can, withdraw_until
from haulier.contexts.lockers.resale.store.tables import (
    LeasedBoxRow,
    LeaseEntryRow,
    LockerLeaseRow,
    LockerOfferRow,
)
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record


def offer_record(call: Call, row: LockerOfferRow, let: int, free: int) -> LockerOfferDetail:
    """Serialize an offer with its availability."""
    open_now = row.status == LockerOfferStatus.OFFERED
    return record(
        LockerOfferDetail,
        row,
        day_price_minor=row.day_minor,
        setup_price_minor=row.setup_minor,
        created_at=call.local_time(row.created_at),
        ended_at=call.local_time(row.ended_at),
        let=let,
        available=max(min(row.boxes - let, free), 0) if open_now else 0,
    )


def lease_summary(call: Call, row: LockerLeaseRow) -> LockerLeaseSummary:
    """Serialize a rental for a list."""
    return record(LockerLeaseSummary, row, **_summary(call, row))


def lease_detail(call: Call, row: LockerLeaseRow) -> LockerLeaseDetail:
    """Serialize a rental."""
    return record(
        LockerLeaseDetail,
        row,
        **_summary(call, row),
        day_price_minor=row.day_minor,
        setup_price_minor=row.setup_minor,
        withdraw_until=call.local_time(withdraw_until(row.paid_at, row.withdraw_hours)),
        suspended_at=call.local_time(row.suspended_at),
        ended_at=call.local_time(row.ended_at),
    )


def _summary(call: Call, row: LockerLeaseRow) -> dict[str, Any]:
    payable = is_lease_payable(call, row)
    until = withdraw_until(row.paid_at, row.withdraw_hours)
    return {
        "locker_offer_id": row.offer_id,
        "total_price": row.price_minor,
        "paid_amount": row.paid_minor,
        "refunded_minor": row.refunded_minor,
        "balance_due_minor": row.price_minor if payable else 0,
        "can_be_paid": payable and not call.principal.hides(LEASES),
        "can_be_cancelled": lease_can(LeaseStep.CANCEL, row.status) and (until is None or until > call.now),
        "held_until": call.local_time(row.held_until),
        "paid_at": call.local_time(row.paid_at),
        "ends_at": call.local_time(row.ends_at),
        "created_at": call.local_time(row.created_at),
    }


def leased_box_record(call: Call, row: LeasedBoxRow) -> LeasedBox:
    """Serialize a rented compartment."""
    return record(LeasedBox, row, since=call.local_time(row.since), out_since=call.local_time(row.out_since))


def entry_record(call: Call, row: LeaseEntryRow) -> LeaseEntry:
    """Serialize a payment or refund."""
    return record(
        LeaseEntry,
        row,
        locker_lease_id=row.lease_id,
        locker_offer_id=row.offer_id,
        amount=row.amount_minor,
        created_at=call.local_time(row.created_at),
    )
