"""Writes of luggage claims: refund the price first, then compensate."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from haulier.contexts.billing.public import adjust, lock_refundable_minor
from haulier.contexts.lockers.events import LuggageClaimChanged
from haulier.contexts.lockers.luggage.actions.bookings import CLAIM, EMAIL_JOB, LuggageEmail, refund_booking
from haulier.contexts.lockers.luggage.actions.custody import find_bag
from haulier.contexts.lockers.luggage.contract import FileLuggageClaim, SettleLuggageClaim
from haulier.contexts.lockers.luggage.queries import get_claim, get_terms
from haulier.contexts.lockers.luggage.rules import (
    CLAIM_LIFE,
    LUGGAGE_AMOUNT_TOO_HIGH,
    LUGGAGE_CLAIM_REFUSED,
    BagStatus,
    ClaimKind,
    ClaimStep,
    LuggageClaimStatus,
    share_of_bags,
)
from haulier.contexts.lockers.luggage.store import LuggageBagRow, LuggageClaimRow, LuggageRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.values.money import Money

NOT_LATE, NOT_LOST, NOT_HANDED_IN, TIME_OVER, FILED = "not_late", "not_lost", "not_handed_in", "time_over", "filed"


async def file_claim(
    call: Call, row: LuggageRow, bags: Sequence[LuggageBagRow], request: FileLuggageClaim
) -> LuggageClaimRow:
    """Insert a claim.

    Raises `NOT_FOUND` for an unknown tag, or `LUGGAGE_CLAIM_REFUSED` with the reason.
    """
    if why := await _fault(call, row, bags, request):
        raise LUGGAGE_CLAIM_REFUSED(why=why)
    values: dict[str, Any] = {
        "booking_id": row.id,
        "customer_id": row.customer_id,
        "kind": request.kind,
        "about": request.tag or "",
        "status": LuggageClaimStatus.OPEN.value,
        "note": request.note,
        "refunded_minor": 0,
        "compensation_minor": 0,
        "currency": row.currency,
        "created_at": call.now,
    }
    try:
        async with call.savepoint():
            claim_id = await LuggageClaimRow.insert(call.work, **values)
    except UniqueConflict:
        raise LUGGAGE_CLAIM_REFUSED(why=FILED) from None
    return await _publish_changed(call, claim_id)


async def _fault(call: Call, row: LuggageRow, bags: Sequence[LuggageBagRow], request: FileLuggageClaim) -> str | None:
    days = (await get_terms(call)).claim_days
    if row.ended_at is not None and row.ended_at + timedelta(days=days) < call.now:
        return TIME_OVER
    if request.tag is None:
        return None if row.late else NOT_LATE
    bag = find_bag(bags, request.tag)
    if request.kind == ClaimKind.LOST:
        return None if bag.status == BagStatus.LOST else NOT_LOST
    return NOT_HANDED_IN if bag.status in (BagStatus.EXPECTED, BagStatus.ABSENT) else None


async def withdraw_claim(call: Call, claim: LuggageClaimRow) -> LuggageClaimRow:
    """Withdraw a claim. Raises `LUGGAGE_STEP_REFUSED`."""
    return await _move(call, claim, ClaimStep.WITHDRAW, {})


async def resolve_claim(
    call: Call, row: LuggageRow, claim: LuggageClaimRow, request: SettleLuggageClaim
) -> LuggageClaimRow:
    """Accept or refuse a claim. The booking and the claim must be locked.

    Raises `LUGGAGE_STEP_REFUSED`, or `LUGGAGE_AMOUNT_TOO_HIGH` above the share of the price and the liability.
    """
    step = ClaimStep(request.outcome)
    CLAIM_LIFE.next_status_or_raise(step, LuggageClaimStatus(claim.status))
    values: dict[str, Any] = {"reason": request.reason}
    if request.amount_minor is not None:
        values |= await _pay(call, row, claim, request.amount_minor)
    await call.enqueue(EMAIL_JOB, LuggageEmail(row.id, CLAIM, claim.id))
    return await _move(call, claim, step, values)


async def _pay(call: Call, row: LuggageRow, claim: LuggageClaimRow, amount: int) -> dict[str, Any]:
    bags = 1 if claim.about else row.bag_count
    left = await lock_refundable_minor(call, row.transfer_id) if row.transfer_id is not None else 0
    share = min(share_of_bags(row.price_minor, row.bag_count, bags), row.price_minor - row.refunded_minor, left)
    most = share + (await get_terms(call)).liability_minor * bags
    if amount > most:
        raise LUGGAGE_AMOUNT_TOO_HIGH(most=str(Money(most, row.currency)))
    refunded = await refund_booking(call, row, min(amount, share), key=f"claim:{claim.id}")
    if rest := amount - refunded:
        key, reason = f"luggage_claim:{claim.id}", f"{claim.kind} {claim.about}".strip()
        await adjust(call, row.customer_id, Money(rest, row.currency), key=key, reason=reason)
    return {"refunded_minor": refunded, "compensation_minor": rest}


async def _move(call: Call, claim: LuggageClaimRow, step: ClaimStep, values: dict[str, Any]) -> LuggageClaimRow:
    reached = CLAIM_LIFE.next_status_or_raise(step, LuggageClaimStatus(claim.status))
    await LuggageClaimRow.update(call.work, claim.id, {**values, "status": reached.value, "ended_at": call.now})
    return await _publish_changed(call, claim.id)


async def _publish_changed(call: Call, claim_id: int) -> LuggageClaimRow:
    claim = await get_claim(call, claim_id)
    call.add_audit_subjects("luggage_claim", claim.id)
    await call.publish(LuggageClaimChanged(luggage_claim_id=claim.id, luggage_id=claim.booking_id, status=claim.status))
    return claim
