"""The published zones of a business in memory: which of them a place is in, found in microseconds among ten thousand.

A zone stands in the cells of the grid whose cells are just larger than itself, one to four of them; a place asks its own cell
of each size. What then has to be looked at are the zones that are really there and a few neighbours.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from math import floor, log2
from typing import Any

from msgspec import Struct, json

from haulier.contexts.places.zone_maps.rules.kinds import ZoneRule
from haulier.kernel.values.geography import LatLng
from haulier.kernel.values.geojson import area_of
from haulier.kernel.values.polygons import Box, PreparedArea

_MAX_LEVEL = 24
_WORLD = 360.0


class IndexedZone(Struct, eq=False):
    """A published zone. Its area is made ready when somebody is first near it, so that ten thousand are loaded at once."""

    zone_map_id: int
    code: str
    name: str
    rule: ZoneRule
    priority: int
    terms: Mapping[str, Any]
    box: Box
    area_m2: float
    geometry: str | None
    """The text of a GeoJSON geometry; None once the area is ready."""
    _area: PreparedArea | None = None

    def contains(self, east: float, north: float) -> bool:
        """Whether a place is inside."""
        west, south, east_end, north_end = self.box
        if not (west <= east <= east_end and south <= north <= north_end):
            return False
        if self._area is None and self.geometry is not None:
            self._area, self.geometry = area_of(json.decode(self.geometry)), None
        return self._area is not None and self._area.contains(east, north)

    @property
    def is_advisory(self) -> bool:
        """Whether it warns of orders that it would otherwise refuse."""
        return bool(self.terms.get("advisory"))

    @property
    def rank(self) -> tuple[int, float, int, str]:
        """Of two zones the one with the higher priority counts first, then the smaller."""
        return -self.priority, self.area_m2, self.zone_map_id, self.code


class ZoneIndex:
    """Zones with an inside, by where they are."""

    def __init__(self, zones: Iterable[IndexedZone]) -> None:
        self._cells: defaultdict[tuple[int, int, int], list[IndexedZone]] = defaultdict(list)
        self.rules: frozenset[ZoneRule] = frozenset()
        self.territory_drivers: frozenset[int] = frozenset()
        """The drivers who have a territory somewhere."""
        self.has_binding_service_area = False
        """Whether orders outside all service areas are refused."""
        self.count = 0
        for zone in zones:
            self.count += 1
            level = _level_of(zone.box)
            for cell in _cells_of(zone.box, level):
                self._cells[level, *cell].append(zone)
            self.rules |= {zone.rule}
            self.has_binding_service_area |= zone.rule is ZoneRule.SERVICE_AREA and not zone.is_advisory
            self.territory_drivers |= frozenset(zone.terms.get("driver_ids", ()))
        self._levels = [(level, (1 << level) / _WORLD) for level in sorted({key[0] for key in self._cells})]

    def zones_at(self, place: LatLng) -> list[IndexedZone]:
        """The zones that a place is in; those that count first come first."""
        north, east = place
        found = [
            zone
            for level, scale in self._levels
            for zone in self._cells.get((level, floor(east * scale), floor(north * scale)), ())
            if zone.contains(east, north)
        ]
        found.sort(key=lambda zone: zone.rank)
        return found


NO_ZONES = ZoneIndex(())


def _level_of(box: Box) -> int:
    """The finest level whose cells are at least as large as a box."""
    size = max(box[2] - box[0], box[3] - box[1])
    return _MAX_LEVEL if size <= 0 else min(_MAX_LEVEL, max(0, floor(log2(_WORLD / size))))


def _cells_of(box: Box, level: int) -> list[tuple[int, int]]:
    scale = (1 << level) / _WORLD
    west, south, east, north = (floor(side * scale) for side in box)
    return [(x, y) for x in range(west, east + 1) for y in range(south, north + 1)]
