"""Writes of payouts: creation, disputes, approval and payment."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from haulier.contexts.settlements.pay.actions import correct_earning
from haulier.contexts.settlements.payouts import store
from haulier.contexts.settlements.payouts.contract import (
    CancelPayout,
    CreatePayouts,
    DisputePayout,
    PayPayouts,
    ReopenPayout,
    ResolvePayoutDispute,
)
from haulier.contexts.settlements.payouts.queries import get_visible_payout, lock_payouts
from haulier.contexts.settlements.payouts.rules import (
    NOTHING_TO_PAY,
    PAYOUT_DISPUTE_CLOSED,
    PAYOUT_DISPUTED,
    PAYOUT_LINE_DISPUTED,
    DisputableLine,
    DisputeState,
    PayoutStatus,
    PayoutStep,
    UnpaidSum,
    list_payable,
    payout_number,
    require_lines,
    require_step,
)
from haulier.contexts.settlements.payouts.store import PayoutCounterRow, PayoutLineRow, PayoutRow
from haulier.kernel.call import Call

UNPAID: dict[str, Any] = {"paid_on": None, "payment_reference": None}


async def create_payouts(call: Call, request: CreatePayouts) -> list[PayoutRow]:
    """Put unpaid earnings on numbered payouts, one per payee and currency.

    Raises `NOTHING_TO_PAY` if no payee has anything to receive.
    """
    counter = await store.lock_counter(call.work)
    until, kind = request.until or call.today, request.payee_kind
    sums = list_payable(await store.sum_unpaid(call.work, until, kind.value if kind else None, request.payee_id))
    if not sums:
        raise NOTHING_TO_PAY(until=until.isoformat())
    rows = [_new_payout(call, each, counter.payouts + at, until) for at, each in enumerate(sums, 1)]
    payout_ids = await PayoutRow.insert_many(call.work, rows)
    await PayoutCounterRow.update(call.work, counter.id, {"payouts": counter.payouts + len(rows)})
    await store.insert_due_lines(call.work, payout_ids, until)
    return await _changed(call, payout_ids, resum=True)


def _new_payout(call: Call, each: UnpaidSum, number: int, until: date) -> dict[str, Any]:
    return {
        "number": payout_number(number),
        "payee_kind": each.payee_kind.value,
        "payee_id": each.payee_id,
        "status": PayoutStatus.OPEN.value,
        "open_disputes": 0,
        "date_from": until,
        "date_to": until,
        "lines": each.lines,
        "total_minor": each.amount_minor,
        "currency": each.currency,
        **UNPAID,
        "reason": None,
        "created_at": call.now,
        "created_by": call.actor,
        "updated_at": call.now,
    }


async def dispute_payout(call: Call, request: DisputePayout) -> PayoutRow:
    """Dispute lines of an open payout.

    Raises `PAYOUT_LINE_DISPUTED` for a line that was decided before. Lines with an open dispute get the new reason.
    """
    row = await get_visible_payout(call, request.payout_id, lock=True)
    require_step(PayoutStep.DISPUTE, row.number, row.status)
    lines = await _require_lines(call, row, request.earning_ids)
    for line in lines:
        if line.dispute not in (None, DisputeState.OPEN):
            raise PAYOUT_LINE_DISPUTED(earning_id=line.earning_id, status=line.dispute)
    values = (DisputeState.OPEN.value, request.reason, call.now, call.actor)
    await store.dispute_lines(call.work, row.id, request.earning_ids, values)
    return (await _changed(call, [row.id], resum=True))[0]


async def resolve_dispute(call: Call, request: ResolvePayoutDispute) -> PayoutRow:
    """Decide disputed lines: correct their amounts on the same payout, or keep them.

    Raises `PAYOUT_DISPUTE_CLOSED` for a line without an open dispute.
    """
    row = await get_visible_payout(call, request.payout_id, lock=True)
    require_step(PayoutStep.RESOLVE, row.number, row.status)
    lines = await _require_lines(call, row, request.earning_ids)
    for line in lines:
        if line.dispute != DisputeState.OPEN:
            raise PAYOUT_DISPUTE_CLOSED(earning_id=line.earning_id)
    state = DisputeState.REJECTED if request.amount_minor is None else DisputeState.ACCEPTED
    values = (state.value, request.answer, call.now, call.actor)
    await store.answer_lines(call.work, row.id, request.earning_ids, values)
    if request.amount_minor is not None:
        corrections = [
            await correct_earning(call, line.earning_id, request.amount_minor, request.answer) for line in lines
        ]
        await PayoutLineRow.insert_many(call.work, [{"payout_id": row.id, "earning_id": each} for each in corrections])
    return (await _changed(call, [row.id], resum=True))[0]


async def close_payouts(call: Call, payout_ids: Sequence[int]) -> list[PayoutRow]:
    """Approve payouts for payment. Closed ones stay as they are."""
    rows = [row for row in await lock_payouts(call, payout_ids) if row.status != PayoutStatus.CLOSED]
    _require_undisputed(rows, PayoutStep.CLOSE)
    values = {**UNPAID, "status": PayoutStatus.CLOSED.value, "reason": None}
    return await _set(call, rows, values, payout_ids)


async def pay_payouts(call: Call, request: PayPayouts) -> list[PayoutRow]:
    """Mark payouts as paid. Paid ones stay as they are."""
    rows = [row for row in await lock_payouts(call, request.payout_ids) if row.status != PayoutStatus.PAID]
    _require_undisputed(rows, PayoutStep.PAY)
    values = {
        "status": PayoutStatus.PAID.value,
        "paid_on": request.paid_on or call.today,
        "payment_reference": request.payment_reference or None,
        "reason": None,
    }
    return await _set(call, rows, values, request.payout_ids)


async def reopen_payout(call: Call, request: ReopenPayout) -> PayoutRow:
    """Undo the payment or approval of a payout."""
    row = await get_visible_payout(call, request.payout_id, lock=True)
    require_step(PayoutStep.REOPEN, row.number, row.status)
    values = {**UNPAID, "status": PayoutStatus.OPEN.value, "reason": request.reason}
    return (await _set(call, [row], values, [row.id]))[0]


async def cancel_payout(call: Call, request: CancelPayout) -> PayoutRow:
    """Cancel an open payout. A later payout takes its earnings; disputes are dropped."""
    row = await get_visible_payout(call, request.payout_id, lock=True)
    require_step(PayoutStep.CANCEL, row.number, row.status)
    await store.release_lines(call.work, row.id)
    await PayoutRow.update(call.work, row.id, {"open_disputes": 0})
    values = {**UNPAID, "status": PayoutStatus.CANCELLED.value, "reason": request.reason}
    return (await _set(call, [row], values, [row.id]))[0]


def _require_undisputed(rows: Sequence[PayoutRow], step: PayoutStep) -> None:
    for row in rows:
        require_step(step, row.number, row.status)
        if row.open_disputes:
            raise PAYOUT_DISPUTED(number=row.number, count=row.open_disputes)


async def _require_lines(call: Call, row: PayoutRow, earning_ids: Sequence[int]) -> list[DisputableLine]:
    """Return the named lines of a payout. Raises `INVALID_REQUEST` for others."""
    found = await store.list_line_rows(call.work, row.id)
    lines = [DisputableLine(earning_id=each.earning_id, dispute=each.dispute) for each in found]
    require_lines(lines, earning_ids)
    return [line for line in lines if line.earning_id in set(earning_ids)]


async def _set(
    call: Call, rows: Sequence[PayoutRow], values: dict[str, Any], payout_ids: Sequence[int]
) -> list[PayoutRow]:
    if rows:
        await store.set_status(call.work, [row.id for row in rows], {**values, "updated_at": call.now})
    return await _changed(call, payout_ids)


async def _changed(call: Call, payout_ids: Sequence[int], *, resum: bool = False) -> list[PayoutRow]:
    """Return payouts after a change, with their sums renewed if lines changed."""
    if resum:
        await store.update_sums(call.work, payout_ids)
    call.add_audit_subjects("payout", *payout_ids)
    rows = await PayoutRow.get_many(call.work, payout_ids)
    return [rows[id] for id in sorted(rows)]
