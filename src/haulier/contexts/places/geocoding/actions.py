"""Writes of geocoding for other families."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from haulier.contexts.places.geocoding import store
from haulier.contexts.places.geocoding.queries import locate_offline, open_owner
from haulier.contexts.places.geocoding.rules.open_files import (
    OpenAddressRecord,
    OpenRecord,
    open_address_values,
    open_place_values,
    read_open_file,
)
from haulier.contexts.places.geocoding.rules.words import is_corrected, place_keys
from haulier.contexts.places.ports import AddressText, Geocoder, GeocoderUnavailable, LocatedPlace, Quality
from haulier.kernel.call import Call
from haulier.kernel.data.table_statistics import refresh_statistics
from haulier.kernel.data.unit_of_work import Database
from haulier.kernel.job_run import JobRun
from haulier.kernel.values.words import fold_words

ROWS_PER_TRANSACTION = 2_000


class OpenDataCounts(Struct):
    """Counts of an import.

    Rows of addresses, of postal codes, and rows without a place.
    """

    addresses: int = 0
    places: int = 0
    skipped: int = 0


async def import_open_data(
    database: Database,
    lines: Iterable[str],
    *,
    source: str,
    country: str | None,
    progress: Callable[[OpenDataCounts], None] = lambda counts: None,
) -> OpenDataCounts:
    """Import an open data file, replacing earlier data of the same source.

    Raises `ValueError` for an unknown format. Import an interrupted file again from the start.
    """
    counts, records = OpenDataCounts(), read_open_file(lines, country)
    first = await asyncio.to_thread(_some, records)
    async with database.write(None) as work:
        await store.delete_open_data(work, source)
    while first:
        rows = await asyncio.to_thread(_values, first, source)
        async with database.write(None) as work:
            await store.insert_open_addresses(work, rows[0])
            await store.insert_open_places(work, rows[1])
            for country, words in _corrected_words(first).items():
                await store.insert_open_spellings(work, country, words)
        counts.addresses += len(rows[0])
        counts.places += len(rows[1])
        counts.skipped += len(first) - len(rows[0]) - len(rows[1])
        progress(counts)
        first = await asyncio.to_thread(_some, records)
    async with database.write(None) as work:
        await refresh_statistics(work, store.open_addresses, store.open_places)
    return counts


def _some(records: Iterator[OpenRecord | None]) -> list[OpenRecord | None]:
    return list(islice(records, ROWS_PER_TRANSACTION))


def _corrected_words(records: Iterable[OpenRecord | None]) -> dict[str, set[str]]:
    """Return the words of addresses in which typos are corrected, by country."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for record in records:
        if isinstance(record, OpenAddressRecord):
            found[record.country].update(filter(is_corrected, fold_words(record.street, record.city)))
    return dict(found)


def _values(records: Sequence[OpenRecord | None], source: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    addresses = [
        open_address_values(record, source, open_owner(record.country))
        for record in records
        if isinstance(record, OpenAddressRecord)
    ]
    others = [record for record in records if record is not None and not isinstance(record, OpenAddressRecord)]
    return addresses, [open_place_values(record, source) for record in others]


async def list_open_sources(database: Database, prefix: str) -> list[str]:
    """Return the imported sources whose names have a prefix."""
    async with database.read(None) as work:
        return await store.list_open_sources(work, prefix)


async def remove_open_data(database: Database, source: str) -> None:
    """Delete the imported data of a source."""
    async with database.write(None) as work:
        await store.delete_open_data(work, source)


DELIVERY, PIN = "delivery", "pin"
_LEARN_RANK = {PIN: 0, DELIVERY: 1}
"""Rank of sources: a manual location, then a delivery, then any geocoder."""


async def record_place(call: Call, address: AddressText, place: LocatedPlace, *, order_id: int | None = None) -> None:
    """Store the location of an address for reuse.

    A location from a better source is retained. `order_id` is the order it was learned from: erasing the order erases
    it here.
    """
    keys = place_keys(address.country, address.city, address.address, address.postal_code)
    known = await store.get_known_places(call.work, keys)
    rank = _LEARN_RANK.get(place.source, len(_LEARN_RANK))
    rows = [
        {
            "place_key": key,
            "lat": place.lat,
            "lng": place.lng,
            "quality": place.quality,
            "source": place.source[:40],
            "order_id": order_id,
            "learned_at": call.now,
        }
        for key in keys
        if key not in known or rank <= _LEARN_RANK.get(known[key].source, len(_LEARN_RANK))
    ]
    await store.write_known_places(call.work, rows)


async def record_pin(call: Call, address: AddressText, lat: float, lng: float, order_id: int) -> None:
    """Keep where a person says that the address of an order is."""
    await record_place(call, address, LocatedPlace(lat, lng, Quality.PIN, PIN), order_id=order_id)


async def record_delivery_place(call: Call, address: AddressText, lat: float, lng: float, order_id: int) -> None:
    """Keep where an order for an address was handed over."""
    await record_place(call, address, LocatedPlace(lat, lng, Quality.ROOFTOP, DELIVERY), order_id=order_id)


LAST_ATTEMPT = 6
"""Number of the attempt that continues without the geocoder, so that missing locations are reported."""
_LOCATE_RANK = {quality: rank for rank, quality in enumerate(Quality)}


async def locate_addresses(run: JobRun, addresses: Sequence[AddressText]) -> list[LocatedPlace | None]:
    """Return the location of each address, or None.

    Known locations first, then the geocoder for addresses without a known street. Raises `GeocoderUnavailable` after
    storing the results so far. The job is then retried, and its last attempt runs without the geocoder.
    """
    return await locate_readings(run, [[address] for address in addresses])


async def locate_readings(run: JobRun, readings: Sequence[Sequence[AddressText]]) -> list[LocatedPlace | None]:
    """Return the location of addresses with several readings.

    The most precise result counts, and the first of equals. Only the likeliest reading is sent to the geocoder. Raises
    as `locate_addresses`.
    """
    every = list(dict.fromkeys(address for ways in readings for address in ways))
    async with run.call() as call:
        known = dict(zip(every, await locate_offline(call, every), strict=True))
        geocoder = call.adapter(Geocoder)
    found = [_best(known[address] for address in ways) for ways in readings]
    if geocoder.name is None:
        return found
    try:
        for index, ways in enumerate(readings):
            place = found[index]
            if ways and (place is None or not place.quality.is_drivable):
                found[index] = _best((await _geocode(run, geocoder, ways[0]), place))
    except GeocoderUnavailable:
        if run.attempt < LAST_ATTEMPT:
            raise
    return found


def _best(places: Iterable[LocatedPlace | None]) -> LocatedPlace | None:
    return min((place for place in places if place), key=lambda place: _LOCATE_RANK[place.quality], default=None)


async def _geocode(run: JobRun, geocoder: Geocoder, address: AddressText) -> LocatedPlace | None:
    place = await geocoder.locate(address)
    if place and place.quality.is_drivable:
        async with run.call() as call:
            await record_place(call, address, place)
    return place
