"""Table of branding, at most one row per business."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import Boolean, Column, String, UniqueConstraint, false, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.unit_of_work import UnitOfWork


class BrandRow(Record, table="recipient_brand", items=[UniqueConstraint("client_id")]):
    """Branding of a business."""

    colour: Annotated[str, String(7)] | None
    contact_email: Annotated[str, String(254)] | None
    contact_phone: Annotated[str, String(50)] | None
    website: Annotated[str, String(200)] | None
    live_map: Annotated[bool, Column("live_map", Boolean, nullable=False, server_default=false())]
    changed_at: datetime


brands = BrandRow.table
plain_columns(brands, "colour", "contact_email", "contact_phone", "website")


_brand = select(brands)


async def get_brand_row(work: UnitOfWork) -> BrandRow | None:
    """Return the branding of the business, or None if none is set."""
    return await work.first(_brand, BrandRow)


async def upsert_brand(work: UnitOfWork, **values: Any) -> None:
    """Insert or update the branding of the business."""
    await work.upsert(brands, (), **values)
