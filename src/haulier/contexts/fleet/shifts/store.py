"""The table of working profiles: one row for a driver whose profile was set."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import String, UniqueConstraint, bindparam, delete, select

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.records import Record, Reference
from haulier.kernel.data.statements import in_param
from haulier.kernel.data.unit_of_work import UnitOfWork


class WorkingProfileRow(Record, table="driver_working_profile", items=[UniqueConstraint("client_id", "driver_id")]):
    """Working hours, skills, start and end of the day, limits and zones of a driver."""

    driver_id: Reference
    shifts: list[dict[str, Any]]
    skills: list[str]
    starts_at: Annotated[str, String(10)]
    ends_at: Annotated[str, String(10)]
    home: dict[str, float] | None
    depot_id: Reference | None
    vehicle_id: Reference | None
    limits: dict[str, int]
    """`max_stops`, `max_time_s` and `max_distance_m`, if set."""
    zones: list[dict[str, Any]]
    updated_at: datetime
    updated_by: Reference | None


working_profiles = WorkingProfileRow.table
personal_data(
    working_profiles,
    RecordKind.DRIVERS,
    by={"driver_id": PersonKey.DRIVER},
    erased={"home": None},
    plain=("shifts", "skills", "starts_at", "ends_at", "limits", "zones"),
)


_profiles_of_drivers = select(working_profiles).where(in_param(working_profiles.c.driver_id, "ids"))
_delete_profile = delete(working_profiles).where(working_profiles.c.driver_id == bindparam("driver"))


async def get_working_profile_rows(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, WorkingProfileRow]:
    """Profiles by driver; a driver without one is absent."""
    if not driver_ids:
        return {}
    rows = await work.all(_profiles_of_drivers, WorkingProfileRow, ids=list(driver_ids))
    return {row.driver_id: row for row in rows}


async def replace_working_profile(work: UnitOfWork, driver_id: int, **values: Any) -> None:
    """Replace a driver's profile. Raises `UniqueConflict` on concurrent writes."""
    await work.run(_delete_profile, driver=driver_id)
    await WorkingProfileRow.insert(work, driver_id=driver_id, **values)
