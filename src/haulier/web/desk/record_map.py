"""Map of a record: the places, the way and the areas that it names."""

from collections.abc import Iterator, Mapping
from typing import Any

from haulier.contexts.fleet.depots.operations import get_depot
from haulier.contexts.places.zone_maps.operations import list_zones
from haulier.kernel.operations.resources import Resource
from haulier.web.desk.pages import DeskRequest

OVER = {"completed": "done", "failed": "failed", "brought_back": "failed", "handed_in": "done"}
"""Marks of stops that are over, by status."""
SHAPES = {"depots": "depot", "locker-sites": "locker"}
"""Marks of records with one place, by noun."""
ZONE_COLOUR = "#4361ee"


async def map_of_record(desk: DeskRequest, noun: Resource, record: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return what record-map.js draws, or None if the record names no place."""
    zones = [record] if record.get("geometry") else await _zones(desk, noun, record)
    if zones:
        areas = [
            {"geometry": each["geometry"], "colour": each.get("colour") or ZONE_COLOUR, "title": each.get("name")}
            for each in zones
        ]
        return {"areas": areas}
    stops = [stop for stop in record.get("stops") or [] if _is_placed(stop)]
    if stops:
        return await _route_map(desk, record, stops)
    points = list(_points(noun, record))
    return {"points": points} if points else None


async def _zones(desk: DeskRequest, noun: Resource, record: Mapping[str, Any]) -> list[dict[str, Any]]:
    if noun.key != "zone-maps":
        return []
    return (await desk.read_if_allowed(list_zones, zone_map_id=record["id"])).get("zones") or []


async def _route_map(desk: DeskRequest, record: Mapping[str, Any], stops: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the stops of a route in order, from and to its depot."""
    found = await desk.read_if_allowed(get_depot, depot_id=record["depot_id"]) if record.get("depot_id") else {}
    depot = found.get("depot") or {}
    home = [_point(depot, "depot", depot.get("name"))] if _is_placed(depot) else []
    places = [
        {
            **_point(stop, "stop", f"{stop['position']}. {stop.get('address') or stop.get('order_ref') or ''}"),
            "label": str(stop["position"]),
            "state": OVER.get(stop["status"], ""),
        }
        for stop in stops
    ]
    way = {"way": [*home, *places, *home], "mode": record.get("travel_mode")}
    return {"points": [*places, *home], **way}


def _points(noun: Resource, record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the place of a record, and those of its sender and recipient."""
    if _is_placed(record):
        yield _point(record, SHAPES.get(noun.key, "pin"), record.get("name") or record.get("address"))
    for part, shape in (("shipper", "place"), ("consignee", "pin")):
        place = record.get(part)
        if isinstance(place, Mapping) and _is_placed(place):
            yield _point(place, shape, place.get("address") or place.get("name"))


def _is_placed(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("lat"), float | int) and isinstance(record.get("lng"), float | int)


def _point(record: Mapping[str, Any], shape: str, title: str | None) -> dict[str, Any]:
    return {"lat": record["lat"], "lng": record["lng"], "shape": shape, "title": title}
