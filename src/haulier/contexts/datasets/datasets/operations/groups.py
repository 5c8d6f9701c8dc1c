"""Groups of datasets: list, create, change, delete."""

from haulier.contexts.datasets.datasets.contract import (
    CreateDatasetGroup,
    DatasetGroup,
    DatasetGroupAnswer,
    DatasetGroupList,
    DatasetGroupRef,
    UpdateDatasetGroup,
)
from haulier.contexts.datasets.datasets.errors import DATASET_GROUP_IN_USE, DATASET_GROUP_NAME_TAKEN
from haulier.contexts.datasets.datasets.rules.rights import may_read
from haulier.contexts.datasets.datasets.store import groups as store
from haulier.kernel.call import Call
from haulier.kernel.data.unit_of_work import UniqueConflict
from haulier.kernel.operations.answers import Done
from haulier.kernel.operations.declaration import EmptyRequest, GraphQL, Mcp, Rest, reads, writes
from haulier.kernel.operations.enums import SIGNED_IN, Account, Risk, Scope
from haulier.kernel.operations.errors import NOT_FOUND, record_not_found
from haulier.kernel.operations.records import record

ADMINS = frozenset({Account.CLIENT_ADMIN})


@reads(
    "list_dataset_groups",
    audience=SIGNED_IN,
    scopes={Scope.DATASETS_READ},
    doors=(
        Rest("GET", "/v1/dataset-groups"),
        GraphQL("datasetGroups"),
        Mcp("list_dataset_groups", title="List groups of datasets"),
    ),
)
async def list_dataset_groups(call: Call, request: EmptyRequest) -> DatasetGroupList:
    """List the groups of datasets that the caller may read, by name."""
    rows = await store.list_group_rows(call.work)
    return DatasetGroupList(
        groups=[record(DatasetGroup, row) for row in rows if may_read(call.principal.account, row.readers)]
    )


@writes(
    "create_dataset_group",
    audience=ADMINS,
    scopes={Scope.DATASETS_WRITE},
    risk=Risk.MEDIUM,
    doors=(Rest("POST", "/v1/dataset-groups"), GraphQL("createDatasetGroup")),
    errors=(DATASET_GROUP_NAME_TAKEN,),
)
async def create_dataset_group(call: Call, request: CreateDatasetGroup) -> DatasetGroupAnswer:
    """Make a group of datasets, and say who reads what is in it."""
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
    doors=(Rest("PATCH", "/v1/dataset-groups/{group_id}"), GraphQL("updateDatasetGroup")),
    errors=(NOT_FOUND, DATASET_GROUP_NAME_TAKEN),
)
async def update_dataset_group(call: Call, request: UpdateDatasetGroup) -> DatasetGroupAnswer:
    """Change the name of a group, or who reads what is in it."""
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
    doors=(Rest("DELETE", "/v1/dataset-groups/{group_id}"), GraphQL("deleteDatasetGroup")),
    errors=(NOT_FOUND, DATASET_GROUP_IN_USE),
)
async def delete_dataset_group(call: Call, request: DatasetGroupRef) -> Done:
    """Delete a group that holds no dataset."""
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
