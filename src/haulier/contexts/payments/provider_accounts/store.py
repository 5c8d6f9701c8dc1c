"""The account of each client with a payment provider."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, String, Text, UniqueConstraint, bindparam, select, update

from haulier.contexts.payments.provider_accounts.contract import PROVIDER_CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import VOLATILE, Id, Json, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

ENDPOINT_KEY_MAX = 60
FAULT_MAX = 300

accounts = directory_table(
    "payment_account",
    Column("provider", String(PROVIDER_CODE_MAX), nullable=False),
    Column("endpoint_key", String(ENDPOINT_KEY_MAX), nullable=False, info=VOLATILE),
    Column("active", Boolean, nullable=False),
    Column("test_mode", Boolean, nullable=False),
    Column("sealed_credentials", Text, info=VOLATILE),
    Column("credential_names", Json, nullable=False),
    Column("tested_at", UTCDateTime),
    Column("test_fault", String(FAULT_MAX)),
    Column("created_by", Id),
    Column("created_at", UTCDateTime, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
    UniqueConstraint("endpoint_key"),
    why="the path of a notice says whose it is",
)
"""One for each client. `endpoint_key` is the part of the path that its provider's notices come to: it lets nobody do
anything, for each notice is signed."""
plain_columns(accounts, "provider", "endpoint_key", "sealed_credentials", "credential_names", "test_fault")
_one = select(accounts)
_one_locked = _one.with_for_update()
_by_endpoint = select(accounts).where(accounts.c.endpoint_key == bindparam("endpoint"))


class PaymentAccountRow(Row):
    """An account with a payment provider."""

    id: int
    client_id: int
    provider: str
    endpoint_key: str
    active: bool
    test_mode: bool
    sealed_credentials: str | None
    credential_names: list[str]
    tested_at: datetime | None
    test_fault: str | None


async def get_account_row(work: UnitOfWork, *, lock: bool = False) -> PaymentAccountRow | None:
    """This client's account, or None."""
    return await work.first(_one_locked if lock else _one, PaymentAccountRow)


async def find_account_by_endpoint(work: UnitOfWork, endpoint: str) -> PaymentAccountRow | None:
    """The account whose notices come to a path, of any client."""
    wide = work.without_tenant_filter("the path of a notice says whose it is")
    return await wide.first(_by_endpoint, PaymentAccountRow, endpoint=endpoint)


async def insert_account(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Write the account. Returns its id. Raises `UniqueConflict`."""
    return await work.insert(accounts, **values)


async def update_account_row(work: UnitOfWork, account_id: int, values: Mapping[str, Any]) -> None:
    """Change the account."""
    await work.run(update(accounts).where(accounts.c.id == bindparam("account")).values(**values), account=account_id)
