"""Operations on datasets."""

from typing import Any

from haulier.contexts.datasets.datasets import store
from haulier.contexts.datasets.datasets.actions import REMOVE_RECORDS_JOB, RemoveRecords, begin_indexing
from haulier.contexts.datasets.datasets.contract import (
    CompareDatasetVersions,
    CreateDataset,
    CreateDatasetGroup,
    DatasetAnswer,
    DatasetComparison,
    DatasetDifference,
    DatasetGroup,
    DatasetGroupAnswer,
    DatasetGroupList,
    DatasetGroupRef,
    DatasetList,
    DatasetRef,
    DatasetVersions,
    ListDatasets,
    UpdateDataset,
    UpdateDatasetGroup,
)
from haulier.contexts.datasets.datasets.errors import DATASET_GROUP_IN_USE, DATASET_GROUP_NAME_TAKEN, DATASET_NAME_TAKEN
from haulier.contexts.datasets.datasets.queries import DatasetRow, get_dataset_to_write, get_readable_dataset
from haulier.contexts.datasets.datasets.rules import (
    assign_slots,
    changed_parts,
    dataset_faults,
    default_indexed_fields,
    may_read,
)
from haulier.contexts.datasets.datasets.serializers import dataset_detail, dataset_record, dataset_version
from haulier.contexts.datasets.events import DatasetChanged
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import OFFICE, SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import INVALID_REQUEST, NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record

DATASET_PATH = "/v1/datasets/{dataset_id}"
EMPTIED_BY_NULL = frozenset({"description", "group_id", "address_country"})


@reads(
    "list_datasets",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", "/v1/datasets"), GraphQL("datasets"), Mcp("list_datasets", title="List datasets")),
)
async def list_datasets(call: Call, request: ListDatasets) -> DatasetList:
    """List datasets by name.

    Only datasets that the caller may read are listed.
    """
    rows, total = await store.list_dataset_rows(
        call.work,
        **await _readable(call),
        group_id=request.group_id,
        search=request.search,
        limit=request.per_page,
        offset=request.offset,
    )
    datasets = [dataset_record(call, row) for row in rows]
    return DatasetList(total=total, page=request.page, per_page=request.per_page, datasets=datasets)


async def _readable(call: Call) -> dict[str, Any]:
    account = call.principal.account
    if account is Account.CLIENT_ADMIN:
        return {"groups_read": None, "ungrouped": True}
    groups = await store.list_group_rows(call.work)
    read = [group.id for group in groups if may_read(account, group.readers)]
    return {"groups_read": read, "ungrouped": may_read(account, None)}


@reads(
    "get_dataset",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", DATASET_PATH), GraphQL("dataset"), Mcp("get_dataset", title="Get a dataset")),
    errors=(NOT_FOUND,),
)
async def get_dataset(call: Call, request: DatasetRef) -> DatasetAnswer:
    """Get a dataset.

    Includes its schema and indexed fields.
    """
    return DatasetAnswer(dataset=dataset_detail(call, await get_readable_dataset(call, request.dataset_id)))


@writes(
    "create_dataset",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/datasets"), GraphQL("createDataset")),
    errors=(NOT_FOUND, DATASET_NAME_TAKEN),
)
async def create_dataset(call: Call, request: CreateDataset) -> DatasetAnswer:
    """Create a dataset.

    Its schema defines the records.
    """
    _require_fit(request.record_schema, request.indexed_fields, request.key_field, request.address_fields)
    await _require_group(call, request.group_id)
    indexed = request.indexed_fields
    if indexed is None:
        indexed = default_indexed_fields(request.record_schema, request.key_field)
    values: dict[str, Any] = {
        **request.model_dump(exclude={"indexed_fields"}),
        "slots": assign_slots(indexed, []),
        "version": 1,
        "record_count": 0,
        "unready": [],
        "created_at": call.now,
        "updated_at": call.now,
    }
    try:
        async with call.work.savepoint():
            dataset_id = await store.insert_dataset(call.work, values)
    except UniqueConflict:
        raise DATASET_NAME_TAKEN(name=request.name) from None
    call.add_audit_subjects("dataset", dataset_id)
    await call.publish(DatasetChanged(dataset_id=dataset_id, change="created"))
    return await _kept(call, dataset_id)


@writes(
    "update_dataset",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", DATASET_PATH), GraphQL("updateDataset")),
    errors=(NOT_FOUND, DATASET_NAME_TAKEN),
)
async def update_dataset(call: Call, request: UpdateDataset) -> DatasetAnswer:
    """Update a dataset.

    Changes its name, readers, schema or fields. A changed schema or field creates a new version. Existing records are
    unchanged. They are indexed again in the background if the indexed fields change.
    """
    row = await get_dataset_to_write(call, request.dataset_id, lock=True)
    given = request.model_dump(exclude={"dataset_id"}, exclude_unset=True)
    changes = {name: value for name, value in given.items() if value is not None or name in EMPTIED_BY_NULL}
    await _require_group(call, changes.get("group_id"))
    indexed = changes.pop("indexed_fields", None)
    said: dict[str, Any] = {"record_schema": row.record_schema, "address_fields": row.address_fields} | changes
    slots = row.slots if indexed is None else assign_slots(indexed, row.slots)
    _require_fit(said["record_schema"], [name for name in slots if name], row.key_field, said["address_fields"])
    new_version = slots != row.slots or any(said[name] != getattr(row, name) for name in said if name in _VERSIONED)
    changes |= {"updated_at": call.now, **({"slots": slots, "version": row.version + 1} if new_version else {})}
    try:
        async with call.work.savepoint():
            await store.update_dataset_row(call.work, row.id, changes)
    except UniqueConflict:
        raise DATASET_NAME_TAKEN(name=request.name or "") from None
    if new_fields := [name for name in slots if name and name not in row.slots]:
        await begin_indexing(call, row.id, row.version + 1, [*row.unready, *new_fields])
    call.add_audit_subjects("dataset", row.id)
    await call.publish(DatasetChanged(dataset_id=row.id, change="changed"))
    return await _kept(call, row.id, new_version=new_version)


_VERSIONED = frozenset({"record_schema", "address_fields"})


@writes(
    "delete_dataset",
    audience=OFFICE,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.HIGH,
    confirm=True,
    interfaces=(Rest("DELETE", DATASET_PATH), GraphQL("deleteDataset")),
    errors=(NOT_FOUND,),
)
async def delete_dataset(call: Call, request: DatasetRef) -> Done:
    """Delete a dataset with all its records.

    This cannot be undone.
    """
    row = await get_dataset_to_write(call, request.dataset_id, lock=True)
    await store.update_dataset_row(call.work, row.id, {"deleted_at": call.now})
    await call.enqueue(REMOVE_RECORDS_JOB, RemoveRecords(row.id))
    call.add_audit_subjects("dataset", row.id)
    await call.publish(DatasetChanged(dataset_id=row.id, change="removed"))
    return Done(message=call.translate("dataset_deleted", name=row.name))


@reads(
    "list_dataset_versions",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", f"{DATASET_PATH}/versions"), GraphQL("datasetVersions")),
    errors=(NOT_FOUND,),
)
async def list_dataset_versions(call: Call, request: DatasetRef) -> DatasetVersions:
    """List versions of a dataset, newest first.

    The last hundred versions of its schema and fields.
    """
    row = await get_readable_dataset(call, request.dataset_id)
    rows = await store.list_dataset_version_rows(call.work, row.id)
    return DatasetVersions(versions=[dataset_version(call, each) for each in rows])


@reads(
    "compare_dataset_versions",
    audience=OFFICE,
    scopes={Scope.DATASETS_READ},
    interfaces=(Rest("GET", f"{DATASET_PATH}/versions/compare"), GraphQL("compareDatasetVersions")),
    errors=(NOT_FOUND,),
)
async def compare_dataset_versions(call: Call, request: CompareDatasetVersions) -> DatasetComparison:
    """Compare two versions of a dataset.

    Returns differences of schema, indexed fields and address fields.
    """
    row = await get_readable_dataset(call, request.dataset_id)
    before = await _version_document(call, row, request.before, "before")
    after = await _version_document(call, row, request.after or row.version, "after")
    return DatasetComparison(
        before=request.before,
        after=request.after or row.version,
        differences=[DatasetDifference(path=path, before=a, after=b) for path, a, b in changed_parts(before, after)],
    )


async def _version_document(call: Call, row: DatasetRow, version: int, field: str) -> dict[str, Any]:
    found = await store.get_dataset_version_row(call.work, row.id, version)
    if found is None:
        raise record_not_found(**{field: version})
    indexed = [name for name in found.slots if name]
    return {**found.record_schema, "indexed_fields": indexed, "address_fields": found.address_fields}


def _require_fit(schema: dict[str, Any], indexed: list[str] | None, key: str | None, address: list[str]) -> None:
    if faults := dataset_faults(schema, indexed, key, address):
        raise INVALID_REQUEST.for_fields(*faults)


async def _require_group(call: Call, group_id: int | None) -> None:
    """Require that employees can read the group of a dataset."""
    if group_id is None:
        return
    group = await store.get_group_row(call.work, group_id)
    if group is None or not may_read(call.principal.account, group.readers):
        raise record_not_found(group_id=group_id)


async def _kept(call: Call, dataset_id: int, *, new_version: bool = True) -> DatasetAnswer:
    """Return the current dataset after storing its new version."""
    row = await get_readable_dataset(call, dataset_id)
    if new_version:
        said = {name: getattr(row, name) for name in ("record_schema", "slots", "address_fields", "version")}
        written = {"dataset_id": row.id, "written_at": call.now, "written_by": call.actor}
        await store.insert_dataset_version(call.work, said | written)
    return DatasetAnswer(dataset=dataset_detail(call, row))


ADMINS = frozenset({Account.CLIENT_ADMIN})


@reads(
    "list_dataset_groups",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    interfaces=(
        Rest("GET", "/v1/dataset-groups"),
        GraphQL("datasetGroups"),
        Mcp("list_dataset_groups", title="List dataset groups"),
    ),
)
async def list_dataset_groups(call: Call, request: EmptyRequest) -> DatasetGroupList:
    """List dataset groups by name.

    Only groups that the caller may read are listed.
    """
    rows = await store.list_group_rows(call.work)
    return DatasetGroupList(
        groups=[record(DatasetGroup, row) for row in rows if may_read(call.principal.account, row.readers)]
    )


@writes(
    "create_dataset_group",
    audience=ADMINS,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("POST", "/v1/dataset-groups"), GraphQL("createDatasetGroup")),
    errors=(DATASET_GROUP_NAME_TAKEN,),
)
async def create_dataset_group(call: Call, request: CreateDatasetGroup) -> DatasetGroupAnswer:
    """Create a dataset group and its readers."""
    values = {**request.model_dump(), "readers": list(dict.fromkeys(request.readers)), "created_at": call.now}
    try:
        async with call.work.savepoint():
            group_id = await store.insert_group(call.work, values)
    except UniqueConflict:
        raise DATASET_GROUP_NAME_TAKEN(name=request.name) from None
    call.add_audit_subjects("dataset_group", group_id)
    return await _group_answer(call, group_id)


@writes(
    "update_dataset_group",
    audience=ADMINS,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("PATCH", "/v1/dataset-groups/{group_id}"), GraphQL("updateDatasetGroup")),
    errors=(NOT_FOUND, DATASET_GROUP_NAME_TAKEN),
)
async def update_dataset_group(call: Call, request: UpdateDatasetGroup) -> DatasetGroupAnswer:
    """Update a dataset group.

    Changes its name, description or readers.
    """
    await _group_answer(call, request.group_id)
    given = request.model_dump(exclude={"group_id"}, exclude_unset=True)
    changes = {name: value for name, value in given.items() if value is not None or name == "description"}
    try:
        async with call.work.savepoint():
            await store.update_group_row(call.work, request.group_id, changes)
    except UniqueConflict:
        raise DATASET_GROUP_NAME_TAKEN(name=request.name or "") from None
    call.add_audit_subjects("dataset_group", request.group_id)
    return await _group_answer(call, request.group_id)


@writes(
    "delete_dataset_group",
    audience=ADMINS,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    interfaces=(Rest("DELETE", "/v1/dataset-groups/{group_id}"), GraphQL("deleteDatasetGroup")),
    errors=(NOT_FOUND, DATASET_GROUP_IN_USE),
)
async def delete_dataset_group(call: Call, request: DatasetGroupRef) -> Done:
    """Delete an empty dataset group."""
    group = (await _group_answer(call, request.group_id)).group
    if group.dataset_count:
        raise DATASET_GROUP_IN_USE(count=group.dataset_count)
    await store.delete_group_row(call.work, request.group_id)
    call.add_audit_subjects("dataset_group", request.group_id)
    return Done(message=call.translate("dataset_group_deleted"))


async def _group_answer(call: Call, group_id: int) -> DatasetGroupAnswer:
    row = await store.get_group_row(call.work, group_id)
    if row is None:
        raise record_not_found(group_id=group_id)
    return DatasetGroupAnswer(group=record(DatasetGroup, row))
