"""Holds on wallets, captured or released once."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import CTE, BigInteger, bindparam, exists, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.sql.base import Executable

from haulier.contexts.billing.ledger.rules import AccountKind, HoldStatus
from haulier.contexts.billing.ledger.store.tables import HoldRow, accounts, holds
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork

_a, _h = accounts.c, holds.c
_amount = bindparam("amount", type_=BigInteger())
_wallet = (
    _a.kind == AccountKind.WALLET.value,
    _a.owner_id == bindparam("customer", type_=_a.owner_id.type),
    _a.currency == bindparam("currency", type_=_a.currency.type),
)
_enough = select(_a.id).where(*_wallet, _a.balance_minor - _a.held_minor - _amount >= _a.floor_minor)


class NewHoldRow(Row):
    """Newly inserted hold."""

    id: int


def _new_hold(enough: CTE) -> Any:
    """Return the insert of a hold, if the wallet has enough and the key is free."""
    values: dict[str, Any] = {
        "customer_id": bindparam("customer", type_=_h.customer_id.type),
        "amount_minor": _amount,
        "currency": bindparam("currency", type_=_h.currency.type),
        "status": bindparam("held", value=HoldStatus.HELD.value, type_=_h.status.type),
        "captured_minor": bindparam("nothing", value=0, type_=_h.captured_minor.type),
    }
    for name in ("key", "digest", "subject_kind", "subject_id", "price_family", "expires_at", "at"):
        values[name] = bindparam(name, type_=_h[name].type)
    rows = select(*values.values()).where(exists(select(enough.c.id)))
    return insert(holds).from_select(list(values), rows).on_conflict_do_nothing().returning(*holds.c)


_promise = update(accounts).where(*_wallet).values(held_minor=_a.held_minor + _amount)


def _in_one_statement() -> Executable:
    """Lock the wallet, then insert the hold and update the reserved amount."""
    new = _new_hold(_enough.with_for_update().cte("enough")).cte("new")
    promised = _promise.where(exists(select(new.c.id))).returning(_a.id).cte("promised")
    return select(new.c.id).add_cte(promised)


_hold_at_once = _in_one_statement()
_insert_hold = _new_hold(_enough.cte("enough"))
_by_key = select(holds).where(_h.key == bindparam("key"))
_by_id = select(holds).where(_h.id == bindparam("hold"))
_locked_by_id = _by_id.with_for_update()
_end = (
    update(holds)
    .where(_h.id == bindparam("hold"), _h.status == HoldStatus.HELD.value)
    .values(status=bindparam("ends_as"), captured_minor=bindparam("captured"), ended_at=bindparam("at"))
)
_release = update(accounts).where(*_wallet).values(held_minor=_a.held_minor - _amount)
_open_of_customer = (
    select(holds).where(_h.customer_id == bindparam("customer"), _h.status == HoldStatus.HELD.value).order_by(_h.id)
)


async def insert_hold(work: UnitOfWork, **values: Any) -> int | None:
    """Insert a hold and reserve its amount. Return its id.

    Return None, with nothing written, if the wallet has less or the key is used.
    """
    if work.writes_within_with:
        at_once = await work.first(_hold_at_once, NewHoldRow, **values)
        return at_once and at_once.id
    written = await work.insert_selected(_insert_hold, NewHoldRow, **values)
    if not written:
        return None
    await work.run(_promise, **{name: values[name] for name in ("customer", "currency", "amount")})
    return written[0].id


async def get_hold_by_key(work: UnitOfWork, key: str) -> HoldRow | None:
    """Return the hold that was inserted under a key, or None."""
    return await work.first(_by_key, HoldRow, key=key)


async def get_hold(work: UnitOfWork, hold_id: int, *, lock: bool = False) -> HoldRow | None:
    """Return a hold, or None."""
    return await work.first(_locked_by_id if lock else _by_id, HoldRow, hold=hold_id)


async def end_hold(work: UnitOfWork, hold: HoldRow, status: HoldStatus, *, captured: int, at: datetime) -> bool:
    """End a hold. Return False if it already ended.

    The caller releases the reserved amount.
    """
    return bool(await work.run(_end, hold=hold.id, ends_as=status.value, captured=captured, at=at))


async def release_promise(work: UnitOfWork, hold: HoldRow) -> None:
    """Release the amount that a hold reserved in its wallet."""
    await work.run(_release, customer=hold.customer_id, currency=hold.currency, amount=hold.amount_minor)


async def list_open_holds(work: UnitOfWork, customer_id: int) -> Sequence[HoldRow]:
    """Return the open holds of a customer, oldest first."""
    return await work.all(_open_of_customer, HoldRow, customer=customer_id)
