"""Where on a route one more stop would cost the least way, as the crow flies."""

from collections.abc import Sequence

from haulier.kernel.values.geography import great_circle_m

LatLng = tuple[float, float]


def list_detours(
    start: LatLng, visited: Sequence[LatLng], end: LatLng | None, place: LatLng, *, first: int = 0
) -> list[tuple[float, int]]:
    """Each index among the visited places at which `place` may be inserted, with its detour in metres; the shortest first.

    `first` is the first index that is free. An `end` of None leaves the vehicle at its last stop.
    """
    way = [start, *visited, *([] if end is None else [end])]
    return sorted((_detour_m(way, index, place), index) for index in range(first, len(visited) + 1))


def _detour_m(way: Sequence[LatLng], index: int, place: LatLng) -> float:
    before = way[index]
    if index + 1 == len(way):
        return great_circle_m(before, place)
    after = way[index + 1]
    return great_circle_m(before, place) + great_circle_m(place, after) - great_circle_m(before, after)
