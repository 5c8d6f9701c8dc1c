"""Rules of zone maps.

A zone stands in the cells of the grid whose cells are just larger than itself, one to four of them; a place asks its own cell
of each size. What then has to be looked at are the zones that are really there and a few neighbours.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from math import floor, log2
from typing import Any

from msgspec import Struct, json

from haulier.kernel.values.geography import LatLng
from haulier.kernel.values.geojson import area_of
from haulier.kernel.values.polygons import Box, PreparedArea


class ZoneRule(StrEnum):
    """Effect of a zone on quotes, route plans and users."""

    NONE = "none"
    """Nothing: it is only drawn."""
    SERVICE_AREA = "service_area"
    """Orders are delivered here; where a business has such zones, orders to anywhere else are refused."""
    NO_GO = "no_go"
    """Orders to here are refused, and those that are there already are left out of plans."""
    SURCHARGE = "surcharge"
    """Orders here cost more."""
    DRIVER_TERRITORY = "driver_territory"
    """Some drivers take orders here, and no others; where drivers have such zones, they take orders nowhere else."""
    DEPOT_CATCHMENT = "depot_catchment"
    """Orders here come from some depots, and from no others."""


_MAX_LEVEL = 24
_WORLD = 360.0


class IndexedZone(Struct, eq=False):
    """A published zone.

    Its area is parsed when first needed, so that ten thousand zones load at once.
    """

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
        """Return True if a place is inside."""
        west, south, east_end, north_end = self.box
        if not (west <= east <= east_end and south <= north <= north_end):
            return False
        if self._area is None and self.geometry is not None:
            self._area, self.geometry = area_of(json.decode(self.geometry)), None
        return self._area is not None and self._area.contains(east, north)

    @property
    def is_advisory(self) -> bool:
        """Return True if the zone warns instead of refusing orders."""
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
        """True if orders outside all service areas are refused."""
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


class Closure(StrEnum):
    """Why orders to a place are refused, and left out of plans."""

    NO_GO = "no_go"
    OUTSIDE = "outside_service_area"


class ZoneSurcharge(Struct, frozen=True):
    """Surcharge of an order: an amount in minor units, and percent of its base price."""

    amount_minor: int = 0
    percent: int = 0


class ZoneEffects(Struct, frozen=True, kw_only=True):
    """Effects of zones on orders at a place. Drivers and depots of None: all of them."""

    closure: Closure | None = None
    closure_is_advisory: bool = False
    """True if orders are accepted with a warning. Plans leave them out."""
    surcharge: ZoneSurcharge | None = None
    driver_ids: frozenset[int] | None = None
    depot_ids: frozenset[int] | None = None


def find_zone_effects(index: ZoneIndex, place: LatLng) -> ZoneEffects:
    """Return the effects of the published zones on orders at a place."""
    zones = index.zones_at(place)
    closure, advisory = _closure(index, zones)
    return ZoneEffects(
        closure=closure,
        closure_is_advisory=advisory,
        surcharge=_surcharge(zones),
        driver_ids=_named(zones, ZoneRule.DRIVER_TERRITORY, "driver_ids"),
        depot_ids=_named(zones, ZoneRule.DEPOT_CATCHMENT, "depot_ids"),
    )


def may_drive_to(index: ZoneIndex, effects: ZoneEffects, driver_id: int) -> bool:
    """Return True if territories let a driver take orders at the place."""
    if effects.driver_ids is not None:
        return driver_id in effects.driver_ids
    return driver_id not in index.territory_drivers


def _closure(index: ZoneIndex, zones: Sequence[IndexedZone]) -> tuple[Closure | None, bool]:
    """Return the closure of a place, and True if it is advisory.

    A no-go zone counts unless a service area of higher priority covers it, and is advisory if all zones of its priority
    are. A place outside all service areas is closed, advisory if all of them are.
    """
    deciding = [zone for zone in zones if zone.rule in (ZoneRule.NO_GO, ZoneRule.SERVICE_AREA)]
    highest = [zone for zone in deciding if zone.priority == deciding[0].priority]
    if barred := [zone for zone in highest if zone.rule is ZoneRule.NO_GO]:
        return Closure.NO_GO, all(zone.is_advisory for zone in barred)
    if deciding or ZoneRule.SERVICE_AREA not in index.rules:
        return None, False
    return Closure.OUTSIDE, not index.has_binding_service_area


def _surcharge(zones: Sequence[IndexedZone]) -> ZoneSurcharge | None:
    """That of the zone that counts first; surcharges do not add up."""
    first = next((zone for zone in zones if zone.rule is ZoneRule.SURCHARGE), None)
    return first and ZoneSurcharge(first.terms.get("surcharge_minor", 0), first.terms.get("surcharge_percent", 0))


def _named(zones: Sequence[IndexedZone], rule: ZoneRule, field: str) -> frozenset[int] | None:
    """Return the ids named by the zones of the highest priority, or None without any."""
    own = [zone for zone in zones if zone.rule is rule]
    highest = [zone for zone in own if zone.priority == own[0].priority]
    return frozenset(id for zone in highest for id in zone.terms.get(field, ())) if own else None
