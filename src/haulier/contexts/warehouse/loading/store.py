"""Tables and statements of loaded parcels."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated

from sqlalchemy import String, UniqueConstraint, bindparam, delete, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork

TRACKING_NUMBER_MAX = 100


class LoadedRow(Record, table="loaded_parcel", items=[UniqueConstraint("client_id", "route_id", "tracking_number")]):
    """A parcel in a vehicle."""

    route_id: Reference
    tracking_number: Annotated[str, String(TRACKING_NUMBER_MAX)]
    loaded_at: datetime
    user_id: Reference | None


loaded = LoadedRow.table
plain_columns(loaded, "tracking_number")


_of_route = select(loaded).where(loaded.c.route_id == bindparam("route")).order_by(loaded.c.tracking_number)
_take_off = delete(loaded).where(loaded.c.route_id == bindparam("route"), in_param(loaded.c.tracking_number, "numbers"))


async def list_loaded(work: UnitOfWork, route_id: int) -> dict[str, datetime]:
    """When the parcels in the vehicle of a route were loaded."""
    return {row.tracking_number: row.loaded_at for row in await work.all(_of_route, LoadedRow, route=route_id)}


async def insert_loaded(
    work: UnitOfWork, route_id: int, numbers: Collection[str], now: datetime, by: int | None
) -> set[str]:
    """Write that parcels were loaded. Returns those that were not before."""
    rows = [
        {"route_id": route_id, "tracking_number": number, "loaded_at": now, "user_id": by} for number in sorted(numbers)
    ]
    return {row.tracking_number for row in await work.insert_new(loaded, rows, LoadedRow)}


async def delete_loaded(work: UnitOfWork, route_id: int, numbers: Collection[str]) -> None:
    """Write that parcels are in the vehicle no more."""
    if numbers:
        await work.run(_take_off, route=route_id, numbers=list(numbers))
