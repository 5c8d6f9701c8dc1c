"""Writes of pay for other families."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from haulier.contexts.analytics.public import add_sums
from haulier.contexts.orders.public import OrderStep
from haulier.contexts.settlements.pay import store
from haulier.contexts.settlements.pay.queries import get_rate_in_force
from haulier.contexts.settlements.pay.rules import (
    EARNING_CORRECTED,
    EarningKind,
    Payee,
    PayeeKind,
    pay_for_distance,
    pay_sum,
    stop_key,
)
from haulier.contexts.settlements.pay.store import EarningRow
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.errors import record_not_found

UNDONE = OrderStep.UNDO_DELIVERY.value
"""Reason of a correction after which a stop can be paid again."""
UNDONE_MOST = 20
"""Maximum number of times that one stop can be undone and paid again."""


async def record_stop_earning(
    call: Call, payee: Payee, *, route_id: int, stop_id: int, order_id: int, day: date, failed: bool, at: datetime
) -> None:
    """Record the pay for a stop, once.

    Nothing is recorded if no rate applies or the rate pays nothing for the stop.
    """
    rate = await get_rate_in_force(call, payee, day)
    per_one = rate and (rate.per_failed_stop_minor if failed else rate.per_stop_minor)
    if not rate or not per_one:
        return
    kind = EarningKind.FAILED_STOP if failed else EarningKind.STOP
    payments = await _load_stop_payments(call, stop_id)
    row = {
        **_earning(call, payee, kind, day, at=at, quantity=1, rate_minor=per_one, amount_minor=per_one),
        "earning_key": stop_key(stop_id, payments.undone),
        "route_id": route_id,
        "stop_id": stop_id,
        "order_id": order_id,
        "rate_id": rate.id,
    }
    await _write_once(call, [row])


async def undo_stop_earning(call: Call, stop_id: int, *, failed_only: bool) -> EarningRow | None:
    """Reverse the pay of a stop and return it.

    If `failed_only` is true, only the pay of a failed attempt is reversed.
    """
    paid = (await _load_stop_payments(call, stop_id)).standing
    if paid is None or (failed_only and paid.kind != EarningKind.FAILED_STOP):
        return None
    await _write_once(call, [_correction(call, paid, -paid.amount_minor, UNDONE)])
    return paid


class StopPayments(Struct, frozen=True):
    """Payments of a stop: the number of reversals and the current payment."""

    undone: int
    standing: EarningRow | None


async def _load_stop_payments(call: Call, stop_id: int) -> StopPayments:
    keys = [stop_key(stop_id, undone) for undone in range(UNDONE_MOST)]
    paid = await store.list_earnings_by_key(call.work, keys)
    corrections = await store.get_corrections(call.work, [each.id for each in paid])
    undone = [each for each in paid if each.id in corrections and corrections[each.id].reason == UNDONE]
    standing = [each for each in paid if each.id not in corrections]
    return StopPayments(len(undone), standing[-1] if standing else None)


async def record_route_earnings(
    call: Call, payee: Payee, *, route_id: int, day: date, distance_m: int | None, at: datetime
) -> None:
    """Record the pay for a finished route and its planned distance, once."""
    rate = await get_rate_in_force(call, payee, day)
    if rate is None:
        return
    metres = distance_m or 0
    parts = (
        (EarningKind.ROUTE, 1, rate.per_route_minor, rate.per_route_minor),
        (EarningKind.DISTANCE, metres, rate.per_km_minor, pay_for_distance(metres, rate.per_km_minor)),
    )
    rows = [
        {
            **_earning(call, payee, kind, day, at=at, quantity=quantity, rate_minor=each, amount_minor=amount),
            "earning_key": f"{kind.value}:{route_id}",
            "route_id": route_id,
            "rate_id": rate.id,
        }
        for kind, quantity, each, amount in parts
        if amount
    ]
    if rows:
        await _write_once(call, rows)


async def correct_earning(call: Call, earning_id: int, amount_minor: int, reason: str) -> int:
    """Record the difference to an earning's correct amount. Return its id.

    The correction belongs to the current week. Raises `NOT_FOUND`, or `EARNING_CORRECTED` if the earning was already
    corrected. In that case, correct the correction.
    """
    earning = await EarningRow.get(call.work, earning_id)
    if earning is None:
        raise record_not_found(earning_id=earning_id)
    row = {
        **_correction(call, earning, amount_minor - earning.amount_minor, reason),
        "earning_key": None,
    }
    try:
        async with call.savepoint():
            (correction_id,) = await EarningRow.insert_many(call.work, [row])
    except UniqueConflict:
        raise EARNING_CORRECTED(earning_id=earning_id) from None
    _count(call, [row])
    return correction_id


async def adjust_pay(call: Call, payee: Payee, amount_minor: int, reason: str, day: date) -> int:
    """Record a payment or deduction outside the rates. Return its id."""
    kind = EarningKind.ADJUSTMENT
    row = _earning(call, payee, kind, day, at=call.now, quantity=1, rate_minor=amount_minor, amount_minor=amount_minor)
    (earning_id,) = await EarningRow.insert_many(call.work, [{**row, "reason": reason}])
    _count(call, [row])
    return earning_id


async def _write_once(call: Call, rows: Sequence[dict[str, Any]]) -> None:
    if await store.insert_earnings_once(call.work, rows):
        _count(call, rows)


def _count(call: Call, rows: Sequence[dict[str, Any]]) -> None:
    """Add earnings to the sums by day."""
    add_sums(call.work, [pay_sum(row) for row in rows])


def _correction(call: Call, earning: EarningRow, difference: int, reason: str) -> dict[str, Any]:
    payee = Payee(PayeeKind(earning.payee_kind), earning.payee_id)
    row = _earning(
        call,
        payee,
        EarningKind.CORRECTION,
        call.today,
        at=call.now,
        quantity=1,
        rate_minor=difference,
        amount_minor=difference,
    )
    about = {name: getattr(earning, name) for name in ("route_id", "stop_id", "order_id")}
    return {**row, **about, "reason": reason, "corrects_id": earning.id}


def _earning(
    call: Call,
    payee: Payee,
    kind: EarningKind,
    day: date,
    *,
    at: datetime,
    quantity: int,
    rate_minor: int,
    amount_minor: int,
) -> dict[str, Any]:
    return {
        "earning_key": None,
        "payee_kind": payee.kind.value,
        "payee_id": payee.id,
        "kind": kind.value,
        "day": day,
        "route_id": None,
        "stop_id": None,
        "order_id": None,
        "rate_id": None,
        "quantity": quantity,
        "rate_minor": rate_minor,
        "amount_minor": amount_minor,
        "currency": call.business.currency,
        "reason": None,
        "corrects_id": None,
        "at": at,
        "recorded_at": call.now,
        "by_user_id": call.actor,
    }
