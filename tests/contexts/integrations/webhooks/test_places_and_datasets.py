"""Events of addresses, places, zones and datasets: one each, and one per import."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest
from tests.contexts.datasets.makers import add, make_dataset
from tests.contexts.integrations.webhooks.makers import make_endpoint, make_local_receiver
from tests.contexts.places.examples import ADDRESS
from tests.contexts.places.zone_makers import UNION, import_and_read, make_point
from tests.contexts.places.zone_maps.steps import make_map, publish, put
from tests.support.app import App


class Heard:
    """New messages of a receiver: subject, event and data."""

    def __init__(self, app: App, receiver: Any) -> None:
        self._app, self._receiver = app, receiver

    async def list(self) -> list[tuple[str, str, dict[str, Any]]]:
        await self._app.work_off()
        told = [message.document for message in self._receiver.received]
        self._receiver.received.clear()
        return sorted((each["subject"], each["event"], each["data"]) for each in told)


@pytest.fixture
def receiver(app: App) -> Iterator[Any]:
    with make_local_receiver(app) as receiver:
        yield receiver


@pytest.fixture
async def heard(app: App, receiver: Any) -> Heard:
    await make_endpoint(app, receiver.url(), "*")
    return Heard(app, receiver)


async def test_address_events_are_delivered(app: App, heard: Heard) -> None:
    def told(address_id: int, change: str, **words: Any) -> tuple[str, str, dict[str, Any]]:
        data = {"address_id": address_id, "change": change, "merged_into": None, **words}
        return f"address:{address_id}", "address.changed", data

    first, second = [(await app.answer("admin", "create_address", ADDRESS)).address.id for _ in range(2)]
    assert await heard.list() == [told(first, "created"), told(second, "created")]
    await app.answer("admin", "update_address", {"address_id": first, "unit": "4"})
    assert await heard.list() == [told(first, "changed")]
    await app.answer("admin", "merge_addresses", {"address_id": first, "duplicate_ids": [second]})
    assert await heard.list() == [told(first, "changed"), told(second, "removed", merged_into=first)]
    await app.answer("admin", "delete_address", {"address_id": first}, dry_run=True)
    assert await heard.list() == []
    await app.answer("admin", "delete_address", {"address_id": first})
    assert await heard.list() == [told(first, "removed")]


async def test_an_address_import_sends_one_event(app: App, heard: Heard) -> None:
    file = "name,address,city,country\nAda,1 King St,Toronto,CA\nBob,,Toronto,CA\n"
    asked = {"document": b64encode(file.encode()).decode()}
    import_id = (await app.answer("admin", "import_addresses", asked)).import_id
    counts = {"created": 1, "updated": 0, "refused": 1, "check_only": False}
    expected = (f"address_import:{import_id}", "address_import.finished", {"import_id": import_id, **counts})
    assert await heard.list() == [expected]


async def test_events_of_points_of_interest_and_their_imports_are_delivered(app: App, heard: Heard) -> None:
    point = await make_point(app)
    data = {"point_of_interest_id": point.id}
    asked = {**data, "name": "Lockers", "category": "locker", "lat": UNION[0], "lng": UNION[1]}
    for change, operation, values in (
        ("created", None, {}),
        ("changed", "update_point_of_interest", asked),
        ("removed", "delete_point_of_interest", data),
    ):
        if operation:
            await app.answer("admin", operation, values)
        told = (f"point_of_interest:{point.id}", "point_of_interest.changed", {**data, "change": change})
        assert await heard.list() == [told]
    features = [{"type": "Feature", "properties": {"name": "A", "category": "dock"}, "geometry": None}, {}]
    features[0]["geometry"] = {"type": "Point", "coordinates": [UNION[1], UNION[0]]}
    document = {"type": "FeatureCollection", "features": features}
    done, _ = await import_and_read(app, "/v1/points-of-interest/imports", document, "application/geo+json")
    counts = {"created": 1, "updated": 0, "refused": 1, "zone_map_id": None, "check_only": False}
    imported = {"place_import_id": done.id, "kind": "points_of_interest", **counts}
    assert await heard.list() == [(f"place_import:{done.id}", "place_import.finished", imported)]


async def test_zone_map_events_are_delivered(app: App, heard: Heard) -> None:
    zone_map_id = await make_map(app)
    await put(app, zone_map_id, "a")
    assert await heard.list() == []
    subject, data = f"zone_map:{zone_map_id}", {"zone_map_id": zone_map_id}
    await publish(app, zone_map_id)
    assert await heard.list() == [(subject, "zone_map.published", {**data, "version": 1, "archived": False})]
    await app.answer("admin", "roll_back_zone_map", {**data, "version": 0})
    assert await heard.list() == [(subject, "zone_map.published", {**data, "version": 2, "archived": False})]
    await app.answer("admin", "archive_zone_map", data)
    assert await heard.list() == [(subject, "zone_map.published", {**data, "version": 3, "archived": True})]


async def test_events_of_datasets_records_and_imports_are_delivered(app: App, heard: Heard) -> None:
    dataset_id = await make_dataset(app)
    dataset, data = f"dataset:{dataset_id}", {"dataset_id": dataset_id}
    assert await heard.list() == [(dataset, "dataset.changed", {**data, "change": "created"})]
    await app.answer("admin", "update_dataset", {**data, "name": "Other"})
    assert await heard.list() == [(dataset, "dataset.changed", {**data, "change": "changed"})]
    (record_id,) = await add(app, dataset_id, {"code": "D-1"})
    record, named = f"dataset_record:{record_id}", {**data, "record_id": record_id}
    assert await heard.list() == [(record, "dataset_record.changed", {**named, "change": "created"})]
    await app.answer("admin", "update_dataset_record", {**named, "values": {"bays": 3}})
    assert await heard.list() == [(record, "dataset_record.changed", {**named, "change": "changed"})]
    await app.answer("admin", "delete_dataset_record", named)
    assert await heard.list() == [(record, "dataset_record.changed", {**named, "change": "removed"})]
    file = {**data, "format": "csv", "content": "code,bays\nD-1,4\nD-2,none\n"}
    import_id = (await app.answer("admin", "import_dataset_records", file)).dataset_import.id
    counts = {"created": 1, "updated": 0, "refused": 1, "check_only": False}
    told = (f"dataset_import:{import_id}", "dataset_import.finished", {**data, "import_id": import_id, **counts})
    assert await heard.list() == [told]
    await app.answer("admin", "delete_dataset", data, confirmed=True)
    assert await heard.list() == [(dataset, "dataset.changed", {**data, "change": "removed"})]
