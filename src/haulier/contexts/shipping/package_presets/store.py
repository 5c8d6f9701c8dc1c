"""Table and statements of package presets."""

from datetime import datetime
from typing import Annotated

from sqlalchemy import String, UniqueConstraint, func, select

from haulier.contexts.shipping.package_presets.contract import CARRIER_PACKAGE_MAX
from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NAME_MAX


class PackagePresetRow(Record, table="package_preset", items=[UniqueConstraint("client_id", "name")]):
    """A package preset."""

    name: Annotated[str, String(NAME_MAX)]
    length_mm: int
    width_mm: int
    height_mm: int
    empty_weight_g: int
    carrier_package: Annotated[str, String(CARRIER_PACKAGE_MAX)] | None
    created_at: datetime
    updated_at: datetime


presets = PackagePresetRow.table
plain_columns(presets, "name", "carrier_package")
_all = select(presets).order_by(presets.c.name, presets.c.id)
_count = select(func.count()).select_from(presets)


async def list_preset_rows(work: UnitOfWork) -> list[PackagePresetRow]:
    """Return all presets of the business, by name."""
    return await work.all(_all, PackagePresetRow)


async def count_presets(work: UnitOfWork) -> int:
    """Return the number of presets of the business."""
    return await work.value(_count)
