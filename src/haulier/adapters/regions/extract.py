"""Reading of OpenStreetMap extracts: map features, addresses and streets."""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from msgspec import Struct, field

from haulier.adapters.regions.coastline import Box, Point, Polygon, split_land_and_sea
from haulier.adapters.regions.map_layers import (
    LANDCOVER_ZOOM,
    MAX_ZOOM,
    MapFeature,
    area_features,
    boundary_feature,
    line_features,
    point_features,
)
from haulier.contexts.places.ports import RegionFault
from haulier.kernel.values.polygons import ring_area_m2
from haulier.late_import import LateModule

osmium: Any = LateModule("osmium")

Tags = dict[str, str]
OBJECTS_PER_REPORT = 50_000
_DRIVABLE = frozenset(
    (
        "motorway",
        "trunk",
        "primary",
        "secondary",
        "tertiary",
        "unclassified",
        "residential",
        "living_street",
        "service",
        "pedestrian",
        "footway",
        "cycleway",
        "path",
        "track",
        "steps",
        "road",
    )
)
_TOWN_LEVELS = (8, 7, 9)
_TOWN_KINDS = frozenset(("city", "town", "village", "hamlet", "municipality"))


class InvalidExtract(RegionFault):
    """Raised for a file that is not a usable extract. The message says why."""


class ExtractAddress(Struct, frozen=True):
    """An address of an extract, as tagged."""

    tags: Tags
    lng: float
    lat: float


class ExtractTown(Struct, frozen=True):
    """A named town, as a point or as an administrative area."""

    name: str
    lng: float
    lat: float
    rings: tuple[tuple[Point, ...], ...] = ()
    level: int = 0


class ExtractContent(Struct):
    """Parts of an extract besides map features, which are written to a file."""

    box: Box
    timestamp: str = ""
    addresses: list[ExtractAddress] = field(default_factory=list[ExtractAddress])
    towns: list[ExtractTown] = field(default_factory=list[ExtractTown])
    streets: dict[str, list[Point]] = field(default_factory=dict[str, list[Point]])
    """Points of each named street: the middles of its ways."""
    country: str | None = None
    """Country whose border the extract contains, as a code (ISO 3166-1 alpha-2)."""
    roads: int = 0


def read_extract(
    path: Path, features: TextIO, progress: Callable[[int], None] = lambda objects: None
) -> ExtractContent:
    """Read an extract. Map features are written as one GeoJSON feature per line.

    Raises `InvalidExtract`.
    """
    try:
        content, edges = _read_header(path)
        writer = FeatureWriter(features)
        reader = ExtractReader(content, edges, writer)
        for number, found in enumerate(_objects(path)):
            reader.read(found)
            if number % OBJECTS_PER_REPORT == 0:
                progress(number)
        reader.finish()
    except RuntimeError as fault:
        raise _invalid_extract(path, str(fault)) from fault
    if not writer.count:
        raise InvalidExtract("the file is a valid extract without any map data", "extract_empty")
    return content


def _invalid_extract(path: Path, said: str) -> InvalidExtract:
    if "EOF" in said or "truncated" in said or ("blob" in said.lower() and path.stat().st_size > 1_000_000):
        return InvalidExtract(f"the file is truncated or damaged ({said}). Download it again.", "extract_truncated")
    return InvalidExtract(f"the file is not an OpenStreetMap extract in PBF format ({said})", "not_an_extract")


def _objects(path: Path) -> Iterator[Any]:
    return iter(
        osmium.FileProcessor(str(path)).with_locations().with_areas().with_filter(osmium.filter.EmptyTagFilter())
    )


def _read_header(path: Path) -> tuple[ExtractContent, dict[int, set[int]]]:
    """Return the frame of an extract, and the administrative levels by border line."""
    reader = osmium.io.Reader(str(path))
    header = reader.header()
    box, stamp = header.box(), header.get("osmosis_replication_timestamp", "")
    reader.close()
    bounds: Box = (180.0, 90.0, -180.0, -90.0)
    if box.valid():
        bounds = (box.bottom_left.lon, box.bottom_left.lat, box.top_right.lon, box.top_right.lat)
    edges: dict[int, set[int]] = {}
    wanted = osmium.filter.TagFilter(("boundary", "administrative"))
    for relation in osmium.FileProcessor(str(path), osmium.osm.RELATION).with_filter(wanted):
        level = relation.tags.get("admin_level", "")
        for member in relation.members if level.isdecimal() else ():
            if member.type == "w":
                edges.setdefault(member.ref, set()).add(int(level))
    return ExtractContent(box=bounds, timestamp=stamp), edges


class FeatureWriter:
    """Writer of GeoJSON features with their layer and zooms for tippecanoe."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self.count = 0

    def write(self, feature: MapFeature, kind: str, coordinates: Any) -> None:
        """Write a feature."""
        last = LANDCOVER_ZOOM if feature.layer == "landcover" else MAX_ZOOM
        document = {
            "type": "Feature",
            "tippecanoe": {"layer": feature.layer, "minzoom": min(feature.min_zoom, last), "maxzoom": last},
            "properties": feature.attributes,
            "geometry": {"type": kind, "coordinates": coordinates},
        }
        self._file.write(json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n")
        self.count += 1


class ExtractReader:
    """Sorts the objects of an extract into features, addresses, towns and streets."""

    def __init__(self, content: ExtractContent, edges: dict[int, set[int]], writer: FeatureWriter) -> None:
        self._content, self._edges, self._writer = content, edges, writer
        self._has_box = content.box[0] <= content.box[2]
        self._coastlines: list[list[Point]] = []

    def read(self, found: Any) -> None:
        """Sort one object."""
        tags: Tags = {tag.k: tag.v for tag in found.tags}
        if found.is_node():
            self._read_point(tags, (round(found.lon, 7), round(found.lat, 7)))
        elif found.is_way():
            self._read_line(found, tags)
        elif found.is_area():
            self._read_area(found, tags)

    def _read_point(self, tags: Tags, point: Point) -> None:
        for feature in point_features(tags):
            self._writer.write(feature, "Point", point)
        self._store_address(tags, point)
        if tags.get("place") in _TOWN_KINDS and "name" in tags:
            self._content.towns.append(ExtractTown(tags["name"], *point))

    def _read_line(self, way: Any, tags: Tags) -> None:
        line = [(round(node.lon, 7), round(node.lat, 7)) for node in way.nodes if node.location.valid()]
        if len(line) < 2:
            return
        self._widen(line)
        if tags.get("natural") == "coastline":
            self._coastlines.append(line)
        for feature in line_features(tags):
            self._writer.write(feature, "LineString", line)
        if border := boundary_feature(self._edges.get(way.id, ())):
            self._writer.write(border, "LineString", line)
        if tags.get("highway") in _DRIVABLE:
            self._content.roads += 1
            if name := tags.get("name"):
                self._content.streets.setdefault(name, []).append(line[len(line) // 2])

    def _read_area(self, area: Any, tags: Tags) -> None:
        polygons = _polygons(area)
        if not polygons:
            return
        middle = _middle(polygons[0][0])
        size = sum(ring_area_m2(polygon[0]) for polygon in polygons)
        for feature in area_features(tags, size):
            if len(polygons) == 1:
                self._writer.write(feature, "Polygon", polygons[0])
            else:
                self._writer.write(feature, "MultiPolygon", polygons)
        for feature in point_features(tags, of_area=True):
            self._writer.write(feature, "Point", middle)
        self._store_address(tags, middle)
        self._store_town(tags, polygons, middle)

    def _store_address(self, tags: Tags, point: Point) -> None:
        if "addr:housenumber" in tags and ("addr:street" in tags or "addr:place" in tags):
            kept = {key.removeprefix("addr:"): value for key, value in tags.items() if key.startswith("addr:")}
            self._content.addresses.append(ExtractAddress(kept, *point))

    def _store_town(self, tags: Tags, polygons: list[Polygon], middle: Point) -> None:
        level = tags.get("admin_level", "")
        if tags.get("boundary") != "administrative" or not level.isdecimal() or "name" not in tags:
            return
        if int(level) == 2 and "ISO3166-1" in tags:
            self._content.country = tags["ISO3166-1"][:2].upper()
        elif int(level) in _TOWN_LEVELS:
            rings = tuple(tuple(polygon[0]) for polygon in polygons)
            self._content.towns.append(ExtractTown(tags["name"], *middle, rings, int(level)))

    def _widen(self, line: Sequence[Point]) -> None:
        """Widen the frame of an extract whose header has none."""
        if self._has_box:
            return
        west, south, east, north = self._content.box
        xs, ys = [x for x, _ in line], [y for _, y in line]
        self._content.box = min(west, *xs), min(south, *ys), max(east, *xs), max(north, *ys)

    def finish(self) -> None:
        """Write land and sea."""
        if self._content.box[0] >= self._content.box[2]:
            return
        land, sea = split_land_and_sea(self._content.box, self._coastlines)
        for polygon in land:
            self._writer.write(MapFeature("earth", {"kind": "earth"}, 0), "Polygon", polygon)
        for polygon in sea:
            self._writer.write(MapFeature("water", {"kind": "ocean", "min_zoom": 0}, 0), "Polygon", polygon)


def _polygons(area: Any) -> list[Polygon]:
    return [
        [_ring(outer), *(_ring(inner) for inner in area.inner_rings(outer))]
        for outer in area.outer_rings()
        if len(outer) > 3
    ]


def _ring(nodes: Any) -> list[Point]:
    return [(round(node.lon, 7), round(node.lat, 7)) for node in nodes]


def _middle(ring: Sequence[Point]) -> Point:
    """Return the middle of a ring: the mean of its corners."""
    corners = ring[:-1] or ring
    return (
        round(sum(x for x, _ in corners) / len(corners), 7),
        round(sum(y for _, y in corners) / len(corners), 7),
    )
