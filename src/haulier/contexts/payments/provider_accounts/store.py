"""Tables and statements of payment accounts."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import Column, String, Text, UniqueConstraint, bindparam, select

from haulier.contexts.payments.provider_accounts.contract import PROVIDER_CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import VOLATILE, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork

ENDPOINT_KEY_MAX = 60
FAULT_MAX = 300


class PaymentAccountRow(
    Record,
    table="payment_account",
    items=[UniqueConstraint("client_id"), UniqueConstraint("endpoint_key")],
    kind=directory_table,
    why="the path of a notice says whose it is",
):
    """An account at a payment provider.

    One per client. `endpoint_key` is the part of the path for its provider's notices: it grants nothing, since each
    notice is signed.
    """

    client_id: int
    provider: Annotated[str, String(PROVIDER_CODE_MAX)]
    endpoint_key: Annotated[str, Column("endpoint_key", String(ENDPOINT_KEY_MAX), nullable=False, info=VOLATILE)]
    active: bool
    test_mode: bool
    sealed_credentials: Annotated[str | None, Column("sealed_credentials", Text, info=VOLATILE)]
    credential_names: list[str]
    tested_at: datetime | None
    test_fault: Annotated[str, String(FAULT_MAX)] | None
    created_by: Reference | None
    created_at: datetime
    updated_at: datetime


accounts = PaymentAccountRow.table
plain_columns(accounts, "provider", "endpoint_key", "sealed_credentials", "credential_names", "test_fault")
_one = select(accounts)
_one_locked = _one.with_for_update()
_by_endpoint = select(accounts).where(accounts.c.endpoint_key == bindparam("endpoint"))


async def get_account_row(work: UnitOfWork, *, lock: bool = False) -> PaymentAccountRow | None:
    """This client's account, or None."""
    return await work.first(_one_locked if lock else _one, PaymentAccountRow)


async def find_account_by_endpoint(work: UnitOfWork, endpoint: str) -> PaymentAccountRow | None:
    """Return the account of a notice path, of any client, or None."""
    wide = work.without_tenant_filter("the path of a notice says whose it is")
    return await wide.first(_by_endpoint, PaymentAccountRow, endpoint=endpoint)
