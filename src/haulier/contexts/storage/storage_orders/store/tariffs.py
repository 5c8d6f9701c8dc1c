"""The tariffs of storage services, and their statements."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import String, UniqueConstraint, select

from haulier.contexts.storage.storage_orders.contract.tariffs import CODE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class TariffRow(Record, table="storage_tariff", items=[UniqueConstraint("client_id", "service_code")]):
    """A storage service and what it costs."""

    service_code: Annotated[str, String(CODE_MAX)]
    name: Annotated[str, String(NAME_MAX)]
    terms: dict[str, Any]
    active: bool
    updated_at: datetime


tariffs = TariffRow.table
plain_columns(tariffs, "service_code", "name", "terms")
_all = select(tariffs).order_by(tariffs.c.service_code)


async def upsert_tariff(work: UnitOfWork, **values: Any) -> None:
    """Write what a service costs from now on."""
    await work.upsert(tariffs, ("service_code",), **values)


async def list_tariff_rows(work: UnitOfWork) -> Sequence[TariffRow]:
    """All tariffs, by code."""
    return await work.all(_all, TariffRow)
