"""Open data imports, and the precision of found addresses."""

import json
from typing import Any

import pytest
from tests.contexts.places.makers import CSV
from tests.support.app import App

from haulier.contexts.places.geocoding.actions import import_open_data
from haulier.contexts.places.public import AddressText, LocatedPlace, locate_offline
from haulier.kernel.call import call_as_system

GEONAMES = "CA\tM5V\tToronto (Downtown)\tOntario\tON\t\t\t\t\t43.6404\t-79.3995\t6\n"
TYPE = {"type": "Feature"}
OSM = {
    **TYPE,
    "properties": {
        "addr:housenumber": "5",
        "addr:street": "Hauptstraße",
        "addr:city": "Köln",
        "addr:postcode": "50667",
    },
    "geometry": {"type": "Polygon", "coordinates": [[[6.95, 50.93], [6.97, 50.93], [6.97, 50.95], [6.95, 50.95]]]},
}
OPEN = {
    **TYPE,
    "properties": {"number": "7", "street": "Ring", "city": "Köln", "postcode": "50667"},
    "geometry": {"type": "Point", "coordinates": [6.9, 50.9]},
}


async def imported(app: App, text: str, country: str | None, source: str = "file") -> tuple[int, int, int]:
    counts = await import_open_data(app.database, text.splitlines(keepends=True), source=source, country=country)
    return counts.addresses, counts.places, counts.skipped


async def located(app: App, *address: Any) -> LocatedPlace | None:
    async with app.database.read(app.clients["demo"]) as work:
        call = await call_as_system(app.application, app.clients["demo"], work)
        (place,) = await locate_offline(call, [AddressText(*address)])
    return place


async def test_an_address_is_found_with_the_precision_of_the_open_data(app: App) -> None:
    assert await imported(app, CSV, "CA") == (3, 0, 1)
    assert await imported(app, GEONAMES, None, "codes") == (0, 1, 0)
    for address, expected in (
        (("CA", "100 queen st w", "Toronto"), (43.6534, -79.3841, "rooftop")),
        (("CA", "100 Queen Street West", "Old Toronto", "ON", "m5h2n2"), (43.6534, -79.3841, "rooftop")),
        (("CA", "190 Queen St W", "Toronto"), (43.651, -79.3901, "street")),
        (("CA", "9 Unknown Rd", "Toronto", None, "M5V 2T6"), (43.6404, -79.3995, "postal_code")),
        (("CA", "9 Unknown Rd", "Toronto"), (43.706, -79.399, "town")),
    ):
        place = await located(app, *address)
        assert place, address
        assert (place.lat, place.lng, place.quality) == expected, address
    assert await located(app, "CA", "9 Unknown Rd", "Atlantis") is None


async def test_files_in_every_known_format_are_read(app: App) -> None:
    lines = f"{json.dumps(OPEN)}\n{json.dumps(OSM)}\n"
    whole = json.dumps({"type": "FeatureCollection", "features": [OSM, OPEN]}, indent=1)
    for text in (lines, whole):
        assert await imported(app, text, "DE") == (2, 0, 0), text
        place = await located(app, "DE", "Hauptstr. 5", "Köln")
        assert place
        assert (round(place.lat, 4), round(place.lng, 4), place.quality) == (50.94, 6.96, "rooftop")
    with pytest.raises(ValueError, match="neither OpenAddresses"):
        await imported(app, "a,b\n1,2\n", "DE")
    with pytest.raises(ValueError, match="name it"):
        await imported(app, CSV, None)


async def test_a_file_replaces_earlier_data_of_its_source(app: App) -> None:
    await imported(app, CSV, "CA")
    await imported(app, "\n".join(CSV.splitlines()[:2]), "CA")
    found = await app.answer("admin", "search_address", {"search": "queen street", "country": "CA"})
    assert [(each.text, each.source) for each in found.addresses] == [
        ("100 Queen Street West, Toronto ON M5H 2N2, CA", "open_data")
    ]


async def test_open_data_is_searched_after_the_address_book(app: App) -> None:
    await imported(app, CSV, "CA")
    own = {"name": "Ada", "address": "100 Queen St W", "city": "Toronto", "country": "CA"}
    await app.answer("admin", "create_address", own)
    await app.work_off()
    found = await app.answer("admin", "search_address", {"search": "queen tor", "country": "CA"})
    assert [each.source for each in found.addresses] == ["address_book", "open_data", "open_data"]
    assert (found.addresses[0].lat, found.addresses[0].quality) == (43.6534, "rooftop")
    assert [
        each.source for each in (await app.answer("admin", "search_address", {"search": "queen tor"})).addresses
    ] == ["address_book"]
