"""Tables of return settings and recipients' returns, and their statements."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import (
    ColumnElement,
    Index,
    String,
    UniqueConstraint,
    bindparam,
    func,
    select,
)

from haulier.contexts.lockers.recipient_returns.contract import NOTE_MAX, REASON_CODE_MAX, SERVICE_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.tables import partial_unique_index
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.values.pagination import MAX_COUNT


class ReturnSettingsRow(Record, table="recipient_return_settings", items=[UniqueConstraint("client_id")]):
    """Settings for recipients' returns.

    At most one row per client.
    """

    active: bool
    days: int
    ways: list[str]
    reasons: list[dict[str, Any]]
    hold_hours: int
    service: Annotated[str, String(SERVICE_MAX)]
    changed_at: datetime


settings = ReturnSettingsRow.table
plain_columns(settings, "ways", "reasons", "service")


class RecipientReturnRow(
    Record,
    table="recipient_return",
    items=[
        UniqueConstraint("client_id", "return_order_id"),
        Index("ix_recipient_return_order", "client_id", "order_id", "id"),
        Index("ix_recipient_return_customer", "client_id", "customer_id", "id"),
    ],
):
    """A return that a recipient began.

    `outcome` is null while the return is active or has arrived.
    """

    order_id: Reference
    return_order_id: Reference
    customer_id: Reference | None
    way: Annotated[str, String(10)]
    reason: Annotated[str, String(REASON_CODE_MAX)]
    note: Annotated[str, String(NOTE_MAX)] | None
    site_id: Reference | None
    hand_in_until: datetime | None
    handed_in_at: datetime | None
    outcome: Annotated[str, String(10)] | None
    begun_at: datetime
    ended_at: datetime | None


returns = RecipientReturnRow.table
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


async def get_settings_row(work: UnitOfWork) -> ReturnSettingsRow | None:
    """Return the return settings of the client, or None."""
    return await work.first(_settings, ReturnSettingsRow)


async def upsert_settings(work: UnitOfWork, **values: Any) -> None:
    """Insert or update the return settings of the client."""
    await work.upsert(settings, (), **values)


async def list_returns_of_order(work: UnitOfWork, order_id: int) -> list[RecipientReturnRow]:
    """The returns of a delivered order, newest first."""
    return await work.all(_of_order, RecipientReturnRow, order=order_id)


async def lock_return_of_order(work: UnitOfWork, return_order_id: int) -> RecipientReturnRow | None:
    """Lock and return the recipient's return of a return order, or None."""
    return await work.first(_locked, RecipientReturnRow, order=return_order_id)


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
