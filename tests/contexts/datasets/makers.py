"""Datasets to try things on."""

from typing import Any

from tests.support.app import App

from haulier.contexts.datasets.datasets.contract import EXAMPLE_SCHEMA


async def make_dataset(app: App, **changes: Any) -> int:
    """Create a dataset of docks with key `code`, indexed by `bays` and `opened`."""
    values = {
        "name": "Docks",
        "record_schema": EXAMPLE_SCHEMA,
        "key_field": "code",
        "indexed_fields": ["bays", "opened", "name"],
        "address_fields": ["address"],
    }
    return (await app.answer("admin", "create_dataset", values | changes)).dataset.id


async def add(app: App, dataset_id: int, *records: dict[str, Any]) -> list[int]:
    """Records with these values; `lat` and `lng` are their place. Returns their ids."""
    ids = []
    for each in records:
        place = {name: each[name] for name in ("lat", "lng") if name in each}
        values = {name: value for name, value in each.items() if name not in place}
        answer = await app.answer(
            "admin", "create_dataset_record", {"dataset_id": dataset_id, "values": values, **place}
        )
        ids.append(answer.record.id)
    return ids


async def found(app: App, dataset_id: int, **wanted: Any) -> list[str]:
    """The codes of the records that a search finds, in their order."""
    answer = await app.answer("admin", "search_dataset_records", {"dataset_id": dataset_id, **wanted})
    return [record.values["code"] for record in answer.records]


async def import_file(app: App, dataset_id: int, kind: str, content: str, **options: Any) -> Any:
    """The import of a file, worked off, with its outcomes."""
    request = {"dataset_id": dataset_id, "format": kind, "content": content, **options}
    begun = (await app.answer("admin", "import_dataset_records", request)).dataset_import
    await app.work_off()
    return await app.answer("admin", "get_dataset_import", {"import_id": begun.id, "per_page": 200})
