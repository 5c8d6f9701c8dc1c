"""Tables of return settings and recipients' returns, and their statements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    ColumnElement,
    Index,
    Integer,
    String,
    UniqueConstraint,
    bindparam,
    func,
    select,
    update,
)

from haulier.contexts.lockers.recipient_returns.contract.returns import NOTE_MAX
from haulier.contexts.lockers.recipient_returns.contract.settings import REASON_CODE_MAX, SERVICE_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, partial_unique_index, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT

settings = tenant_table(
    "recipient_return_settings",
    Column("active", Boolean, nullable=False),
    Column("days", Integer, nullable=False),
    Column("ways", Json, nullable=False),
    Column("reasons", Json, nullable=False),
    Column("hold_hours", Integer, nullable=False),
    Column("service", String(SERVICE_MAX), nullable=False),
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
"""At most one row per client."""
plain_columns(settings, "ways", "reasons", "service")

returns = tenant_table(
    "recipient_return",
    Column("order_id", Id, nullable=False),
    Column("return_order_id", Id, nullable=False),
    Column("customer_id", Id),
    Column("way", String(10), nullable=False),
    Column("reason", String(REASON_CODE_MAX), nullable=False),
    Column("note", String(NOTE_MAX)),
    Column("site_id", Id),
    Column("hand_in_until", UTCDateTime),
    Column("handed_in_at", UTCDateTime),
    Column("outcome", String(10)),
    Column("begun_at", UTCDateTime, nullable=False),
    Column("ended_at", UTCDateTime),
    UniqueConstraint("client_id", "return_order_id"),
    Index("ix_recipient_return_order", "client_id", "order_id", "id"),
    Index("ix_recipient_return_customer", "client_id", "customer_id", "id"),
)
"""`outcome` is null while the return is active or has arrived."""
partial_unique_index("uq_recipient_return_live", "outcome IS NULL", returns.c.order_id)
"""Each parcel is returned once, even under concurrency."""
personal_data(
    returns,
    RecordKind.ORDER_CONTACTS,
    by={"order_id": PersonKey.ORDER},
    erased={"note": None},
    plain=("way", "reason", "outcome"),
)

_r = returns.c
_settings = select(settings)
_of_order = select(returns).where(_r.order_id == bindparam("order")).order_by(_r.id.desc())
_of_return_order = select(returns).where(_r.return_order_id == bindparam("order"))
_locked = _of_return_order.with_for_update()


class ReturnSettingsRow(Row):
    """Settings for recipients' returns."""

    active: bool
    days: int
    ways: list[str]
    reasons: list[dict[str, Any]]
    hold_hours: int
    service: str


class RecipientReturnRow(Row):
    """A return that a recipient began."""

    id: int
    order_id: int
    return_order_id: int
    customer_id: int | None
    way: str
    reason: str
    note: str | None
    site_id: int | None
    hand_in_until: datetime | None
    handed_in_at: datetime | None
    outcome: str | None
    begun_at: datetime
    ended_at: datetime | None


async def get_settings_row(work: UnitOfWork) -> ReturnSettingsRow | None:
    """Return the return settings of the client, or None."""
    return await work.first(_settings, ReturnSettingsRow)


async def upsert_settings(work: UnitOfWork, **values: Any) -> None:
    """Insert or update the return settings of the client."""
    await work.upsert(settings, (), **values)


async def insert_return(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Insert a return. Raises `UniqueConflict` if its order has an active one."""
    return await work.insert(returns, **values)


async def list_returns_of_order(work: UnitOfWork, order_id: int) -> list[RecipientReturnRow]:
    """The returns of a delivered order, newest first."""
    return await work.all(_of_order, RecipientReturnRow, order=order_id)


async def find_return_of_order(work: UnitOfWork, return_order_id: int) -> RecipientReturnRow | None:
    """Return the recipient's return of a return order, or None."""
    return await work.first(_of_return_order, RecipientReturnRow, order=return_order_id)


async def lock_return_of_order(work: UnitOfWork, return_order_id: int) -> RecipientReturnRow | None:
    """Lock and return the recipient's return of a return order, or None."""
    return await work.first(_locked, RecipientReturnRow, order=return_order_id)


async def update_return(work: UnitOfWork, return_id: int, **values: Any) -> None:
    """Update columns of a return."""
    await work.run(update(returns).where(_r.id == bindparam("return")).values(**values), **{"return": return_id})


async def list_return_rows(
    work: UnitOfWork, wanted: Mapping[str, Any], *, limit: int, offset: int
) -> tuple[Sequence[RecipientReturnRow], int]:
    """List a page of matching returns, newest first, with their count.

    Counting stops one above `MAX_COUNT`.
    """
    conditions: list[ColumnElement[bool]] = [returns.c[name] == value for name, value in wanted.items()]
    page = select(returns).where(*conditions).order_by(_r.id.desc())
    rows = await work.all(page.limit(limit).offset(offset), RecipientReturnRow)
    counted = select(_r.id).where(*conditions).limit(MAX_COUNT + 1).subquery()
    return rows, await work.value(select(func.count()).select_from(counted))
