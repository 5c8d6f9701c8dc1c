"""Rules of builds: requests."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, time, tzinfo
from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from msgspec import Struct, json
from msgspec.structs import replace

from haulier.contexts.places.zone_maps.rules import Closure, ZoneIndex, find_zone_effects, may_drive_to
from haulier.contexts.planning.builds.rules.planning_input import TransportRequest, VehicleShift
from haulier.contexts.routes.pools.rules import ContractorRule, PoolOrder, belongs_to_pool
from haulier.kernel.values.postal_codes import matches_postal_prefix
from haulier.solvers.routing.reason_facts import UnassignedReason

if TYPE_CHECKING:  # rules do no I/O, and the `public` module of orders imports stores
    from haulier.contexts.orders.public import OrderFacts, OrderLoad
    from haulier.contexts.planning.builds.contract import OrderPreference


DriverZones = Sequence[Mapping[str, Any]]


def is_in_driver_zones(zones: DriverZones, place: tuple[float, float] | None, postal_code: str | None) -> bool:
    """Return True if a zone contains the place or its postal code.

    Without zones, a driver drives everywhere.
    """
    return not zones or any(_is_in_zone(zone, place, postal_code) for zone in zones)


def _is_in_zone(zone: Mapping[str, Any], place: tuple[float, float] | None, postal_code: str | None) -> bool:
    if matches_postal_prefix(postal_code, zone["postal_prefixes"]):
        return True
    return place is not None and is_inside_polygon(
        [(corner["lat"], corner["lng"]) for corner in zone["polygon"]], place
    )


def is_inside_polygon(corners: Sequence[tuple[float, float]], place: tuple[float, float]) -> bool:
    """Return True if the place is inside the polygon (even-odd rule, in degrees).

    Precise enough for areas of a town or county. Polygons across the 180th meridian are not supported.
    """
    north, east = place
    odd = False
    for (a_north, a_east), (b_north, b_east) in zip(corners, (*corners[1:], *corners[:1]), strict=True):
        if (a_north > north) != (b_north > north):
            crossing = a_east + (north - a_north) / (b_north - a_north) * (b_east - a_east)
            odd ^= east < crossing
    return odd


Window = tuple[int | None, int | None]
"""Its beginning and end in seconds since the epoch; None where it is open."""


def find_window_reason(
    window: Window, day: date, now: datetime, time_zone: tzinfo, *, grace_s: int = 0
) -> UnassignedReason | None:
    """Return the reason why a window excludes an order from a day, or None.

    It ends before the day, or before now, or begins after the day.
    """
    opens, closes = window
    beginning = max(datetime.combine(day, time(), time_zone), now)
    if closes is not None and closes + grace_s < beginning.timestamp():
        return UnassignedReason.WINDOW_OVER
    if opens is not None and datetime.fromtimestamp(opens, time_zone).date() > day:
        return UnassignedReason.OTHER_DAY
    return None


def narrow_to_opening(window: Window, opening: Sequence[tuple[int, int]]) -> Window | None:
    """Return the part of a window in which a place is open, or None.

    `opening` are its periods, in seconds. A request has one window. Of several parts, as around a lunch break, the
    longest is chosen, and the first among equals.
    """
    opens, closes = window
    parts = [
        (begin if opens is None else max(begin, opens), end if closes is None else min(end, closes))
        for begin, end in opening
    ]
    return max((part for part in parts if part[0] < part[1]), key=lambda part: part[1] - part[0], default=None)


NO_LOAD = (0, 0, 0)


class NoDriverReason(StrEnum):
    """Why no driver of a plan may take an order: the first of these that leaves none."""

    PLANNED = "planned"
    """No driver can be planned at all."""
    CONTRACTOR = "contractor"
    """It is in the pool of none of those they drive for."""
    ON_THE_ROAD = "on_the_road"
    """They are on the road, and take nothing new."""
    WISHED = "wished"
    """The plan names other drivers for it."""
    GIVEN = "given"
    """It was given to another driver already."""
    ZONE = "zone"
    """It is outside their zones."""
    NO_GO = "no_go"
    """The address is in a no-go zone."""
    SERVICE_AREA = "service_area"
    """It is outside every service area."""
    TERRITORY = "territory"
    """The address is in the territory of other drivers, or outside their own."""
    CATCHMENT = "catchment"
    """The order starts at another depot than the drivers'."""
    CLOSED = "closed"
    """The place is closed on the day, or all through the order's window."""


class EligibleDrivers(Struct, frozen=True):
    """The drivers who may take an order; None for all. Where none may, why."""

    drivers: tuple[int, ...] | None = None
    no_driver_reason: NoDriverReason | None = None


class PlannableDrivers(Struct, frozen=True, kw_only=True):
    """Candidates for orders: vehicle shifts, zones and accounts of drivers, and rules.

    The rules are those of each contractor.
    """

    vehicle_shifts: Sequence[VehicleShift]
    zones: Mapping[int, DriverZones]
    accounts: Mapping[int, int | None]
    rules: Mapping[int | None, Sequence[ContractorRule]]


def build_transport_request(
    order: "OrderFacts",
    load: "OrderLoad",
    eligible: EligibleDrivers,
    *,
    collected: bool,
    preference: "OrderPreference | None" = None,
) -> TransportRequest:
    """An order as a request of the plan. `preference` is what this plan wants of it."""
    return TransportRequest(
        order_id=order.id,
        type=order.movement,
        stop=_coordinates(order.lat, order.lng),
        pickup=load.pickup,
        window=tuple(moment and int(moment.timestamp()) for moment in (order.window_start, order.window_end)),  # type: ignore[arg-type]
        service_s=order.service_time_s,
        load=(order.weight_g, load.volume_cm3, load.parcels),
        parcels=load.boxes,
        skills=tuple(sorted(order.skills)),
        drivers=eligible.drivers,
        priority=preference.priority if preference else 0,
        prize=preference.skip_cost if preference else None,
        collected=collected,
        no_driver_reason=eligible.no_driver_reason and eligible.no_driver_reason.value,
        request_fingerprint=request_fingerprint(order, load),
    )


def request_fingerprint(order: "OrderFacts", load: "OrderLoad") -> str:
    """A hash of everything about an order that a plan depends on."""
    facts = (
        *(order.movement, order.lat, order.lng, order.window_start, order.window_end, order.service_time_s),
        *(order.weight_g, order.skills, order.contractor_id, order.driver_id, order.postal_code),
        *(load.volume_cm3, load.parcels, load.pickup, load.boxes),
    )
    return blake2b(json.encode(facts), digest_size=8).hexdigest()


def find_eligible_drivers(
    order: "OrderFacts",
    pooled: PoolOrder,
    plannable: PlannableDrivers,
    preference: "OrderPreference | None",
    *,
    pinned: bool,
) -> EligibleDrivers:
    """Return the drivers who may take an order.

    With `pinned`, only the driver it was assigned to, if any. The order must be in the pool of their contractor and in
    one of their zones. Drivers on the way take no new orders.
    """
    place = _coordinates(order.lat, order.lng)
    pools = {owner: belongs_to_pool(pooled, owner, rules) for owner, rules in plannable.rules.items()}
    preferred: Collection[int] = preference.driver_ids if preference else ()
    current: Collection[int | None] = (order.driver_id,) if pinned and order.driver_id else ()
    checks: Sequence[tuple[NoDriverReason, Callable[[VehicleShift], bool]]] = (
        (NoDriverReason.PLANNED, lambda vehicle_shift: True),
        (NoDriverReason.CONTRACTOR, lambda vehicle_shift: pools[vehicle_shift.contractor_id]),
        (NoDriverReason.ON_THE_ROAD, lambda vehicle_shift: not (vehicle_shift.route and vehicle_shift.route.under_way)),
        (NoDriverReason.WISHED, lambda vehicle_shift: not preferred or vehicle_shift.driver_id in preferred),
        (
            NoDriverReason.GIVEN,
            lambda vehicle_shift: not current or plannable.accounts.get(vehicle_shift.driver_id) in current,
        ),
        (
            NoDriverReason.ZONE,
            lambda vehicle_shift: is_in_driver_zones(
                plannable.zones.get(vehicle_shift.driver_id, ()), place, order.postal_code
            ),
        ),
    )
    eligible: Sequence[VehicleShift] = plannable.vehicle_shifts
    for reason, passes in checks:
        eligible = [vehicle_shift for vehicle_shift in eligible if passes(vehicle_shift)]
        if not eligible:
            return EligibleDrivers((), reason)
    return EligibleDrivers(
        None
        if len(eligible) == len(plannable.vehicle_shifts)
        else tuple(vehicle_shift.driver_id for vehicle_shift in eligible)
    )


def is_in_any_pool(pooled: PoolOrder, rules: Mapping[int | None, Iterable[ContractorRule]]) -> bool:
    """Return True if the order is in the pool of one of these owners."""
    return any(belongs_to_pool(pooled, owner, of_owner) for owner, of_owner in rules.items())


def _coordinates(lat: float | None, lng: float | None) -> tuple[float, float] | None:
    return None if lat is None or lng is None else (lat, lng)


_CLOSURES = {Closure.NO_GO: NoDriverReason.NO_GO, Closure.OUTSIDE: NoDriverReason.SERVICE_AREA}


def clip_to_opening_hours(
    request: TransportRequest, opening: Sequence[tuple[int, int]] | None, *, required: bool
) -> TransportRequest:
    """Return the request limited to the opening hours of its place, if known.

    If the place is closed throughout the order's window, no driver can take it. Orders already on a route, which are
    not `required` to be planned, are exempt.
    """
    window = request.window if opening is None else narrow_to_opening(request.window, opening)
    if window is not None:
        return replace(request, window=window)
    return _for_nobody(request, NoDriverReason.CLOSED) if required else request


def restrict_to_zones(
    request: TransportRequest, index: ZoneIndex, vehicle_shifts: Collection[VehicleShift]
) -> TransportRequest:
    """The request for those drivers alone whom the zones at its place let come."""
    if request.stop is None or not index.count or request.drivers == ():
        return request
    effects = find_zone_effects(index, request.stop)
    if effects.closure:
        return _for_nobody(request, _CLOSURES[effects.closure])
    allowed = [shift for shift in vehicle_shifts if request.drivers is None or shift.driver_id in request.drivers]
    allowed = [shift for shift in allowed if may_drive_to(index, effects, shift.driver_id)]
    if not allowed:
        return _for_nobody(request, NoDriverReason.TERRITORY)
    allowed = [shift for shift in allowed if effects.depot_ids is None or shift.depot_id in effects.depot_ids]
    if not allowed:
        return _for_nobody(request, NoDriverReason.CATCHMENT)
    if len(allowed) == len(vehicle_shifts):
        return request
    return replace(request, drivers=tuple(shift.driver_id for shift in allowed))


def _for_nobody(request: TransportRequest, reason: NoDriverReason) -> TransportRequest:
    return replace(request, drivers=(), no_driver_reason=reason.value)
