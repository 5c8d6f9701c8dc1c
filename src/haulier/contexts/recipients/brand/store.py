"""Table of branding, at most one row per business."""

from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

brands = tenant_table(
    "recipient_brand",
    Column("colour", String(7)),
    Column("contact_email", String(254)),
    Column("contact_phone", String(50)),
    Column("website", String(200)),
    Column("changed_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id"),
)
plain_columns(brands, "colour", "contact_email", "contact_phone", "website")


class BrandRow(Row):
    """Branding of a business."""

    colour: str | None
    contact_email: str | None
    contact_phone: str | None
    website: str | None


_brand = select(brands)


async def get_brand_row(work: UnitOfWork) -> BrandRow | None:
    """Return the branding of the business, or None if none is set."""
    return await work.first(_brand, BrandRow)


async def upsert_brand(work: UnitOfWork, **values: Any) -> None:
    """Insert or update the branding of the business."""
    await work.upsert(brands, (), **values)
