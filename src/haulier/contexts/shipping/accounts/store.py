"""Tables and statements of carrier accounts."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, Integer, String, Text, bindparam, func, select, update

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

accounts = tenant_table(
    "carrier_account",
    Column("carrier", String(30), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("active", Boolean, nullable=False),
    Column("is_default", Boolean, nullable=False),
    Column("test_mode", Boolean, nullable=False),
    Column("sealed_credentials", Text, info=VOLATILE),
    Column("credential_names", Json, nullable=False),
    Column("services_off", Json, nullable=False),
    Column("markup_basis_points", Integer, nullable=False),
    Column("markup_minor", Integer, nullable=False),
    Column("sender", Json),
    Column("tariff", Text),
    Column("tested_at", UTCDateTime),
    Column("test_fault", String(300)),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("deleted_at", UTCDateTime),
)
partial_unique_index("uq_carrier_account_name", "deleted_at IS NULL", accounts.c.name)
partial_unique_index("uq_carrier_account_default", "is_default AND deleted_at IS NULL", accounts.c.is_default)
plain_columns(
    accounts,
    *("carrier", "name", "sealed_credentials", "credential_names", "services_off", "sender", "tariff", "test_fault"),
)
_present = select(accounts).where(accounts.c.deleted_at.is_(None))
_all = _present.order_by(accounts.c.name, accounts.c.id)
_any_by_id = select(accounts).where(accounts.c.id == bindparam("account"))
_any_by_ids = select(accounts).where(in_param(accounts.c.id, "accounts"))
_by_id = _present.where(accounts.c.id == bindparam("account"))
_by_id_locked = _by_id.with_for_update()
_count = select(func.count()).select_from(accounts).where(accounts.c.deleted_at.is_(None))
_no_default = update(accounts).where(accounts.c.is_default.is_(True)).values(is_default=False)


class CarrierAccountRow(Row):
    """An account with a carrier."""

    id: int
    client_id: int
    carrier: str
    name: str
    active: bool
    is_default: bool
    test_mode: bool
    sealed_credentials: str | None
    credential_names: list[str]
    services_off: list[str]
    markup_basis_points: int
    markup_minor: int
    sender: dict[str, Any] | None
    tariff: str | None
    tested_at: datetime | None
    test_fault: str | None
    created_at: datetime
    deleted_at: datetime | None


async def list_account_rows(work: UnitOfWork) -> list[CarrierAccountRow]:
    """Return all accounts of this client that are not deleted, by name."""
    return await work.all(_all, CarrierAccountRow)


async def get_account_row(work: UnitOfWork, id: int, *, lock: bool = False) -> CarrierAccountRow | None:
    """Return an account that is not deleted, or None."""
    return await work.first(_by_id_locked if lock else _by_id, CarrierAccountRow, account=id)


async def get_any_account_row(work: UnitOfWork, id: int) -> CarrierAccountRow | None:
    """Return an account, deleted or not, or None. Purchases made with it continue."""
    return await work.first(_any_by_id, CarrierAccountRow, account=id)


async def list_any_account_rows(work: UnitOfWork, ids: Collection[int]) -> list[CarrierAccountRow]:
    """Return accounts, deleted or not."""
    return await work.all(_any_by_ids, CarrierAccountRow, accounts=sorted(ids)) if ids else []


async def count_accounts(work: UnitOfWork) -> int:
    """Return the number of accounts that are not deleted."""
    return await work.value(_count)


async def insert_account(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write an account. Returns its id. Raises `UniqueConflict`."""
    return await work.insert(accounts, **values)


async def update_account_row(work: UnitOfWork, id: int, values: Mapping[str, Any]) -> None:
    """Change an account. Raises `UniqueConflict`."""
    await work.run(update(accounts).where(accounts.c.id == bindparam("account")).values(**values), account=id)


async def clear_default_account(work: UnitOfWork) -> None:
    """Clear the default account."""
    await work.run(_no_default)
