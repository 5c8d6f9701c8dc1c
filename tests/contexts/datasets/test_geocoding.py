"""Records of datasets are placed by their addresses, by whoever knows addresses."""

from collections.abc import Sequence

from tests.contexts.datasets.makers import a_dataset, add, import_file
from tests.support.app import App

from haulier.contexts.datasets.ports import PlaceFound, RecordGeocoder
from haulier.kernel.call import Call


class Gazetteer:
    """Knows two addresses."""

    available = True
    known = {"1 Front St": PlaceFound(43.64, -79.38, True), "Toronto": PlaceFound(43.7, -79.4, False)}

    async def find_places(self, call: Call, addresses: Sequence[str]) -> list[PlaceFound | None]:
        return [self.known.get(address) for address in addresses]


async def places(app: App, dataset_id: int) -> dict[str, tuple[str, float | None]]:
    answer = await app.answer("admin", "search_dataset_records", {"dataset_id": dataset_id})
    return {record.values["code"]: (record.place, record.lat) for record in answer.records}


async def test_each_record_says_how_it_came_by_its_place(app: App) -> None:
    app.application.adapters[RecordGeocoder] = Gazetteer()
    dataset_id = await a_dataset(app)
    rows = "code,address,lat,lng\nA,1 Front St,,\nB,Toronto,,\nC,Nowhere,,\nD,1 Front St,10,20\nE,,,\n"
    await import_file(app, dataset_id, "csv", rows)
    await app.work_off()
    assert await places(app, dataset_id) == {
        "A": ("exact", 43.64),
        "B": ("approximate", 43.7),
        "C": ("not_found", None),
        "D": ("given", 10.0),
        "E": ("not_found", None),
    }


async def test_a_changed_address_is_looked_for_again_and_a_kept_one_is_not(app: App) -> None:
    app.application.adapters[RecordGeocoder] = Gazetteer()
    dataset_id = await a_dataset(app)
    first, second = await add(
        app, dataset_id, {"code": "A", "address": "Toronto"}, {"code": "B", "address": "1 Front St"}
    )
    await app.work_off()
    for record_id, values in ((first, {"address": "1 Front St"}), (second, {"bays": 3})):
        await app.answer(
            "admin", "update_dataset_record", {"dataset_id": dataset_id, "record_id": record_id, "values": values}
        )
    assert await places(app, dataset_id) == {"A": ("none", None), "B": ("exact", 43.64)}
    await app.work_off()
    assert await places(app, dataset_id) == {"A": ("exact", 43.64), "B": ("exact", 43.64)}


async def test_what_was_not_found_is_looked_for_again_when_asked(app: App) -> None:
    app.application.adapters[RecordGeocoder] = gazetteer = Gazetteer()
    dataset_id = await a_dataset(app)
    await add(app, dataset_id, {"code": "A", "address": "9 New Rd"})
    await app.work_off()
    gazetteer.known = {"9 New Rd": PlaceFound(1.0, 2.0, True)}
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


async def test_without_anybody_who_knows_addresses_it_says_so(app: App) -> None:
    from haulier.adapters.record_geocoder import NoRecordGeocoder

    app.application.adapters[RecordGeocoder] = NoRecordGeocoder()
    answer = await app.call("admin", "geocode_dataset", {"dataset_id": await a_dataset(app)})
    assert (answer.status, answer.error["code"]) == (409, "GEOCODING_UNAVAILABLE")
