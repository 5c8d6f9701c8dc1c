"""Payments and refunds of rentals, booked in the same transaction."""

from datetime import datetime
from typing import Any

from haulier.contexts.billing.events import PaymentReturned
from haulier.contexts.billing.public import MoneySubject, charge, lock_left, refund
from haulier.contexts.lockers.resale.contract.offers import LEASES
from haulier.contexts.lockers.resale.queries import get_lease
from haulier.contexts.lockers.resale.rules import DAY, EntryKind, unused_days
from haulier.contexts.lockers.resale.store import leases as store
from haulier.contexts.lockers.resale.store.tables import LeaseEntryRow, LockerLeaseRow
from haulier.kernel.call import Call
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
        )
        await store.update_entry(call.work, entry_id, {"transfer_id": posted.transfer_id})
        await store.update_lease(call.work, row.id, {"paid_minor": row.paid_minor + amount})


async def give_all_back(call: Call, row: LockerLeaseRow) -> None:
    """Refund all payments of a rental that were not refunded yet."""
    for entry in await store.list_charges(call.work, row.id):
        left = entry.amount_minor - entry.refunded_minor
        await _give_back(call, entry, EntryKind.WITHDRAWAL, left, entry.boxes, entry.days)


async def give_unused_days_back(call: Call, row: LockerLeaseRow) -> None:
    """Refund the days of a rental that have not started."""
    for entry in await store.list_charges(call.work, row.id):
        days = unused_days(entry.starts_at, entry.ends_at, call.now)
        await _give_back(call, entry, EntryKind.REVOCATION, days * entry.boxes * entry.day_minor, entry.boxes, days)


async def give_lost_days_back(call: Call, row: LockerLeaseRow, out_since: datetime, days: int) -> None:
    """Refund the outage days of a compartment at the price of the term."""
    charges = await store.list_charges(call.work, row.id)
    of_then = [entry for entry in charges if entry.starts_at <= out_since] or charges
    if of_then:
        await _give_back(call, of_then[0], EntryKind.OUTAGE, days * of_then[0].day_minor, 1, days)


async def _give_back(call: Call, entry: LeaseEntryRow, kind: EntryKind, minor: int, boxes: int, days: int) -> None:
    """Refund a part of a payment, at most what is left of it."""
    minor = min(minor, entry.amount_minor - entry.refunded_minor)
    if minor <= 0 or entry.transfer_id is None:
        return
    minor = min(minor, await lock_left(call, entry.transfer_id))
    if not minor:
        return
    row = await get_lease(call, entry.lease_id)
    told = {"boxes": boxes, "days": days, "day_minor": entry.day_minor, "amount_minor": -minor}
    given_id = await _write(call, row, kind, told, (call.now, call.now))
    key = f"locker_lease:{row.id}:{given_id}"
    posted = await refund(call, entry.transfer_id, Money(minor, entry.currency), key=key)
    await store.update_entry(call.work, given_id, {"transfer_id": posted.transfer_id})
    await store.update_entry(call.work, entry.id, {"refunded_minor": entry.refunded_minor + minor})
    await store.update_lease(call.work, row.id, {"refunded_minor": row.refunded_minor + minor})
    if entry.kind == EntryKind.TERM:  # extensions are paid from credit
        what = PaymentReturned(purpose=MONEY_KIND, subject_id=row.id, amount_minor=minor, occasion=str(given_id))
        await call.publish(what)


async def _write(
    call: Call, row: LockerLeaseRow, kind: EntryKind, told: dict[str, Any], term: tuple[datetime, datetime]
) -> int:
    return await store.insert_entry(
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
