"""Errors of datasets: names and keys in use, full datasets, ended imports."""

from typing import Any

from tests.contexts.datasets.makers import add, import_file, make_dataset
from tests.invariants.error_scenarios.runner import Attempts
from tests.support.app import App

from haulier.contexts.datasets.datasets.contract import EXAMPLE_SCHEMA
from haulier.contexts.datasets.datasets.store import datasets
from haulier.contexts.datasets.records.actions import MAX_RECORDS


async def scene(app: App) -> dict[str, Any]:
    """Create datasets that have a finished import, are being indexed, or are full."""
    sites = (await app.answer("admin", "create_dataset_group", {"name": "Sites"})).group.id
    spare = (await app.answer("admin", "create_dataset_group", {"name": "Spare"})).group.id
    docks = await make_dataset(app, group_id=sites)
    first, _ = await add(app, docks, {"code": "A"}, {"code": "B"})
    over = (await import_file(app, docks, "csv", "code\nC\n")).dataset_import.id
    placed = (await app.answer("admin", "geocode_dataset", {"dataset_id": docks})).geocoding_id
    await app.work_off()
    indexing = await make_dataset(app, name="Indexing", indexed_fields=[])
    await add(app, indexing, {"code": "A"})
    await app.answer("admin", "update_dataset", {"dataset_id": indexing, "indexed_fields": ["bays"]})
    full = await make_dataset(app, name="Full", address_fields=[])
    async with app.database.write(app.clients["demo"]) as work:
        full_now = datasets.update().where(datasets.c.id == full).values(record_count=MAX_RECORDS)
        await work.run(full_now)
    return {
        "docks": docks, "first": first, "over": over, "sites": sites, "spare": spare, "indexing": indexing, "full": full,
        "placed": placed,
    }  # fmt: skip


def attempts(ids: dict[str, Any]) -> Attempts:
    """Return an attempt for each error."""
    docks, full = {"dataset_id": ids["docks"]}, {"dataset_id": ids["full"]}
    record = {**docks, "record_id": ids["first"]}
    return {
        ("create_dataset", "DATASET_NAME_TAKEN"): ("admin", {"name": "Docks", "record_schema": EXAMPLE_SCHEMA}),
        ("create_dataset", "NOT_FOUND"): ("admin", {"name": "New", "record_schema": EXAMPLE_SCHEMA, "group_id": 9_999}),
        ("update_dataset", "DATASET_NAME_TAKEN"): ("admin", {**full, "name": "Docks"}),
        ("create_dataset_group", "DATASET_GROUP_NAME_TAKEN"): ("admin", {"name": "Sites"}),
        ("update_dataset_group", "DATASET_GROUP_NAME_TAKEN"): ("admin", {"group_id": ids["spare"], "name": "Sites"}),
        ("delete_dataset_group", "DATASET_GROUP_IN_USE"): ("admin", {"group_id": ids["sites"]}),
        ("search_dataset_records", "DATASET_INDEXING"): ("admin", {"dataset_id": ids["indexing"], "sort": "bays"}),
        ("create_dataset_record", "DATASET_KEY_TAKEN"): ("admin", {**docks, "values": {"code": "B"}}),
        ("create_dataset_record", "DATASET_FULL"): ("admin", {**full, "values": {"code": "B"}}),
        ("update_dataset_record", "DATASET_KEY_TAKEN"): ("admin", {**record, "values": {"code": "B"}}),
        ("update_dataset_record", "DATASET_RECORD_CHANGED"): ("admin", {**record, "version": 9}),
        ("geocode_dataset", "DATASET_HAS_NO_ADDRESS"): ("admin", full),
        ("cancel_dataset_geocoding", "DATASET_GEOCODING_IS_OVER"): ("admin", {"geocoding_id": ids["placed"]}),
        ("cancel_dataset_import", "DATASET_IMPORT_IS_OVER"): ("admin", {"import_id": ids["over"]}),
    }
