"""Operation to find pickup points."""

from typing import Any

import msgspec

from haulier.contexts.lockers.pickup_points.contract import FindPickupPoints, NearbyPickupPoints, PickupPoint
from haulier.contexts.lockers.sites.queries import find_sites_near
from haulier.contexts.lockers.sites.rules import is_open_at
from haulier.contexts.places.points_of_interest.contract import OpeningHoursRecord
from haulier.contexts.places.public import find_nearest_points
from haulier.kernel.call import Call
from haulier.kernel.operations.declaration import GraphQL, Rest, reads
from haulier.kernel.operations.enums import SIGNED_IN, Scope
from haulier.kernel.operations.records import record

PICKUP_CATEGORY = "pickup_point"
"""Category of points of interest that are counters for parcels."""
LOOKED_AT = 400
"""Number of nearest counters to check within the radius."""


@reads(
    "find_pickup_points",
    audience=SIGNED_IN,
    scopes={Scope.ORDERS_READ},
    interfaces=(Rest("GET", "/v1/pickup-points"), GraphQL("pickupPoints")),
)
async def find_pickup_points(call: Call, request: FindPickupPoints) -> NearbyPickupPoints:
    """Find pickup points near a place.

    Returns counters and lockers with a free compartment, nearest first. Counters are points of interest of the category
    `pickup_point`. A counter with lockers is listed as a locker.
    """
    lockers = [] if request.kind == "counter" else await _lockers(call, request)
    counters = [] if request.kind == "locker" else await _counters(call, request)
    known = {each.point_of_interest_id for each in lockers}
    found = lockers + [each for each in counters if each.point_of_interest_id not in known]
    return NearbyPickupPoints(pickup_points=sorted(found, key=lambda each: each.distance_m)[: request.limit])


async def _lockers(call: Call, request: FindPickupPoints) -> list[PickupPoint]:
    near = await find_sites_near(call, (request.lat, request.lng), radius_m=request.radius_m, size=request.size)
    return [
        record(
            PickupPoint,
            site,
            kind="locker",
            locker_site_id=site.id,
            distance_m=round(metres),
            free=free,
            **_hours(call, site.opening_hours),
        )
        for metres, site, free in near
        if request.open_at is None or is_open_at(site.opening_hours, request.open_at, call.time_zone)
    ]


async def _counters(call: Call, request: FindPickupPoints) -> list[PickupPoint]:
    place, most = (request.lat, request.lng), LOOKED_AT if request.open_at else request.limit
    near = await find_nearest_points(call, place, radius_m=request.radius_m, category=PICKUP_CATEGORY, limit=most)
    open_then = [
        (metres, point)
        for metres, point in near
        if request.open_at is None
        or (point.opening_hours and is_open_at(point.opening_hours, request.open_at, call.time_zone))
    ]
    return [
        record(
            PickupPoint,
            point,
            kind="counter",
            point_of_interest_id=point.id,
            locker_site_id=None,
            distance_m=round(metres),
            accessibility=[],
            free=None,
            **_hours(call, point.opening_hours, unknown=point.opening_hours is None),
        )
        for metres, point in open_then
    ]


def _hours(call: Call, hours: dict[str, Any] | None, *, unknown: bool = False) -> dict[str, Any]:
    return {
        "opening_hours": msgspec.convert(hours, OpeningHoursRecord) if hours else None,
        "open_now": None if unknown else is_open_at(hours, call.now, call.time_zone),
    }
