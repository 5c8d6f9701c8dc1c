"""Working profiles: show and set."""

from typing import Any

from msgspec import convert

from haulier.contexts.dispatch.depots import store as depot_store
from haulier.contexts.dispatch.drivers.visibility import visible_driver
from haulier.contexts.dispatch.drivers.working import store
from haulier.contexts.dispatch.drivers.working.contract import (
    DayEnd,
    ProfileAnswer,
    SetProfile,
    TheProfile,
    WorkingProfile,
)
from haulier.contexts.dispatch.fleets import store as fleet_store
from haulier.kernel.call import Call
from haulier.kernel.declarations import OFFICE, STAFF, Account, Risk, Scope
from haulier.kernel.errors import INVALID_REQUEST, NOT_FOUND, Fault
from haulier.kernel.operation import GraphQL, Rest, reads, writes

TAG = "Driver"
PATH = "/v1/drivers/{driver_id}/working-profile"
LIMITS = ("max_stops", "max_time_s", "max_distance_m")


@reads(
    "get_driver_working_profile",
    audience=STAFF,
    scopes={Scope.DRIVERS_READ},
    errors=(NOT_FOUND,),
    doors=(Rest("GET", PATH, tag=TAG), GraphQL("driverWorkingProfile")),
)
async def get_driver_working_profile(call: Call, request: TheProfile) -> ProfileAnswer:
    """Show how a driver works: shifts, breaks, skills, ends of the day, limits and zones."""
    return await _shown(call, (await visible_driver(call, request.driver_id)).id)


@writes(
    "set_driver_working_profile",
    audience=OFFICE | {Account.CONTRACTOR},
    scopes={Scope.DRIVERS_WRITE},
    risk=Risk.MEDIUM,
    errors=(NOT_FOUND,),
    doors=(Rest("PUT", PATH, tag=TAG), GraphQL("setDriverWorkingProfile")),
)
async def set_driver_working_profile(call: Call, request: SetProfile) -> ProfileAnswer:
    """Set the whole profile of a driver, in place of the one before. Plans already built keep what they were built with."""
    driver = await visible_driver(call, request.driver_id)
    await _check_records(call, request, driver)
    values = request.model_dump(mode="json", exclude={"driver_id", *LIMITS})
    limits = request.model_dump(include=set(LIMITS), exclude_none=True)
    await store.put(call.work, driver.id, **values, limits=limits, updated_at=call.now, updated_by=call.actor)
    call.concerns("driver", driver.id)
    return await _shown(call, driver.id)


async def _check_records(call: Call, request: SetProfile, driver: Any) -> None:
    """The depot is open, and the vehicle is one that the driver's employer has."""
    if request.depot_id is not None:
        depot = await depot_store.one(call.work, request.depot_id)
        if depot is None or depot.closed:
            raise INVALID_REQUEST.at(Fault("depot_id", "field.depot_unknown"))
    if request.vehicle_id is not None:
        vehicle = await fleet_store.one(call.work, request.vehicle_id)
        if vehicle is None or vehicle.contractor_id != driver.contractor_id or vehicle.retired_at:
            raise INVALID_REQUEST.at(Fault("vehicle_id", "field.vehicle_unknown"))


async def _shown(call: Call, driver_id: int) -> ProfileAnswer:
    row = (await store.some(call.work, [driver_id])).get(driver_id)
    return ProfileAnswer(profile=_record(driver_id, row))


def _record(driver_id: int, row: Any) -> WorkingProfile:
    said: dict[str, Any] = {
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
    return convert(said, WorkingProfile)
