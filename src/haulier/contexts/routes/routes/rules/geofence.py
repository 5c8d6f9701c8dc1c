"""How far a driver was from a stop when it ended. The distance is only recorded here; other rules may limit it."""

from typing import Any, Protocol

from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.values.geography import LatLng, great_circle_m


class OrderLocations(Protocol):
    """The locations of an order: its destination and its pickup, as far as they are known."""

    @property
    def lat(self) -> float | None: ...
    @property
    def lng(self) -> float | None: ...
    @property
    def pickup(self) -> LatLng | None: ...


def locate_stop(kind: StopKind, order: OrderLocations | None) -> LatLng | None:
    """Where a stop is, when that is known: at the shipper's door or at the consignee's."""
    if order is None:
        return None
    if kind is StopKind.PICKUP:
        return order.pickup
    return None if order.lat is None or order.lng is None else (order.lat, order.lng)


def distance_to_stop_m(stop: LatLng | None, driver: LatLng | None) -> int | None:
    """Whole metres between a stop and its driver; None where one of the two is not known."""
    return None if stop is None or driver is None else round(great_circle_m(stop, driver))


def geofence_extension(away_m: int | None) -> dict[str, Any] | None:
    """The distance as an extension of a tracking event."""
    return None if away_m is None else {"geofence": {"distance_m": away_m}}
