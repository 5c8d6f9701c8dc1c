"""Inserts of transfers with their two entries.

PostgreSQL uses one statement. SQLite runs the same parts one after another.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    CTE,
    BigInteger,
    Boolean,
    ColumnElement,
    FromClause,
    String,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.base import Executable

from haulier.contexts.billing.ledger.rules import BALANCE_MAX, HoldStatus, Posting
from haulier.contexts.billing.ledger.store.tables import AccountRow, TransferRow, accounts, entries, holds, transfers
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_a, _t, _h = accounts.c, transfers.c, holds.c
_amount = bindparam("amount", type_=BigInteger())
_released = bindparam("released", type_=BigInteger())


class NewTransferRow(Row):
    """Newly inserted transfer."""

    id: int


class NewEntryRow(Row):
    """Newly inserted entry."""

    account_id: int
    seq: int


def _side(prefix: str) -> ColumnElement[bool]:
    """Return the condition that an account is on a side of the posting."""
    return and_(
        _a.kind == bindparam(f"{prefix}_kind", type_=String()),
        _a.owner_id == bindparam(f"{prefix}_owner", type_=_a.owner_id.type),
        _a.shard == bindparam(f"{prefix}_shard", type_=_a.shard.type),
    )


_is_debit = _side("debit")
_concerned = and_(_a.currency == bindparam("currency", type_=String()), or_(_is_debit, _side("credit")))
_delta = case((_is_debit, -_amount), else_=_amount)
_held_after = _a.held_minor - case((_is_debit, _released), else_=0)
_allowed = and_(
    func.abs(_a.balance_minor + _delta) <= BALANCE_MAX,
    or_(
        _a.floor_minor.is_(None),
        _delta > 0,
        bindparam("beyond_limit", type_=Boolean()),
        _released >= _amount,
        _a.balance_minor + _delta - _held_after >= _a.floor_minor,
    ),
)
"""A debit may not take an account below its floor, unless it is posted beyond the limit. `released` held money counts as
available, also if other debts exceed the limit meanwhile."""
_booked_at = case((_a.booked_at > bindparam("at", type_=_a.booked_at.type), _a.booked_at), else_=bindparam("at"))

_sides = select(
    _a.id, case((_is_debit, 1), else_=0).label("debit"), case((_allowed, 1), else_=0).label("allowed")
).where(_concerned)


def _new_transfer(sides: CTE) -> Any:
    """Return the insert of a transfer, if both accounts allow it and the key is free."""

    def account(debit: int) -> ColumnElement[int]:
        return select(sides.c.id).where(sides.c.debit == debit).scalar_subquery()

    values: dict[str, ColumnElement[Any]] = {
        "debit_account_id": account(1),
        "credit_account_id": account(0),
        "amount_minor": _amount,
        "currency": bindparam("currency", type_=String()),
        "at": bindparam("at", type_=_t.at.type),
    }
    for name in (
        "key",
        "digest",
        "kind",
        "subject_kind",
        "subject_id",
        "price_family",
        "reason",
        "refund_of",
        "hold_id",
        "by_user_id",
    ):
        values[name] = bindparam(name, type_=_t[name].type)
    both = select(func.sum(sides.c.allowed)).scalar_subquery() == 2
    rows = select(*values.values()).where(both, or_(_t_free("refund_of"), _not_too_much()), _hold_open())
    return insert(transfers).from_select(list(values), rows).on_conflict_do_nothing().returning(*transfers.c)


def _t_free(name: str) -> ColumnElement[bool]:
    return bindparam(name, type_=_t[name].type).is_(None)


def _not_too_much() -> ColumnElement[bool]:
    """Return the condition that enough of the refunded transfer is left.

    The caller has locked it.
    """
    of = transfers.alias("given_of")
    left = select(of.c.amount_minor - of.c.given_back_minor).where(
        of.c.id == bindparam("refund_of", type_=_t.refund_of.type)
    )
    return _amount <= left.scalar_subquery()


def _hold_open() -> ColumnElement[bool]:
    """Return the condition that the ended hold is still open.

    The caller has locked it.
    """
    open_one = select(_h.id).where(
        _h.id == bindparam("hold_id", type_=_h.id.type), _h.status == HoldStatus.HELD, _h.amount_minor >= _amount
    )
    return or_(_t_free("hold_id"), exists(open_one))


def _moved(only: ColumnElement[bool]) -> Any:
    """Return both accounts with their new balances."""
    return (
        update(accounts)
        .where(_concerned, only)
        .values(
            balance_minor=_a.balance_minor + _delta,
            held_minor=_held_after,
            seq=_a.seq + 1,
            booked_at=_booked_at,
        )
        .returning(_a.id, _a.seq, _delta.label("delta"), _a.balance_minor, _a.booked_at)
    )


def _new_entries(moved: FromClause, transfer: ColumnElement[int], delta: ColumnElement[int], *of: Any) -> Any:
    """Return an entry for each account that was changed."""
    rows = select(moved.c.id, moved.c.seq, transfer, delta, moved.c.balance_minor, moved.c.booked_at).where(*of)
    names = ["account_id", "seq", "transfer_id", "amount_minor", "balance_minor", "at"]
    return insert(entries).from_select(names, rows).returning(*entries.c)


def _in_one_statement() -> Executable:
    """Lock the accounts by id, then write everything if the accounts allow it."""
    sides = _sides.order_by(_a.id).with_for_update().cte("sides")
    new = _new_transfer(sides).cte("new")
    moved = _moved(exists(select(new.c.id))).cte("moved")
    written = _new_entries(moved, select(new.c.id).scalar_subquery(), moved.c.delta, true()).cte("written")
    return select(new.c.id).add_cte(written)


_post_at_once = _in_one_statement()
_insert_transfer = _new_transfer(_sides.cte("sides"))
_move_accounts = _moved(true())
_insert_entries = _new_entries(accounts, bindparam("transfer", type_=_t.id.type), _delta, _concerned)
_by_key = select(transfers).where(_t.key == bindparam("key"))
_by_id = select(transfers).where(_t.id == bindparam("transfer"))
_locked_by_id = _by_id.with_for_update()
_many_locked = select(transfers).where(in_param(_t.id, "ids")).order_by(_t.id).with_for_update()
_many = select(transfers).where(in_param(_t.id, "ids"))
_give_back = (
    update(transfers)
    .where(_t.id == bindparam("transfer"))
    .values(given_back_minor=_t.given_back_minor + bindparam("minor", type_=BigInteger()))
)
_both_accounts = select(accounts).where(_concerned)


async def insert_posting(
    work: UnitOfWork, posting: Posting, *, at: datetime, by: int | None, released: int, beyond_limit: bool
) -> int | None:
    """Insert a transfer, its entries and the new balances. Return its id.

    Return None, with nothing written, if the key is used, an account is missing or has too little, the hold has
    ended, or the refund would exceed the transfer. `released` is the amount that a hold reserved in the debited
    account. `beyond_limit` allows a balance below the floor.
    """
    values = {
        **_account_values(posting),
        "key": posting.key,
        "digest": posting.digest,
        "kind": posting.kind.value,
        "amount": posting.money.minor,
        "released": released,
        "beyond_limit": beyond_limit,
        "subject_kind": posting.subject and posting.subject.kind,
        "subject_id": posting.subject and posting.subject.id,
        "price_family": posting.subject and posting.subject.family,
        "reason": posting.reason,
        "refund_of": posting.refund_of,
        "hold_id": posting.hold_id,
        "by_user_id": by,
        "at": at,
    }
    if work.writes_within_with:
        at_once = await work.first(_post_at_once, NewTransferRow, **values)
        return at_once and at_once.id
    written = await work.insert_selected(_insert_transfer, NewTransferRow, **values)
    if not written:
        return None
    (new,) = written
    moved = {**_account_values(posting), "amount": posting.money.minor}
    await work.run(_move_accounts, **moved, released=released, at=at)
    await work.insert_selected(_insert_entries, NewEntryRow, **moved, transfer=new.id)
    return new.id


def _account_values(posting: Posting) -> dict[str, Any]:
    values: dict[str, Any] = {"currency": posting.money.currency}
    for side, account in (("debit", posting.debit), ("credit", posting.credit)):
        values |= {
            f"{side}_kind": account.kind.value,
            f"{side}_owner": account.owner_id,
            f"{side}_shard": account.shard,
        }
    return values


async def list_accounts_of_posting(work: UnitOfWork, posting: Posting) -> list[AccountRow]:
    """Return the existing accounts of a posting."""
    return await work.all(_both_accounts, AccountRow, **_account_values(posting))


async def get_transfer_by_key(work: UnitOfWork, key: str) -> TransferRow | None:
    """Return the transfer recorded under a key, or None."""
    return await work.first(_by_key, TransferRow, key=key)


async def get_transfer(work: UnitOfWork, transfer_id: int, *, lock: bool = False) -> TransferRow | None:
    """Return a transfer, or None. `lock` it before a refund."""
    return await work.first(_locked_by_id if lock else _by_id, TransferRow, transfer=transfer_id)


async def lock_transfers(work: UnitOfWork, transfer_ids: Sequence[int]) -> list[TransferRow]:
    """Lock and return transfers ordered by id (SELECT … FOR UPDATE)."""
    return await work.all(_many_locked, TransferRow, ids=sorted(transfer_ids))


async def get_transfers(work: UnitOfWork, transfer_ids: Sequence[int]) -> list[TransferRow]:
    """Return transfers in no order."""
    return await work.all(_many, TransferRow, ids=sorted(transfer_ids)) if transfer_ids else []


async def add_refunded(work: UnitOfWork, given: Mapping[int, int]) -> None:
    """Add refunded amounts to locked transfers that have enough left."""
    await work.run_many(_give_back, [{"transfer": id, "minor": minor} for id, minor in given.items() if minor])
