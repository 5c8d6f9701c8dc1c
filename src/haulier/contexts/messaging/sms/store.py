"""Tables and statements of SMS.

Customer apps join them, to read the availability of SMS in one statement on every call.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Column, String, Text, UniqueConstraint, bindparam, delete, or_, select, update

from haulier.contexts.messaging.sms.rules import FAULT_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import VOLATILE, UTCDateTime, directory_table
from haulier.kernel.data.unit_of_work import UnitOfWork


class SmsAccountRow(
    Record,
    table="sms_account",
    items=[UniqueConstraint("client_id")],
    kind=directory_table,
    why="read by the app in the path, before sign-in",
):
    """The account of a client with a provider of text messages.

    One a client. The secret is encrypted; it is never part of an answer, an e-mail, a log or the audit trail. `keeper`
    is the process that hears what its message centre delivers, until `kept_until` unless it says so again.
    """

    provider: Annotated[str, String(20)]
    account: Annotated[str, String(64)]
    sender: Annotated[str, String(64)]
    sealed_secret: Annotated[str, Text]
    set_by: Reference | None
    set_at: datetime
    worked_at: datetime | None
    failed_at: datetime | None
    fault: Annotated[str, String(FAULT_MAX)] | None
    keeper: Annotated[str | None, Column("keeper", String(32), info=VOLATILE)]
    kept_until: Annotated[datetime | None, Column("kept_until", UTCDateTime, info=VOLATILE)]


sms_accounts = SmsAccountRow.table
plain_columns(sms_accounts, "provider", "account", "sender", "sealed_secret", "fault", "keeper")


class KeptAccountRow(Row):
    """An account whose message centre this process hears."""

    client_id: int
    provider: str
    account: str
    sealed_secret: str
    set_at: datetime


_one = select(sms_accounts)
_delete = delete(sms_accounts)
_worked = update(sms_accounts).values(worked_at=bindparam("at"))
_failed = update(sms_accounts).values(failed_at=bindparam("at"), fault=bindparam("reason"))
_kept_until = bindparam("until", type_=sms_accounts.c.kept_until.type)
_keep = (
    update(sms_accounts)
    .where(
        in_param(sms_accounts.c.provider, "providers"),
        or_(
            sms_accounts.c.keeper.is_(None),
            sms_accounts.c.keeper == bindparam("holder"),
            sms_accounts.c.kept_until < bindparam("at", type_=sms_accounts.c.kept_until.type),
        ),
    )
    .values(keeper=bindparam("holder"), kept_until=_kept_until)
    .returning(
        sms_accounts.c.client_id,
        sms_accounts.c.provider,
        sms_accounts.c.account,
        sms_accounts.c.sealed_secret,
        sms_accounts.c.set_at,
    )
)
_let_go = update(sms_accounts).where(sms_accounts.c.keeper == bindparam("holder")).values(keeper=None, kept_until=None)


async def get_sms_account(work: UnitOfWork) -> SmsAccountRow | None:
    """Return the account of this client, or None."""
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


async def acquire_accounts(
    work: UnitOfWork, providers: Collection[str], holder: str, at: datetime, until: datetime
) -> list[KeptAccountRow]:
    """Reserve accounts with some providers without a listener, and return them.

    The reservation lasts until a moment.
    """
    values: dict[str, Any] = {"providers": sorted(providers), "holder": holder, "at": at, "until": until}
    return await work.all(_keep, KeptAccountRow, **values)


async def release_accounts(work: UnitOfWork, holder: str) -> None:
    """Let other processes keep what this one kept."""
    await work.run(_let_go, holder=holder)
