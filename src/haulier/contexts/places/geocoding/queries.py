"""Reads of geocoding for other families.

They say whereabouts an address is, for a person who is to place it, and never where a driver goes.
"""

import asyncio
import gzip
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources

from msgspec import Struct

from haulier.contexts.places.geocoding import store
from haulier.contexts.places.geocoding.rules.open_files import are_one_place, middle, nearest_house
from haulier.contexts.places.geocoding.rules.words import (
    code_keys,
    is_corrected,
    long_form,
    near_words,
    place_keys,
    spelling_keys,
    street_keys,
    town_key,
)
from haulier.contexts.places.geocoding.store import OpenAddressRow as OpenAddress
from haulier.contexts.places.ports import AddressText, LocatedPlace, Quality
from haulier.kernel.call import Call
from haulier.kernel.data.full_text import spelled
from haulier.kernel.values.geography import great_circle_m
from haulier.kernel.values.map_cells import ranges_within

__all__ = ["OpenAddress", "search_open_addresses"]


async def search_open_addresses(
    call: Call, words: Sequence[str], countries: Sequence[str], *, whole: int
) -> list[OpenAddress]:
    """Return addresses of some countries with these words, unordered.

    The first `whole` words must match exactly.
    """
    found: list[OpenAddress] = []
    for country in countries:
        query = spelled(words, open_owner(country), whole=whole, long_form=long_form)
        found += await store.search_open_addresses(call.work, query)
    return found


NEAR_M = (50.0, 250.0)
"""Distances at which the nearest address is searched."""


async def find_nearest_open_address(call: Call, lat: float, lng: float) -> tuple[float, OpenAddress] | None:
    """Return the nearest imported address and its distance in metres.

    A house within the distance comes before the middle of a street.
    """
    for radius in NEAR_M:
        rows = await store.find_open_addresses_around(call.work, lat, lng, ranges_within(lat, lng, radius))
        measured = [(great_circle_m((lat, lng), (row.lat, row.lng)), row) for row in rows]
        inside = [pair for pair in measured if pair[0] <= radius]
        houses = [pair for pair in inside if pair[1].town_key or pair[1].code_key]
        if houses or (inside and radius == NEAR_M[-1]):
            return min(houses or inside, key=lambda pair: (pair[0], pair[1].id))
    return None


MAX_NEAR = 8
"""Maximum number of words searched near a typed one."""


async def search_corrected_open_addresses(
    call: Call, words: Sequence[str], country: str
) -> tuple[list[OpenAddress], Mapping[str, Sequence[str]]]:
    """Return addresses of a country with words one typo away, unordered.

    Also returns the words near each typed one.
    """
    sought = {word: spelling_keys(word) for word in words if is_corrected(word)}
    known = await store.find_open_spellings(call.work, country, {key for keys in sought.values() for key in keys})
    near = {
        word: near_words(word, (row.word for row in known if row.spelling_key in keys))[:MAX_NEAR]
        for word, keys in sought.items()
    }
    if not any(near.values()):
        return [], near
    owner = open_owner(country)
    typed = spelled(words, owner, whole=len(words) - 1, long_form=long_form)
    query = [
        [*spellings, *(f"{owner}{other}" for other in near.get(word, ()))]
        for word, spellings in zip(words, typed, strict=True)
    ]
    return await store.search_open_addresses(call.work, query), near


def open_owner(country: str) -> str:
    """Return the word prefix of a country's open addresses.

    It has the length of a client's prefix and differs from all of them.
    """
    return f"{country.lower():~>5}_"


SOURCE = "towns"


def find_packaged_town(address: AddressText) -> LocatedPlace | None:
    """Return the centre of an address's town, or None if it is not packaged.

    The largest town of that name in its country.
    """
    place = _towns_of(address.country).get(town_key(address.city))
    return place and LocatedPlace(*place, Quality.TOWN, SOURCE)


@cache
def _towns_of(country: str) -> Mapping[str, tuple[float, float]]:
    """Return the towns of a country by key. At most a few thousand, read on first use."""
    towns: dict[str, tuple[int, tuple[float, float]]] = {}
    for line in _lines():
        if line.startswith(f"{country}\t"):
            _, lat, lng, population, *names = line.split("\t")
            for rank, name in enumerate(names):
                # An alternative name of a town ranks below a town of that name.
                size = int(population) if rank == 0 else int(population) // 10
                if size >= towns.get(town_key(name), (0, (0.0, 0.0)))[0]:
                    towns[town_key(name)] = size, (float(lat), float(lng))
    return {key: place for key, (_, place) in towns.items()}


class PackagedTown(Struct, frozen=True):
    """A town, as it is named in a text."""

    name: str
    lat: float
    lng: float


MAX_TOWN_WORDS = 4


def find_town_in_text(text: str, country: str) -> PackagedTown | None:
    """Return the town that a text names last, as in `Main St 5, 10115 Berlin`."""
    towns, words = _towns_of(country), [word for word in re.split(r"[\s,;]+", text) if word]
    for end in range(len(words), 0, -1):
        for start in range(max(0, end - MAX_TOWN_WORDS), end):
            name = " ".join(words[start:end])
            if place := towns.get(town_key(name)):
                return PackagedTown(name, *place)
    return None


def find_packaged_country(lat: float, lng: float) -> str | None:
    """Return the country code of the nearest packaged town within 100 km."""
    near = min(
        _towns_in_cell(int(lat // 1), int(lng // 1)),
        key=lambda town: great_circle_m((lat, lng), town[1]),
        default=None,
    )
    return near[0] if near and great_circle_m((lat, lng), near[1]) <= MAX_TOWN_DISTANCE_M else None


MAX_TOWN_DISTANCE_M = 100_000.0


@lru_cache(maxsize=64)
def _towns_in_cell(lat: int, lng: int) -> list[tuple[str, tuple[float, float]]]:
    """Return country and location of the towns around a square of one degree."""
    found: list[tuple[str, tuple[float, float]]] = []
    for line in _lines():
        country, _, rest = line.partition("\t")
        cells = rest.split("\t", 2)
        if len(cells) == 3 and abs(float(cells[0]) - lat - 0.5) <= 1.5 and abs(float(cells[1]) - lng - 0.5) <= 1.5:
            found.append((country, (float(cells[0]), float(cells[1]))))
    return found


def _lines() -> list[str]:
    document = resources.files("haulier.contexts.places.geocoding").joinpath("towns.tsv.gz").read_bytes()
    return gzip.decompress(document).decode().split("\n")


OPEN_DATA = "open_data"
Found = dict[AddressText, LocatedPlace]


async def locate_offline(call: Call, addresses: Sequence[AddressText]) -> list[LocatedPlace | None]:
    """Return the location of each address as precisely as this database knows it.

    None if even the town is unknown. The number of statements depends on the number of countries, not of addresses.
    """
    found: Found = {}
    for search in (_known, _houses, _streets, _postal_codes_and_towns):
        left = [address for address in dict.fromkeys(addresses) if address not in found]
        if left:
            found |= await search(call, left)
    left = [address for address in dict.fromkeys(addresses) if address not in found]
    # In a thread: reading a country's towns on first use takes a tenth of a second.
    found |= await asyncio.to_thread(_packaged_towns, left) if left else {}
    return [found.get(address) for address in addresses]


def _packaged_towns(addresses: Sequence[AddressText]) -> Found:
    return {address: place for address in addresses if (place := find_packaged_town(address))}


def _keys(address: AddressText) -> list[str]:
    return place_keys(address.country, address.city, address.address, address.postal_code)


def _street_keys(address: AddressText) -> list[str]:
    return street_keys(address.country, address.city, address.address, address.postal_code)


def _all_keys(addresses: Iterable[AddressText], keys: Callable[[AddressText], list[str]]) -> set[str]:
    return {key for address in addresses for key in keys(address)}


async def _known(call: Call, addresses: Sequence[AddressText]) -> Found:
    known = await store.get_known_places(call.work, _all_keys(addresses, _keys))
    rows = {address: next((known[key] for key in _keys(address) if key in known), None) for address in addresses}
    return {
        address: LocatedPlace(row.lat, row.lng, Quality(row.quality), row.source)
        for address, row in rows.items()
        if row
    }


async def _houses(call: Call, addresses: Sequence[AddressText]) -> Found:
    """Return the houses.

    Several rows are flats of one house. If they lie apart, the address means a street of that name.
    """
    rows = await store.find_open_addresses(call.work, _all_keys(addresses, _keys))
    by_key = _by_keys(rows, ("code_key", "town_key"))
    found: Found = {}
    for address in addresses:
        if houses := next((by_key[key] for key in _keys(address) if key in by_key), None):
            points = [(row.lat, row.lng) for row in houses]
            quality = Quality.ROOFTOP if are_one_place(points) else Quality.STREET
            found[address] = LocatedPlace(*middle(points), quality, OPEN_DATA)
    return found


async def _streets(call: Call, addresses: Sequence[AddressText]) -> Found:
    """The nearest house of the same street."""
    rows = await store.find_houses_of_streets(call.work, _all_keys(addresses, _street_keys))
    by_key = _by_keys(rows, ("street_code_key", "street_town_key"))
    found: Found = {}
    for address in addresses:
        if houses := next((by_key[key] for key in _street_keys(address) if key in by_key), None):
            place = nearest_house(address.address, [(row.address, (row.lat, row.lng)) for row in houses])
            found[address] = LocatedPlace(*place, Quality.STREET, OPEN_DATA)
    return found


def _by_keys(rows: Iterable[store.OpenAddressRow], names: Sequence[str]) -> Mapping[str, list[store.OpenAddressRow]]:
    by_key: defaultdict[str, list[store.OpenAddressRow]] = defaultdict(list)
    for row in rows:
        for name in names:
            if key := getattr(row, name):
                by_key[key].append(row)
    return dict(by_key)


async def _postal_codes_and_towns(call: Call, addresses: Sequence[AddressText]) -> Found:
    """Return the centre of an address's postal code, or of its town.

    The largest town of that name.
    """
    found: Found = {}
    for country in sorted({address.country for address in addresses}):
        here = [address for address in addresses if address.country == country]
        keys = _all_keys(
            here, lambda address: [*code_keys(address.country, address.postal_code), town_key(address.city)]
        )
        rows = await store.find_open_places(call.work, country, keys)
        places = {(row.kind, row.key): row for row in sorted(rows, key=lambda row: row.population)}
        for address in here:
            codes = [(Quality.POSTAL_CODE, key) for key in code_keys(country, address.postal_code)]
            for quality, key in (*codes, (Quality.TOWN, town_key(address.city))):
                if row := places.get((quality.value, key)):
                    found[address] = LocatedPlace(row.lat, row.lng, quality, OPEN_DATA)
                    break
    return found
