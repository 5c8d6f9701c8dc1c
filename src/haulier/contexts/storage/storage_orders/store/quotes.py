"""Prices that were said, for as long as they hold."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Column, Index, String, bindparam, select

from haulier.contexts.storage.storage_orders.contract.tariffs import CODE_MAX
from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

quotes = tenant_table(
    "storage_quote",
    Column("customer_id", Id, nullable=False),
    Column("service_code", String(CODE_MAX), nullable=False),
    Column("service_name", String(NAME_MAX), nullable=False),
    Column("wish", Json, nullable=False),
    Column("terms", Json, nullable=False),
    Column("price_minor", BigInteger, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Index("ix_storage_quote_created", "created_at"),
)
personal_data(quotes, RecordKind.STORAGE_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.STORAGE_QUOTES, quotes.c.created_at, default_days=7)
_by_id = select(quotes).where(quotes.c.id == bindparam("quote"))


class StorageQuoteRow(Row):
    """A price for a wish, with the tariff that it was made with."""

    id: int
    customer_id: int
    service_code: str
    service_name: str
    wish: dict[str, Any]
    terms: dict[str, Any]
    price_minor: int
    expires_at: datetime


async def insert_quote(work: UnitOfWork, **values: Any) -> int:
    """Keep a price. Returns its id."""
    return await work.insert(quotes, **values)


async def get_quote_row(work: UnitOfWork, id: int) -> StorageQuoteRow | None:
    """A price that was kept, or None."""
    return await work.first(_by_id, StorageQuoteRow, quote=id)
