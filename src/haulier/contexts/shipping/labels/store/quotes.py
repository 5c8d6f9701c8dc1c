"""Rates that were said, for as long as they hold."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Column, Index, bindparam, select

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data, retained
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

quotes = tenant_table(
    "shipping_quote",
    Column("customer_id", Id),
    Column("shipment", Json, nullable=False),
    Column("offers", Json, nullable=False),
    Column("created_at", UTCDateTime, nullable=False),
    Column("expires_at", UTCDateTime, nullable=False),
    Index("ix_shipping_quote_created", "created_at"),
)
personal_data(quotes, RecordKind.SHIPPING_QUOTES, by={"customer_id": PersonKey.USER})
retained(RecordKind.SHIPPING_QUOTES, quotes.c.created_at, default_days=7)
_by_id = select(quotes).where(quotes.c.id == bindparam("quote"))


class ShippingQuoteRow(Row):
    """Rates for a shipment."""

    id: int
    customer_id: int | None
    shipment: dict[str, Any]
    offers: list[dict[str, Any]]
    expires_at: datetime


async def insert_quote(work: UnitOfWork, values: Mapping[str, Any]) -> int:
    """Keep rates. Returns their id."""
    return await work.insert(quotes, **values)


async def get_quote_row(work: UnitOfWork, id: int) -> ShippingQuoteRow | None:
    """Rates that were kept, or None."""
    return await work.first(_by_id, ShippingQuoteRow, quote=id)
