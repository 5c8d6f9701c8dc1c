"""Consents and revocations: only ever added, read in order."""

from sqlalchemy import bindparam, func, select

from haulier.contexts.messaging.campaigns.store.tables import SmsConsentRow, consents
from haulier.kernel.data.unit_of_work import UnitOfWork

_of_number = (
    select(consents)
    .where(consents.c.number_key == bindparam("key"))
    .order_by(consents.c.id.desc())
    .limit(bindparam("count"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(consents).where(consents.c.number_key == bindparam("key"))


async def list_consent_rows(work: UnitOfWork, key: str, *, limit: int, offset: int) -> tuple[list[SmsConsentRow], int]:
    """Return a page of what a number agreed to and revoked, newest first, and how much there is."""
    rows = await work.all(_of_number, SmsConsentRow, key=key, count=limit, skipped=offset)
    return rows, await work.value(_count, key=key)
