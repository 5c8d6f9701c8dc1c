"""Travel times and route shapes on the roads of installed regions.

Valhalla runs in this process, in a few threads with one `Actor` each. Places outside every region, or without a road to
them, keep the estimate.
"""

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from haulier.adapters.regions.roads import RoadSearch, has_road_library, open_roads, shares_rows
from haulier.adapters.travel_times import (
    COSTINGS,
    CachedTravel,
    EstimatedTravel,
    parse_valhalla_table,
    table_in_blocks,
    travel_for,
    valhalla_table_request,
)
from haulier.contexts.places.ports import InstalledRegion, Regions
from haulier.contexts.planning.ports import GeoPoint, TravelFailed, TravelTable, TravelTimes
from haulier.contexts.routes.ports import RoadLine
from haulier.kernel.values.geography import great_circle_m
from haulier.late_import import LateModule
from haulier.solvers.routing.travel import UNREACHABLE, TravelMode

if TYPE_CHECKING:
    import numpy as np
else:
    np = LateModule("numpy")

THREADS = 2
BLOCK, SQUARE = 50, 200
"""Sources in one request, so that several threads share a large table; places of one that cannot be shared."""
NEAR_M = 40_000.0
"""Extent of places up to which searches from each source are faster than a search from both sides for each pair."""
MAX_SHAPES = 5_000
SHAPE_SCALE = 1e6
"""Precision of Valhalla's polylines."""


class RoadNetworks:
    """Road networks of the installed regions."""

    def __init__(self, regions: Regions) -> None:
        self._regions = regions
        self._pool = ThreadPoolExecutor(THREADS, "roads")
        self._actors = threading.local()

    def find(self, places: Sequence[GeoPoint]) -> InstalledRegion | None:
        """Return the region with roads that contains all of these places."""
        if not places or not has_road_library():
            return None
        return next(
            (region for region in self._regions.installed() if region.roads and _contains(region, places)), None
        )

    async def ask(
        self,
        region: InstalledRegion,
        action: str,
        request: dict[str, Any],
        search: RoadSearch = RoadSearch.FROM_BOTH_SIDES,
    ) -> dict[str, Any]:
        """Return Valhalla's answer. Raises `TravelFailed`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._ask, region.roads, search, action, json.dumps(request))

    def _ask(self, roads: Path | None, search: RoadSearch, action: str, request: str) -> dict[str, Any]:
        assert roads is not None
        try:
            return json.loads(getattr(self._actor(roads, search), action)(request))
        except (RuntimeError, OSError) as fault:
            raise TravelFailed(str(getattr(fault, "code", "no_table")), str(fault)) from fault

    def _actor(self, roads: Path, search: RoadSearch) -> Any:
        """Return the actor of this thread for a road network. Older networks are closed."""
        known: dict[str, dict[RoadSearch, Any]] = self._actors.__dict__
        if str(roads) not in known:
            known.clear()
        actors = known.setdefault(str(roads), {})
        if search not in actors:
            actors[search] = open_roads(roads, search)
        return actors[search]


def _contains(region: InstalledRegion, places: Sequence[GeoPoint]) -> bool:
    west, south, east, north = region.bounds
    return all(south <= lat <= north and west <= lng <= east for lat, lng in places)


class RegionTravel:
    """Travel times on the roads of the region that contains all places."""

    def __init__(self, networks: RoadNetworks, mode: TravelMode = TravelMode.VAN, worked: Sequence[int] = ()) -> None:
        self._networks, self._mode, self._worked = networks, mode, worked
        self._estimate = EstimatedTravel(mode, worked)

    def during(self, worked: Sequence[int]) -> "RegionTravel":
        """Return the source whose estimates fit the traffic of these hours."""
        return RegionTravel(self._networks, self._mode, worked)

    def by(self, mode: TravelMode) -> "RegionTravel":
        """Return the source for another travel mode."""
        return RegionTravel(self._networks, mode, self._worked)

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return times and distances on roads, or estimates."""
        estimate = await self._estimate.table(sources, targets)
        region = await asyncio.to_thread(self._networks.find, [*sources, *targets])
        if region is None:
            return estimate
        try:
            seconds, metres = await _cache_of(self._networks, region, self._mode).table(sources, targets)
        except TravelFailed:
            return estimate
        missing = seconds >= UNREACHABLE
        return np.where(missing, estimate[0], seconds), np.where(missing, estimate[1], metres)


@lru_cache(maxsize=16)
def _cache_of(networks: RoadNetworks, region: InstalledRegion, mode: TravelMode) -> CachedTravel:
    return CachedTravel(RoadTables(networks, region, mode), digits=5)


class RoadTables:
    """Tables of one road network and one travel mode."""

    def __init__(self, networks: RoadNetworks, region: InstalledRegion, mode: TravelMode) -> None:
        self._networks, self._region, self._costing = networks, region, COSTINGS[mode]

    async def table(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        """Return times and distances. Unreachable places are `UNREACHABLE`."""
        if _extent_m([*sources, *targets]) > NEAR_M:
            return await table_in_blocks(sources, targets, (BLOCK, len(targets)), self._ask)
        size = (BLOCK, len(targets)) if shares_rows() else (SQUARE, SQUARE)
        return await table_in_blocks(sources, targets, size, self._ask_near)

    async def _ask_near(self, sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> TravelTable:
        more_sources, more_targets = _evened(sources, targets)
        seconds, metres = await self._ask(more_sources, more_targets, RoadSearch.FROM_SOURCES)
        block = np.s_[: len(sources), : len(targets)]
        return seconds[block], metres[block]

    async def _ask(
        self,
        sources: Sequence[GeoPoint],
        targets: Sequence[GeoPoint],
        search: RoadSearch = RoadSearch.FROM_BOTH_SIDES,
    ) -> TravelTable:
        request = valhalla_table_request(sources, targets, self._costing) | {"verbose": False}
        answer = await self._networks.ask(self._region, "matrix", request, search)
        return parse_valhalla_table(answer, (len(sources), len(targets)))


def _extent_m(places: Sequence[GeoPoint]) -> float:
    """Return the diagonal of the frame around places."""
    lats, lngs = zip(*places, strict=True)
    return great_circle_m((min(lats), min(lngs)), (max(lats), max(lngs)))


def _evened(sources: Sequence[GeoPoint], targets: Sequence[GeoPoint]) -> tuple[Sequence[GeoPoint], Sequence[GeoPoint]]:
    """Repeat the last place where Valhalla returns another table.

    Its searches from sources return wrong tables for more sources than targets. Versions before 3.9 also do so for fewer
    sources than targets, except for one.
    """
    if len(sources) == 1:
        return sources, targets
    missing = len(sources) - len(targets)
    if missing < 0 and not shares_rows():
        return [*sources, *[sources[-1]] * -missing], targets
    return sources, [*targets, *[targets[-1]] * missing]


class RegionRoadShapes:
    """Lines along the roads of installed regions, cached by their ends."""

    def __init__(self, networks: RoadNetworks) -> None:
        self._networks = networks
        self._known: OrderedDict[tuple[str, TravelMode, GeoPoint, GeoPoint], RoadLine | None] = OrderedDict()

    async def lines(self, places: Sequence[GeoPoint], mode: TravelMode = TravelMode.VAN) -> list[RoadLine | None]:
        """Return the line from each place to the next, or None where no road is known."""
        region = await asyncio.to_thread(self._networks.find, places)
        if region is None:
            return [None] * max(0, len(places) - 1)
        return list(await asyncio.gather(*(self._leg(region, mode, start, end) for start, end in pairwise(places))))

    async def _leg(self, region: InstalledRegion, mode: TravelMode, start: GeoPoint, end: GeoPoint) -> RoadLine | None:
        key = (str(region.roads), mode, _rounded(start), _rounded(end))
        if key not in self._known:
            self._known[key] = await self._ask(region, mode, start, end)
            if len(self._known) > MAX_SHAPES:
                self._known.popitem(last=False)
        return self._known[key]

    async def _ask(self, region: InstalledRegion, mode: TravelMode, start: GeoPoint, end: GeoPoint) -> RoadLine | None:
        request = {
            "locations": [{"lat": lat, "lon": lng} for lat, lng in (start, end)],
            "costing": COSTINGS[mode],
            "directions_type": "none",
            "units": "kilometers",
        }
        try:
            answer = await self._networks.ask(region, "route", request)
        except TravelFailed:
            return None
        (leg,) = answer["trip"]["legs"]
        summary = answer["trip"]["summary"]
        return RoadLine(
            points=decode_polyline(leg["shape"]),
            distance_m=round(summary["length"] * 1000),
            duration_s=round(summary["time"]),
        )


def _rounded(place: GeoPoint) -> GeoPoint:
    return round(place[0], 5), round(place[1], 5)


def decode_polyline(text: str) -> tuple[tuple[float, float], ...]:
    """Return the longitudes and latitudes of an encoded polyline with six digits."""
    points: list[tuple[float, float]] = []
    at, lat, lng = 0, 0, 0
    while at < len(text):
        change, at = _decode_number(text, at)
        lat += change
        change, at = _decode_number(text, at)
        lng += change
        points.append((lng / SHAPE_SCALE, lat / SHAPE_SCALE))
    return tuple(points)


def _decode_number(text: str, at: int) -> tuple[int, int]:
    bits, shift = 0, 0
    while True:
        piece = ord(text[at]) - 63
        at += 1
        bits |= (piece & 0x1F) << shift
        shift += 5
        if piece < 0x20:
            return (~(bits >> 1) if bits & 1 else bits >> 1), at


def road_travel(setting: str | None, networks: RoadNetworks) -> TravelTimes:
    """Return the source that a setting names, or the roads of installed regions."""
    return travel_for(setting) if setting else RegionTravel(networks)
