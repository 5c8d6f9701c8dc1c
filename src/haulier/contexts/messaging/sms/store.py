"""The accounts that clients have with providers of text messages."""

from datetime import datetime
from typing import Any

from sqlalchemy import Column, String, Text, UniqueConstraint, bindparam, delete, select, update
from sqlalchemy.dialects.postgresql import insert

from haulier.contexts.messaging.sms.rules import FAULT_MAX
from haulier.kernel.data.tables import Id, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

sms_accounts = tenant_table(
    "sms_account",
    Column("provider", String(20), nullable=False),
    Column("account", String(64), nullable=False),
    Column("sender", String(64), nullable=False),
    Column("sealed_secret", Text, nullable=False),
    Column("set_by", Id),
    Column("set_at", UTCDateTime, nullable=False),
    Column("worked_at", UTCDateTime),
    Column("failed_at", UTCDateTime),
    Column("fault", String(FAULT_MAX)),
    UniqueConstraint("client_id"),
)
"""One a client. The secret is encrypted; it is never part of an answer, a letter, a log or the audit trail."""

_SET = ("provider", "account", "sender", "sealed_secret", "set_by", "set_at")
_one = select(sms_accounts)
_put = insert(sms_accounts).values({name: bindparam(name, type_=sms_accounts.c[name].type) for name in _SET})
_put = _put.on_conflict_do_update(
    index_elements=["client_id"],
    set_={**{name: _put.excluded[name] for name in _SET}, "worked_at": None, "failed_at": None, "fault": None},
)
_forget = delete(sms_accounts)
_worked = update(sms_accounts).values(worked_at=bindparam("at"))
_failed = update(sms_accounts).values(failed_at=bindparam("at"), fault=bindparam("said"))


async def get_sms_account(work: UnitOfWork) -> Any:
    """The account of this client, or None."""
    return await work.first(_one)


async def upsert_sms_account(work: UnitOfWork, **values: Any) -> None:
    """Give this client an account, in the place of the one it had."""
    await work.run(_put, **values)


async def delete_sms_account(work: UnitOfWork) -> int:
    """Take this client's account away. Returns 0 when it had none."""
    return await work.run(_forget)


async def record_sms_outcome(work: UnitOfWork, at: datetime, fault: str | None) -> None:
    """Write down how the account's newest message fared."""
    if fault is None:
        await work.run(_worked, at=at)
    else:
        await work.run(_failed, at=at, said=fault[:FAULT_MAX])
