"""Pages of accounts, transfers and entries."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, and_, bindparam, cast, func, or_, select

from haulier.contexts.billing.ledger.rules import AccountKind, TransferKind
from haulier.contexts.billing.ledger.store.tables import (
    AccountRow,
    TransferRow,
    accounts,
    charge_lines,
    entries,
    transfers,
)
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_a, _t, _e = accounts.c, transfers.c, entries.c
_debit, _credit = accounts.alias("debit"), accounts.alias("credit")
_KEYS = (_a.kind, _a.owner_id, _a.currency)


class AccountSumRow(Row):
    """Account with the sum of its rows."""

    kind: str
    owner_id: int
    currency: str
    balance_minor: int


class ListedTransferRow(TransferRow):
    """Transfer with its accounts."""

    debit: str
    debit_owner_id: int
    credit: str
    credit_owner_id: int


class NewestEntryRow(Row):
    """Newest entry at a time: its number and the balance after it."""

    seq: int
    balance_minor: int


class StatementRow(Row):
    """Entry with its transfer."""

    seq: int
    transfer_id: int
    kind: str
    amount_minor: int
    balance_minor: int
    at: datetime
    subject_kind: str | None
    subject_id: int | None
    price_family: str | None
    reason: str | None


class OwedSumRow(Row):
    """Number of owners with a balance in accounts of a kind, and its sum."""

    currency: str
    owners: int
    balance_minor: int


_owed = (
    select(
        _a.currency,
        func.count().label("owners"),
        cast(func.sum(_a.balance_minor), BigInteger).label("balance_minor"),
    )
    .where(_a.kind == bindparam("kind"), _a.balance_minor != 0)
    .group_by(_a.currency)
    .order_by(_a.currency)
)


async def sum_owed_accounts(work: UnitOfWork, kind: AccountKind) -> list[OwedSumRow]:
    """Return the accounts of a kind that are not empty, by currency."""
    return await work.all(_owed, OwedSumRow, kind=kind.value)


def _matching(filters: Mapping[str, Any]) -> list[Any]:
    return [_a[name] == value for name, value in filters.items() if value is not None]


async def list_account_sums(
    work: UnitOfWork, filters: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[int, Sequence[AccountSumRow]]:
    """Return the number of matching accounts and a page of them."""
    balance = cast(func.sum(_a.balance_minor), BigInteger).label("balance_minor")
    sums = select(*_KEYS, balance).where(*_matching(filters)).group_by(*_KEYS)
    total = await work.value(select(func.count()).select_from(sums.subquery()))
    return total, await work.all(sums.order_by(*_KEYS).limit(limit).offset(offset), AccountSumRow)


async def list_wallets(
    work: UnitOfWork, filters: Mapping[str, Any], *, owing: bool, limit: int, offset: int
) -> tuple[int, Sequence[AccountRow]]:
    """Return the number of matching wallets and a page of them."""
    found = select(accounts).where(_a.kind == AccountKind.WALLET.value, *_matching(filters))
    if owing:
        found = found.where(_a.balance_minor < 0)
    total = await work.value(select(func.count()).select_from(found.subquery()))
    page = found.order_by(_a.owner_id, _a.currency).limit(limit).offset(offset)
    return total, await work.all(page, AccountRow)


_listed = (
    select(
        *transfers.c,
        _debit.c.kind.label("debit"),
        _debit.c.owner_id.label("debit_owner_id"),
        _credit.c.kind.label("credit"),
        _credit.c.owner_id.label("credit_owner_id"),
    )
    .join(_debit, _debit.c.id == _t.debit_account_id)
    .join(_credit, _credit.c.id == _t.credit_account_id)
)
_after_at = bindparam("after_at", type_=_t.at.type)
_of_period = (
    _listed.where(
        _t.at >= bindparam("since", type_=_t.at.type),
        _t.at < bindparam("until", type_=_t.at.type),
        or_(_t.at > _after_at, and_(_t.at == _after_at, _t.id > bindparam("after"))),
    )
    .order_by(_t.at, _t.id)
    .limit(bindparam("most"))
)


async def list_transfers_between(
    work: UnitOfWork, since: datetime, until: datetime, after: tuple[datetime, int], limit: int
) -> Sequence[ListedTransferRow]:
    """Return a page of the transfers of a period in order."""
    at, id = after
    return await work.all(_of_period, ListedTransferRow, since=since, until=until, after_at=at, after=id, most=limit)


async def list_transfers(
    work: UnitOfWork, filters: Mapping[str, Any], *, before: int | None, limit: int
) -> Sequence[ListedTransferRow]:
    """Return matching transfers below an id, newest first."""
    found = _listed.where(*(_t[name] == value for name, value in filters.items() if value is not None))
    if before is not None:
        found = found.where(_t.id < before)
    return await work.all(found.order_by(_t.id.desc()).limit(limit), ListedTransferRow)


_moments, _newest = entries.alias("moments"), entries.alias("newest")
_last_moment = select(func.max(_moments.c.at)).where(
    _moments.c.account_id == bindparam("account"), _moments.c.at < bindparam("moment", type_=_e.at.type)
)
_last_seq = select(func.max(_newest.c.seq)).where(
    _newest.c.account_id == bindparam("account"), _newest.c.at == _last_moment.scalar_subquery()
)
# Do not sort here: without statistics SQLite then reads all entries of the account (600 ms for a million).
_newest_before = select(_e.seq, _e.balance_minor).where(
    _e.account_id == bindparam("account"), _e.seq == _last_seq.scalar_subquery()
)
_statement = (
    select(
        _e.seq,
        _e.transfer_id,
        _t.kind,
        _e.amount_minor,
        _e.balance_minor,
        _e.at,
        _t.subject_kind,
        _t.subject_id,
        _t.price_family,
        _t.reason,
    )
    .join(transfers, _t.id == _e.transfer_id)
    .where(_e.account_id == bindparam("account"), _e.seq > bindparam("after"))
    .order_by(_e.seq)
)
_entries = _statement.where(_e.seq <= bindparam("last")).limit(bindparam("most"))
_entries_of = _statement.where(in_param(_e.transfer_id, "transfers"))


async def get_newest_entry_before(work: UnitOfWork, account_id: int, moment: datetime) -> NewestEntryRow | None:
    """Return the newest entry of an account before a moment, or None."""
    return await work.first(_newest_before, NewestEntryRow, account=account_id, moment=moment)


async def list_transfer_entries(
    work: UnitOfWork, account_id: int, transfer_ids: Collection[int], *, after: int
) -> Sequence[StatementRow]:
    """Return entries of an account by transfer after a number, oldest first."""
    return await work.all(_entries_of, StatementRow, account=account_id, transfers=list(transfer_ids), after=after)


async def list_entries(
    work: UnitOfWork, account_id: int, *, after: int, last: int, limit: int
) -> Sequence[StatementRow]:
    """Return entries of an account between two numbers, oldest first.

    Moments of an account never go back, so a period is a range of numbers that the key can find.
    """
    return await work.all(_entries, StatementRow, account=account_id, after=after, last=last, most=limit)


class SubjectChargeRow(TransferRow):
    """Charge of a record, with its description on invoices."""

    item: str | None


def _is_about(kind: str) -> ColumnElement[bool]:
    return and_(_t.subject_kind == bindparam(f"{kind}_kind", type_=_t.subject_kind.type), in_param(_t.subject_id, kind))


_of_subjects = (
    select(*transfers.c, charge_lines.c.item)
    .select_from(transfers.outerjoin(charge_lines, charge_lines.c.transfer_id == _t.id))
    .where(or_(_is_about("first"), _is_about("second")), _t.kind.in_([TransferKind.CHARGE, TransferKind.CAPTURE]))
    .order_by(_t.id)
)


async def list_subject_charges(
    work: UnitOfWork, first: tuple[str, Collection[int]], second: tuple[str, Collection[int]]
) -> Sequence[SubjectChargeRow]:
    """Return the charges of records of two kinds, oldest first."""
    (first_kind, first_ids), (second_kind, second_ids) = first, second
    return await work.all(
        _of_subjects,
        SubjectChargeRow,
        first_kind=first_kind,
        first=sorted(first_ids),
        second_kind=second_kind,
        second=sorted(second_ids),
    )
