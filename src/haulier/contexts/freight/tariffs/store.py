"""Table of the freight tariff."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import String, UniqueConstraint, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.unit_of_work import UnitOfWork


class FreightTariffRow(Record, table="freight_tariff", items=[UniqueConstraint("client_id")]):
    """Freight tariff of a business. `terms` is as staff set it."""

    terms: dict[str, Any]
    currency: Annotated[str, String(3)]
    updated_at: datetime


tariffs = FreightTariffRow.table
plain_columns(tariffs, "terms", "currency")
_tariff = select(tariffs)


async def get_tariff_row(work: UnitOfWork) -> FreightTariffRow | None:
    """Return the freight tariff, or None if none is set."""
    return await work.first(_tariff, FreightTariffRow)
