"""Geocoding of dataset records by addresses in the format of their country."""

from typing import Any

from tests.contexts.datasets.makers import add, import_file, make_dataset
from tests.support.app import App

from haulier.contexts.places.public import (
    AddressText,
    Geocoder,
    GeocoderUnavailable,
    LocatedPlace,
    Quality,
    import_open_data,
)

ADDRESSES = """LON,LAT,NUMBER,STREET,UNIT,CITY,DISTRICT,REGION,POSTCODE,ID,HASH
-79.38,43.64,1,Front St,,Toronto,,ON,M5V 2T6,,
-79.39,43.65,9,Front St,,Toronto,,ON,M5V 2T6,,
"""
PARTS: dict[str, Any] = {
    "type": "object",
    "required": ["code"],
    "properties": {name: {"type": "string"} for name in ("code", "street", "town", "zip", "country")},
}


class Server:
    """A geocoder that knows every address unless it is down, and records requests."""

    name = "server"

    def __init__(self) -> None:
        self.away = False
        self.asked: list[AddressText] = []

    async def locate(self, address: AddressText) -> LocatedPlace | None:
        if self.away:
            raise GeocoderUnavailable("away")
        self.asked.append(address)
        return LocatedPlace(5.0, 6.0, Quality.ROOFTOP, "server")


async def know(app: App) -> None:
    """Two houses of a street in Toronto, as open data."""
    await import_open_data(app.database, ADDRESSES.splitlines(keepends=True), source="test", country="CA")


async def places(app: App, dataset_id: int) -> dict[str, tuple[str, str | None, float | None]]:
    """Return source, precision or failure, and latitude of each record by code."""
    answer = await app.answer("admin", "search_dataset_records", {"dataset_id": dataset_id})
    return {
        each.values["code"]: (each.place, each.place_quality or each.place_fault, each.lat) for each in answer.records
    }


async def geocoding(app: App, geocoding_id: int) -> Any:
    """Return the progress of a geocoding job."""
    return (await app.answer("admin", "get_dataset_geocoding", {"geocoding_id": geocoding_id})).geocoding


async def test_each_record_states_the_source_of_its_coordinates(app: App) -> None:
    await know(app)
    dataset_id = await make_dataset(app, address_country="CA")
    rows = [
        "code,address,lat,lng",
        'A,"1 Front St, Toronto, ON M5V 2T6",,',
        "B,1 Front Street Toronto,,",
        'C,"5 Front St, Toronto",,',
        "D,Toronto,,",
        'E,"12 Nowhere Rd, Nowheretown",,',
        'F,"1 Front St, Toronto",10,20',
        "G,,,",
        "H,10115 Berlin Germany,,",
    ]
    await import_file(app, dataset_id, "csv", "\n".join(rows))
    await app.work_off()
    found = await places(app, dataset_id)
    assert found.pop("D")[:2] == ("approximate", "town")
    assert found == {
        "A": ("exact", "rooftop", 43.64),
        "B": ("exact", "rooftop", 43.64),
        "C": ("approximate", "street", 43.64),
        "E": ("not_found", "unknown", None),
        "F": ("given", None, 10.0),
        "G": ("not_found", "no_address", None),
        "H": ("not_found", "unknown", None),
    }


async def test_fields_named_like_address_parts_are_used_as_address(app: App) -> None:
    await know(app)
    dataset_id = await make_dataset(
        app, record_schema=PARTS, indexed_fields=[], address_fields=["street", "town", "zip", "country"]
    )
    await add(
        app,
        dataset_id,
        {"code": "A", "street": "1 Front St", "zip": "m5v2t6", "country": "Kanada"},
        {"code": "B", "street": "9 Front St", "town": "Toronto", "country": "CA"},
        {"code": "C", "street": "9 Front St", "town": "Toronto"},
    )
    await app.work_off()
    assert await places(app, dataset_id) == {
        "A": ("exact", "rooftop", 43.64),
        "B": ("exact", "rooftop", 43.65),
        "C": ("not_found", "no_country", None),
    }


async def test_a_changed_address_is_geocoded_again_and_an_unchanged_one_is_not(app: App) -> None:
    await know(app)
    dataset_id = await make_dataset(app, address_country="CA")
    first, second = await add(
        app,
        dataset_id,
        {"code": "A", "address": "9 Front St, Toronto"},
        {"code": "B", "address": "1 Front St, Toronto"},
    )
    await app.work_off()
    for record_id, values in ((first, {"address": "1 Front St, Toronto"}), (second, {"bays": 3})):
        await app.answer(
            "admin", "update_dataset_record", {"dataset_id": dataset_id, "record_id": record_id, "values": values}
        )
    here = ("exact", "rooftop", 43.64)
    assert await places(app, dataset_id) == {"A": ("none", None, None), "B": here}
    await app.work_off()
    assert await places(app, dataset_id) == {"A": here, "B": here}


async def test_failed_addresses_are_geocoded_again_on_request(app: App) -> None:
    dataset_id = await make_dataset(app, address_country="CA")
    await add(app, dataset_id, {"code": "A", "address": "1 Front St, Newtown"})
    await app.work_off()
    await import_open_data(
        app.database, ADDRESSES.replace("Toronto", "Newtown").splitlines(keepends=True), source="test", country="CA"
    )
    begun = await app.answer("admin", "geocode_dataset", {"dataset_id": dataset_id})
    await app.work_off()
    assert (begun.waiting, (await places(app, dataset_id))["A"][0]) == (0, "not_found")
    again = {"dataset_id": dataset_id, "again": True}
    await app.call("admin", "geocode_dataset", again, dry_run=True)
    await app.work_off()
    assert (await places(app, dataset_id))["A"][0] == "not_found", "a dry run looks for nothing"
    begun = await app.answer("admin", "geocode_dataset", again)
    await app.work_off()
    assert (begun.waiting, (await places(app, dataset_id))["A"][0]) == (1, "exact")


async def test_geocoding_reports_progress_and_can_be_stopped(app: App) -> None:
    await know(app)
    dataset_id = await make_dataset(app, address_country="CA", address_fields=[])
    await add(
        app,
        dataset_id,
        {"code": "A", "address": "1 Front St, Toronto"},
        {"code": "B", "address": "Toronto"},
        {"code": "C", "address": "12 Nowhere Rd, Nowheretown"},
    )
    await app.answer("admin", "update_dataset", {"dataset_id": dataset_id, "address_fields": ["address"]})
    stopped = (await app.answer("admin", "geocode_dataset", {"dataset_id": dataset_id})).geocoding_id
    await app.answer("admin", "cancel_dataset_geocoding", {"geocoding_id": stopped})
    await app.work_off()
    assert {place for place, _, _ in (await places(app, dataset_id)).values()} == {"none"}
    begun = (await app.answer("admin", "geocode_dataset", {"dataset_id": dataset_id})).geocoding_id
    states = [await geocoding(app, stopped), await geocoding(app, begun)]
    await app.work_off()
    over = await geocoding(app, begun)
    assert [(each.state, each.total, each.done) for each in (*states, over)] == [
        ("cancelled", 3, 0),
        ("queued", 3, 0),
        ("partly_done", 3, 3),
    ]
    assert (over.exact, over.approximate, over.not_found) == (1, 1, 1)
    refused = await app.call("admin", "cancel_dataset_geocoding", {"geocoding_id": begun})
    assert refused.error
    assert refused.error["code"] == "DATASET_GEOCODING_IS_OVER"


async def test_an_unavailable_geocoder_is_retried_without_double_counting(app: App) -> None:
    server = app.application.adapters[Geocoder] = Server()
    dataset_id = await make_dataset(app, address_country="CA")
    await add(app, dataset_id, {"code": "A", "address": "12 Nowhere Rd, Nowheretown"})
    await app.work_off()
    assert [each.address for each in server.asked] == ["12 Nowhere Rd"]
    assert await places(app, dataset_id) == {"A": ("exact", "rooftop", 5.0)}
    server.away = True
    await add(app, dataset_id, {"code": "B", "address": "13 Nowhere Rd, Nowheretown"})
    await app.work_off()
    assert (await places(app, dataset_id))["B"][0] == "none"
    server.away = False
    app.clock.forward(hours=1)
    await app.work_off()
    assert await places(app, dataset_id) == {"A": ("exact", "rooftop", 5.0), "B": ("exact", "rooftop", 5.0)}
