"""Rules of builds: shifts.

Rows of drivers, profiles, vehicles, depots and routes become vehicle shifts.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol
from zoneinfo import ZoneInfo

from msgspec import Struct

from haulier.contexts.planning.builds.rules.planning_input import (
    LOAD_DIMENSIONS,
    ExistingRoute,
    ExistingRouteMode,
    ExistingStop,
    PlaceCoordinates,
    VehicleShift,
)
from haulier.contexts.routes.stops.rules import OPEN, SUCCESSFUL, StopKind, StopStatus
from haulier.solvers.routing.travel import TravelMode

if TYPE_CHECKING:  # rules do no I/O, and the `public` modules that declare the rows import stores
    from haulier.contexts.fleet.public import DepotRow, DriverRow, VehicleRow, WorkingProfileRow
    from haulier.contexts.orders.public import OrderFacts, OrderLoad
    from haulier.contexts.routes.public import RouteRow, StopRow
    from haulier.solvers.loading.problem import LoadSpace


def existing_route(route: "RouteRow", stops: "Sequence[StopRow]", current: ExistingRouteMode) -> ExistingRoute:
    """Return a route with its open stops in order.

    Fixed are the stop where the driver is, locked stops, and with `extend` all.
    """
    return ExistingRoute(
        route_id=route.id,
        version=route.version,
        under_way=route.status == "started",
        stops=tuple(
            ExistingStop(
                stop_id=stop.id,
                order_id=stop.order_id,
                kind=stop.kind,
                kept=current is ExistingRouteMode.EXTEND
                or stop.status == StopStatus.ARRIVED
                or stop.locked_at is not None,
            )
            for stop in stops
            if stop.status in OPEN
        ),
    )


def last_known_place(
    stops: "Iterable[StopRow]", orders: "Mapping[int, OrderFacts]", loads: "Mapping[int, OrderLoad]"
) -> PlaceCoordinates | None:
    """Return the place of the last finished stop, if reported, or None."""
    ended = [(stop.ended_at, stop) for stop in stops if stop.ended_at is not None]
    if not ended:
        return None
    _, last = max(ended, key=lambda pair: pair[0])
    if last.ended_lat is not None and last.ended_lng is not None:
        return last.ended_lat, last.ended_lng
    order, load = orders[last.order_id], loads[last.order_id]
    if last.kind == StopKind.PICKUP and load.pickup is not None:
        return load.pickup
    return None if order.lat is None or order.lng is None else (order.lat, order.lng)


def load_to_bring_back(
    stops: "Sequence[StopRow]", orders: "Mapping[int, OrderFacts]", loads: "Mapping[int, OrderLoad]"
) -> tuple[int, ...]:
    """Return the load that goes back to the depot in any case.

    Collected for the depot, or not delivered. Open deliveries are not included.
    """
    open_orders = {stop.order_id for stop in stops if stop.status in OPEN}
    delivered = {stop.order_id for stop in stops if stop.kind == StopKind.DELIVERY and stop.status in SUCCESSFUL}
    returning = {
        stop.order_id
        for stop in stops
        if stop.order_id not in open_orders | delivered and (_collected(stop) or _failed_delivery(stop))
    }
    rows = [(orders[id].weight_g, loads[id].volume_cm3, loads[id].parcels) for id in sorted(returning)]
    return tuple(map(sum, zip(*rows, strict=True))) if rows else (0, 0, 0)


def _collected(stop: "StopRow") -> bool:
    return stop.kind == StopKind.PICKUP and stop.status == StopStatus.COMPLETED and bool(stop.on_route)


def _failed_delivery(stop: "StopRow") -> bool:
    return stop.kind == StopKind.DELIVERY and stop.status == StopStatus.FAILED


DEFAULT_SHIFT: Mapping[str, Any] = {"start": "08:00", "end": "18:00", "breaks": []}
"""Working hours of drivers without their own."""
HOUR_S = 3600
ShiftHours = tuple[tuple[int, int], tuple[tuple[int, int, int], ...]]
"""A shift from and to, and its breaks: earliest and latest start, and length."""


def shift_hours(shifts: Sequence[Mapping[str, Any]], day: date, zone: ZoneInfo) -> ShiftHours | None:
    """Return the hours and breaks of a day, or None on a day off.

    The time between two shifts of a day is a break. Without any shifts, the default applies.
    """
    of_day = [shift for shift in shifts if shift["weekday"] == day.isoweekday()] if shifts else [DEFAULT_SHIFT]
    if not of_day:
        return None
    worked = [_single_shift_hours(shift, day, zone) for shift in sorted(of_day, key=itemgetter("start"))]
    breaks = list(worked[-1][1])
    for ((_, end), rests), ((start, _), _) in pairwise(worked):
        breaks += [
            (earliest, min(latest, end - length), length)
            for earliest, latest, length in rests
            if earliest + length <= end
        ]
        breaks += [(end, end, start - end)] if start > end else []
    return (worked[0][0][0], worked[-1][0][1]), tuple(sorted(breaks, key=lambda rest: (rest[1], rest[0])))


def _single_shift_hours(shift: Mapping[str, Any], day: date, zone: ZoneInfo) -> ShiftHours:
    start = _local_timestamp(day, shift["start"], zone)
    end = _local_timestamp_after(start + 1, day, shift["end"], zone)
    breaks: list[tuple[int, int, int]] = []
    for pause in shift["breaks"]:
        earliest = _local_timestamp_after(start, day, pause["earliest"], zone)
        breaks.append((earliest, _local_timestamp_after(earliest, day, pause["latest"], zone), pause["minutes"] * 60))
    return (start, end), tuple(breaks)


def remaining_shift(hours: ShiftHours, now: datetime) -> tuple[int, int]:
    """Return the rest of a day's hours from the next full minute.

    Starts after a break at a fixed time. If the start is after the end, the day is over.
    """
    (start, end), breaks = hours
    begin = max(start, -(-int(now.timestamp()) // 60) * 60)
    for earliest, latest, length in breaks:
        if earliest == latest <= begin < earliest + length:
            begin = earliest + length
    return begin, end


def count_drivers_by_hour(shifts: Iterable[tuple[int, int]], zone: ZoneInfo) -> tuple[int, ...]:
    """Return the number of drivers working in each hour of the local day, 0 to 23.

    A partial hour counts as a full one.
    """
    counts = [0] * 24
    for start, end in shifts:
        for hour_start in range(start - start % HOUR_S, end, HOUR_S):
            counts[datetime.fromtimestamp(hour_start, UTC).astimezone(zone).hour] += 1
    return tuple(counts)


def _local_timestamp(day: date, text: str, zone: ZoneInfo) -> int:
    return int(datetime.combine(day, time.fromisoformat(text), zone).timestamp())


def _local_timestamp_after(bound: int, day: date, text: str, zone: ZoneInfo) -> int:
    same = _local_timestamp(day, text, zone)
    return same if same >= bound else _local_timestamp(day + timedelta(days=1), text, zone)


ROUTE_LIMITS = ("max_stops", "max_distance_m", "max_time_s")
MAX_ROUTE_LIMITS = {"max_stops": 1000}
"""Limits of every route, whatever the profile and the vehicle say."""
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
    """Resources of a day.

    `routes` are the open ones of each driver; `bodies` are the known cargo spaces of vehicles.
    """

    day: date
    zone: ZoneInfo
    now: datetime
    drivers: "Sequence[DriverRow]"
    profiles: "Mapping[int, WorkingProfileRow]"
    vehicles: "Sequence[VehicleRow]"
    bodies: "Mapping[int, LoadSpace]"
    depots: "Sequence[DepotRow]"
    routes: "Mapping[int, Sequence[RouteRow]]"


class PlannedDriver(Protocol):
    """Driver fields that planning reads.

    Also of the placeholder used to check a route without a driver.
    """

    @property
    def id(self) -> int: ...
    @property
    def contractor_id(self) -> int | None: ...
    @property
    def name(self) -> str: ...
    @property
    def skills(self) -> Sequence[str]: ...


class DriverDay(Struct, frozen=True, kw_only=True):
    """A driver on the day: hours, vehicle and depot, or the reason for exclusion."""

    driver: PlannedDriver
    profile: "WorkingProfileRow | None"
    hours: ShiftHours | None = None
    vehicle: "VehicleRow | None" = None
    depot: "DepotRow | None" = None
    route: "RouteRow | None" = None
    why_not: DriverUnavailability | None = None


def build_driver_days(resources: DayResources, current: ExistingRouteMode) -> list[DriverDay]:
    """Every driver, in order of name."""
    vehicles = _assign_vehicles(resources)
    depots = {depot.id: depot for depot in resources.depots}
    return [_driver_day(resources, driver, vehicles.get(driver.id), depots, current) for driver in resources.drivers]


def _assign_vehicles(resources: DayResources) -> "dict[int, VehicleRow]":
    """Return a vehicle for each driver: of the route, else the usual, else a free one.

    A vehicle has one driver.
    """
    by_id = {vehicle.id: vehicle for vehicle in resources.vehicles}
    vehicles: dict[int, VehicleRow] = {}
    for named in (_route_vehicle_ids(resources), {id: row.vehicle_id for id, row in resources.profiles.items()}):
        for driver in resources.drivers:
            own = by_id.get(named.get(driver.id) or 0)
            if driver.active and driver.id not in vehicles and own and own.contractor_id == driver.contractor_id:
                vehicles[driver.id] = by_id.pop(own.id)
    for driver in resources.drivers:
        unused = next((v for v in by_id.values() if v.contractor_id == driver.contractor_id), None)
        if driver.active and driver.id not in vehicles and unused:
            vehicles[driver.id] = by_id.pop(unused.id)
    return vehicles


def _route_vehicle_ids(resources: DayResources) -> dict[int, int | None]:
    return {driver_id: routes[0].vehicle_id for driver_id, routes in resources.routes.items() if routes}


def _driver_day(
    resources: DayResources,
    driver: "DriverRow",
    vehicle: "VehicleRow | None",
    depots: "Mapping[int, DepotRow]",
    current: ExistingRouteMode,
) -> DriverDay:
    profile = resources.profiles.get(driver.id)
    hours = shift_hours(profile.shifts if profile else [], resources.day, resources.zone)
    open_routes = resources.routes.get(driver.id, ())
    depot_id = _depot_of(next(iter(open_routes), None)) or _depot_of(profile) or _depot_of(vehicle)
    depot = depots.get(depot_id) if depot_id else next(iter(depots.values()), None)
    has_vehicles = any(other.contractor_id == driver.contractor_id for other in resources.vehicles)
    why_not: DriverUnavailability | None = None
    if not driver.active:
        why_not = DriverUnavailability.INACTIVE
    elif hours is None:
        why_not = DriverUnavailability.DAY_OFF
    elif remaining_shift(hours, resources.now)[0] >= hours[0][1]:
        why_not = DriverUnavailability.OVER
    elif open_routes and not _may_replan(open_routes, current):
        why_not = DriverUnavailability.BUSY
    elif depot is None:
        why_not = DriverUnavailability.NO_DEPOT
    elif vehicle is None and has_vehicles:
        why_not = DriverUnavailability.NO_VEHICLE
    return DriverDay(
        driver=driver,
        profile=profile,
        hours=hours,
        vehicle=vehicle,
        depot=depot,
        route=open_routes[0] if open_routes else None,
        why_not=why_not,
    )


def _depot_of(row: "RouteRow | WorkingProfileRow | VehicleRow | None") -> int | None:
    return row.depot_id if row else None


def _may_replan(routes: "Sequence[RouteRow]", current: ExistingRouteMode) -> bool:
    """Return True if a driver's routes of the day may be replanned.

    Only a single, unlocked route.
    """
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
    """Return the shift of a driver who can be planned.

    The position `where` and the load `aboard` count only for a route under way.
    """
    assert driver_day.hours is not None
    assert driver_day.depot is not None
    depot: PlaceCoordinates = (driver_day.depot.lat, driver_day.depot.lng)
    profile, vehicle = driver_day.profile, driver_day.vehicle
    home = (profile.home["lat"], profile.home["lng"]) if profile and profile.home else None
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
        shift=remaining_shift(driver_day.hours, resources.now),
        breaks=driver_day.hours[1],
        capacity=tuple(getattr(vehicle, f"capacity_{name}", None) for name in LOAD_DIMENSIONS),
        aboard=aboard if under_way else (0, 0, 0),
        # A vehicle under way is loaded already, and its route keeps its orders.
        body=resources.bodies.get(vehicle.id) if vehicle and not under_way else None,
        skills=_combined_skills(driver_day),
        travel_mode=TravelMode(vehicle.travel_mode) if vehicle else TravelMode.VAN,
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
    """Return the skills of the driver, by record and profile, and of the vehicle."""
    of_profile: Iterable[str] = driver_day.profile.skills if driver_day.profile else ()
    of_vehicle: Iterable[str] = driver_day.vehicle.skills if driver_day.vehicle else ()
    return tuple(sorted({*driver_day.driver.skills, *of_profile, *of_vehicle}))


def _lowest_limit(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)
