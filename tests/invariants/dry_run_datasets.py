"""Steps of the dry-run day about datasets."""

from collections.abc import Callable, Iterator
from typing import TypeVar

S = TypeVar("S")


def dataset_steps(step: Callable[..., S]) -> Iterator[S]:
    """Yield steps about datasets, built with `step`."""
    schema = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "name": {"type": "string"}},
        "required": ["code"],
    }
    yield step("admin", "create_dataset_group", {"old_group": "group.id"}, name="Old sites")
    yield step("admin", "delete_dataset_group", group_id="$old_group")
    yield step("admin", "create_dataset_group", {"group": "group.id"}, name="Sites")
    yield step("admin", "update_dataset_group", group_id="$group", readers=["employee", "driver"])
    yield step("admin", "create_dataset", {"gone": "dataset.id"}, name="Old docks", record_schema=schema)
    yield step("admin", "delete_dataset", dataset_id="$gone")
    docks = {"record_schema": schema, "key_field": "code", "group_id": "$group", "address_fields": ["name"]}
    yield step("admin", "create_dataset", {"docks": "dataset.id"}, name="Docks", **docks)
    yield step("admin", "update_dataset", dataset_id="$docks", description="Where trucks dock", indexed_fields=["code"])
    dock = {"values": {"code": "A", "name": "North"}, "lat": 43.6, "lng": -79.4}
    yield step("admin", "create_dataset_record", {"dock": "record.id"}, dataset_id="$docks", **dock)
    yield step("admin", "update_dataset_record", dataset_id="$docks", record_id="$dock", values={"name": "South"})
    yield step("admin", "create_dataset_record", {"old_dock": "record.id"}, dataset_id="$docks", values={"code": "B"})
    yield step("admin", "delete_dataset_record", dataset_id="$docks", record_id="$old_dock")
    yield step("admin", "geocode_dataset", {"geocoding": "geocoding_id"}, dataset_id="$docks")
    yield step("admin", "cancel_dataset_geocoding", geocoding_id="$geocoding")
    file = {"dataset_id": "$docks", "format": "csv", "content": "code,name\nC,East\nA,North\n,West\n"}
    yield step("admin", "import_dataset_records", {"import": "dataset_import.id"}, **file)
    yield step("admin", "cancel_dataset_import", import_id="$import")
    yield step("admin", "import_dataset_records", **file)
