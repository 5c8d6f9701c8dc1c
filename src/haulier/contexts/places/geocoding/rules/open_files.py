"""Rules of geocoding: open files.

- OpenAddresses: CSV with `LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,…`, or GeoJSON, a feature a line, with the
  same names in small letters.
- OpenStreetMap: GeoJSON features with `addr:housenumber`, `addr:street`, `addr:city`, `addr:postcode`, `addr:unit`.
- GeoNames postal codes: twelve columns with tabs between, without a header (`CA.txt`).
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from msgspec import Struct

from haulier.contexts.places.geocoding.rules.formats import normalize_postal_code
from haulier.contexts.places.geocoding.rules.words import (
    house_number,
    joined_code,
    place_keys,
    search_words,
    street_keys,
    town_key,
)
from haulier.kernel.values.geography import LatLng, great_circle_m
from haulier.kernel.values.map_cells import cell_of
from haulier.kernel.values.words import fold

ONE_PLACE_M = 150.0
"""Entrances of one building lie nearer together."""


def middle(points: Sequence[LatLng]) -> LatLng:
    """Return the centre of some places: the median of each coordinate.

    Outliers have no effect.
    """
    return median(point[0] for point in points), median(point[1] for point in points)


def are_one_place(points: Sequence[LatLng]) -> bool:
    """Return True if places are as close as the entrances of one building."""
    centre = middle(points)
    return all(great_circle_m(centre, point) <= ONE_PLACE_M for point in points)


def nearest_house(address: str, houses: Sequence[tuple[str, LatLng]]) -> LatLng:
    """Return the nearest house by number, or the centre of the street."""
    number = house_number(address)
    numbered = (
        [(abs(found - number), point) for text, point in houses if (found := house_number(text)) is not None]
        if (number is not None)
        else []
    )
    return min(numbered)[1] if numbered else middle([point for _, point in houses])


NUMBER_LAST = frozenset(
    {"AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FI", "HU", "IT", "NL", "NO", "PL", "PT", "SE", "SK"}
)
"""Countries in which the number follows the street."""
_GEONAMES_COLUMNS = 12


class OpenAddressRecord(Struct, frozen=True):
    """An address of an open file."""

    country: str
    number: str
    street: str
    city: str
    lat: float
    lng: float
    unit: str | None = None
    region: str | None = None
    postal_code: str | None = None

    @property
    def address(self) -> str:
        """Street and number, in the order of the country."""
        parts = (self.street, self.number) if self.country in NUMBER_LAST else (self.number, self.street)
        return " ".join(part for part in parts if part)[:200]


class OpenPlaceRecord(Struct, frozen=True):
    """The middle of a postal code."""

    country: str
    code: str
    name: str
    region: str | None
    lat: float
    lng: float


OpenRecord = OpenAddressRecord | OpenPlaceRecord


def read_open_file(lines: Iterable[str], country: str | None) -> Iterator[OpenRecord | None]:
    """Yield the records of a file in any known format.

    None for a line without a place, street or town. `country` is used if the file has none. Raises `ValueError` for an
    unknown format or a missing country.
    """
    rest = iter(lines)
    first = next(rest, "")
    if first.lstrip().startswith("{"):
        yield from _read_features(first, rest, country)
    elif first.count("\t") == _GEONAMES_COLUMNS - 1:
        yield _geonames_record(first)
        yield from map(_geonames_record, rest)
    else:
        header = [name.strip().upper() for name in next(csv.reader([first]), [])]
        if not {"LON", "LAT", "STREET"} <= set(header):
            raise ValueError(
                "neither OpenAddresses (CSV or GeoJSON), GeoJSON with addr: tags, nor GeoNames postal codes"
            )
        for row in csv.reader(rest):
            yield _address_record(dict(zip(header, row, strict=False)), _needed(country), row_place(row, header))


def row_place(row: list[str], header: list[str]) -> tuple[Any, Any]:
    """Longitude and latitude of a row, as they stand there."""
    cells = dict(zip(header, row, strict=False))
    return cells.get("LON"), cells.get("LAT")


def _read_features(first: str, rest: Iterable[str], country: str | None) -> Iterator[OpenRecord | None]:
    """A feature a line, or one document with all of them."""
    try:
        features: Iterable[Any] = [json.loads(first)]
    except ValueError:
        features = [json.loads(first + "".join(rest))]
        rest = ()
    for document in features:
        yield from _features(document, country)
    for line in rest:
        if text := line.strip().strip("\x1e,"):
            yield from _features(json.loads(text), country)


def _features(document: Any, country: str | None) -> Iterator[OpenRecord | None]:
    if document.get("type") == "FeatureCollection":
        for feature in document.get("features") or []:
            yield _feature_record(feature, country)
    else:
        yield _feature_record(document, country)


def _feature_record(feature: Any, country: str | None) -> OpenRecord | None:
    properties: dict[str, Any] = feature.get("properties") or {}
    tags = {str(name).removeprefix("addr:").upper(): value for name, value in properties.items()}
    tags = {"NUMBER": tags.get("HOUSENUMBER"), "CITY": tags.get("TOWN"), **tags}
    return _address_record(tags, tags.get("COUNTRY") or _needed(country), _middle(feature.get("geometry")))


def _middle(geometry: Any) -> tuple[Any, Any]:
    """Return longitude and latitude of a point, or the average of other corners."""
    points = list(_points((geometry or {}).get("coordinates") or []))
    if not points:
        return None, None
    return sum(point[0] for point in points) / len(points), sum(point[1] for point in points) / len(points)


def _points(coordinates: Any) -> Iterator[tuple[float, float]]:
    if coordinates and isinstance(coordinates[0], int | float):
        yield coordinates[0], coordinates[1]
    else:
        for part in coordinates:
            yield from _points(part)


def _address_record(cells: Mapping[str, Any], country: str, place: tuple[Any, Any]) -> OpenAddressRecord | None:
    texts = {name: str(value).strip() for name, value in cells.items() if value not in (None, "")}
    lng, lat = _number(place[0]), _number(place[1])
    if lat is None or lng is None or not texts.get("STREET") or not (texts.get("CITY") or texts.get("POSTCODE")):
        return None
    if not (-90 <= lat <= 90 and -180 <= lng <= 180):
        return None
    return OpenAddressRecord(
        country=country,
        number=texts.get("NUMBER", "")[:30],
        street=texts["STREET"][:150],
        city=texts.get("CITY", "")[:200],
        lat=lat,
        lng=lng,
        unit=texts.get("UNIT", "")[:100] or None,
        region=texts.get("REGION", "")[:100] or None,
        postal_code=(normalize_postal_code(country, texts.get("POSTCODE")) or "")[:20] or None,
    )


def _geonames_record(line: str) -> OpenPlaceRecord | None:
    cells = line.rstrip("\n").split("\t")
    lat, lng = (_number(cells[9]), _number(cells[10])) if len(cells) == _GEONAMES_COLUMNS else (None, None)
    if lat is None or lng is None:
        return None
    return OpenPlaceRecord(cells[0], cells[1], cells[2][:200], cells[3][:100] or None, lat, lng)


def _number(value: Any) -> float | None:
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _needed(country: str | None) -> str:
    if country is None:
        raise ValueError("the file does not say its country: name it")
    return country


def open_address_values(record: OpenAddressRecord, source: str, owner: str) -> dict[str, Any]:
    """The columns of an open address; `owner` is what its words begin with."""
    texts = (record.address, record.unit, record.city, record.region, record.postal_code)
    words = search_words([*texts, joined_code(record.postal_code)])
    address = record.address if record.number else ""
    code, town = _two_keys(record, address)
    street_code, street_town = _two_keys(record, record.street, street=True)
    return {
        "country": record.country,
        "region": record.region,
        "city": record.city,
        "postal_code": record.postal_code,
        "address": record.address,
        "unit": record.unit,
        "lat": record.lat,
        "lng": record.lng,
        "source": source,
        "code_key": code,
        "town_key": town,
        "street_code_key": street_code,
        "street_town_key": street_town,
        "cell": cell_of(record.lat, record.lng),
        "words": " ".join(f"{owner}{word}" for word in words),
    }


def _two_keys(record: OpenAddressRecord, address: str, *, street: bool = False) -> tuple[str | None, str | None]:
    """The keys of an address with its postal code, and with its city."""
    keys = street_keys if street else place_keys
    by_code = keys(record.country, "", address, record.postal_code) if record.postal_code else []
    by_town = keys(record.country, record.city, address, None) if record.city else []
    return next(iter(by_code), None), next(iter(by_town), None)


def open_place_values(record: OpenPlaceRecord, source: str) -> dict[str, Any]:
    """The columns of the middle of a postal code."""
    return {
        "kind": "postal_code",
        "country": record.country,
        "key": fold(joined_code(record.code) or "")[:200] or town_key(record.name),
        "name": record.name,
        "region": record.region,
        "lat": record.lat,
        "lng": record.lng,
        "population": 0,
        "source": source,
    }
