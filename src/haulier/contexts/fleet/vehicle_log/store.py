"""The table of the logs of vehicles."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Annotated, Any

from sqlalchemy import Index, String, bindparam, func, select

from haulier.kernel.data.personal_data import plain_columns
from haulier.kernel.data.records import BigInt, Record, Reference
from haulier.kernel.data.unit_of_work import UnitOfWork
from haulier.kernel.operations.fields import NOTE_MAX


class VehicleLogRow(Record, table="vehicle_log_entry", items=[Index(None, "client_id", "vehicle_id", "done_on")]):
    """An odometer reading, a service or a repair."""

    vehicle_id: Reference
    kind: Annotated[str, String(20)]
    done_on: date
    odometer_m: BigInt | None
    cost_minor: BigInt | None
    note: Annotated[str, String(NOTE_MAX)] | None
    created_by: Reference | None
    created_at: datetime


log_entries = VehicleLogRow.table
plain_columns(log_entries, "kind", "note")
_of_vehicle = log_entries.c.vehicle_id == bindparam("vehicle")
_read = select(log_entries.c.odometer_m).where(_of_vehicle, log_entries.c.odometer_m.is_not(None))
_highest_before = select(func.max(_read.where(log_entries.c.done_on < bindparam("day")).subquery().c.odometer_m))
_lowest_after = select(func.min(_read.where(log_entries.c.done_on > bindparam("day")).subquery().c.odometer_m))
_latest = (
    select(log_entries)
    .where(_of_vehicle, log_entries.c.odometer_m.is_not(None))
    .order_by(log_entries.c.done_on.desc(), log_entries.c.odometer_m.desc())
    .limit(1)
)


async def get_neighbours(work: UnitOfWork, vehicle_id: int, day: date) -> tuple[int | None, int | None]:
    """Return the highest reading of a vehicle before a day, and the lowest after it."""
    asked = {"vehicle": vehicle_id, "day": day}
    return await work.value(_highest_before, **asked), await work.value(_lowest_after, **asked)


async def get_latest_reading(work: UnitOfWork, vehicle_id: int) -> VehicleLogRow | None:
    """Return the newest entry of a vehicle with an odometer reading, or None."""
    return await work.first(_latest, VehicleLogRow, vehicle=vehicle_id)


async def list_log_rows(
    work: UnitOfWork, vehicle_id: int, kind: str | None, *, limit: int, offset: int
) -> tuple[Sequence[VehicleLogRow], int]:
    """Return a page of the log of a vehicle, newest first, and the total."""
    clauses: list[Any] = [_of_vehicle]
    params: dict[str, Any] = {"vehicle": vehicle_id}
    if kind is not None:
        clauses.append(log_entries.c.kind == bindparam("kind"))
        params["kind"] = kind
    order = [log_entries.c.done_on.desc(), log_entries.c.id.desc()]
    return await VehicleLogRow.list_page(work, *clauses, order_by=order, limit=limit, offset=offset, **params)
