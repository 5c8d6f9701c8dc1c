"""Accounts, opened on first use, and their limits."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import BigInteger, bindparam, or_, select, update

from haulier.contexts.billing.ledger.rules import LIMITED, AccountKey, AccountKind
from haulier.contexts.billing.ledger.store.tables import AccountRow, accounts
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_a = accounts.c
_of_owner = (
    select(accounts)
    .where(_a.kind == bindparam("kind"), _a.owner_id == bindparam("owner"), _a.shard == 0)
    .order_by(_a.currency)
)
_by_ids = select(accounts).where(in_param(_a.id, "ids"))
_floor = bindparam("floor", type_=BigInteger())
_limit = (
    update(accounts)
    .where(
        _a.kind == AccountKind.WALLET.value,
        _a.owner_id == bindparam("owner"),
        _a.currency == bindparam("currency"),
        or_(_a.balance_minor - _a.held_minor >= _floor, _a.floor_minor > _floor),
    )
    .values(floor_minor=_floor)
)


async def open_accounts(work: UnitOfWork, keys: Sequence[AccountKey], currency: str, at: datetime) -> None:
    """Open the accounts that do not exist yet."""
    rows = [
        {
            "kind": key.kind.value,
            "owner_id": key.owner_id,
            "currency": currency,
            "shard": key.shard,
            "balance_minor": 0,
            "held_minor": 0,
            "floor_minor": 0 if key.kind in LIMITED else None,
            "seq": 0,
            "booked_at": at,
        }
        for key in sorted(keys, key=lambda key: (key.kind, key.owner_id, key.shard))
    ]
    await work.insert_new(accounts, rows)


async def list_accounts_of_owner(work: UnitOfWork, kind: AccountKind, owner_id: int) -> Sequence[AccountRow]:
    """Return the accounts of a kind that a customer or driver has, by currency."""
    return await work.all(_of_owner, AccountRow, kind=kind.value, owner=owner_id)


async def set_floor(work: UnitOfWork, customer_id: int, currency: str, floor_minor: int) -> bool:
    """Set the floor of a wallet. Return False if it is below it now or does not exist.

    A lower floor is always set. Holds count as used.
    """
    return bool(await work.run(_limit, owner=customer_id, currency=currency, floor=floor_minor))


async def get_account_keys(work: UnitOfWork, *ids: int) -> list[AccountKey]:
    """Return the keys of accounts in the order of the given ids.

    Raises `KeyError` for an account that does not exist.
    """
    rows = {row.id: row for row in await work.all(_by_ids, AccountRow, ids=sorted(ids))}
    return [AccountKey(AccountKind(rows[id].kind), rows[id].owner_id, rows[id].shard) for id in ids]
