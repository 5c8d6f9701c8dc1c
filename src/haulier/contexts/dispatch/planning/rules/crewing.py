"""Who can be planned on a day, with which vehicle, from where: rows of drivers, profiles, vehicles, depots and routes in,
crews out."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.dispatch.planning.rules.hours import Hours, from_now, hours
from haulier.contexts.dispatch.planning.rules.question import DIMENSIONS, Crew, Spot, Standings
from haulier.contexts.dispatch.planning.rules.states import Current

LIMITS = ("max_stops", "max_distance_m", "max_time_s")
MOST = {"max_stops": 1000}
"""What a route may have in any case."""
Loads = tuple[int, ...]


class WhyNot(StrEnum):
    """Why a driver cannot be planned; the value is the id of the message."""

    INACTIVE = "build_driver_inactive"
    DAY_OFF = "build_driver_day_off"
    OVER = "build_driver_shift_over"
    BUSY = "build_driver_busy"
    NO_VEHICLE = "build_driver_no_vehicle"
    NO_DEPOT = "build_driver_no_depot"


class Yard(Struct, frozen=True, kw_only=True):
    """What there is on a day. `routes` are the open ones of each driver; rows are as the stores give them."""

    day: date
    zone: ZoneInfo
    now: datetime
    drivers: Sequence[Any]
    profiles: Mapping[int, Any]
    vehicles: Sequence[Any]
    depots: Sequence[Any]
    routes: Mapping[int, Sequence[Any]]


class Seat(Struct, frozen=True, kw_only=True):
    """A driver on the day: their hours, vehicle and depot, or why they cannot be planned."""

    driver: Any
    profile: Any
    hours: Hours | None = None
    vehicle: Any = None
    depot: Any = None
    route: Any = None
    why_not: WhyNot | None = None


def seats(yard: Yard, current: Current) -> list[Seat]:
    """Every driver, in order of name."""
    vehicles = _vehicles(yard)
    depots = {depot.id: depot for depot in yard.depots}
    return [_seat(yard, driver, vehicles.get(driver.id), depots, current) for driver in yard.drivers]


def _vehicles(yard: Yard) -> dict[int, Any]:
    """A vehicle for each driver: the usual one, else one that is left. A vehicle has one driver."""
    by_id = {vehicle.id: vehicle for vehicle in yard.vehicles}
    found: dict[int, Any] = {}
    for driver in yard.drivers:
        profile = yard.profiles.get(driver.id)
        usual = by_id.get(profile.vehicle_id) if profile else None
        if driver.active and usual and usual.contractor_id == driver.contractor_id:
            found[driver.id] = by_id.pop(usual.id)
    for driver in yard.drivers:
        left = next((v for v in by_id.values() if v.contractor_id == driver.contractor_id), None)
        if driver.active and driver.id not in found and left:
            found[driver.id] = by_id.pop(left.id)
    return found


def _seat(yard: Yard, driver: Any, vehicle: Any, depots: Mapping[int, Any], current: Current) -> Seat:
    profile = yard.profiles.get(driver.id)
    found = hours(profile.shifts if profile else [], yard.day, yard.zone)
    open_routes = yard.routes.get(driver.id, ())
    wanted = _depot_of(next(iter(open_routes), None)) or _depot_of(profile) or _depot_of(vehicle)
    depot = depots.get(wanted) if wanted else next(iter(depots.values()), None)
    owns = any(each.contractor_id == driver.contractor_id for each in yard.vehicles)
    why_not: WhyNot | None = None
    if not driver.active:
        why_not = WhyNot.INACTIVE
    elif found is None:
        why_not = WhyNot.DAY_OFF
    elif from_now(found[0], yard.now)[0] >= found[0][1]:
        why_not = WhyNot.OVER
    elif open_routes and not _may_change(open_routes, current):
        why_not = WhyNot.BUSY
    elif depot is None:
        why_not = WhyNot.NO_DEPOT
    elif vehicle is None and owns:
        why_not = WhyNot.NO_VEHICLE
    return Seat(
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


def _may_change(routes: Sequence[Any], current: Current) -> bool:
    """Whether a driver's routes of the day may be planned anew: one alone, which nobody locked."""
    if current is Current.LEAVE or len(routes) > 1 or routes[0].locked_at:
        return False
    return current is Current.REBUILD or routes[0].status != "started"


def crew(yard: Yard, seat: Seat, route: Standings | None, *, loading_s: int, where: Spot | None, aboard: Loads) -> Crew:
    """A driver who can be planned. `where` they are now and what is `aboard` count where they are on the road."""
    assert seat.hours is not None
    depot: Spot = (seat.depot.lat, seat.depot.lng)
    profile, vehicle = seat.profile, seat.vehicle
    home = profile.home and (profile.home["lat"], profile.home["lng"]) if profile else None
    start = home if profile and profile.starts_at == "home" and home else depot
    ends: dict[str, Spot | None] = {"home": home or depot, "anywhere": None, "depot": depot}
    under_way = route is not None and route.under_way
    limits: Mapping[str, int] = profile.limits if profile else {}
    return Crew(
        driver_id=seat.driver.id,
        contractor_id=seat.driver.contractor_id,
        vehicle_id=vehicle.id if vehicle else None,
        depot_id=seat.depot.id,
        depot=depot,
        start=where if under_way and where else start,
        end=ends[profile.ends_at] if profile else depot,
        shift=from_now(seat.hours[0], yard.now),
        breaks=seat.hours[1],
        capacity=tuple(getattr(vehicle, f"capacity_{name}", None) for name in DIMENSIONS),
        aboard=aboard if under_way else (0, 0, 0),
        skills=_skills(seat),
        speed_percent=vehicle.speed_percent if vehicle else 100,
        cost_per_km=vehicle.cost_per_km_minor if vehicle else 0,
        cost_per_hour=vehicle.cost_per_hour_minor if vehicle else 0,
        cost_fixed=vehicle.cost_fixed_minor if vehicle else 0,
        loading_s=0 if under_way else loading_s,
        route=route,
        **{name: _least(limits.get(name), getattr(vehicle, name, None), MOST.get(name)) for name in LIMITS},
    )


def _skills(seat: Seat) -> tuple[str, ...]:
    """What the driver can do, by their record and their profile, and what the vehicle can."""
    of_profile: Iterable[str] = seat.profile.skills if seat.profile else ()
    of_vehicle: Iterable[str] = seat.vehicle.skills if seat.vehicle else ()
    return tuple(sorted({*seat.driver.skills, *of_profile, *of_vehicle}))


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
