"""The tariffs of storage services, and their statements."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Column, String, UniqueConstraint, bindparam, select

from haulier.contexts.storage.storage_orders.contract.tariffs import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.statements import Row
from haulier.kernel.data.tables import Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX

tariffs = tenant_table(
    "storage_tariff",
    Column("service_code", String(CODE_MAX), nullable=False),
    Column("name", String(NAME_MAX), nullable=False),
    Column("terms", Json, nullable=False),
    Column("active", Boolean, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    UniqueConstraint("client_id", "service_code"),
)
plain_columns(tariffs, "service_code", "name", "terms")
_by_code = select(tariffs).where(tariffs.c.service_code == bindparam("code"))
_all = select(tariffs).order_by(tariffs.c.service_code)


class TariffRow(Row):
    """A storage service and what it costs."""

    id: int
    service_code: str
    name: str
    terms: dict[str, Any]
    active: bool
    updated_at: datetime


async def upsert_tariff(work: UnitOfWork, **values: Any) -> None:
    """Write what a service costs from now on."""
    await work.upsert(tariffs, ("service_code",), **values)


async def get_tariff_row(work: UnitOfWork, code: str) -> TariffRow | None:
    """The tariff of a service, or None."""
    return await work.first(_by_code, TariffRow, code=code)


async def list_tariff_rows(work: UnitOfWork) -> Sequence[TariffRow]:
    """All tariffs, by code."""
    return await work.all(_all, TariffRow)
