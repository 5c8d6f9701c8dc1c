"""The accounts that clients have with providers of text messages."""

from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, select, update

from haulier.contexts.messaging.sms.rules import FAULT_MAX
from haulier.contexts.messaging.sms.store.tables import sms_accounts
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class SmsAccountRow(Row):
    """The account of a client with a provider of text messages."""

    provider: str
    account: str
    sender: str
    sealed_secret: str
    set_at: datetime
    worked_at: datetime | None
    failed_at: datetime | None
    fault: str | None


_one = select(sms_accounts)
_delete = delete(sms_accounts)
_worked = update(sms_accounts).values(worked_at=bindparam("at"))
_failed = update(sms_accounts).values(failed_at=bindparam("at"), fault=bindparam("reason"))


async def get_sms_account(work: UnitOfWork) -> SmsAccountRow | None:
    """The account of this client, or None."""
    return await work.first(_one, SmsAccountRow)


async def upsert_sms_account(work: UnitOfWork, **values: Any) -> None:
    """Give this client an account, instead of the one it had."""
    await work.upsert(sms_accounts, (), **values, worked_at=None, failed_at=None, fault=None)


async def delete_sms_account(work: UnitOfWork) -> int:
    """Delete this client's account. Returns 0 when it had none."""
    return await work.run(_delete)


async def record_sms_outcome(work: UnitOfWork, at: datetime, fault: str | None) -> None:
    """Record that the newest message of the account was sent, or the fault why not."""
    if fault is None:
        await work.run(_worked, at=at)
    else:
        await work.run(_failed, at=at, reason=fault[:FAULT_MAX])
