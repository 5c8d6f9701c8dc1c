"""Points of interest as other families and contexts read them."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date

from haulier.contexts.places.points_of_interest import store
from haulier.contexts.places.points_of_interest.rules import FIRST_RADIUS_M, Period, next_radius_m, opening_periods
from haulier.kernel.call import Call
from haulier.kernel.values.geography import LatLng, great_circle_m
from haulier.kernel.values.geojson import area_of
from haulier.kernel.values.map_cells import cell_of, cells_within, ranges_within

PointRow = store.PointRow
_MAX_STOP_RADIUS_M = 200


async def get_points(call: Call, ids: Collection[int]) -> dict[int, PointRow]:
    """Points of interest of this client by id."""
    return await store.get_point_rows(call.work, ids)


async def find_nearest_points(
    call: Call, place: LatLng, *, radius_m: float, category: str | None = None, limit: int
) -> list[tuple[float, PointRow]]:
    """Return the nearest places with their distance in metres, nearest first.

    Searches circles that grow until one has enough: at most eight statements, each with nine index scans.
    """
    lat, lng = place
    circle = min(FIRST_RADIUS_M, radius_m)
    while True:
        rows = await store.list_points_in_cells(
            call.work, ranges_within(lat, lng, circle), lat=lat, lng=lng, category=category, limit=limit
        )
        measured = [(great_circle_m(place, (row.lat, row.lng)), row) for row in rows]
        inside = [pair for pair in measured if pair[0] <= circle]
        if len(inside) >= limit or circle >= radius_m:
            return inside
        circle = min(radius_m, next_radius_m(circle, len(inside), limit))


async def get_opening_periods(call: Call, stops: Mapping[int, LatLng], day: date) -> dict[int, Sequence[Period]]:
    """Return the opening hours of the places at which stops are on a day.

    Stops at no place with opening hours are absent. One statement. A stop is at a place if it is on its ground or
    within its radius; of several, at the nearest.
    """
    around = {id: cells_within(*stop, _MAX_STOP_RADIUS_M, store.STOP_CELL_BITS) for id, stop in stops.items()}
    by_cell: dict[int, list[store.OpeningPlaceRow]] = {}
    for place in await store.list_open_places(call.work, {cell for cells in around.values() for cell in cells}):
        by_cell.setdefault(cell_of(place.lat, place.lng, store.STOP_CELL_BITS), []).append(place)
    found: dict[int, store.OpeningPlaceRow] = {}
    for id, cells in around.items():
        near = [place for cell in cells for place in by_cell.get(cell, ())]
        if near and (own := _place_of(stops[id], near)):
            found[id] = own
    periods = {place.id: opening_periods(place.opening_hours, day, call.time_zone) for place in found.values()}
    return {id: periods[place.id] for id, place in found.items()}


def _place_of(stop: LatLng, places: Sequence[store.OpeningPlaceRow]) -> store.OpeningPlaceRow | None:
    """The nearest place that a stop is at."""
    measured = sorted((great_circle_m(stop, (place.lat, place.lng)), place.id, place) for place in places)
    return next((place for distance, _, place in measured if _is_at(stop, place, distance)), None)


def _is_at(stop: LatLng, place: store.OpeningPlaceRow, distance_m: float) -> bool:
    if 0 < place.stop_radius_m >= distance_m:
        return True
    ground = area_of(place.geometry) if place.geometry else None
    return ground is not None and ground.contains(stop[1], stop[0])
