"""Example requests of operations on datasets, groups, records and imports."""

from haulier.contexts.datasets.datasets.contract import EXAMPLE_SCHEMA

EXAMPLES: dict[str, dict[str, object]] = {
    "list_datasets": {"search": "dock"},
    "get_dataset": {"dataset_id": "$dataset_id"},
    "create_dataset": {
        "name": "Loading docks",
        "record_schema": EXAMPLE_SCHEMA,
        "key_field": "code",
        "indexed_fields": ["bays", "opened"],
        "address_fields": ["address"],
    },
    "update_dataset": {"dataset_id": "$dataset_id", "description": "Where trucks dock."},
    "delete_dataset": {"dataset_id": "$dataset_id"},
    "list_dataset_versions": {"dataset_id": "$dataset_id"},
    "compare_dataset_versions": {"dataset_id": "$dataset_id", "before": 1},
    "list_dataset_groups": {},
    "create_dataset_group": {"name": "Sites", "readers": ["employee", "driver"]},
    "update_dataset_group": {"group_id": "$group_id", "readers": ["employee"]},
    "delete_dataset_group": {"group_id": "$group_id"},
    "search_dataset_records": {"dataset_id": "$dataset_id", "search": "north"},
    "get_dataset_record": {"dataset_id": "$dataset_id", "record_id": "$record_id"},
    "create_dataset_record": {"dataset_id": "$dataset_id", "values": {"code": "D-18", "bays": 4}},
    "update_dataset_record": {"dataset_id": "$dataset_id", "record_id": "$record_id", "values": {"bays": 6}},
    "delete_dataset_record": {"dataset_id": "$dataset_id", "record_id": "$record_id"},
    "list_dataset_record_versions": {"dataset_id": "$dataset_id", "record_id": "$record_id"},
    "export_dataset_records": {"dataset_id": "$dataset_id"},
    "geocode_dataset": {"dataset_id": "$dataset_id"},
    "get_dataset_geocoding": {"geocoding_id": "$geocoding_id"},
    "cancel_dataset_geocoding": {"geocoding_id": "$geocoding_id"},
    "import_dataset_records": {"dataset_id": "$dataset_id", "format": "csv", "content": "code,bays\nD-19,4\n"},
    "get_dataset_import": {"import_id": "$import_id"},
    "list_dataset_imports": {"dataset_id": "$dataset_id"},
    "cancel_dataset_import": {"import_id": "$import_id"},
}
