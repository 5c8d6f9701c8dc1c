"""Where addresses are, by what this database knows: the business's own deliveries and pins, then open data."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from haulier.contexts.places.geocoding.queries.towns import find_packaged_town
from haulier.contexts.places.geocoding.rules.nearness import are_one_place, middle, nearest_house
from haulier.contexts.places.geocoding.rules.words import code_keys, place_keys, street_keys, town_key
from haulier.contexts.places.geocoding.store import known_places, open_data
from haulier.contexts.places.ports import AddressText, LocatedPlace, Quality
from haulier.kernel.call import Call

OPEN_DATA = "open_data"
Found = dict[AddressText, LocatedPlace]


async def locate_offline(call: Call, addresses: Sequence[AddressText]) -> list[LocatedPlace | None]:
    """Where each address is, as exactly as this database knows; None for one of which it does not even know the town.

    In a number of statements that depends on how many countries there are, and not on how many addresses.
    """
    found: Found = {}
    for search in (_known, _houses, _streets, _postal_codes_and_towns):
        left = [address for address in dict.fromkeys(addresses) if address not in found]
        if left:
            found |= await search(call, left)
    left = [address for address in dict.fromkeys(addresses) if address not in found]
    # Why in a thread: a country's towns are read when it is first asked for, which takes a tenth of a second.
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
    known = await known_places.get_known_places(call.work, _all_keys(addresses, _keys))
    rows = {address: next((known[key] for key in _keys(address) if key in known), None) for address in addresses}
    return {
        address: LocatedPlace(row.lat, row.lng, Quality(row.quality), row.source)
        for address, row in rows.items()
        if row
    }


async def _houses(call: Call, addresses: Sequence[AddressText]) -> Found:
    """The houses themselves. Several rows are flats of one; where they lie apart, the address means a street of that name."""
    rows = await open_data.find_open_addresses(call.work, _all_keys(addresses, _keys))
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
    rows = await open_data.find_houses_of_streets(call.work, _all_keys(addresses, _street_keys))
    by_key = _by_keys(rows, ("street_code_key", "street_town_key"))
    found: Found = {}
    for address in addresses:
        if houses := next((by_key[key] for key in _street_keys(address) if key in by_key), None):
            place = nearest_house(address.address, [(row.address, (row.lat, row.lng)) for row in houses])
            found[address] = LocatedPlace(*place, Quality.STREET, OPEN_DATA)
    return found


def _by_keys(
    rows: Iterable[open_data.OpenAddressRow], names: Sequence[str]
) -> Mapping[str, list[open_data.OpenAddressRow]]:
    by_key: defaultdict[str, list[open_data.OpenAddressRow]] = defaultdict(list)
    for row in rows:
        for name in names:
            if key := getattr(row, name):
                by_key[key].append(row)
    return dict(by_key)


async def _postal_codes_and_towns(call: Call, addresses: Sequence[AddressText]) -> Found:
    """The middle of an address's postal code, or of its town: the largest of that name."""
    found: Found = {}
    for country in sorted({address.country for address in addresses}):
        here = [address for address in addresses if address.country == country]
        keys = _all_keys(
            here, lambda address: [*code_keys(address.country, address.postal_code), town_key(address.city)]
        )
        rows = await open_data.find_open_places(call.work, country, keys)
        places = {(row.kind, row.key): row for row in sorted(rows, key=lambda row: row.population)}
        for address in here:
            codes = [(Quality.POSTAL_CODE, key) for key in code_keys(country, address.postal_code)]
            for quality, key in (*codes, (Quality.TOWN, town_key(address.city))):
                if row := places.get((quality.value, key)):
                    found[address] = LocatedPlace(row.lat, row.lng, quality, OPEN_DATA)
                    break
    return found
