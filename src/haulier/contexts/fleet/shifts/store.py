"""The table of working profiles: one row for a driver whose profile was set."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Column, String, UniqueConstraint, bindparam, delete, select

from haulier.kernel.data.personal_data import PersonKey, RecordKind, personal_data
from haulier.kernel.data.statements import Row, in_param
from haulier.kernel.data.tables import Id, Json, UTCDateTime, tenant_table
from haulier.kernel.data.unit_of_work import UnitOfWork

working_profiles = tenant_table(
    "driver_working_profile",
    Column("driver_id", Id, nullable=False),
    Column("shifts", Json, nullable=False),
    Column("skills", Json, nullable=False),
    Column("starts_at", String(10), nullable=False),
    Column("ends_at", String(10), nullable=False),
    Column("home", Json),
    Column("depot_id", Id),
    Column("vehicle_id", Id),
    Column("limits", Json, nullable=False),
    Column("zones", Json, nullable=False),
    Column("updated_at", UTCDateTime, nullable=False),
    Column("updated_by", Id),
    UniqueConstraint("client_id", "driver_id"),
)
"""`limits` has `max_stops`, `max_time_s` and `max_distance_m`, each where it is set."""
personal_data(
    working_profiles,
    RecordKind.DRIVERS,
    by={"driver_id": PersonKey.DRIVER},
    erased={"home": None},
    plain=("shifts", "skills", "starts_at", "ends_at", "limits", "zones"),
)


class WorkingProfileRow(Row):
    """How a driver works: hours, skills, start and end of the day, limits, zones."""

    driver_id: int
    shifts: list[dict[str, Any]]
    skills: list[str]
    starts_at: str
    ends_at: str
    home: dict[str, float] | None
    depot_id: int | None
    vehicle_id: int | None
    limits: dict[str, int]
    zones: list[dict[str, Any]]
    updated_at: datetime
    updated_by: int | None


_profiles_of_drivers = select(working_profiles).where(in_param(working_profiles.c.driver_id, "ids"))
_delete_profile = delete(working_profiles).where(working_profiles.c.driver_id == bindparam("driver"))


async def get_working_profile_rows(work: UnitOfWork, driver_ids: Collection[int]) -> dict[int, WorkingProfileRow]:
    """Profiles by driver; a driver without one is absent."""
    if not driver_ids:
        return {}
    rows = await work.all(_profiles_of_drivers, WorkingProfileRow, ids=list(driver_ids))
    return {row.driver_id: row for row in rows}


async def replace_working_profile(work: UnitOfWork, driver_id: int, **values: Any) -> None:
    """Write a driver's profile in place of the one before. Raises `UniqueConflict` when two do at once."""
    await work.run(_delete_profile, driver=driver_id)
    await work.insert(working_profiles, driver_id=driver_id, **values)
