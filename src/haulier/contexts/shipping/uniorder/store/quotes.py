"""Rates that were said, for as long as they hold."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, select

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

quotes = tenant_table(
    "uniorder_quote",
    Column("customer_id", Id),
    Column("form", Json, nullable=False),
    Column("quoted", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Index("ix_uniorder_quote_created", "created_at"),
)
personal_data(quotes, RecordKind.SHIPPING_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.SHIPPING_QUOTES, quotes.c.created_at, default_days=7)
_by_ids = select(quotes).where(in_param(quotes.c.id, "ids"))


class UniorderQuoteRow(Row):
    """A form, and what it costs by each way."""

    id: int
    customer_id: int | None
    form: dict[str, Any]
    quoted: dict[str, Any]
    created_at: datetime


async def insert_quote(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Keep rates. Returns their id."""
    return await work.insert(quotes, **values)


async def list_quote_rows(work: UnitOfWork, ids: Collection[int]) -> dict[int, UniorderQuoteRow]:
    """Rates that were kept, by id."""
    if not ids:
        return {}
    return {row.id: row for row in await work.all(_by_ids, UniorderQuoteRow, ids=sorted(set(ids)))}
