"""How businesses show themselves to recipients: at most one row a client."""

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
    """How a business shows itself."""

    colour: str | None
    contact_email: str | None
    contact_phone: str | None
    website: str | None


_brand = select(brands)


async def get_brand_row(work: UnitOfWork) -> BrandRow | None:
    """The client's brand, or None where it set none."""
    return await work.first(_brand, BrandRow)


async def upsert_brand(work: UnitOfWork, **values: Any) -> None:
    """Write the client's brand."""
    await work.upsert(brands, (), **values)
