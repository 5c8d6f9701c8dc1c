"""Statements on fillings."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.warehouse.packing.store.tables import FillingRow, fillings
from haulier.kernel.data.unit_of_work import UnitOfWork

_filling = select(fillings).where(fillings.c.id == bindparam("filling"))
_usable = _filling.where(fillings.c.active)
_default = (
    select(fillings)
    .where(fillings.c.active, fillings.c.default_since.is_not(None))
    .order_by(fillings.c.default_since.desc(), fillings.c.id.desc())
    .limit(1)
)
_no_longer_default = (
    update(fillings)
    .where(fillings.c.id != bindparam("filling"), fillings.c.default_since.is_not(None))
    .values(default_since=None)
)


async def find_usable_filling(work: UnitOfWork, filling_id: int | None) -> FillingRow | None:
    """A filling that plans may use: the one that is named, or the default one. None where there is none."""
    if filling_id is None:
        return await work.first(_default, FillingRow)
    return await work.first(_usable, FillingRow, filling=filling_id)


async def make_only_default(work: UnitOfWork, filling_id: int) -> None:
    """No other filling is the default one."""
    await work.run(_no_longer_default, filling=filling_id)


async def list_filling_rows(
    work: UnitOfWork, *, inactive: bool, limit: int, offset: int
) -> tuple[Sequence[FillingRow], int]:
    """A page of fillings by code, and how many there are."""
    conditions: list[ColumnElement[bool]] = [] if inactive else [fillings.c.active]
    page = select(fillings).where(*conditions).order_by(fillings.c.code).limit(limit).offset(offset)
    total = await work.value(select(func.count()).select_from(fillings).where(*conditions))
    return await work.all(page, FillingRow), total
