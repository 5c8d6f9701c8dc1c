"""Points of interest as answers and as features."""

from typing import Any

import msgspec

from haulier.contexts.places.points_of_interest.contract import (
    NearbyPointOfInterest,
    OpeningHoursRecord,
    PlaceFeature,
    PointOfInterest,
)
from haulier.contexts.places.points_of_interest.store import PointRow
from haulier.kernel.call import Call
from haulier.kernel.operations.records import record

_IN_GEOMETRY = ("id", "lat", "lng")


def point_record(call: Call, row: PointRow) -> PointOfInterest:
    """A row as its answer."""
    return record(PointOfInterest, row, **_computed(call, row))


def nearby_record(call: Call, row: PointRow, distance_m: float) -> NearbyPointOfInterest:
    """A row as its answer, with how far it is."""
    return record(NearbyPointOfInterest, row, distance_m=round(distance_m), **_computed(call, row))


def point_feature(call: Call, row: PointRow) -> PlaceFeature:
    """Return a row as a Feature. The point is the geometry, and the ground a property."""
    properties: dict[str, Any] = msgspec.to_builtins(point_record(call, row))
    for name in _IN_GEOMETRY:
        del properties[name]
    return PlaceFeature(id=row.id, geometry={"type": "Point", "coordinates": [row.lng, row.lat]}, properties=properties)


def _computed(call: Call, row: PointRow) -> dict[str, Any]:
    hours = row.opening_hours
    return {
        "opening_hours": msgspec.convert(hours, OpeningHoursRecord) if hours else None,
        "created_at": call.local_time(row.created_at),
        "updated_at": call.local_time(row.updated_at),
    }
