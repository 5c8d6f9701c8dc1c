"""Datasets: schemas, versions, groups and read access."""

from tests.contexts.datasets.makers import add, found, make_dataset
from tests.support.app import App

from haulier.contexts.datasets.datasets.contract import EXAMPLE_SCHEMA


def schema(**fields: object) -> dict[str, object]:
    return {"type": "object", "properties": fields}


async def test_an_invalid_schema_is_refused_with_the_position_of_the_error(app: App) -> None:
    text = {"type": "string"}
    cases = [
        ({"type": "array"}, "record_schema.type"),
        (schema(), "record_schema.properties"),
        (schema(**{"a.b": text}), "record_schema.properties"),
        (schema(a={"type": "txt"}), "record_schema.properties.a.type"),
        (schema(a={"$ref": "https://example.com/x"}), "record_schema.properties.a.$ref"),
        (schema(a={"type": "string", "pattern": "("}), "record_schema.properties.a.pattern"),
        (schema(a={"description": "x" * 40_000}), "record_schema"),
    ]
    for record_schema, field in cases:
        result = await app.call("admin", "create_dataset", {"name": "X", "record_schema": record_schema})
        assert (result.status, result.error["errors"][0]["field"]) == (422, field), record_schema


async def test_field_settings_must_refer_to_schema_fields(app: App) -> None:
    named = {"indexed_fields": ["colour"], "key_field": "name", "address_fields": ["street"]}
    result = await app.call("admin", "create_dataset", {"name": "X", "record_schema": EXAMPLE_SCHEMA, **named})
    assert [fault["field"] for fault in result.error["errors"]] == ["indexed_fields.0", "address_fields.0", "key_field"]


async def test_patterns_match_in_linear_time(app: App) -> None:
    """A pattern that would take others for ever is a plain refusal here."""
    dataset_id = await make_dataset(
        app,
        record_schema=schema(code={"type": "string", "pattern": "^(a+)+$"}),
        key_field=None,
        indexed_fields=None,
        address_fields=[],
    )
    values = {"code": "a" * 5000 + "!"}
    result = await app.call("admin", "create_dataset_record", {"dataset_id": dataset_id, "values": values})
    assert result.error["errors"][0]["code"] == "PATTERN"


async def test_a_changed_schema_creates_a_new_version_and_reindexes_its_records(app: App) -> None:
    dataset_id = await make_dataset(app, indexed_fields=["bays"])
    await add(app, dataset_id, {"code": "A", "bays": 2, "address": "Z"}, {"code": "B", "bays": 1, "address": "Y"})
    wider = {**EXAMPLE_SCHEMA, "properties": {**EXAMPLE_SCHEMA["properties"], "gate": {"type": "string"}}}
    changes = {"record_schema": wider, "indexed_fields": ["address", "bays"]}
    changed = (await app.answer("admin", "update_dataset", {"dataset_id": dataset_id, **changes})).dataset
    assert (changed.version, changed.indexing, changed.indexed_fields) == (2, True, ["bays", "address"])
    early = await app.call("admin", "search_dataset_records", {"dataset_id": dataset_id, "sort": "address"})
    assert (early.status, early.error["code"]) == (409, "DATASET_INDEXING")
    assert await found(app, dataset_id, sort="bays") == ["B", "A"]
    await app.work_off()
    assert await found(app, dataset_id, sort="address") == ["B", "A"]
    compared = await app.answer("admin", "compare_dataset_versions", {"dataset_id": dataset_id, "before": 1})
    assert [(each.path, each.before, each.after) for each in compared.differences] == [
        ("properties.gate", None, {"type": "string"}),
        ("indexed_fields", ["bays"], ["bays", "address"]),
    ]
    versions = (await app.answer("admin", "list_dataset_versions", {"dataset_id": dataset_id})).versions
    assert [each.version for each in versions] == [2, 1]


async def test_renaming_a_dataset_creates_no_new_version(app: App) -> None:
    dataset_id = await make_dataset(app)
    changed = await app.answer(
        "admin", "update_dataset", {"dataset_id": dataset_id, "name": "Bays", "description": "x"}
    )
    assert (changed.dataset.name, changed.dataset.version) == ("Bays", 1)
    await make_dataset(app)
    taken = await app.call("admin", "update_dataset", {"dataset_id": dataset_id, "name": "Docks"})
    assert taken.error["code"] == "DATASET_NAME_TAKEN"


async def test_a_group_controls_read_access_to_its_datasets(app: App) -> None:
    for readers, seen in {
        (): ["admin"],
        ("employee",): ["admin", "employee"],
        ("driver", "customer"): ["admin", "driver", "customer"],
        None: ["admin", "employee"],
    }.items():
        name = f"for {readers}"
        group = {} if readers is None else {"name": name, "readers": list(readers)}
        group_id = (await app.answer("admin", "create_dataset_group", group)).group.id if group else None
        dataset_id = await make_dataset(app, name=name, group_id=group_id)
        for who in ("admin", "employee", "contractor", "driver", "customer"):
            listed = [each.id for each in (await app.answer(who, "list_datasets", {"search": name})).datasets]
            shown = await app.call(who, "get_dataset", {"dataset_id": dataset_id})
            searched = await app.call(who, "search_dataset_records", {"dataset_id": dataset_id})
            groups = [each.name for each in (await app.answer(who, "list_dataset_groups")).groups]
            reads = who in seen
            assert ((dataset_id in listed), shown.status == 200, searched.status == 200) == (reads, reads, reads), (
                who,
                name,
            )
            assert (name in groups) == (reads and group_id is not None), (who, name)
        written = await app.call(
            "employee", "create_dataset_record", {"dataset_id": dataset_id, "values": {"code": "A"}}
        )
        assert (written.status == 200) == ("employee" in seen), name


async def test_a_group_with_datasets_cannot_be_deleted(app: App) -> None:
    group_id = (await app.answer("admin", "create_dataset_group", {"name": "Sites"})).group.id
    dataset_id = await make_dataset(app, group_id=group_id)
    refused = await app.call("admin", "delete_dataset_group", {"group_id": group_id})
    assert refused.error["code"] == "DATASET_GROUP_IN_USE"
    await app.answer("admin", "update_dataset", {"dataset_id": dataset_id, "group_id": None})
    await app.answer("admin", "delete_dataset_group", {"group_id": group_id})
    assert (await app.answer("admin", "list_dataset_groups")).groups == []


async def test_a_deleted_dataset_disappears_at_once_and_its_records_soon_after(app: App) -> None:
    dataset_id = await make_dataset(app)
    await add(app, dataset_id, {"code": "A"}, {"code": "B"})
    await app.answer("admin", "delete_dataset", {"dataset_id": dataset_id}, confirmed=True)
    assert (await app.call("admin", "search_dataset_records", {"dataset_id": dataset_id})).status == 404
    again = await make_dataset(app)
    await add(app, again, {"code": "A"})
    await app.work_off()
    assert await found(app, again) == ["A"]
    assert [each.id for each in (await app.answer("admin", "list_datasets")).datasets] == [again]
