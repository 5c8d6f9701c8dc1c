"""Map features of OpenStreetMap objects, in the Protomaps basemap schema 4.

Pure: tags in, layer, attributes and zooms out. See docs.protomaps.com/basemaps/layers.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

MAX_ZOOM = 15


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


NAME_LANGUAGES = _words(
    "ar cs da de el en es fi fr he hi hu it ja ko nb nl no pl pt ro ru sk sv tr uk vi zh zh-Hans zh-Hant"
)
"""Languages whose names are on the map, besides the local name."""
Tags = Mapping[str, str]


class MapFeature(Struct, frozen=True):
    """A feature of one layer."""

    layer: str
    attributes: dict[str, Any]
    min_zoom: int


_ROADS: Mapping[str, tuple[str, int, int]] = {
    "motorway": ("highway", 3, 440),
    "motorway_link": ("highway", 7, 430),
    "trunk": ("major_road", 6, 420),
    "trunk_link": ("major_road", 7, 410),
    "primary": ("major_road", 7, 400),
    "primary_link": ("major_road", 7, 390),
    "secondary": ("major_road", 9, 380),
    "secondary_link": ("major_road", 9, 370),
    "tertiary": ("major_road", 9, 360),
    "tertiary_link": ("major_road", 9, 350),
    "residential": ("minor_road", 11, 340),
    "unclassified": ("minor_road", 11, 330),
    "road": ("minor_road", 11, 320),
    "living_street": ("minor_road", 11, 310),
    "raceway": ("minor_road", 12, 300),
    "service": ("minor_road", 13, 290),
    "pedestrian": ("path", 12, 280),
    "track": ("path", 12, 270),
    "path": ("path", 13, 260),
    "cycleway": ("path", 13, 250),
    "bridleway": ("path", 13, 240),
    "footway": ("path", 13, 230),
    "steps": ("path", 13, 220),
    "corridor": ("path", 14, 210),
}
"""Kind, lowest zoom and drawing order of roads by their `highway`."""
_RAILS: Mapping[str, int] = {
    "rail": 8,
    "light_rail": 11,
    "subway": 11,
    "monorail": 11,
    "narrow_gauge": 11,
    "funicular": 11,
    "tram": 12,
}
_WATER_AREAS = {
    ("natural", "water"): "water",
    ("natural", "bay"): "bay",
    ("waterway", "riverbank"): "river",
    ("waterway", "dock"): "dock",
    ("waterway", "canal"): "canal",
    ("waterway", "river"): "river",
    ("landuse", "reservoir"): "reservoir",
    ("landuse", "basin"): "basin",
    ("leisure", "swimming_pool"): "swimming_pool",
    ("amenity", "fountain"): "fountain",
}
_WATER_KINDS = frozenset({"lake", "river", "canal", "reservoir", "basin", "pond", "lagoon", "stream", "dock", "moat"})
_WATER_LINES = {"river": 9, "canal": 10, "stream": 12, "ditch": 14, "drain": 14}
_LANDUSE: Mapping[str, frozenset[str]] = {
    "landuse": _words(
        "allotments cemetery commercial farmland farmyard forest grass industrial meadow military orchard railway"
        " recreation_ground residential village_green vineyard religious retail"
    ),
    "leisure": _words(
        "park garden golf_course pitch playground marina nature_reserve stadium track dog_park sports_centre common"
        " recreation_ground"
    ),
    "natural": _words("beach wood wetland scrub grassland heath sand bare_rock glacier scree"),
    "amenity": _words("hospital school kindergarten university college library townhall parking"),
    "aeroway": _words("aerodrome runway taxiway"),
    "boundary": frozenset(("national_park", "protected_area")),
    "tourism": frozenset(("zoo", "theme_park", "attraction", "camp_site")),
    "man_made": frozenset(("pier", "bridge")),
    "highway": frozenset(("pedestrian", "footway", "platform")),
    "railway": frozenset(("platform",)),
    "place": frozenset(("square",)),
}
_LANDUSE_NAMES = {
    "grass": "grass",
    "common": "park",
    "recreation_ground": "recreation_ground",
    "vineyard": "farmland",
    "farmyard": "farmland",
    "heath": "scrub",
    "religious": "cemetery",
    "retail": "commercial",
    "footway": "pedestrian",
    "square": "pedestrian",
    "sports_centre": "pitch",
    "bare_rock": "bare_rock",
}
_LANDCOVER = {
    "forest": "forest",
    "wood": "forest",
    "farmland": "farmland",
    "meadow": "grassland",
    "grassland": "grassland",
    "scrub": "scrub",
    "glacier": "glacier",
    "residential": "urban_area",
    "bare_rock": "barren",
    "sand": "barren",
}
LANDCOVER_ZOOM = 7
"""Highest zoom of land cover. Land use shows more detail from there on."""
_PLACES: Mapping[str, tuple[str, int, int]] = {
    "city": ("locality", 4, 50_000),
    "town": ("locality", 7, 10_000),
    "village": ("locality", 10, 2_000),
    "hamlet": ("locality", 12, 200),
    "isolated_dwelling": ("locality", 13, 10),
    "suburb": ("neighbourhood", 11, 0),
    "quarter": ("neighbourhood", 12, 0),
    "neighbourhood": ("neighbourhood", 12, 0),
}
_POIS: Mapping[str, frozenset[str]] = {
    "amenity": _words(
        "restaurant fast_food cafe bar pub bank pharmacy hospital clinic post_office library school university college"
        " kindergarten theatre cinema townhall police fire_station fuel charging_station parking bench toilets"
        " drinking_water place_of_worship marketplace parcel_locker ferry_terminal bicycle_rental"
    ),
    "shop": _words(
        "supermarket convenience books beauty electronics clothes bakery butcher chemist department_store mall"
        " hardware florist hairdresser"
    ),
    "tourism": _words("attraction museum artwork hotel hostel zoo viewpoint gallery information"),
    "railway": frozenset(("station", "halt", "tram_stop", "subway_entrance")),
    "highway": frozenset(("bus_stop",)),
    "leisure": _words("park garden stadium marina playground sports_centre"),
    "aeroway": frozenset(("aerodrome",)),
    "natural": frozenset(("peak", "beach")),
    "historic": frozenset(("monument", "memorial", "castle")),
}
_POI_ZOOMS = {
    "aerodrome": 11,
    "station": 12,
    "hospital": 13,
    "university": 13,
    "stadium": 13,
    "museum": 14,
    "park": 13,
    "peak": 12,
    "zoo": 13,
    "attraction": 14,
    "townhall": 14,
    "ferry_terminal": 13,
    "marina": 14,
}
_NAMELESS_POIS = frozenset(("bench", "toilets", "drinking_water", "bus_stop", "post_office", "parcel_locker"))
"""Points that are shown without a name."""


def name_attributes(tags: Tags) -> dict[str, Any]:
    """Return the names of an object: the local one, and others by language."""
    name = tags.get("name")
    if not name:
        return {}
    found: dict[str, Any] = {"name": name}
    for key, value in tags.items():
        language = key.removeprefix("name:") if key.startswith("name:") else ""
        if language in NAME_LANGUAGES and value != name:
            found[key] = value
    script = _script(name)
    return found | ({"script": script} if script else {})


def _script(name: str) -> str | None:
    """Return the script of a name in other than Latin letters, such as `Cyrillic`."""
    for letter in name:
        if letter.isalpha():
            script = unicodedata.name(letter, "").partition(" ")[0]
            return {"LATIN": None, "CJK": "Han"}.get(script, script.capitalize() or None)
    return None


def line_features(tags: Tags) -> Iterator[MapFeature]:
    """Yield the features of a line."""
    highway = tags.get("highway", "")
    if highway in _ROADS and tags.get("area") != "yes":
        kind, zoom, rank = _ROADS[highway]
        yield MapFeature("roads", _road(tags, kind, highway.removesuffix("_link"), rank), zoom)
    elif tags.get("railway") in _RAILS:
        rail = tags["railway"]
        yield MapFeature("roads", _road(tags, "rail", rail, 100), 13 if "service" in tags else _RAILS[rail])
    elif tags.get("route") == "ferry":
        yield MapFeature("roads", _road(tags, "ferry", "ferry", 50), 8)
    elif tags.get("aeroway") in ("runway", "taxiway"):
        yield MapFeature("roads", _road(tags, "aeroway", tags["aeroway"], 60), 10)
    elif tags.get("man_made") == "pier":
        yield MapFeature("roads", _road(tags, "path", "pier", 40), 13)
    waterway = tags.get("waterway", "")
    if waterway in _WATER_LINES and tags.get("tunnel") in (None, "no"):
        zoom = _WATER_LINES[waterway]
        yield MapFeature("water", {"kind": waterway, "min_zoom": zoom} | name_attributes(tags), zoom)
    if tags.get("natural") == "cliff":
        yield MapFeature("earth", {"kind": "cliff"}, 13)


def _road(tags: Tags, kind: str, detail: str, rank: int) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": kind, "kind_detail": detail, "sort_rank": rank, **name_attributes(tags)}
    if tags.get("bridge") not in (None, "no"):
        found["is_bridge"] = True
    if tags.get("tunnel") not in (None, "no") or tags.get("covered") == "yes":
        found["is_tunnel"] = True
    if tags.get("highway", "").endswith("_link"):
        found["is_link"] = True
    if tags.get("oneway") in ("yes", "1", "true", "-1"):
        found["oneway"] = "yes"
    if ref := tags.get("ref", "").partition(";")[0]:
        found |= {
            "ref": ref,
            "shield_text": ref,
            "shield_text_length": len(ref),
            "network": tags.get("network", "other"),
        }
    for key in ("service", "access"):
        if key in tags:
            found[key] = tags[key]
    return found


def area_features(tags: Tags, area_m2: float) -> Iterator[MapFeature]:
    """Yield the features of an area of a size in square metres."""
    if tags.get("building", "no") != "no" or "building:part" in tags:
        yield MapFeature("buildings", _building(tags), 13 if area_m2 > 1_500 else 14)
    zoom = zoom_of_area(area_m2)
    if kind := _water_kind(tags):
        yield MapFeature("water", {"kind": kind, "min_zoom": zoom} | name_attributes(tags), zoom)
    elif kind := _landuse_kind(tags):
        shown = {"kind": kind, "sort_rank": 100 if kind == "residential" else 200}
        yield MapFeature("landuse", shown | name_attributes(tags), max(zoom, 6))
        if (cover := _LANDCOVER.get(kind)) and zoom <= LANDCOVER_ZOOM:
            yield MapFeature("landcover", {"kind": cover}, zoom)


def zoom_of_area(area_m2: float) -> int:
    """Return the lowest zoom at which an area is larger than a few pixels."""
    size, zoom = area_m2, MAX_ZOOM
    while zoom > 0 and size > 2_000:
        size, zoom = size / 4, zoom - 1
    return zoom


def _building(tags: Tags) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": "building_part" if "building:part" in tags else "building", "sort_rank": 400}
    for key, name in (("height", "height"), ("min_height", "min_height")):
        if number := _metres(tags.get(key)):
            found[name] = number
    if "height" not in found and (levels := _metres(tags.get("building:levels"))):
        found["height"] = round(levels * 3.2, 1)
    return found


def _metres(text: str | None) -> float | None:
    try:
        number = float((text or "").removesuffix("m").strip())
    except ValueError:
        return None
    return number if 0 < number < 1_000 else None


def _water_kind(tags: Tags) -> str | None:
    for (key, value), kind in _WATER_AREAS.items():
        if tags.get(key) == value:
            more = tags.get("water", "")
            return more if kind == "water" and more in _WATER_KINDS else kind
    return None


def _landuse_kind(tags: Tags) -> str | None:
    for key, values in _LANDUSE.items():
        value = tags.get(key)
        if value in values and (key != "highway" or tags.get("area") == "yes" or value == "platform"):
            return _LANDUSE_NAMES.get(value, value)
    return None


def point_features(tags: Tags, *, of_area: bool = False) -> Iterator[MapFeature]:
    """Yield the labels of a point, or of the middle of an area."""
    place = tags.get("place", "")
    names = name_attributes(tags)
    if place in _PLACES and names:
        yield _place(tags, place, names)
    for key, values in _POIS.items():
        kind = tags.get(key)
        if kind in values and (names or (kind in _NAMELESS_POIS and not of_area)):
            zoom = _POI_ZOOMS.get(kind, 15 if kind in ("bench", "artwork", "hairdresser", "parking") else 14)
            more = {name: tags[name] for name in ("cuisine", "religion", "iata") if name in tags}
            yield MapFeature("pois", {"kind": kind, "min_zoom": zoom, **names, **more}, min(zoom, MAX_ZOOM))
            break
    if number := tags.get("addr:housenumber"):
        street = {"addr_street": tags["addr:street"]} if "addr:street" in tags else {}
        yield MapFeature("buildings", {"kind": "address", "addr_housenumber": number, **street}, MAX_ZOOM)
    if names and of_area and (water := _water_kind(tags)):
        yield MapFeature("water", {"kind": water, **names}, 12)


def _place(tags: Tags, place: str, names: Mapping[str, Any]) -> MapFeature:
    kind, zoom, usual = _PLACES[place]
    text = tags.get("population", "").replace(" ", "").replace(",", "")
    population = int(text) if text.isascii() and text.isdigit() else usual
    if population >= 1_000_000:
        zoom = min(zoom, 3)
    rank = sum(population >= limit for limit in _POPULATION_RANKS)
    found: dict[str, Any] = {"kind": kind, "kind_detail": place, **names, "min_zoom": zoom, "population": population}
    if tags.get("capital") in ("yes", "2", "4"):
        found["capital"] = "yes"
    return MapFeature("places", found | {"population_rank": rank, "sort_key": 100 - rank}, zoom)


_POPULATION_RANKS = (
    *(200, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000),
    *(1_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000),
)
_BOUNDARIES = {
    2: ("country", 0),
    3: ("region", 3),
    4: ("region", 3),
    5: ("county", 8),
    6: ("county", 8),
    8: ("locality", 10),
}


def boundary_feature(levels: Iterable[int]) -> MapFeature | None:
    """Return the feature of a border line between administrative areas of some levels."""
    level = min((level for level in levels if level in _BOUNDARIES), default=None)
    if level is None:
        return None
    kind, zoom = _BOUNDARIES[level]
    return MapFeature("boundaries", {"kind": kind, "kind_detail": level, "min_zoom": zoom}, zoom)
