"""How far from a stop its end was noted. A fact beside the proof; whether it may be too far is for others to say."""

from typing import Any, Protocol

from haulier.contexts.routes.stops.rules import StopKind
from haulier.kernel.values.geography import LatLng, great_circle_m


class OrderLocations(Protocol):
    """The doors of an order: where it is brought to, and where it is collected, as far as the places are known."""

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
    """What a tracking event says of it."""
    return None if away_m is None else {"geofence": {"distance_m": away_m}}
