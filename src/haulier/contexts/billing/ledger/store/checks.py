"""Ledger invariants, each as one statement that finds violations."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import BigInteger, and_, cast, exists, func, literal, or_, select

from haulier.contexts.billing.ledger.rules import LATER_CHARGED, AccountKind, HoldStatus, TransferKind
from haulier.contexts.billing.ledger.store.tables import accounts, entries, holds, transfers
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork

_a, _t, _e, _h = accounts.c, transfers.c, entries.c, holds.c
SHOWN = 20


class FaultRow(Row):
    """Inconsistent record: its id, its value and the expected value."""

    id: int
    found: int
    expected: int


def _sum(column: Any) -> Any:
    return cast(func.coalesce(func.sum(column), 0), BigInteger)


def _currencies() -> Any:
    """Require that all balances of a currency add up to zero."""
    sums = select(func.min(_a.id).label("id"), _sum(_a.balance_minor).label("found"), literal(0).label("expected"))
    return sums.group_by(_a.currency).having(func.sum(_a.balance_minor) != 0)


def _transfers() -> Any:
    """Require two entries per transfer, one of each account, with its amount."""
    of = select(_e.transfer_id, func.count().label("sides"), func.sum(_e.amount_minor).label("total"))
    sides = of.group_by(_e.transfer_id).subquery()
    sound = and_(sides.c.sides == 2, sides.c.total == 0)
    return (
        select(_t.id, func.coalesce(sides.c.sides, 0).label("found"), literal(2).label("expected"))
        .outerjoin(sides, sides.c.transfer_id == _t.id)
        .where(or_(sides.c.sides.is_(None), ~sound))
    )


def _entries() -> Any:
    """Require that an entry matches a side, amount and currency of its transfer."""
    side = or_(
        and_(_e.account_id == _t.debit_account_id, _e.amount_minor == -_t.amount_minor),
        and_(_e.account_id == _t.credit_account_id, _e.amount_minor == _t.amount_minor),
    )
    joined = entries.join(transfers, _t.id == _e.transfer_id).join(accounts, _a.id == _e.account_id)
    found = select(_e.transfer_id.label("id"), _e.amount_minor.label("found"), _t.amount_minor.label("expected"))
    return found.select_from(joined).where(or_(~side, _a.currency != _t.currency))


def _running_balances() -> Any:
    """Require that running balances are sums of gapless entries up to each entry."""
    window: dict[str, Any] = {"partition_by": _e.account_id, "order_by": _e.seq}
    numbered = select(
        _e.account_id.label("id"),
        _e.seq,
        _e.balance_minor.label("found"),
        cast(func.sum(_e.amount_minor).over(**window), BigInteger).label("expected"),
        func.row_number().over(**window).label("place"),
    ).subquery()
    n = numbered.c
    return select(n.id, n.found, n.expected).where(or_(n.found != n.expected, n.place != n.seq))


def _balances() -> Any:
    """Require that an account's balance and number match its entries."""
    of = select(_e.account_id, func.sum(_e.amount_minor).label("total"), func.max(_e.seq).label("newest"))
    sums = of.group_by(_e.account_id).subquery()
    total, newest = cast(func.coalesce(sums.c.total, 0), BigInteger), func.coalesce(sums.c.newest, 0)
    return (
        select(_a.id, _a.balance_minor.label("found"), total.label("expected"))
        .outerjoin(sums, sums.c.account_id == _a.id)
        .where(or_(_a.balance_minor != total, _a.seq != newest))
    )


def _floors() -> Any:
    """Require that only later charged services exceed a credit limit."""
    free = _a.balance_minor - _a.held_minor
    later = exists().where(
        _t.debit_account_id == _a.id, _t.subject_kind.in_(LATER_CHARGED), _t.kind == TransferKind.CHARGE.value
    )
    found = select(_a.id, free.label("found"), _a.floor_minor.label("expected"))
    return found.where(free < _a.floor_minor, ~later)


def _promises() -> Any:
    """Require that a wallet's held amount is the sum of its open holds.

    Other accounts hold nothing.
    """
    of = select(_h.customer_id, _h.currency, func.sum(_h.amount_minor).label("total"))
    sums = of.where(_h.status == HoldStatus.HELD.value).group_by(_h.customer_id, _h.currency).subquery()
    mine = and_(sums.c.customer_id == _a.owner_id, sums.c.currency == _a.currency, _a.kind == AccountKind.WALLET.value)
    total = cast(func.coalesce(sums.c.total, 0), BigInteger)
    held = select(_a.id, _a.held_minor.label("found"), total.label("expected")).outerjoin(sums, mine)
    return held.where(_a.held_minor != total)


def _captures() -> Any:
    """Require that a captured hold has one transfer of its amount, and others none."""
    captured = func.coalesce(_t.amount_minor, 0)
    sound = or_(
        and_(_h.status == HoldStatus.CAPTURED.value, _h.captured_minor > 0), _h.status != HoldStatus.CAPTURED.value
    )
    found = select(_h.id, _h.captured_minor.label("found"), captured.label("expected"))
    return found.outerjoin(transfers, _t.hold_id == _h.id).where(or_(_h.captured_minor != captured, ~sound))


def _refunds() -> Any:
    """Require that the refunded sum of a transfer covers its refunds and is within it."""
    back = transfers.alias("back")
    given = select(back.c.refund_of, _sum(back.c.amount_minor).label("total")).group_by(back.c.refund_of).subquery()
    found = select(_t.id, given.c.total.label("found"), _t.given_back_minor.label("expected"))
    joined = found.join(given, given.c.refund_of == _t.id)
    return joined.where(or_(given.c.total > _t.given_back_minor, _t.given_back_minor > _t.amount_minor))


CHECKS: Mapping[str, Any] = {
    "balances_add_up_to_zero": _currencies().limit(SHOWN),
    "transfers_have_two_sides": _transfers().limit(SHOWN),
    "entries_say_what_their_transfer_says": _entries().limit(SHOWN),
    "entries_are_numbered_and_add_up": _running_balances().limit(SHOWN),
    "balances_are_the_sum_of_entries": _balances().limit(SHOWN),
    "no_account_is_below_its_floor": _floors().limit(SHOWN),
    "held_is_the_sum_of_open_holds": _promises().limit(SHOWN),
    "holds_were_captured_once": _captures().limit(SHOWN),
    "no_more_given_back_than_taken": _refunds().limit(SHOWN),
}
"""All invariants by name. Each statement returns at most 20 violations."""


async def list_faults(work: UnitOfWork) -> dict[str, list[FaultRow]]:
    """Return the records of this business's ledger that violate an invariant, by name."""
    found = {name: await work.all(check, FaultRow) for name, check in CHECKS.items()}
    return {name: rows for name, rows in found.items() if rows}
