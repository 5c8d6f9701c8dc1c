"""Addresses and streets of an extract, as GeoJSON lines that geocoding imports.

Many addresses are tagged without a town or a country. The administrative area around them, their postal code, or the
nearest town completes them.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from statistics import median

from haulier.adapters.regions.coastline import Point
from haulier.adapters.regions.extract import ExtractAddress, ExtractContent, ExtractTown
from haulier.kernel.values.geography import great_circle_m

SAME_STREET_M = 3_000.0
"""Ways of one name that are further apart are different streets."""
_ROUNDED = 3
CountryAt = Callable[[float, float], str | None]


def address_lines(content: ExtractContent, country_at: CountryAt) -> Iterator[str]:
    """Yield the addresses, then the streets, as GeoJSON features.

    Shops and flats repeat the address of their building, which is yielded once, with a postal code if any has one.
    `country_at` returns the country code of a latitude and longitude.
    """
    completion = TownCompletion(content.addresses, content.towns, country_at, content.country)
    seen: set[tuple[str, str, float, float]] = set()
    for address in sorted(content.addresses, key=lambda address: "postcode" not in address.tags):
        tags = completion.complete(address)
        for number in _numbers(address.tags["housenumber"]):
            building = (tags["street"], number.casefold(), round(address.lng, 2), round(address.lat, 2))
            if building not in seen:
                seen.add(building)
                yield _line(tags | {"housenumber": number}, address.lng, address.lat)
    for name, points in content.streets.items():
        for lng, lat in _separate_streets(points):
            street = ExtractAddress({"street": name}, lng, lat)
            yield _line(completion.complete(street), lng, lat)


def _numbers(text: str) -> list[str]:
    """Split a tag into single numbers. `12;14` are two."""
    return [number for part in text.replace(",", ";").split(";") if (number := part.strip())][:20]


def _line(tags: Mapping[str, str], lng: float, lat: float) -> str:
    properties = {f"addr:{name}": value for name, value in tags.items() if value}
    geometry = {"type": "Point", "coordinates": [lng, lat]}
    return json.dumps({"type": "Feature", "properties": properties, "geometry": geometry}, ensure_ascii=False)


def _separate_streets(points: Sequence[Point]) -> list[Point]:
    """Return the middle of each street of one name."""
    groups: list[list[Point]] = []
    for point in points:
        near = next((group for group in groups if _metres(group[0], point) <= SAME_STREET_M), None)
        if near is None:
            groups.append([point])
        else:
            near.append(point)
    return [min(group, key=lambda point: _metres(point, _median(group))) for group in groups]


def _median(points: Sequence[Point]) -> Point:
    return median(x for x, _ in points), median(y for _, y in points)


def _metres(one: Point, other: Point) -> float:
    return great_circle_m((one[1], one[0]), (other[1], other[0]))


class TownCompletion:
    """Completes addresses without a town or country."""

    def __init__(
        self,
        addresses: Iterable[ExtractAddress],
        towns: Sequence[ExtractTown],
        country_at: CountryAt,
        country: str | None,
    ) -> None:
        self._points = [town for town in towns if not town.rings]
        self._areas = sorted((town for town in towns if town.rings), key=lambda town: town.level != 8)
        self._boxes = [_box(town) for town in self._areas]
        self._country_at, self._country = country_at, country
        by_code: defaultdict[str, Counter[str]] = defaultdict(Counter)
        countries: Counter[str] = Counter()
        cities: Counter[str] = Counter()
        for address in addresses:
            city, code = address.tags.get("city"), address.tags.get("postcode")
            countries.update(filter(None, (address.tags.get("country"),)))
            cities.update(filter(None, (city,)))
            if city and code:
                by_code[code][city] += 1
        self._town_of_code = {code: found.most_common(1)[0][0] for code, found in by_code.items()}
        self._usual_country = countries.most_common(1)[0][0] if countries else None
        self._usual_city = cities.most_common(1)[0][0] if cities else ""
        self.country = lru_cache(maxsize=10_000)(self._country_of)
        self.nearest = lru_cache(maxsize=100_000)(self._nearest)

    def complete(self, address: ExtractAddress) -> dict[str, str]:
        """Return the tags of an address with street, town and country."""
        tags = {name: address.tags[name] for name in _KEPT if name in address.tags}
        tags["street"] = address.tags.get("street") or address.tags.get("place", "")
        if "state" in tags:
            tags["region"] = tags.pop("state")
        place = (round(address.lng, _ROUNDED), round(address.lat, _ROUNDED))
        if not any(letter.isalpha() for letter in tags.get("city", "")):
            tags["city"] = self._town_of_code.get(tags.get("postcode", "")) or self.nearest(*place)
        if "country" not in tags:
            tags["country"] = self.country(round(place[0], 2), round(place[1], 2))
        tags["country"] = tags["country"][:2].upper()
        return tags

    def _country_of(self, lng: float, lat: float) -> str:
        return self._country_at(lat, lng) or self._country or self._usual_country or ""

    def _nearest(self, lng: float, lat: float) -> str:
        for town, box in zip(self._areas, self._boxes, strict=True):
            if box[0] <= lng <= box[2] and box[1] <= lat <= box[3] and _is_within(town, (lng, lat)):
                return town.name
        near = min(self._points, key=lambda town: _metres((town.lng, town.lat), (lng, lat)), default=None)
        return self._usual_city if near is None else near.name


_KEPT = ("city", "postcode", "country", "unit", "region", "state")


def _box(town: ExtractTown) -> tuple[float, float, float, float]:
    xs = [x for ring in town.rings for x, _ in ring]
    ys = [y for ring in town.rings for _, y in ring]
    return min(xs), min(ys), max(xs), max(ys)


def _is_within(town: ExtractTown, point: Point) -> bool:
    x, y = point
    crossings = sum(
        (a[1] > y) != (b[1] > y) and x < (b[0] - a[0]) * (y - a[1]) / (b[1] - a[1]) + a[0]
        for ring in town.rings
        for a, b in pairwise(ring)
    )
    return crossings % 2 == 1
