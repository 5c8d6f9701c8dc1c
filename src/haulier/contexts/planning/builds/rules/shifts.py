"""Who can be planned on a day, with which vehicle, from where: rows of drivers, profiles, vehicles, depots and routes in,
crews out."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.planning.builds.rules.lifecycle import ExistingRouteMode
from haulier.contexts.planning.builds.rules.planning_input import (
    LOAD_DIMENSIONS,
    ExistingRoute,
    PlaceCoordinates,
    VehicleShift,
)
from haulier.contexts.planning.builds.rules.working_hours import ShiftHours, remaining_shift, shift_hours

ROUTE_LIMITS = ("max_stops", "max_distance_m", "max_time_s")
MAX_ROUTE_LIMITS = {"max_stops": 1000}
"""What a route may have in any case."""
LoadAmounts = tuple[int, ...]


class DriverUnavailability(StrEnum):
    """Why a driver cannot be planned; the value is the id of the message."""

    INACTIVE = "build_driver_inactive"
    DAY_OFF = "build_driver_day_off"
    OVER = "build_driver_shift_over"
    BUSY = "build_driver_busy"
    NO_VEHICLE = "build_driver_no_vehicle"
    NO_DEPOT = "build_driver_no_depot"


class DayResources(Struct, frozen=True, kw_only=True):
    """What there is on a day. `routes` are the open ones of each driver; rows are as the stores give them."""

    day: date
    zone: ZoneInfo
    now: datetime
    drivers: Sequence[Any]
    profiles: Mapping[int, Any]
    vehicles: Sequence[Any]
    depots: Sequence[Any]
    routes: Mapping[int, Sequence[Any]]


class DriverDay(Struct, frozen=True, kw_only=True):
    """A driver on the day: their hours, vehicle and depot, or why they cannot be planned."""

    driver: Any
    profile: Any
    hours: ShiftHours | None = None
    vehicle: Any = None
    depot: Any = None
    route: Any = None
    why_not: DriverUnavailability | None = None


def build_driver_days(resources: DayResources, current: ExistingRouteMode) -> list[DriverDay]:
    """Every driver, in order of name."""
    vehicles = _assign_vehicles(resources)
    depots = {depot.id: depot for depot in resources.depots}
    return [_driver_day(resources, driver, vehicles.get(driver.id), depots, current) for driver in resources.drivers]


def _assign_vehicles(resources: DayResources) -> dict[int, Any]:
    """A vehicle for each driver: the usual one, else one that is left. A vehicle has one driver."""
    by_id = {vehicle.id: vehicle for vehicle in resources.vehicles}
    found: dict[int, Any] = {}
    for driver in resources.drivers:
        profile = resources.profiles.get(driver.id)
        usual = by_id.get(profile.vehicle_id) if profile else None
        if driver.active and usual and usual.contractor_id == driver.contractor_id:
            found[driver.id] = by_id.pop(usual.id)
    for driver in resources.drivers:
        left = next((v for v in by_id.values() if v.contractor_id == driver.contractor_id), None)
        if driver.active and driver.id not in found and left:
            found[driver.id] = by_id.pop(left.id)
    return found


def _driver_day(
    resources: DayResources, driver: Any, vehicle: Any, depots: Mapping[int, Any], current: ExistingRouteMode
) -> DriverDay:
    profile = resources.profiles.get(driver.id)
    found = shift_hours(profile.shifts if profile else [], resources.day, resources.zone)
    open_routes = resources.routes.get(driver.id, ())
    wanted = _depot_of(next(iter(open_routes), None)) or _depot_of(profile) or _depot_of(vehicle)
    depot = depots.get(wanted) if wanted else next(iter(depots.values()), None)
    owns = any(each.contractor_id == driver.contractor_id for each in resources.vehicles)
    why_not: DriverUnavailability | None = None
    if not driver.active:
        why_not = DriverUnavailability.INACTIVE
    elif found is None:
        why_not = DriverUnavailability.DAY_OFF
    elif remaining_shift(found[0], resources.now)[0] >= found[0][1]:
        why_not = DriverUnavailability.OVER
    elif open_routes and not _may_replan(open_routes, current):
        why_not = DriverUnavailability.BUSY
    elif depot is None:
        why_not = DriverUnavailability.NO_DEPOT
    elif vehicle is None and owns:
        why_not = DriverUnavailability.NO_VEHICLE
    return DriverDay(
        driver=driver,
        profile=profile,
        hours=found,
        vehicle=vehicle,
        depot=depot,
        route=open_routes[0] if open_routes else None,
        why_not=why_not,
    )


def _depot_of(row: Any) -> int | None:
    return row.depot_id if row else None


def _may_replan(routes: Sequence[Any], current: ExistingRouteMode) -> bool:
    """Whether a driver's routes of the day may be planned anew: one alone, which nobody locked."""
    if current is ExistingRouteMode.LEAVE or len(routes) > 1 or routes[0].locked_at:
        return False
    return current is ExistingRouteMode.REBUILD or routes[0].status != "started"


def build_vehicle_shift(
    resources: DayResources,
    driver_day: DriverDay,
    route: ExistingRoute | None,
    *,
    loading_s: int,
    where: PlaceCoordinates | None,
    aboard: LoadAmounts,
) -> VehicleShift:
    """A driver who can be planned. `where` they are now and what is `aboard` count where they are on the road."""
    assert driver_day.hours is not None
    depot: PlaceCoordinates = (driver_day.depot.lat, driver_day.depot.lng)
    profile, vehicle = driver_day.profile, driver_day.vehicle
    home = profile.home and (profile.home["lat"], profile.home["lng"]) if profile else None
    start = home if profile and profile.starts_at == "home" and home else depot
    ends: dict[str, PlaceCoordinates | None] = {"home": home or depot, "anywhere": None, "depot": depot}
    under_way = route is not None and route.under_way
    limits: Mapping[str, int] = profile.limits if profile else {}
    return VehicleShift(
        driver_id=driver_day.driver.id,
        contractor_id=driver_day.driver.contractor_id,
        vehicle_id=vehicle.id if vehicle else None,
        depot_id=driver_day.depot.id,
        depot=depot,
        start=where if under_way and where else start,
        end=ends[profile.ends_at] if profile else depot,
        shift=remaining_shift(driver_day.hours[0], resources.now),
        breaks=driver_day.hours[1],
        capacity=tuple(getattr(vehicle, f"capacity_{name}", None) for name in LOAD_DIMENSIONS),
        aboard=aboard if under_way else (0, 0, 0),
        skills=_combined_skills(driver_day),
        speed_percent=vehicle.speed_percent if vehicle else 100,
        cost_per_km=vehicle.cost_per_km_minor if vehicle else 0,
        cost_per_hour=vehicle.cost_per_hour_minor if vehicle else 0,
        cost_fixed=vehicle.cost_fixed_minor if vehicle else 0,
        loading_s=0 if under_way else loading_s,
        route=route,
        **{
            name: _lowest_limit(limits.get(name), getattr(vehicle, name, None), MAX_ROUTE_LIMITS.get(name))
            for name in ROUTE_LIMITS
        },
    )


def _combined_skills(driver_day: DriverDay) -> tuple[str, ...]:
    """What the driver can do, by their record and their profile, and what the vehicle can."""
    of_profile: Iterable[str] = driver_day.profile.skills if driver_day.profile else ()
    of_vehicle: Iterable[str] = driver_day.vehicle.skills if driver_day.vehicle else ()
    return tuple(sorted({*driver_day.driver.skills, *of_profile, *of_vehicle}))


def _lowest_limit(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
