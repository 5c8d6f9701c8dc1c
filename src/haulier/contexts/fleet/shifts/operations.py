"""Working profiles: show and set."""

from typing import Any

from msgspec import convert

from haulier.contexts.fleet.depots.queries import get_depot_row
from haulier.contexts.fleet.drivers.queries import DriverRow, get_visible_driver
from haulier.contexts.fleet.shifts import store
from haulier.contexts.fleet.shifts.contract import (
    DayEnd,
    SetWorkingProfile,
    WorkingProfile,
    WorkingProfileAnswer,
    WorkingProfileRef,
)
from haulier.contexts.fleet.vehicles.queries import get_vehicle_row
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, STAFF, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, FieldError

PATH = "/v1/drivers/{driver_id}/working-profile"
LIMITS = ("max_stops", "max_time_s", "max_distance_m")


@reads(
    "get_driver_working_profile",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    interfaces=(Rest("GET", PATH), GraphQL("driverWorkingProfile")),
)
async def get_driver_working_profile(call: Call, request: WorkingProfileRef) -> WorkingProfileAnswer:
    """Get the working profile of a driver.

    Includes shifts, breaks, skills, end locations, limits and zones.
    """
    return await _load_working_profile(call, (await get_visible_driver(call, request.driver_id)).id)


@writes(
    "set_driver_working_profile",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    interfaces=(Rest("PUT", PATH), GraphQL("setDriverWorkingProfile")),
)
async def set_driver_working_profile(call: Call, request: SetWorkingProfile) -> WorkingProfileAnswer:
    """Replace the working profile of a driver.

    Existing plans keep the profile that they were built with.
    """
    driver = await get_visible_driver(call, request.driver_id)
    await _check_depot_and_vehicle(call, request, driver)
    values = request.model_dump(mode="json", exclude={"driver_id", *LIMITS})
    limits = request.model_dump(include=set(LIMITS), exclude_none=True)
    await store.replace_working_profile(
        call.work, driver.id, **values, limits=limits, updated_at=call.now, updated_by=call.actor
    )
    call.add_audit_subjects("driver", driver.id)
    return await _load_working_profile(call, driver.id)


async def _check_depot_and_vehicle(call: Call, request: SetWorkingProfile, driver: DriverRow) -> None:
    """The depot is open, and the vehicle is one that the driver's employer has."""
    if request.depot_id is not None:
        depot = await get_depot_row(call, request.depot_id)
        if depot is None or depot.closed:
            raise INVALID_REQUEST.for_fields(FieldError("depot_id", "field.depot_unknown"))
    if request.vehicle_id is not None:
        vehicle = await get_vehicle_row(call, request.vehicle_id)
        if vehicle is None or vehicle.contractor_id != driver.contractor_id or vehicle.retired_at:
            raise INVALID_REQUEST.for_fields(FieldError("vehicle_id", "field.vehicle_unknown"))


async def _load_working_profile(call: Call, driver_id: int) -> WorkingProfileAnswer:
    row = (await store.get_working_profile_rows(call.work, [driver_id])).get(driver_id)
    return WorkingProfileAnswer(profile=_serialize_working_profile(driver_id, row))


def _serialize_working_profile(driver_id: int, row: store.WorkingProfileRow | None) -> WorkingProfile:
    values: dict[str, Any] = {
        "driver_id": driver_id,
        "is_default": row is None,
        "shifts": row.shifts if row else [],
        "skills": row.skills if row else [],
        "starts_at": row.starts_at if row else DayEnd.DEPOT,
        "ends_at": row.ends_at if row else DayEnd.DEPOT,
        "home": row.home if row else None,
        "depot_id": row.depot_id if row else None,
        "vehicle_id": row.vehicle_id if row else None,
        "zones": row.zones if row else [],
        **{name: row.limits.get(name) if row else None for name in LIMITS},
    }
    return convert(values, WorkingProfile)
