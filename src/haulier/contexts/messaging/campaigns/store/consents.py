"""Consents and revocations: only ever added, read in order."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, func, select

from haulier.contexts.messaging.campaigns.store.tables import consents
from haulier.kernel.data.statements import Row
from haulier.kernel.data.unit_of_work import UnitOfWork


class SmsConsentRow(Row):
    """A consent, or its revocation."""

    id: int
    phone: str
    number_key: str
    granted: bool
    purpose: str
    basis: str | None
    consent_key: str | None
    method: str
    wording: str | None
    source: str | None
    proof: dict[str, str]
    occurred_at: datetime
    expires_at: datetime | None
    recorded_at: datetime
    recorded_by: int | None


_of_number = (
    select(consents)
    .where(consents.c.number_key == bindparam("key"))
    .order_by(consents.c.id.desc())
    .limit(bindparam("count"))
    .offset(bindparam("skipped"))
)
_count = select(func.count()).select_from(consents).where(consents.c.number_key == bindparam("key"))


async def insert_consents(work: UnitOfWork, rows: Sequence[Mapping[str, Any]]) -> list[int]:
    """Add consents or revocations. Returns their ids."""
    return await work.insert_many(consents, rows)


async def list_consent_rows(work: UnitOfWork, key: str, *, limit: int, offset: int) -> tuple[list[SmsConsentRow], int]:
    """Return a page of what a number agreed to and revoked, newest first, and how much there is."""
    rows = await work.all(_of_number, SmsConsentRow, key=key, count=limit, skipped=offset)
    return rows, await work.value(_count, key=key)
