"""Numbers that get no texts: three lists, of everything, of marketing and of notifications."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, bindparam, func, select, update

from haulier.contexts.messaging.campaigns.store.rights import EVERYTHING
from haulier.contexts.messaging.campaigns.store.tables import SmsSuppressionRow, suppressions
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

_in_force = suppressions.c.lifted_at.is_(None)
_of_number = select(suppressions).where(suppressions.c.number_key == bindparam("key"), _in_force)
_lift = (
    update(suppressions)
    .where(suppressions.c.number_key == bindparam("key"), in_param(suppressions.c.reason, "reasons"), _in_force)
    .values(lifted_at=bindparam("now"), lifted_by=bindparam("by"), lift_reason=bindparam("why"))
)
_everything = (
    select(suppressions.c.id)
    .where(suppressions.c.number_key == bindparam("key"), suppressions.c.list == EVERYTHING, _in_force)
    .limit(1)
)
_FILTERS: dict[str, ColumnElement[bool]] = {
    "list": suppressions.c.list == bindparam("list"),
    "key": suppressions.c.number_key == bindparam("key"),
}


async def insert_suppression(work: UnitOfWork, values: Mapping[str, Any]) -> None:
    """Put a number on a list; one that is there for the same reason stays as it is."""
    await work.insert_new(suppressions, [values])


async def list_suppressions_of(work: UnitOfWork, key: str) -> list[SmsSuppressionRow]:
    """What is in force for a number."""
    return await work.all(_of_number, SmsSuppressionRow, key=key)


async def lift_suppressions(
    work: UnitOfWork, key: str, reasons: Collection[str], now: datetime, by: int | None, why: str
) -> int:
    """Take a number off the lists that it is on for some reasons. Returns how many."""
    return await work.run(_lift, key=key, reasons=list(reasons), now=now, by=by, why=why)


async def is_wholly_suppressed(work: UnitOfWork, key: str) -> bool:
    """Whether a number is on the list of everything."""
    return await work.first(_everything, key=key) is not None


async def list_suppression_rows(
    work: UnitOfWork, filters: Mapping[str, Any], *, in_force: bool, limit: int, offset: int
) -> tuple[list[SmsSuppressionRow], int]:
    """Return a page of suppressions, newest first, and how many match.

    Filters: the keys of `_FILTERS`.
    """
    conditions = [_FILTERS[name] for name in filters] + ([_in_force] if in_force else [])
    listed = select(suppressions).where(*conditions).order_by(suppressions.c.id.desc())
    page = listed.limit(bindparam("count")).offset(bindparam("skipped"))
    rows = await work.all(page, SmsSuppressionRow, **filters, count=limit, skipped=offset)
    counted = select(func.count()).select_from(suppressions).where(*conditions)
    return rows, await work.value(counted, **filters)
